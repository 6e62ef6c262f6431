//! The simulated robot on a level floor, as far as its servos would tell of it: what each bears, by statics.
//!
//! The feet that are lowest stand, and bear what the least forces make of the weight (`hexapod_dynamics`); where those
//! cannot hold the body it lies on the floor, and legs bear themselves. A physics engine knows better; this is enough for
//! all that listens to loads to be tried without a robot.

use hexapod_dynamics::{BaseMotion, LoadPredictor, Prediction};
use hexapod_kinematics::{LegAngles, MAX_LEGS, Robot};
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use hexapod_servo::simulated::Feedback;
use std::sync::Arc;
use std::time::Duration;

/// Feet this near to the lowest one stand, m.
const STANDING_M: f64 = 1e-3;
/// Friction of the floor.
const FRICTION: f64 = 0.8;
const SEED: u64 = 1;

/// Fills in what servos that tell their load would.
#[derive(Clone, Debug)]
pub(crate) struct LoadFeedback {
    robot: Arc<Robot>,
    predictor: LoadPredictor,
    feedback: Feedback,
    angles: [LegAngles; MAX_LEGS],
    /// Stamp and positions of the last message.
    last: (Duration, Vec<f64>),
}

impl LoadFeedback {
    pub(crate) fn new(robot: &Arc<Robot>) -> Self {
        let mut angles = [LegAngles::zeros(0); MAX_LEGS];
        for (angles, leg) in angles.iter_mut().zip(robot.legs()) {
            *angles = LegAngles::zeros(leg.joint_count());
        }
        let predictor = LoadPredictor::new(robot, FRICTION);
        let feedback = Feedback::new(SEED);
        Self { robot: robot.clone(), predictor, feedback, angles, last: (Duration::ZERO, vec![]) }
    }

    /// Adds velocities and efforts to a message of positions, commanded at `stamp`, and rounds them all.
    pub(crate) fn fill(&mut self, message: &mut JointState, stamp: Duration) {
        let load = self.load(message);
        let since = stamp.saturating_sub(self.last.0).as_secs_f64();
        let same = self.last.1.len() == message.position.len() && since > 0.0;
        message.velocity.clear();
        message.velocity.extend(message.position.iter().enumerate().map(|(at, position)| {
            let before = self.last.1.get(at).filter(|_| same);
            before.map_or(0.0, |before| (position - before) / since)
        }));
        self.last.0 = stamp;
        self.last.1.clone_from(&message.position);
        message.effort.clear();
        let numbers = message.position.iter_mut().zip(&mut message.velocity);
        for (name, (position, velocity)) in message.name.iter().zip(numbers) {
            let (effort, stall) = self.joint(name).map_or((f64::NAN, 0.0), |(leg, joint, stall)| {
                (load.as_ref().map_or(f64::NAN, |load| load.torques[leg][joint]), stall)
            });
            let reported = self.feedback.report(*position, *velocity, effort, stall);
            (*position, *velocity) = (reported.position_rad, reported.velocity_rad_s);
            message.effort.push(reported.effort_nm);
        }
    }

    /// What all joints bear with those of the message where it says.
    fn load(&mut self, message: &JointState) -> Option<Prediction> {
        for (name, position) in message.name.iter().zip(&message.position) {
            if let Some((leg, joint, _)) = self.joint(name)
                && let Some(angle) = self.angles[leg].get_mut(joint)
            {
                *angle = *position;
            }
        }
        let legs = self.robot.legs();
        let angles = self.angles.get(..legs.len())?;
        let depth = |(leg, angles): (&hexapod_kinematics::Leg, &LegAngles)| leg.foot_in_body(angles).z;
        let lowest = legs.iter().zip(angles).map(depth).fold(f64::INFINITY, f64::min);
        let mut standing = [false; MAX_LEGS];
        for (standing, leg) in standing.iter_mut().zip(legs.iter().zip(angles)) {
            *standing = depth(leg) < lowest + STANDING_M;
        }
        let base = BaseMotion::level();
        let held = self.predictor.predict(angles, standing.get(..legs.len())?, &base);
        held.ok().or_else(|| Some(self.predictor.hanging(angles, &base)))
    }

    /// Leg and place of a joint in it, and the torque it stalls at.
    fn joint(&self, name: &str) -> Option<(usize, usize, f64)> {
        let (leg, place) = self.robot.joint_place(name)?;
        Some((leg, place, self.robot.legs().get(leg)?.joints().get(place)?.limits().effort))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(robot: &Robot, angles: [f64; 3]) -> JointState {
        let joints = robot.legs().iter().flat_map(|leg| leg.joints().iter().zip(angles));
        let (name, position) = joints.map(|(joint, angle)| (joint.name().to_owned(), angle)).unzip();
        JointState { name, position, ..Default::default() }
    }

    fn robot() -> Arc<Robot> {
        Arc::new(Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap())
    }

    #[test]
    fn when_the_robot_stands_expect_its_weight_in_the_efforts_and_rounded_numbers() {
        let robot = robot();
        let mut load = LoadFeedback::new(&robot);
        let mut reported = message(&robot, [0.0, 0.6, -1.7]);
        load.fill(&mut reported, Duration::from_secs(1));
        assert_eq!((reported.position.len(), reported.velocity.len(), reported.effort.len()), (18, 18, 18));
        let mut predictor = LoadPredictor::new(&robot, FRICTION);
        let angles = [LegAngles::from([0.0, 0.6, -1.7]); 6];
        let truth = predictor.predict(&angles, &[true; 6], &BaseMotion::level()).unwrap();
        for (at, effort) in reported.effort.iter().enumerate() {
            assert!((effort - truth.torques[at / 3][at % 3]).abs() < 0.03, "{reported:?}");
        }
        let mut moved = message(&robot, [0.02, 0.6, -1.7]);
        load.fill(&mut moved, Duration::from_millis(1020));
        assert!((moved.velocity[0] - 1.0).abs() < 0.05 && moved.velocity[1].abs() < 0.05, "{:?}", moved.velocity);
    }

    #[test]
    fn when_a_foot_is_lifted_expect_its_servos_to_bear_the_leg_alone() {
        let robot = robot();
        let mut load = LoadFeedback::new(&robot);
        let mut reported = message(&robot, [0.0, 0.6, -1.7]);
        reported.position[1] = 0.9;
        load.fill(&mut reported, Duration::from_secs(1));
        let legs: Vec<f64> = (0..6).map(|leg| reported.effort[3 * leg + 1].abs()).collect();
        assert!(legs[0] < 0.1 && legs[1..].iter().all(|effort| *effort > 0.1), "{legs:?}");
    }

    #[test]
    fn when_only_some_joints_or_strangers_are_reported_expect_no_effort_of_strangers_and_no_panic() {
        let robot = robot();
        let mut load = LoadFeedback::new(&robot);
        let name = vec!["tail".to_owned(), "left_front_coxa".to_owned()];
        let mut reported = JointState { name, position: vec![0.3, 0.1], ..Default::default() };
        load.fill(&mut reported, Duration::from_secs(1));
        assert!(reported.effort[0].is_nan() && reported.effort[1].is_finite(), "{reported:?}");
        let mut none = JointState::default();
        load.fill(&mut none, Duration::from_secs(2));
        assert!(none.effort.is_empty());
    }
}
