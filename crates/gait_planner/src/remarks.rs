//! What the control loop has to say besides what it does.

use crate::fault::Fault;
use crate::felt::SwitchFaults;
use crate::servos::Hold;
use crate::sight::Sees;
use crate::sources::DrivingSources;
use hexapod_dynamics::Condition;
use hexapod_gait::{Foothold, LimitedBy, Roughness};
use hexapod_kinematics::MAX_LEGS;

/// A command that did not suit the robot's state when its turn came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The topic it came from.
    pub topic: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// What to say of a walk that was given up.
#[must_use]
pub fn given_up(by: LimitedBy) -> String {
    let (by, why) = (by.as_str(), barred(by));
    format!(
        "the walk was given up: the robot did not get on, held back by {by} ({why}); release the stick (send a zero command) to walk \
         again"
    )
}

/// What such a limit means to whoever drives the robot.
fn barred(by: LimitedBy) -> &'static str {
    match by {
        LimitedBy::Nothing | LimitedBy::Acceleration | LimitedBy::Velocity | LimitedBy::Planning => {
            "no step was found in time, as on ground that is too rough"
        }
        LimitedBy::Stride | LimitedBy::Reach | LimitedBy::Kinematics => {
            "a leg does not reach where it should go, as up a step that is too high, or in a body pose that is too far out"
        }
        LimitedBy::Stability => "the centre of mass would not stay over the feet",
        LimitedBy::JointAcceleration | LimitedBy::JointVelocity => "a joint does not turn fast enough",
        LimitedBy::Clearance => "legs would come too near to each other, or to the body",
    }
}

/// What there is to say of a tick.
#[derive(Clone, Copy, Debug, Default)]
pub struct Remarks {
    /// What keeps the planner from doing its work.
    pub fault: Option<Fault>,
    /// Who moves the robot, and who would.
    pub driving: DrivingSources,
    /// What barred a walk that was given up, until the stick is let go.
    pub gave_up: Option<LimitedBy>,
    /// Switches under the feet that are not believed.
    pub switches: SwitchFaults,
    /// An IMU says which way is up.
    pub knows_up: bool,
    /// Whether it sees the ground.
    pub(crate) sees: Sees,
    /// How rough the ground is that feet have met.
    pub roughness: Roughness,
    /// Where feet are put down on the ground that it sees.
    pub footholds: [Option<Foothold>; MAX_LEGS],
    /// Whether the robot is where its plan has it.
    pub condition: Condition,
    /// It was stopped because it did not get on.
    pub stopped_as_blocked: bool,
    /// Feet tell, and none of them has felt the ground.
    pub doubts_switches: bool,
    /// Whether some servo gets a command.
    pub hold: Hold,
    /// The longest time that it takes from now until the robot sits, s.
    pub sits_within_s: f64,
}
