//! How long the robot takes until its process may end, and what whoever ends it has to wait for.

use hexapod_ros::ending::LONGEST;
use std::time::Duration;

/// For the servos to go off and the nodes to leave.
const LEAVING: Duration = Duration::from_secs(5);

/// How long the robot may take to sit when its process ends, and what to tell a service manager.
pub(super) fn ends(planner: &gait_planner::Setup) -> String {
    let slowest = planner.slowest();
    let (within, gait) = (slowest.allowance().min(LONGEST), &slowest.gait);
    let seconds = (within + LEAVING).as_secs_f64().ceil();
    format!(
        "ends     seated within {:.1} s of being asked to, at the slowest (gait {gait:?}); a service manager that is not notified \
         so has to wait: TimeoutStopSec={seconds}, docker stop -t {seconds}",
        within.as_secs_f64()
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    #[test]
    fn when_a_launch_ends_expect_it_to_wait_for_the_slowest_robot_there_may_be() {
        let launch = include_str!("../../launch/hexapod.launch.py");
        let seconds = launch.lines().find_map(|line| line.strip_prefix("STOP_S = ")).unwrap().trim_matches('\'');
        assert!(seconds.parse::<u64>().unwrap() >= (LONGEST + LEAVING).as_secs(), "STOP_S = {seconds}");
    }
}
