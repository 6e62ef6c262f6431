//! Commands on their way to the control loop: a queue that neither side ever waits for.

use crate::life::Moment;
use hexapod_dynamics::Inertial;
use hexapod_gait::motion::Motion;
use hexapod_gait::{BodyOffset, Gait, Twist, TwistLimits};
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use hexapod_ros::Sender;
use nalgebra::Vector3;
use rtrb::{Consumer, Producer, RingBuffer};
use std::sync::Arc;
use std::time::Duration;

/// One command. The control loop frees nothing: whoever sends a motion keeps a second handle to it.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "it lives in a ring made once; boxing would free memory in the tick")]
pub enum Command {
    /// From `cmd_vel`.
    Twist(Twist),
    /// From `velocity`, m/s along the path.
    Velocity(f64),
    /// From `curvature`, dimensionless.
    Curvature(f64),
    /// From this topic while nothing may move the robot: whoever pushes has to let go before that counts.
    Barred(&'static str),
    /// From `body_pose`.
    BodyOffset(BodyOffset),
    /// From the topic of these that the gait follows: what each foot feels, where it feels anything.
    Contacts([Option<bool>; MAX_LEGS]),
    /// The same for the robot's condition, from either.
    Feet(FeltBy, [Option<bool>; MAX_LEGS]),
    /// From `imu/data`: what it tells, and, where the body is kept level by it, the direction up in the body, of any length.
    Imu(Inertial, Option<Vector3<f64>>),
    /// From `foothold/<leg>`: where that foot is to be put down next.
    Foothold(usize, PlannedFoothold),
    /// From `gait`, or the parameter of that name.
    Gait(Gait),
    /// From `motion`: play this, or none and finish the cycle.
    Motion(Option<MotionRequest>),
    /// From `joint_trajectory`: play this if the robot stands.
    Trajectory(MotionRequest),
    /// From `follow_joint_trajectory`: play this if the robot stands, or in the place of another goal of that action.
    Goal(MotionRequest),
    /// From `follow_joint_trajectory`: end the goal of this request, for this reason.
    EndGoal(u64, &'static str),
    /// Stand up.
    Stand,
    /// Sit down.
    Sit,
    /// Sit down and fold the legs.
    Pack,
    /// Stop, with all feet planted.
    Stop,
    /// Sit down, and stay down for a while: the servos are about to be switched off.
    Retire,
    /// End everything in the pose the robot is in, for this reason.
    Freeze(&'static str),
    /// Parameter `step_height`.
    StepHeight(f64),
    /// The velocity and acceleration parameters.
    Limits(TwistLimits),
    /// Parameter `cmd_vel_timeout`, s.
    Timeout(f64),
}

impl Command {
    /// Whether it asks for something that a robot which has to sit down does not do.
    #[must_use]
    pub fn keeps_up(&self) -> bool {
        matches!(self, Self::Stand | Self::Pack) || self.request().is_some()
    }

    /// The number of the request that it plays something for.
    #[must_use]
    pub fn request(&self) -> Option<u64> {
        match self {
            Self::Motion(Some(asked)) | Self::Trajectory(asked) | Self::Goal(asked) => Some(asked.request),
            _ => None,
        }
    }

    /// The topic that a refusal of it is counted for.
    #[must_use]
    pub fn topic(&self) -> &'static str {
        match self {
            Self::Trajectory(_) => "joint_trajectory",
            Self::Goal(_) => "follow_joint_trajectory",
            _ => "motion",
        }
    }

    /// Whether it drives the robot on.
    #[must_use]
    pub fn drives(&self) -> bool {
        match self {
            Self::Twist(twist) => !twist.is_zero(),
            Self::Velocity(velocity) => *velocity != 0.0,
            _ => false,
        }
    }

    /// Whether it stops the robot or asks for a posture.
    #[must_use]
    pub fn is_urgent(&self) -> bool {
        let is_posture = matches!(self, Self::Stand | Self::Sit | Self::Pack | Self::Retire);
        is_posture || matches!(self, Self::Stop | Self::Freeze(_) | Self::EndGoal(..))
    }
}

/// A place for a foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedFoothold {
    /// m, in the body.
    pub in_body: Vector3<f64>,
    /// When it was there, on the clock of the control loop.
    pub at: Duration,
}

/// What tells of the feet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeltBy {
    /// `foot_switches`.
    Switches,
    /// `sensed_contacts`.
    Estimate,
}

/// A motion, and the number of the request for it.
#[derive(Clone, Debug)]
pub struct MotionRequest {
    /// What is to be played.
    pub motion: Arc<Motion>,
    /// As published on `motion_status`.
    pub request: u64,
}

/// What `servo_states` says the servos hold.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "it lives in a ring made once; boxing would free memory in the tick")]
pub enum Held {
    /// No servo gets a command.
    Nothing,
    /// Some are, or some angle is none: the robot's pose is not known.
    Part,
    /// Joint angles of each leg, rad.
    Pose([LegAngles; MAX_LEGS]),
}

/// A command, whose it is and when it was received.
#[derive(Clone, Debug)]
pub struct Received {
    /// What was asked.
    pub command: Command,
    /// The publisher of a message; none of a call, or of a parameter that was set.
    pub sender: Option<Sender>,
    /// When it came in.
    pub at: Moment,
}

/// Most commands that wait.
pub(crate) const COMMANDS: usize = 512;
const POSES: usize = 16;

/// What reaches the control loop. Poses do not wait behind commands: the first command counts from where the robot is.
pub struct Incoming {
    /// Commands in the order in which they came.
    pub commands: Consumer<Received>,
    /// What `servo_states` says.
    pub poses: Consumer<Held>,
}

/// The sending ends for commands and for poses, and where they arrive.
#[must_use]
pub fn queues() -> (Producer<Received>, Producer<Held>, Incoming) {
    let ((to_commands, commands), (to_poses, poses)) = (RingBuffer::new(COMMANDS), RingBuffer::new(POSES));
    (to_commands, to_poses, Incoming { commands, poses })
}
