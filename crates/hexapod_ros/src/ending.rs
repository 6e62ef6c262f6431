//! How long a process that is to end waits for its robot to sit: the planner derives it and tells it to whoever lets go of
//! the servos.

use std::time::Duration;

/// The topic (`std_msgs/Float64`, latched) on which the planner tells the [`allowance`] of its robot, s.
pub const TIME_TO_SIT: &str = "time_to_sit";
/// No robot is waited for longer, and what would take longer is refused before it is set: unless it is set otherwise,
/// systemd kills a service 90 s after it has asked it to end, and the process has more to do than to wait.
pub const LONGEST: Duration = Duration::from_secs(80);
/// Why a process ends with status 1 though nothing failed.
pub const UNSEATED: &str =
    "the robot had not sat when its servos were let go: it took too long, or they were switched off meanwhile";
/// A robot of whose planner nothing is known has so long.
pub const USUAL: Duration = Duration::from_secs(8);

/// The planner's loop may lose a sixth of its ticks on a computer that has too much to do.
const LOADED: f64 = 1.2;
/// For the planner to hear of it: it is asked again after a second where the first call is lost.
const HEARD_S: f64 = 1.5;

/// How long to wait for a robot that sits within so many seconds once it has been asked to, on a computer that has
/// nothing else to do.
#[must_use]
pub fn allowance(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(LOADED * seconds + HEARD_S).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_robot_takes_long_or_for_ever_expect_more_time_than_that_and_no_overflow() {
        for seconds in [0.0, 0.5, 8.0, 60.0, 1e6] {
            assert!(allowance(seconds).as_secs_f64() > seconds, "{seconds}");
        }
        assert_eq!([f64::INFINITY, f64::NAN, -100.0].map(allowance), [Duration::MAX; 3]);
        assert!(USUAL < LONGEST && LONGEST < Duration::from_secs(90));
    }
}
