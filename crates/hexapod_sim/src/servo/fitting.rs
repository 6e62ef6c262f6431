//! Which servo a joint has.

use super::{Servo, ServoKind};
use hexapod_kinematics::JointLimits;

/// A servo as it is chosen for joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ServoModel {
    /// One with a motor of its own.
    Own(ServoKind),
    /// One as strong and as fast as the joint it is put into, at any voltage. Of the kind, supply, torque and speed do
    /// not count.
    OfJoint(ServoKind),
}

/// Torque and speed of a joint whose description gives none: those of a common servo.
const UNKNOWN_EFFORT: f64 = 1.0;
const UNKNOWN_SPEED: f64 = 6.0;
/// A servo of its joint's speed still has its torque there: its target is slewed at that speed, and the motor, which
/// could go so many times as fast, follows.
const FASTER: f64 = 20.0;
/// The controller of a servo of its joint damps its own rotor at least by this ratio, as that of a joint of 1.8 N m does.
const DAMPED: f64 = 0.89;

impl ServoModel {
    /// The servo in a joint of these limits, on a supply of a voltage.
    pub fn fitted(&self, limits: Option<&JointLimits>, open_v: f64) -> Servo {
        let known = |value: Option<f64>, default: f64| value.filter(|value| *value > 0.0).unwrap_or(default);
        let effort = known(limits.map(|limits| limits.effort), UNKNOWN_EFFORT);
        let velocity = known(limits.map(|limits| limits.velocity), UNKNOWN_SPEED);
        match self {
            Self::Own(kind) => Servo::new(*kind),
            Self::OfJoint(kind) => {
                let motor = (open_v, effort, FASTER * velocity);
                let (nominal_v, stall_torque, no_load_speed) = motor;
                let kind = ServoKind { nominal_v, stall_torque, no_load_speed, ..*kind };
                Servo::new(ServoKind { rotor: damped_rotor(&kind), ..kind }).slewed(velocity)
            }
        }
    }
}

/// A weak servo is small, and so is its rotor: a kind's is that of a joint of some N m. In a joint of 0.05 N m it would swing
/// at the end of a spring that is as much softer, and the same look ahead damps that the less the slower it swings.
fn damped_rotor(kind: &ServoKind) -> f64 {
    let within_s = kind.lead / (2.0 * DAMPED);
    let most = kind.stiffness(kind.nominal_v) * within_s * within_s;
    if kind.lead > 0.0 { kind.rotor.min(most) } else { kind.rotor }
}

/// Which servo each joint has.
#[derive(Clone, Debug, PartialEq)]
pub struct Servos {
    all: ServoModel,
    /// By the ending of joints' names, the longest first.
    by_ending: Vec<(String, ServoModel)>,
}

impl Servos {
    /// One for all joints.
    pub fn all(model: ServoModel) -> Self {
        Self { all: model, by_ending: Vec::new() }
    }

    /// The same with another one in joints whose names end in a word; the longest ending counts.
    #[must_use]
    pub fn with(mut self, ending: &str, model: ServoModel) -> Self {
        self.by_ending.push((ending.to_owned(), model));
        self.by_ending.sort_by_key(|(ending, _)| std::cmp::Reverse(ending.len()));
        self
    }

    /// The servo of a joint.
    pub fn of(&self, joint: &str) -> &ServoModel {
        let own = self.by_ending.iter().find(|(ending, _)| Self::fits(ending, joint));
        own.map_or(&self.all, |(_, model)| model)
    }

    /// Whether an ending stands for a joint.
    pub fn fits(ending: &str, joint: &str) -> bool {
        joint.strip_suffix(ending).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
    }
}
