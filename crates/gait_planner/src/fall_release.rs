//! Has the servo driver let go of the servos of a robot that has fallen.

use hexapod_ros::r2r::std_srvs::srv::Trigger;
use hexapod_ros::{Caller, RosError, RosNode};
use std::time::Duration;

/// How often the driver is asked, as long as it holds some servo.
const AGAIN: Duration = Duration::from_millis(200);

/// Calls the driver's `emergency_stop`: only somebody's `enable` brings the servos back.
pub(crate) struct FallRelease {
    stop: Caller<Trigger::Service>,
    asked: Option<Duration>,
}

impl FallRelease {
    pub fn open(node: &mut RosNode) -> Result<Self, RosError> {
        Ok(Self { stop: node.caller("emergency_stop")?, asked: None })
    }

    /// Asks once for a robot that has fallen, and again while servos hold it.
    pub fn look(&mut self, fallen: bool, holds: bool, now: Duration) {
        if !fallen {
            self.asked = None;
        } else if self.asked.is_none_or(|asked| holds && now >= asked + AGAIN) {
            self.asked = Some(now);
            if let Err(error) = self.stop.call(&Trigger::Request {}, |_| {}) {
                tracing::error!("the robot has fallen, and the servo driver cannot be reached: {error}");
            }
        }
    }
}
