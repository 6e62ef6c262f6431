//! In lockstep the physics wait for the planner, however slow it is; in simulated time also for a planner or driver that
//! other programs hold up.

use hexapod_ros::clock::from_stamp;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use hexapod_ros::{RosError, RosNode, monotonic_now};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How far the physics go beyond the planner's last command in lockstep: the planner ticks only once the clock has gone on.
const IN_STEP: Duration = Duration::from_millis(20);
/// The same without, where the nodes go by simulated time, and beyond the driver's last tick: other programs may hold up either
/// alone, and nothing is to become stale meanwhile.
const LOOSE: Duration = Duration::from_millis(100);
/// A planner or driver that is silent for so long, of the computer's time, is not waited for until it speaks again: there is
/// none, its last message was lost, or it waits for its bus.
const SILENCE: Duration = Duration::from_secs(3);
/// Commands dated further ahead than this are not dated in simulated time.
const ANOTHER_CLOCK: Duration = Duration::from_secs(10);

/// What the planner reported last: the stamp, in simulated time, and when it was received, on the monotonic clock.
#[derive(Clone, Copy, Debug)]
struct PlannerReport {
    stamp: Duration,
    received: Duration,
}

/// Where the planner is. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Planner(Arc<Mutex<Option<PlannerReport>>>);

impl Planner {
    /// The planner whose `joint_commands` come to `node`.
    pub fn listened_to(node: &mut RosNode) -> Result<Self, RosError> {
        let planner = Self::default();
        let to = planner.clone();
        let newest = QosProfile::default().keep_last(1).best_effort();
        node.subscribe_shared("joint_commands", newest, move |message: &JointState| {
            to.tell(from_stamp(&message.header.stamp), monotonic_now());
        })?;
        Ok(planner)
    }

    fn tell(&self, stamp: Duration, received: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(PlannerReport { stamp, received });
    }

    fn reported(&self, now: Duration) -> Option<PlannerReport> {
        let reported = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reported.filter(|reported| now.saturating_sub(reported.received) < SILENCE)
    }

    /// Whether the physics may go on to `time`, in lockstep or not; `now` is on the monotonic clock.
    pub fn lets_pass(&self, time: Duration, lockstep: bool, now: Duration) -> bool {
        let lead = if lockstep { IN_STEP } else { LOOSE };
        self.reported(now).is_none_or(|reported| time <= reported.stamp + lead)
    }

    /// Why the planner does not go by the time of the physics, which is `time`.
    pub fn obstacle(&self, time: Duration, now: Duration) -> Option<&'static str> {
        match self.reported(now) {
            None => Some("nothing comes on joint_commands, so the physics go on without a planner"),
            Some(reported) if reported.stamp > time + ANOTHER_CLOCK => Some(
                "joint_commands are not in simulated time, as lockstep and another speed than 1 ask for: start the nodes with \
                 use_sim_time:=true",
            ),
            Some(_) => None,
        }
    }
}

/// How far the driver is, which goes by the time of the physics.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Driver {
    /// The simulated time of its last tick.
    ticked: Option<Duration>,
    /// When that was found out, on the monotonic clock.
    since: Duration,
}

impl Driver {
    /// Whether the physics may go on to `time` at `now`, where its last tick was at `ticked`.
    pub fn lets_pass(&mut self, ticked: Option<Duration>, time: Duration, now: Duration) -> bool {
        if ticked != self.ticked {
            *self = Self { ticked, since: now };
        }
        ticked.is_none_or(|ticked| time <= ticked + LOOSE) || now.saturating_sub(self.since) >= SILENCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn planner(stamp: Duration, received: Duration) -> Planner {
        let planner = Planner::default();
        planner.tell(stamp, received);
        planner
    }

    #[test]
    fn when_the_planner_is_behind_expect_the_physics_to_wait_until_it_has_followed() {
        let planner = planner(ms(1000), ms(50_000));
        assert!(planner.lets_pass(ms(1020), true, ms(50_001)));
        assert!(!planner.lets_pass(ms(1025), true, ms(50_001)));
        assert!(planner.lets_pass(ms(1100), false, ms(50_001)));
        assert!(!planner.lets_pass(ms(1105), false, ms(50_001)));
        planner.tell(ms(1010), ms(50_002));
        assert!(planner.lets_pass(ms(1025), true, ms(50_003)));
        assert_eq!(planner.obstacle(ms(1025), ms(50_003)), None);
    }

    #[test]
    fn when_the_driver_is_held_up_expect_the_physics_to_wait_for_it_for_a_while() {
        let mut driver = Driver::default();
        assert!(driver.lets_pass(None, ms(9000), ms(50_000)), "it goes by the computer's time");
        for now in [50_000, 52_900] {
            assert!(driver.lets_pass(Some(ms(1000)), ms(1100), ms(now)));
            assert!(!driver.lets_pass(Some(ms(1000)), ms(1105), ms(now)));
        }
        assert!(driver.lets_pass(Some(ms(1000)), ms(1105), ms(53_000)));
        assert!(!driver.lets_pass(Some(ms(1010)), ms(1115), ms(53_001)));
    }

    #[test]
    fn when_the_planner_is_silent_or_absent_expect_the_physics_to_go_on_and_to_say_so() {
        let planner = planner(ms(1000), ms(50_000));
        assert!(!planner.lets_pass(ms(9000), true, ms(52_999)));
        assert!(planner.lets_pass(ms(9000), true, ms(53_000)));
        for silent in [planner, Planner::default()] {
            assert!(silent.obstacle(ms(9000), ms(53_000)).is_some_and(|why| why.contains("nothing comes")));
        }
    }

    #[test]
    fn when_commands_are_dated_by_the_computer_expect_the_remedy() {
        let planner = planner(ms(1_795_000_000_000), ms(50_000));
        assert!(planner.lets_pass(ms(2000), true, ms(50_001)));
        assert!(planner.obstacle(ms(2000), ms(50_001)).is_some_and(|why| why.contains("use_sim_time:=true")));
    }
}
