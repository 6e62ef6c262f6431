//! The control loop: its ticks and its end; in real time, on a thread of its own. By `/clock`: see `simulated.rs`.

use crate::core::Core;
use crate::life::Moment;
use crate::outbox::{Done, Outbox};
use crate::status::SharedState;
use hexapod_gait::GaitState;
use hexapod_ros::ending::LONGEST;
use hexapod_ros::{Pacer, RosClock, Shutdown, Stage};
use std::time::Duration;

/// How often the loop tells how it keeps its rate.
pub(crate) const REPORT_EVERY: Duration = Duration::from_secs(1);

/// Ticks at `rate_hz` until the robot sits after a shutdown was asked for, or has to end at once.
pub fn run_in_real_time(
    core: &mut Core,
    outbox: &mut Outbox,
    (clock, shared): (&RosClock, &SharedState),
    rate_hz: f64,
    shutdown: &Shutdown,
) {
    let mut pacer = Pacer::new(rate_hz);
    let dt = pacer.period().as_secs_f64();
    let mut reported: Option<Duration> = None;
    let mut goodbye = Goodbye::default();
    loop {
        let now = pacer.wait();
        shared.pulse.beat(now);
        if !goodbye.goes_on(core, now, shutdown) {
            return;
        }
        let state = tick(core, outbox, (Moment::real(now), dt), clock.now());
        let since = now.saturating_sub(*reported.get_or_insert(now.saturating_sub(pacer.period())));
        if since >= REPORT_EVERY {
            outbox.push(Done::Lateness(pacer.take_lateness(), since.as_secs_f64()));
            reported = Some(now);
        }
        if goodbye.is_over(state, (now, dt)) {
            shared.set_unseated(goodbye.leaves_standing(core, state));
            return;
        }
    }
}

/// The driver's word that servos are off has come by then.
const HEARD: Duration = Duration::from_millis(200);

/// The end of a loop: the robot is made to sit first. It has as long as its engine takes at most, in the time that it moves
/// by, however slowly a busy computer or a simulation lets that pass; and [`LONGEST`] in real time.
#[derive(Debug, Default)]
pub(crate) struct Goodbye {
    since: Option<Duration>,
    /// Whether its servos still held it up [`HEARD`] after that: a cut made before the end was asked for does not count.
    was_up: bool,
    /// What is left of that time, s.
    left_s: f64,
}

impl Goodbye {
    /// Makes the robot sit once the end was asked for; false if that was for an end at once.
    pub(crate) fn goes_on(&mut self, core: &mut Core, now: Duration, shutdown: &Shutdown) -> bool {
        if shutdown.stage() == Stage::Stopping {
            if self.since.is_none() {
                (self.since, self.left_s) = (Some(now), core.time_to_sit());
            }
            let has_heard = self.since.is_some_and(|since| now.saturating_sub(since) >= HEARD);
            self.was_up |= has_heard && core.is_held() && core.last().state != GaitState::Sitting;
            core.sit();
        }
        shutdown.stage() != Stage::Now
    }

    /// Whether the end has been asked for.
    pub(crate) fn has_begun(&self) -> bool {
        self.since.is_some()
    }

    /// Whether the robot sits, or has had the time for it, after a tick of `dt` seconds at `now`.
    pub(crate) fn is_over(&mut self, state: GaitState, (now, dt): (Duration, f64)) -> bool {
        if !self.has_begun() {
            return false;
        }
        self.left_s -= dt;
        state == GaitState::Sitting || self.left_s < 0.0 || self.is_late(now)
    }

    /// Whether it has had more real time than any robot has.
    pub(crate) fn is_late(&self, now: Duration) -> bool {
        self.since.is_some_and(|since| now.saturating_sub(since) > LONGEST)
    }

    /// Whether its servos are let go all the same, now that the time is over, or were before it sat.
    pub(crate) fn leaves_standing(&self, core: &Core, state: GaitState) -> bool {
        let (sits, is_held) = (state == GaitState::Sitting, core.is_held());
        self.has_begun() && !(sits && is_held) && (self.was_up || is_held)
    }
}

/// One tick, dated `stamp`, and what there is to tell of it.
pub(crate) fn tick(core: &mut Core, outbox: &mut Outbox, (now, dt): (Moment, f64), stamp: Duration) -> GaitState {
    let tick = *core.tick(now, dt);
    if core.speaks() {
        outbox.push(Done::Tick { tick, stamp, remarks: core.remarks() });
    }
    tell_news(core, outbox, dt);
    tick.state
}

/// What was refused, and what has become of requests.
pub(crate) fn tell_news(core: &mut Core, outbox: &mut Outbox, dt: f64) {
    if let Some(refused) = core.take_refused() {
        outbox.push(Done::Refused(refused));
    }
    if let Some(&progress) = core.news(dt)
        && outbox.push(Done::Progress(progress))
    {
        core.mark_reported();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::queues;
    use crate::params::shipped;
    use crate::setup::Setup;

    const DT: f64 = 0.01;

    #[test]
    fn when_a_robot_does_not_sit_expect_the_end_of_the_wait_after_its_own_time_or_the_longest_real_one() {
        let setup = Setup::load(&shipped()).unwrap();
        let mut core = setup.into_core(queues().2, None);
        let (asked, shutdown) = (Duration::from_secs(50), Shutdown::default());
        for (real_s, own) in [(DT, true), (0.05, true), (10.0, false)] {
            let mut goodbye = Goodbye::default();
            assert!(goodbye.goes_on(&mut core, asked, &Shutdown::default()) && !goodbye.has_begun());
            assert!(!goodbye.is_over(GaitState::Walking, (asked + LONGEST + LONGEST, 1e3)), "nobody has asked");
            shutdown.ask();
            assert!(goodbye.goes_on(&mut core, asked, &shutdown));
            let longest = core.time_to_sit();
            let ticks = (1..).find(|tick| {
                goodbye.is_over(GaitState::Stopping, (asked + Duration::from_secs_f64(real_s * f64::from(*tick)), DT))
            });
            let ticks = f64::from(ticks.unwrap());
            assert!(ticks * DT <= longest + 2.0 * DT, "{ticks} of {longest} s");
            assert_eq!(ticks * DT >= longest, own, "{ticks} ticks, {real_s} s of real time each");
            assert!(own || ticks * real_s > LONGEST.as_secs_f64());
            assert!(!goodbye.leaves_standing(&core, GaitState::Sitting));
        }
    }
}
