//! What the driver knows of the planner: the state it says it is in.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// The last `gait_state` that was heard. Cheap to clone; nobody waits for anybody.
#[derive(Clone, Debug, Default)]
pub struct Planner(Arc<AtomicU8>);

/// What the driver makes of a `gait_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pose {
    /// No planner is there, or it has not said.
    Unknown,
    /// It sits: its servos may be let go.
    Sitting,
    /// It stands still.
    Standing,
    /// It is on its way.
    Moving,
    /// It cannot do its work, and holds the robot.
    Fault,
}

impl Pose {
    const ALL: [Self; 5] = [Self::Unknown, Self::Sitting, Self::Standing, Self::Moving, Self::Fault];

    /// Whether the servos may be switched on: joints that are on their way would be caught in mid-air.
    #[must_use]
    pub fn may_arm(self) -> bool {
        matches!(self, Self::Unknown | Self::Sitting | Self::Standing)
    }
}

impl Planner {
    /// Takes in a `gait_state`; one that is not known counts as a robot on its way.
    pub fn hear(&self, gait_state: &str) {
        self.set(match gait_state {
            "sitting" => Pose::Sitting,
            "standing" => Pose::Standing,
            "fault" => Pose::Fault,
            _ => Pose::Moving,
        });
    }

    /// There is no planner any more that could have said it.
    pub fn forget(&self) {
        self.set(Pose::Unknown);
    }

    /// What it last said.
    #[must_use]
    pub fn pose(&self) -> Pose {
        let code = usize::from(self.0.load(Ordering::SeqCst));
        Pose::ALL.get(code).copied().unwrap_or(Pose::Unknown)
    }

    fn set(&self, pose: Pose) {
        self.0.store(pose as u8, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_state_is_said_expect_servos_switched_on_only_while_the_robot_rests() {
        let planner = Planner::default();
        assert!(planner.pose() == Pose::Unknown && planner.pose().may_arm());
        for (said, pose, may_arm) in [
            ("sitting", Pose::Sitting, true),
            ("standing", Pose::Standing, true),
            ("walking", Pose::Moving, false),
            ("stopping", Pose::Moving, false),
            ("playing", Pose::Moving, false),
            ("fault", Pose::Fault, false),
            ("dancing", Pose::Moving, false),
        ] {
            planner.hear(said);
            assert_eq!((planner.pose(), planner.pose().may_arm()), (pose, may_arm), "{said}");
        }
        planner.forget();
        assert_eq!(planner.pose(), Pose::Unknown);
    }
}
