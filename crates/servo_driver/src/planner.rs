//! What the driver knows of the planner: the state it says it is in, and how long it takes to sit.

use hexapod_ros::ending::{LONGEST, USUAL};
use hexapod_ros::{Present, Process, Sender};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// So many who say a `gait_state` are distinguished, and so many who command joints; of more the latest count.
const MOST: usize = 8;
/// A planner commands the joints in every tick. One that has not for so long, and whose node is there again in another
/// process, was killed: the middleware takes 20 s to miss it.
const KILLED_AFTER: Duration = Duration::from_millis(300);

/// The last `gait_state` of each who says one. Cheap to clone; whoever reads it waits for nobody.
#[derive(Clone, Debug, Default)]
pub struct Planner(Arc<Said>);

#[derive(Debug, Default)]
struct Said {
    by: Mutex<Vec<(Sender, Pose)>>,
    /// When each process last commanded joints.
    commands: Mutex<Vec<(Process, Duration)>>,
    /// What counts of it.
    pose: AtomicU8,
    /// How long the robot takes to sit, as was said last, ms; zero while nobody has.
    time_to_sit_ms: AtomicU64,
}

/// What the driver makes of a `gait_state`. Of two that are said at a time the later one here counts: where one planner
/// rests and another is on its way, the joints are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    pub fn hear(&self, sender: Sender, gait_state: &str) {
        let pose = match gait_state {
            "sitting" => Pose::Sitting,
            "standing" => Pose::Standing,
            "fault" => Pose::Fault,
            _ => Pose::Moving,
        };
        let mut by = self.said();
        by.retain(|(other, _)| *other != sender);
        if by.len() == MOST {
            by.remove(0);
        }
        by.push((sender, pose));
        self.settle(&by);
    }

    /// Takes in how long the robot takes to sit at most, s; what is no time is nothing.
    pub fn hear_time_to_sit(&self, seconds: f64) {
        if seconds > 0.0 {
            let longest_ms = LONGEST.as_millis() as f64;
            self.0.time_to_sit_ms.store((seconds * 1e3).min(longest_ms).ceil() as u64, Ordering::SeqCst);
        }
    }

    /// How long a robot that is to sit is waited for.
    #[must_use]
    pub fn time_to_sit(&self) -> Duration {
        match self.0.time_to_sit_ms.load(Ordering::SeqCst) {
            0 => USUAL,
            ms => Duration::from_millis(ms),
        }
    }

    /// Takes down that a process commands joints at `now`.
    pub fn commands(&self, process: Process, now: Duration) {
        // Whoever looks at it right now is not waited for: the next command comes in a moment.
        let Ok(mut commands) = self.0.commands.try_lock() else { return };
        commands.retain(|(other, _)| *other != process);
        if commands.len() == MOST {
            commands.remove(0);
        }
        commands.push((process, now));
    }

    /// What was said by those who are not there any more at `now` does not count. `look_up` tells who of these is present;
    /// nothing is locked while it does.
    pub fn forget_gone(&self, now: Duration, look_up: impl FnOnce(&[Sender]) -> Present) {
        let known: Vec<Sender> = self.said().iter().map(|(sender, _)| *sender).collect();
        let present = look_up(&known);
        let commands = self.0.commands.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_silent = |process: Process| {
            let last = commands.iter().find(|(other, _)| *other == process);
            last.is_none_or(|(_, at)| now.saturating_sub(*at) > KILLED_AFTER)
        };
        let mut by = self.said();
        // They stand in the order in which they spoke last.
        let order: Vec<Sender> = by.iter().map(|(sender, _)| *sender).collect();
        let mut later = order.as_slice();
        by.retain(|(sender, _)| {
            later = later.get(1..).unwrap_or_default();
            !known.contains(sender) || !present.lacks(*sender, is_silent(sender.process()), later)
        });
        self.settle(&by);
    }

    /// What it last said.
    #[must_use]
    pub fn pose(&self) -> Pose {
        let code = usize::from(self.0.pose.load(Ordering::SeqCst));
        Pose::ALL.get(code).copied().unwrap_or(Pose::Unknown)
    }

    fn said(&self) -> MutexGuard<'_, Vec<(Sender, Pose)>> {
        self.0.by.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settle(&self, by: &[(Sender, Pose)]) {
        let pose = by.iter().map(|(_, pose)| *pose).max().unwrap_or(Pose::Unknown);
        self.0.pose.store(pose as u8, Ordering::SeqCst);
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
            planner.hear(Sender::Local(1), said);
            assert_eq!((planner.pose(), planner.pose().may_arm()), (pose, may_arm), "{said}");
        }
        planner.forget_gone(Duration::ZERO, |_| Present::default());
        assert_eq!(planner.pose(), Pose::Unknown);
    }

    #[test]
    fn when_a_planner_says_how_long_it_takes_to_sit_expect_that_waited_for_within_bounds() {
        let planner = Planner::default();
        for (said, seconds) in [(f64::NAN, 8.0), (-3.0, 8.0), (0.0, 8.0), (21.5, 21.5), (f64::NAN, 21.5), (1e9, 80.0)] {
            planner.hear_time_to_sit(said);
            assert_eq!(planner.time_to_sit().as_secs_f64(), seconds, "{said}");
        }
    }

    #[test]
    fn when_a_planner_is_started_anew_expect_what_the_killed_one_said_forgotten_and_nothing_of_one_that_lives() {
        let ms = Duration::from_millis;
        let [killed, new, lives] = [1, 2, 3].map(|process| Sender::Remote(hexapod_ros::Gid([process; 16])));
        let planner = Planner::default();
        for (sender, said, commanded) in [(killed, "walking", 1000), (lives, "playing", 1600), (new, "sitting", 1600)] {
            planner.hear(sender, said);
            planner.commands(sender.process(), ms(commanded));
        }
        let named = |sender: Sender, name: &str| (sender, Some(name.to_owned()));
        let all = |name| Present::of([named(killed, name), named(lives, "/gait_planner"), named(new, "/gait_planner")]);
        planner.forget_gone(ms(1250), |_| all("/gait_planner"));
        assert_eq!(planner.said().len(), 3, "a moment of silence is no death");
        planner.forget_gone(ms(1700), |_| all("/other"));
        assert_eq!(planner.said().len(), 3, "another node");
        planner.forget_gone(ms(1700), |_| all("/gait_planner"));
        assert_eq!((planner.said().len(), planner.pose()), (2, Pose::Moving), "the one that lives moves");
        planner.forget_gone(ms(1700), |_| Present::of([named(new, "/gait_planner")]));
        assert_eq!(planner.pose(), Pose::Sitting);
    }

    #[test]
    fn when_several_say_a_state_expect_those_who_are_there_and_move_to_count() {
        let planner = Planner::default();
        let (first, second) = (Sender::Local(1), Sender::Local(2));
        planner.hear(first, "walking");
        planner.hear(second, "sitting");
        assert_eq!(planner.pose(), Pose::Moving, "a rest that another one says opens nothing");
        planner.hear(first, "standing");
        assert_eq!(planner.pose(), Pose::Standing);
        planner.hear(second, "walking");
        planner.forget_gone(Duration::ZERO, |_| Present::of([(first, None)]));
        assert_eq!(planner.pose(), Pose::Standing, "nor does one who has gone block anything");
        for number in 0..100 {
            planner.hear(Sender::Local(number), "walking");
        }
        assert!(planner.said().len() <= MOST);
    }
}
