//! The whole robot at a moment of a motion.

use crate::gait::posture::BodyOffset;
use crate::gait::swing::minimum_jerk;
use crate::plane::size::Enlarged;
use hexapod_kinematics::{IterationBudget, LegAngles, MAX_LEGS, Robot};
use nalgebra::{Isometry3, Point3, Vector3};

/// Steps of the legs' iterations for one pose.
const POSE_BUDGET: u32 = 500;

/// Body and feet, in the footprint frame of the robot's standing place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// The body against its standing pose.
    pub offset: BodyOffset,
    /// Feet, m.
    pub feet: [Vector3<f64>; MAX_LEGS],
    /// Which of them are on the ground.
    pub planted: [bool; MAX_LEGS],
}

/// Where all legs are wanted at a moment of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "copied within the tick, where nothing may be allocated")]
pub enum Target {
    /// Feet and body.
    Feet(Pose),
    /// Joint angles, rad.
    Joints([LegAngles; MAX_LEGS]),
}

/// The standing pose every motion starts from and ends in: feet at rest, the body straight above them.
#[derive(Clone, Copy, Debug)]
pub struct Home {
    /// Feet at rest.
    pub pose: Pose,
    /// Joint angles there, rad.
    pub angles: [LegAngles; MAX_LEGS],
    /// Body above the ground, m.
    pub height: f64,
    /// Body above the ground when it lies on it, m.
    pub lowest: f64,
    /// Lift of a foot that is put elsewhere, m.
    pub step_height: f64,
}

impl Pose {
    /// The body's pose in the footprint frame.
    #[must_use]
    pub fn footprint_from_body(&self, height: f64) -> Isometry3<f64> {
        self.offset.footprint_from_body(height)
    }

    /// Joint angles for this pose, the solutions nearest to `seed`; or the leg that does not get there.
    ///
    /// # Errors
    /// The index of the first leg that cannot reach its foot.
    pub fn solve(
        &self,
        robot: &Robot,
        height: f64,
        seed: &[LegAngles; MAX_LEGS],
    ) -> Result<[LegAngles; MAX_LEGS], usize> {
        let body_from_footprint = self.footprint_from_body(height).inverse();
        let (mut angles, mut budget) = (*seed, IterationBudget::new(POSE_BUDGET));
        let feet = angles.iter_mut().zip(seed).zip(&self.feet);
        for (index, (leg, ((angles, seed), foot))) in robot.legs().iter().zip(feet).enumerate() {
            let foot = body_from_footprint.transform_point(&Point3::from(*foot)).coords;
            *angles = leg.inverse_with_posture(&foot, seed, &mut budget).map_err(|_| index)?;
        }
        Ok(angles)
    }

    /// The pose at `fraction` of the way to `to`. A foot that moves is off the ground until it arrives; one that moves
    /// from the ground to the ground is carried over it with a lift of `bump` (m).
    #[must_use]
    pub fn towards(&self, to: &Self, fraction: f64, bump: f64) -> Self {
        if fraction >= 1.0 {
            return *to;
        }
        let s = minimum_jerk(fraction);
        let mix = |a: Vector3<f64>, b: Vector3<f64>| a + (b - a) * s;
        let mut pose = *self;
        pose.offset = BodyOffset {
            translation: mix(self.offset.translation, to.offset.translation),
            rotation: mix(self.offset.rotation, to.offset.rotation),
        };
        for leg in 0..MAX_LEGS {
            if self.feet[leg] == to.feet[leg] {
                pose.planted[leg] = self.planted[leg] && to.planted[leg];
                continue;
            }
            pose.feet[leg] = mix(self.feet[leg], to.feet[leg]);
            if self.planted[leg] && to.planted[leg] {
                pose.feet[leg].z += bump * 4.0 * s * (1.0 - s);
            }
            pose.planted[leg] = self.planted[leg] && fraction <= 0.0;
        }
        pose
    }
}

impl Enlarged for Pose {
    fn enlarged(&self, times: f64) -> Self {
        Self { offset: self.offset.enlarged(times), feet: self.feet.map(|foot| foot * times), ..*self }
    }
}

impl Enlarged for Target {
    fn enlarged(&self, times: f64) -> Self {
        match self {
            Self::Feet(pose) => Self::Feet(pose.enlarged(times)),
            Self::Joints(_) => *self,
        }
    }
}

impl Enlarged for Home {
    fn enlarged(&self, times: f64) -> Self {
        Self {
            pose: self.pose.enlarged(times),
            height: self.height * times,
            lowest: self.lowest * times,
            step_height: self.step_height * times,
            ..*self
        }
    }
}
