//! Where the base link is in the frame of the hips, in which the engine walks, and how large the robot is: commands, twists
//! and poses count in the base link's frame and in metres outside, so that a robot walks the same wherever its description
//! has it, and whatever its size, in its own measure.

use crate::gait::posture::BodyOffset;
use crate::plane::size::{Enlarged, size_of};
use crate::plane::twist::Twist;
use crate::state::foothold::{Foothold, NextStep};
use crate::state::tick::{Input, Tick};
use hexapod_kinematics::Robot;
use nalgebra::{Isometry3, Translation3, Vector2, Vector3};

/// A base link that is not in the middle of the hips, or turned, or of a robot of another size than the engine's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base {
    base_from_hips: Isometry3<f64>,
    /// The same along the ground: of the footprint frames below both.
    on_ground: Isometry3<f64>,
    /// How many times as large as the engine's the robot is.
    size: f64,
}

impl Base {
    /// That of a robot; none where it is where the engine has the body.
    pub(crate) fn of(robot: &Robot) -> Option<Self> {
        let base_from_hips = *robot.base_from_hips();
        let at = base_from_hips.translation.vector;
        let on_ground = Isometry3::from_parts(Translation3::new(at.x, at.y, 0.0), base_from_hips.rotation);
        let size = size_of(robot);
        (base_from_hips != Isometry3::identity() || size != 1.0).then_some(Self { base_from_hips, on_ground, size })
    }

    /// An input as the engine takes it. A body's offset is one of the middle of the hips, and about it, along the axes of the
    /// base link.
    pub(crate) fn input(&self, input: &Input) -> Input {
        let along = |vector: Vector3<f64>| self.base_from_hips.inverse_transform_vector(&vector);
        let BodyOffset { translation, rotation } = input.body_offset;
        Input {
            twist: self.twist(input.twist),
            body_offset: BodyOffset { translation: along(translation), rotation: along(rotation) }
                .enlarged(1.0 / self.size),
            up: input.up.map(along),
            footholds: input.footholds.map(|foothold| foothold.map(|foothold| self.foothold(foothold))),
            ..*input
        }
    }

    fn foothold(&self, Foothold { at, highest }: Foothold) -> Foothold {
        Foothold { at: self.own(&at), highest: self.own(&at.xy().push(highest)).z }
    }

    /// A place in the footprint frame as the engine has it.
    pub(crate) fn own(&self, place: &Vector3<f64>) -> Vector3<f64> {
        self.on_ground.inverse_transform_point(&(*place).into()).coords / self.size
    }

    /// The twist of the hips' middle where that of the base link is given.
    pub(crate) fn twist(&self, twist: Twist) -> Twist {
        seen(twist, &self.base_from_hips).enlarged(1.0 / self.size)
    }

    /// A tick as it is outside.
    pub(crate) fn tick(&self, tick: &Tick) -> Tick {
        let hips_from_base = self.base_from_hips.inverse();
        Tick {
            feet: tick.feet.map(|foot| self.on_ground.transform_point(&(foot * self.size).into()).coords),
            footprint_from_body: self.on_ground * tick.footprint_from_body.enlarged(self.size) * hips_from_base,
            twist: seen(tick.twist.enlarged(self.size), &hips_from_base),
            ..*tick
        }
    }

    /// A step as it is outside.
    pub(crate) fn step(&self, step: &NextStep) -> NextStep {
        let from = self.on_ground.transform_point(&(step.from * self.size).into()).coords;
        NextStep { from, to: self.place(step.to), rest: self.place(step.rest), ..*step }
    }

    /// A place on the ground below the hips, as it is below the base link.
    pub(crate) fn place(&self, at: Vector2<f64>) -> Vector2<f64> {
        self.on_ground.transform_point(&(at * self.size).push(0.0).into()).coords.xy()
    }
}

/// A twist of one frame as that of another that is fixed to it there.
fn seen(twist: Twist, one_from_other: &Isometry3<f64>) -> Twist {
    let velocity = twist.velocity_at(one_from_other.translation.vector.xy());
    let along = one_from_other.inverse_transform_vector(&velocity.push(0.0));
    Twist::new(along.x, along.y, twist.wz)
}
