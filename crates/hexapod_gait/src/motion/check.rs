//! Whether a robot can play a motion: reached, within limits, and standing at every moment.

use super::ground::GroundPlane;
use super::kinds::Motion;
use super::transition::{self, Solved, Stage};
use crate::plane::size::{Enlarged, own_robot, size_of};
use crate::plant::mass::Masses;
use crate::state::pose::{Home, Pose, Target};
use hexapod_kinematics::{LegAngles, MAX_LEGS, Neighbour, Robot, SelfCollision};
use nalgebra::UnitQuaternion;
use std::sync::Arc;

/// Why a robot cannot play a motion; times are seconds into the motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// A foot cannot get where it is wanted.
    #[error(
        "{when} leg {leg} cannot reach its foot; keep the foot nearer to its resting place, or the body straighter"
    )]
    Reach {
        /// Name of the leg.
        leg: String,
        /// When.
        when: When,
    },
    /// A joint is wanted beyond its limits.
    #[error("{when} joint {joint} is wanted at {angle:.3} rad; its limits are {lower:.3} to {upper:.3}")]
    Limits {
        /// Name of the joint.
        joint: String,
        /// Angle wanted, rad.
        angle: f64,
        /// Least angle, rad.
        lower: f64,
        /// Greatest angle, rad.
        upper: f64,
        /// When.
        when: When,
    },
    /// The centre of mass leaves the feet on the ground.
    #[error(
        "{when} the robot would tip over: its centre of mass must stay {least_mm:.0} mm inside the feet on the ground; \
         move the body away from the lifted feet"
    )]
    Unstable {
        /// When.
        when: When,
        /// The least distance of its centre of mass from their edge, mm.
        least_mm: f64,
    },
    /// Two legs, or a leg and the body, come too near to each other.
    #[error(
        "{when} {pair} come within {distance_mm:.1} mm of each other; keep {least_mm:.1} mm between them (`leg_clearance`)"
    )]
    Collision {
        /// Both, as a sentence names them.
        pair: String,
        /// Their distance, mm; below zero where they overlap.
        distance_mm: f64,
        /// The least they may have, mm: half a millimetre more than `leg_clearance`, for what they do between two looks.
        least_mm: f64,
        /// When.
        when: When,
    },
    /// The body comes down to the ground.
    #[error("{when} the body would touch the ground")]
    Belly {
        /// When.
        when: When,
    },
}

/// A moment of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// On the way from standing to its start.
    Before,
    /// Seconds into the motion.
    At(f64),
    /// When it is broken off there, seconds into the motion.
    BrokenOff(f64),
    /// On the way from its end to standing.
    After,
}

impl std::fmt::Display for When {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Before => out.write_str("on the way from standing to its start"),
            Self::At(time) => write!(out, "at {time:.2} s"),
            Self::BrokenOff(time) => write!(out, "when broken off at {time:.2} s"),
            Self::After => out.write_str("on the way from its end back to standing"),
        }
    }
}

/// Least distance (m) of the centre of mass from the edge of the support polygon, of a robot of the size of the shipped one.
pub const LEAST_MARGIN_M: f64 = 0.01;
/// Greatest lean of the body over its feet, rad.
const MAX_TILT_RAD: f64 = 0.6;
const SAMPLE_S: f64 = 0.02;
const MAX_SAMPLES: f64 = 4000.0;
const STAGE_SAMPLES: usize = 8;
/// Samples from one look at the whole way down, or home, to the next.
const BREAK_OFF_SAMPLES: usize = 5;
/// The body may not lean over by more than this between two samples: it would be falling, rad.
const MAX_LURCH_RAD: f64 = 0.1;

/// Checks that the robot can play `motion` from `home` and come back, whenever it is broken off, with no leg nearer to another
/// or to the body than `collision` lets it: that of the engine is [`Engine::self_collision`](crate::Engine::self_collision).
///
/// # Errors
/// What keeps it from doing so first.
pub fn check(robot: &Arc<Robot>, home: &Home, motion: &Motion, collision: &SelfCollision) -> Result<(), Refusal> {
    let (robot, size, home) = (&own_robot(robot), size_of(robot), &home.enlarged(1.0 / size_of(robot)));
    let masses = Masses::of(robot);
    let mut checker = Checker { robot, size, home, masses, collision, seed: home.angles, lean: None };
    let target = |time: f64| motion.target_of(time, home, 1.0 / size);
    let cycle = motion.cycle_time();
    let steps = (cycle / SAMPLE_S).ceil().clamp(8.0, MAX_SAMPLES) as usize;
    checker.way(&Target::Feet(home.pose), &target(0.0), When::Before)?;
    for step in 0..=steps {
        let time = cycle * step as f64 / steps as f64;
        let target = target(time);
        checker.target(&target, When::At(time))?;
        if let Target::Feet(pose) = target {
            let when = When::BrokenOff(time);
            let down = checker.with_its_feet_down(&pose);
            checker.solve(&down, when)?;
            if step % BREAK_OFF_SAMPLES == 0 {
                let seed = checker.seed;
                let goal = if checker.stands_elsewhere(&pose) { &home.pose } else { &down };
                checker.way_of_feet(&pose, goal, when)?;
                checker.seed = seed;
            }
        }
    }
    checker.way(&target(cycle), &Target::Feet(home.pose), When::After)
}

struct Checker<'a> {
    robot: &'a Arc<Robot>,
    /// How many times as large the robot is that is described.
    size: f64,
    home: &'a Home,
    masses: Masses,
    collision: &'a SelfCollision,
    seed: [LegAngles; MAX_LEGS],
    /// How the body leaned at the last sample of joints.
    lean: Option<UnitQuaternion<f64>>,
}

impl Checker<'_> {
    fn unstable(&self, when: When) -> Refusal {
        Refusal::Unstable { when, least_mm: LEAST_MARGIN_M * self.size * 1e3 }
    }

    fn target(&mut self, target: &Target, when: When) -> Result<(), Refusal> {
        match target {
            Target::Feet(pose) => self.feet(pose, when),
            Target::Joints(angles) => self.joints(angles, when),
        }
    }

    fn feet(&mut self, pose: &Pose, when: When) -> Result<(), Refusal> {
        self.seed = self.solve(pose, when)?;
        apart(self.robot, (self.collision, self.size), &self.seed, when)?;
        if !stands(&self.masses, self.home, pose, &self.seed) {
            return Err(self.unstable(when));
        }
        if pose.footprint_from_body(self.home.height).translation.z < self.home.lowest - 1e-9 {
            return Err(Refusal::Belly { when });
        }
        Ok(())
    }

    fn solve(&self, pose: &Pose, when: When) -> Result<[LegAngles; MAX_LEGS], Refusal> {
        let name = |leg: usize| self.robot.legs()[leg].name().to_owned();
        pose.solve(self.robot, self.home.height, &self.seed).map_err(|leg| Refusal::Reach { leg: name(leg), when })
    }

    /// A motion may be broken off anywhere: the feet in the air must have a way down, and the robot stand meanwhile.
    fn with_its_feet_down(&self, pose: &Pose) -> Pose {
        let mut down = *pose;
        for leg in (0..MAX_LEGS).filter(|&leg| !pose.planted[leg]) {
            (down.feet[leg], down.planted[leg]) = (self.home.pose.feet[leg], true);
        }
        down
    }

    fn stands_elsewhere(&self, pose: &Pose) -> bool {
        (0..MAX_LEGS).any(|leg| pose.planted[leg] && pose.feet[leg] != self.home.pose.feet[leg])
    }

    fn joints(&mut self, angles: &[LegAngles; MAX_LEGS], when: When) -> Result<(), Refusal> {
        for (leg, angles) in self.robot.legs().iter().zip(angles) {
            for (joint, &angle) in leg.joints().iter().zip(angles.iter()) {
                let (lower, upper) = (joint.limits().lower, joint.limits().upper);
                if !(lower..=upper).contains(&angle) {
                    return Err(Refusal::Limits { joint: joint.name().into(), angle, lower, upper, when });
                }
            }
        }
        apart(self.robot, (self.collision, self.size), angles, when)?;
        let ground = carried(self.robot, &self.masses, angles).ok_or_else(|| self.unstable(when))?;
        let lean = ground.footprint_from_body.rotation;
        if self.lean.replace(lean).is_some_and(|before| before.angle_to(&lean) > MAX_LURCH_RAD) {
            return Err(self.unstable(when));
        }
        let touches = ground.footprint_from_body.translation.z < self.home.lowest - 1e-9;
        if touches { Err(Refusal::Belly { when }) } else { Ok(()) }
    }

    /// The transition from one target to another.
    fn way(&mut self, from: &Target, to: &Target, when: When) -> Result<(), Refusal> {
        match (from, to) {
            (Target::Feet(from), Target::Feet(to)) => self.way_of_feet(from, to, when),
            (from, to) => {
                let (from, to) = (self.angles(from), self.angles(to));
                self.along(&Stage::of_joints(self.robot, &from, &to), when)
            }
        }
    }

    fn way_of_feet(&mut self, from: &Pose, goal: &Pose, when: When) -> Result<(), Refusal> {
        let mut now = *from;
        let mut angles = self.solve(&now, when)?;
        let (robot, home) = (self.robot, self.home);
        while let Some(to) = transition::next(&now, goal, home.step_height, |pose| {
            let angles = pose.solve(robot, home.height, &angles);
            angles.is_ok_and(|angles| stands(&self.masses, home, pose, &angles))
        })
        .map_err(|_| self.unstable(when))?
        {
            let there = self.solve(&to, when)?;
            let from = Solved { pose: now, angles: &angles };
            self.along(&Stage::of_feet(self.robot, self.home, from, Solved { pose: to, angles: &there }), when)?;
            (now, angles) = (to, there);
        }
        Ok(())
    }

    fn along(&mut self, stage: &Stage, when: When) -> Result<(), Refusal> {
        (0..=STAGE_SAMPLES).try_for_each(|step| self.target(&stage.target_at(step as f64 / STAGE_SAMPLES as f64), when))
    }

    fn angles(&self, target: &Target) -> [LegAngles; MAX_LEGS] {
        if let Target::Joints(angles) = target { *angles } else { self.home.angles }
    }
}

/// Whether the centre of mass is well inside the planted feet of a pose, at these joint angles.
pub(super) fn stands(masses: &Masses, home: &Home, pose: &Pose, angles: &[LegAngles; MAX_LEGS]) -> bool {
    let planted = pose.feet.iter().zip(&pose.planted).filter(|(_, planted)| **planted).map(|(foot, _)| foot.xy());
    masses.margin(angles, planted, &pose.footprint_from_body(home.height)) >= LEAST_MARGIN_M
}

/// Whether each leg keeps away from all others and from the body.
fn apart(
    robot: &Robot,
    (collision, size): (&SelfCollision, f64),
    angles: &[LegAngles; MAX_LEGS],
    when: When,
) -> Result<(), Refusal> {
    let Some(found) = collision.check(robot, angles) else { return Ok(()) };
    let name = |leg: usize| robot.legs().get(leg).map_or("?", |leg| leg.name());
    let pair = match found.to {
        Neighbour::Leg(other) => format!("the legs {} and {}", name(found.leg), name(other)),
        Neighbour::Body => format!("leg {} and the body", name(found.leg)),
    };
    let [distance_mm, least_mm] = [found.distance, found.least].map(|distance| distance * size * 1e3);
    Err(Refusal::Collision { pair, distance_mm, least_mm, when })
}

/// Whether the robot stands well all along a straight way through joint space; allocates nothing.
pub(super) fn holds(robot: &Robot, masses: &Masses, home: &Home, way: &Stage) -> bool {
    let mut before: Option<UnitQuaternion<f64>> = None;
    (0..=STAGE_SAMPLES).all(|step| {
        let Target::Joints(angles) = way.target_at(step as f64 / STAGE_SAMPLES as f64) else { return true };
        let Some(ground) = carried(robot, masses, &angles) else { return false };
        let lean = ground.footprint_from_body.rotation;
        let lurches = before.replace(lean).is_some_and(|before| before.angle_to(&lean) > MAX_LURCH_RAD);
        !lurches && ground.footprint_from_body.translation.z >= home.lowest
    })
}

/// The ground under these joint angles, if it carries the robot well.
fn carried(robot: &Robot, masses: &Masses, angles: &[LegAngles; MAX_LEGS]) -> Option<GroundPlane> {
    let ground = ground(robot, masses, angles)?;
    (ground.margin >= LEAST_MARGIN_M && ground.tilt() <= MAX_TILT_RAD).then_some(ground)
}

/// The ground under these joint angles.
pub(super) fn ground(robot: &Robot, masses: &Masses, angles: &[LegAngles; MAX_LEGS]) -> Option<GroundPlane> {
    let legs = robot.legs();
    let mut feet = [nalgebra::Vector3::zeros(); MAX_LEGS];
    for ((foot, leg), angles) in feet.iter_mut().zip(legs).zip(angles) {
        *foot = leg.foot_in_body(angles);
    }
    GroundPlane::under(&feet[..legs.len().min(MAX_LEGS)], &masses.centre(angles))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mode::Mode;
    use crate::state::tests::{on_its_feet, shipped};

    #[test]
    fn when_a_shank_folds_under_the_body_expect_the_body_named() {
        let robot = shipped();
        let (plant, mut angles) = (&robot.0, on_its_feet(&robot, Mode::Standing).angles);
        let collision = SelfCollision::new(&plant.robot, &angles[..6], 0.02);
        assert_eq!(apart(&plant.robot, (&collision, 1.0), &angles, When::Before), Ok(()));
        angles[1] = LegAngles::from([0.0, -0.6, -2.6]);
        let refusal =
            apart(&plant.robot, (&collision, 1.0), &angles, When::At(0.5)).map_err(|refusal| refusal.to_string());
        let named = format!("at 0.50 s leg {} and the body come within", plant.legs()[1].name());
        assert!(refusal.as_ref().is_err_and(|text| text.starts_with(&named)), "{refusal:?}");
    }
}
