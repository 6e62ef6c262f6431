//! Joint angles as they are commanded and measured, for whoever follows a goal: handed over without a lock.

use hexapod_gait::Tick;
use hexapod_kinematics::{LegAngles, MAX_LEG_JOINTS, MAX_LEGS, Robot};
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use std::time::Duration;
use triple_buffer::{Input, Output, triple_buffer};

/// What was measured before this is not known any more.
const FRESH: Duration = Duration::from_millis(300);

/// Angle and velocity of a joint, rad and rad/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// rad.
    pub position: f64,
    /// rad/s; none where nobody measures it.
    pub velocity: Option<f64>,
}

impl Reading {
    /// How far `other` is from this.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let velocity = self.velocity.zip(other.velocity).map(|(one, other)| one - other);
        Self { position: self.position - other.position, velocity }
    }
}

/// What a tick commands.
#[derive(Clone, Copy, Debug)]
pub struct Desired {
    angles: [LegAngles; MAX_LEGS],
    velocities: [LegAngles; MAX_LEGS],
}

impl Desired {
    /// Of this tick.
    #[must_use]
    pub fn of(tick: &Tick) -> Self {
        Self { angles: tick.angles, velocities: tick.velocities }
    }

    /// What is commanded of a joint of a leg, if there is one.
    #[must_use]
    pub fn joint(&self, (leg, joint): (usize, usize)) -> Option<Reading> {
        let position = self.angles.get(leg)?.get(joint).copied()?;
        let velocity = self.velocities.get(leg)?.get(joint).copied();
        Some(Reading { position, velocity })
    }
}

/// What servos say of themselves: what they were sent, or what they measure.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    joints: [[Option<Reading>; MAX_LEG_JOINTS]; MAX_LEGS],
    /// When, on the monotonic clock.
    at: Duration,
    is_measured: bool,
}

impl Measured {
    /// Takes in a message of `servo_states` that was received then.
    pub fn fill(&mut self, robot: &Robot, message: &JointState, at: Duration) {
        // Only servos that measure report how fast they are (`servo_driver/src/feedback.rs`).
        (self.at, self.is_measured) = (at, !message.velocity.is_empty());
        self.joints = Default::default();
        let known = |number: Option<&f64>| number.copied().filter(|number| number.is_finite());
        for (index, name) in message.name.iter().enumerate() {
            let (Some((leg, joint)), Some(position)) = (robot.joint_place(name), known(message.position.get(index)))
            else {
                continue;
            };
            if let Some(place) = self.joints.get_mut(leg).and_then(|leg| leg.get_mut(joint)) {
                *place = Some(Reading { position, velocity: known(message.velocity.get(index)) });
            }
        }
    }

    /// What is known of a joint of a leg at `now`.
    #[must_use]
    pub fn joint(&self, (leg, joint): (usize, usize), now: Duration) -> Option<Reading> {
        let is_fresh = now.saturating_sub(self.at) <= FRESH;
        self.joints.get(leg)?.get(joint).copied().flatten().filter(|_| is_fresh)
    }

    /// Whether that is measured, and not what the servos were sent.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        self.is_measured
    }
}

/// Where both are looked at.
pub struct Views {
    /// Of the last tick.
    pub desired: Output<Desired>,
    /// Of the last message.
    pub measured: Output<Measured>,
}

/// Where both are looked at, and where they come in; until then the robot is as in this tick.
#[must_use]
pub fn views(tick: &Tick) -> (Views, (Input<Desired>, Input<Measured>)) {
    let (to_desired, desired) = triple_buffer(&Desired::of(tick));
    let (to_measured, measured) = triple_buffer(&Measured::default());
    (Views { desired, measured }, (to_desired, to_measured))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Setup, params::shipped};

    #[test]
    fn when_servos_report_expect_what_is_finite_known_for_a_while_and_distinguished_from_what_they_were_sent() {
        let setup = Setup::load(&shipped()).unwrap();
        let (robot, now) = (setup.engine.robot(), Duration::from_secs(5));
        let names = ["left_front_femur", "right_rear_tibia", "left_front_coxa", "no_such_joint"];
        let mut message = JointState { name: names.map(Into::into).to_vec(), ..JointState::default() };
        message.position = vec![0.5, f64::NAN, -0.25];
        let place = |name| robot.joint_place(name).unwrap();
        let mut measured = Measured::default();
        measured.fill(robot, &message, now);
        assert!(!measured.is_measured());
        let at = |measured: &Measured, name, later| measured.joint(place(name), now + Duration::from_millis(later));
        assert_eq!(at(&measured, "left_front_femur", 300), Some(Reading { position: 0.5, velocity: None }));
        assert_eq!(at(&measured, "left_front_femur", 301), None);
        assert_eq!(at(&measured, "right_rear_tibia", 0), None);
        message.velocity = vec![f64::NAN, 0.0, 2.0, 1.0];
        measured.fill(robot, &message, now);
        assert!(measured.is_measured());
        assert_eq!(at(&measured, "left_front_coxa", 0), Some(Reading { position: -0.25, velocity: Some(2.0) }));
        assert_eq!(at(&measured, "left_front_femur", 0), Some(Reading { position: 0.5, velocity: None }));
        measured.fill(robot, &JointState::default(), now);
        assert_eq!(at(&measured, "left_front_coxa", 0), None, "no servo is on any more");
    }
}
