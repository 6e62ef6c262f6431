//! What the servos hold, by `servo_states`: of one source, the driver. A message of another one, such as a bag that is
//! played, neither lets go of the robot nor places its legs.

use crate::command::Held;
use crate::inbox::Inbox;
use crate::setup::Setup;
use hexapod_kinematics::{LegAngles, MAX_LEGS, Robot};
use hexapod_ros::qos::stream;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use hexapod_ros::{RosError, RosNode, Sender};
use rtrb::Producer;
use std::sync::Arc;
use std::time::Duration;

/// A driver that is silent for longer has gone: the slowest one speaks once a second.
const GONE: Duration = Duration::from_millis(1500);

/// Subscribes to what the servos hold.
///
/// # Errors
/// The topic cannot be opened.
pub fn hear(node: &mut RosNode, setup: &Setup, mut poses: Producer<Held>, inbox: &Inbox) -> Result<(), RosError> {
    let (robot, to, mut driver) = (Arc::clone(setup.engine.robot()), inbox.clone(), Driver::default());
    node.subscribe_shared_from("servo_states", stream(), move |message: &JointState, from| {
        if driver.is(from.sender, from.taken) {
            // A loop that does not take them has no use for more.
            let _ = poses.push(held_by(&robot, message));
        } else {
            to.reject("servo_states", "sent by more than one node: only those of the servo driver heard first count");
        }
    })
}

/// Who drives the servos: the first one heard, until it falls silent; one of this process before all others.
#[derive(Debug, Default)]
struct Driver(Option<(Sender, Duration)>);

impl Driver {
    /// Whether a message of `sender`, taken at `now`, is the driver's.
    fn is(&mut self, sender: Sender, now: Duration) -> bool {
        let other = self.0.filter(|(driver, heard)| *driver != sender && now <= *heard + GONE);
        let is_nearer =
            other.is_some_and(|(driver, _)| matches!((driver, sender), (Sender::Remote(_), Sender::Local(_))));
        let is = other.is_none() || is_nearer;
        if is {
            self.0 = Some((sender, now));
        }
        is
    }
}

/// What the servos of a robot hold.
fn held_by(robot: &Robot, message: &JointState) -> Held {
    if message.name.is_empty() {
        return Held::Nothing;
    }
    pose_of(robot, message).map_or(Held::Part, Held::Pose)
}

/// The legs' angles, if the message has every joint and all are finite.
fn pose_of(robot: &Robot, message: &JointState) -> Option<[LegAngles; MAX_LEGS]> {
    let mut angles = [LegAngles::zeros(0); MAX_LEGS];
    for (angles, leg) in angles.iter_mut().zip(robot.legs()) {
        *angles = LegAngles::zeros(leg.joint_count());
        for (angle, joint) in angles.iter_mut().zip(leg.joints()) {
            let place = message.name.iter().position(|name| name == joint.name())?;
            *angle = *message.position.get(place).filter(|position| position.is_finite())?;
        }
    }
    Some(angles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_ros::Gid;

    #[test]
    fn when_two_say_what_the_servos_hold_expect_the_first_to_count_until_it_is_silent() {
        let ms = Duration::from_millis;
        let (first, bag) = (Sender::Local(1), Sender::Local(2));
        let mut driver = Driver::default();
        assert!(driver.is(first, ms(0)));
        for at in 0..100 {
            assert!(!driver.is(bag, ms(1000 * at + 1)), "{at}");
            assert!(driver.is(first, ms(1000 * at + 1000)), "{at}");
        }
        assert!(!driver.is(bag, ms(101_500)) && driver.is(bag, ms(101_501)) && !driver.is(first, ms(101_502)));
    }

    #[test]
    fn when_the_driver_is_of_this_process_expect_it_to_count_whoever_spoke_first() {
        let ms = Duration::from_millis;
        let (here, bag) = (Sender::Local(1), Sender::Remote(Gid([1; 16])));
        let mut driver = Driver::default();
        assert!(driver.is(bag, ms(0)) && driver.is(here, ms(1)) && !driver.is(bag, ms(2)));
    }
}
