//! What the node publishes and calls: what a user of the robot's topics would, nothing else.

use crate::intents::{Motion, Order, Stop};
use crate::protocol::{PoseOffset, Service};
use crate::recording::{Recorder, Topic};
use hexapod_ros::bounds::RateLimited;
use hexapod_ros::clock::to_stamp;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::geometry_msgs::msg::{Pose, Twist, TwistStamped};
use hexapod_ros::r2r::std_msgs::msg::{Bool, Float64, String as StringMsg};
use hexapod_ros::r2r::std_srvs::srv::Trigger;
use hexapod_ros::{Caller, Enabler, Publisher, RosClock, RosError, RosNode, monotonic_now};
use std::time::Duration;

/// Velocity commands, in the type that the planner takes.
enum CmdVel {
    Plain(Publisher<Twist>),
    Stamped(Publisher<TwistStamped>, RosClock),
}

/// The node's publishers and callers.
pub(crate) struct Publishers {
    cmd_vel: CmdVel,
    velocity: Publisher<Float64>,
    curvature: Publisher<Float64>,
    body_pose: Publisher<Pose>,
    gait: Publisher<StringMsg>,
    motion: Publisher<StringMsg>,
    stopped: Publisher<Bool>,
    emergency_stop: Caller<Trigger::Service>,
    halt: Caller<Trigger::Service>,
    stand: Caller<Trigger::Service>,
    sit: Caller<Trigger::Service>,
    pack: Caller<Trigger::Service>,
    enable: Enabler,
    recorder: Recorder,
    errors: RateLimited,
}

impl Publishers {
    pub fn open(node: &mut RosNode, is_stamped: bool, recorder: Recorder) -> Result<Self, RosError> {
        let reliable = QosProfile::default;
        let cmd_vel = if is_stamped {
            CmdVel::Stamped(node.publisher("cmd_vel", reliable())?, node.clock()?)
        } else {
            CmdVel::Plain(node.publisher("cmd_vel", reliable())?)
        };
        Ok(Self {
            cmd_vel,
            velocity: node.publisher("velocity", reliable())?,
            curvature: node.publisher("curvature", reliable())?,
            body_pose: node.publisher("body_pose", reliable())?,
            gait: node.publisher("gait", reliable())?,
            motion: node.publisher("motion", reliable())?,
            stopped: node.publisher("emergency_stop", reliable())?,
            emergency_stop: node.caller("emergency_stop")?,
            halt: node.caller("stop")?,
            stand: node.caller("stand")?,
            sit: node.caller("sit")?,
            pack: node.caller("pack")?,
            enable: Enabler::new(node.caller("enable")?),
            recorder,
            errors: RateLimited::default(),
        })
    }

    /// Publishes a motion.
    pub fn walk(&self, motion: Motion) -> Result<(), RosError> {
        match motion {
            Motion::Twist { vx, vy, wz } => {
                let mut twist = Twist::default();
                (twist.linear.x, twist.linear.y, twist.angular.z) = (vx, vy, wz);
                match &self.cmd_vel {
                    CmdVel::Plain(publisher) => {
                        self.recorder.put(Topic::CmdVel, &twist);
                        publisher.publish(&twist)
                    }
                    CmdVel::Stamped(publisher, clock) => {
                        let mut stamped = TwistStamped { twist, ..TwistStamped::default() };
                        stamped.header.stamp = to_stamp(clock.now());
                        self.recorder.put(Topic::CmdVelStamped, &stamped);
                        publisher.publish(&stamped)
                    }
                }
            }
            Motion::Arc { velocity, curvature } => {
                // The velocity is walked with the last curvature.
                self.curvature.publish(&Float64 { data: curvature })?;
                self.velocity.publish(&Float64 { data: velocity })
            }
        }
    }

    /// Does what is due of calls.
    pub fn tick(&self) {
        self.enable.poll();
    }

    /// Says on the topic that the robot is to stop at once, whoever hears it.
    pub fn say_stop(&self) -> Result<(), RosError> {
        self.stopped.publish(&Bool { data: true })
    }

    /// Calls a stop; `answered` gets whether it worked, and the answer.
    pub fn stop(&self, stop: Stop, answered: impl FnOnce(bool, String) + Send + 'static) -> Result<(), RosError> {
        self.enable.cancel();
        let caller = match stop {
            Stop::Emergency => &self.emergency_stop,
            Stop::Halt => &self.halt,
        };
        caller.call(&Trigger::Request {}, move |answer| answered(answer.success, answer.message))
    }

    /// Calls a service for somebody who `knew` of what had happened by then; `answered` gets whether it worked, and the answer.
    pub fn call(
        &self,
        service: Service,
        knew: Duration,
        answered: impl Fn(bool, &str) + Send + Sync + 'static,
    ) -> Result<(), RosError> {
        let caller = match service {
            Service::Enable | Service::Disable => {
                let on = service == Service::Enable;
                return self.enable.call(on, knew, move |answer| answered(answer.success, &answer.message));
            }
            Service::Stand => &self.stand,
            Service::Sit => &self.sit,
            Service::Pack => &self.pack,
        };
        caller.call(&Trigger::Request {}, move |answer| answered(answer.success, &answer.message))
    }

    pub fn pose(&self, offset: PoseOffset) -> Result<(), RosError> {
        let mut pose = Pose::default();
        let [x, y, z] = offset.position;
        (pose.position.x, pose.position.y, pose.position.z) = (x, y, z);
        let [qx, qy, qz, qw] = quaternion(offset.angles);
        (pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w) = (qx, qy, qz, qw);
        self.body_pose.publish(&pose)
    }

    pub fn gait(&self, name: &str) -> Result<(), RosError> {
        self.gait.publish(&StringMsg { data: name.into() })
    }

    pub fn motion(&self, name: &str) -> Result<(), RosError> {
        self.motion.publish(&StringMsg { data: name.into() })
    }

    /// Warns of what could not be sent.
    pub fn warn(&mut self, sent: Result<(), RosError>) {
        if let Err(error) = sent
            && let Some(line) = self.errors.admit(&error.to_string(), monotonic_now())
        {
            tracing::warn!("{line}");
        }
    }

    /// Carries out what does not wait for an answer.
    pub fn carry_out(&self, order: Order) -> Result<(), RosError> {
        match order {
            Order::Move(motion) => self.walk(motion),
            Order::Stop(Stop::Emergency) => self.say_stop(),
            Order::Stop(Stop::Halt) => Ok(()),
        }
    }
}

/// x y z w of roll, pitch and yaw about fixed axes (REP-103).
fn quaternion([roll, pitch, yaw]: [f64; 3]) -> [f64; 4] {
    let ((sr, cr), (sp, cp), (sy, cy)) = ((roll / 2.0).sin_cos(), (pitch / 2.0).sin_cos(), (yaw / 2.0).sin_cos());
    [sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_body_is_turned_about_one_axis_expect_half_the_angle_in_its_quaternion() {
        let (sin, cos) = 0.2_f64.sin_cos();
        for (angles, expect) in [
            ([0.4, 0.0, 0.0], [sin, 0.0, 0.0, cos]),
            ([0.0, 0.4, 0.0], [0.0, sin, 0.0, cos]),
            ([0.0, 0.0, 0.4], [0.0, 0.0, sin, cos]),
            ([0.0; 3], [0.0, 0.0, 0.0, 1.0]),
        ] {
            let found = quaternion(angles);
            let off = found.iter().zip(expect).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-12, "{angles:?}: {found:?}");
        }
    }

    #[test]
    fn when_the_body_is_pitched_and_yawed_expect_yaw_about_the_vertical() {
        let [x, y, z, w] = quaternion([0.0, 0.3, 0.5]);
        // The body's x axis, turned: ahead and down by the pitch, then to the left by the yaw.
        let ahead = [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)];
        let expect = [0.3_f64.cos() * 0.5_f64.cos(), 0.3_f64.cos() * 0.5_f64.sin(), -0.3_f64.sin()];
        assert!(ahead.iter().zip(expect).all(|(a, b)| (a - b).abs() < 1e-12), "{ahead:?} {expect:?}");
    }
}
