//! The control loop: its ticks and its end; in real time, on a thread of its own. By `/clock`: see `simulated.rs`.

use crate::core::Core;
use crate::life::Moment;
use crate::outbox::{Done, Outbox};
use crate::pulse::Pulse;
use hexapod_gait::GaitState;
use hexapod_ros::{Pacer, RosClock, Shutdown, Stage};
use std::time::Duration;

/// How long the robot may take to plant its feet and sit down before the process ends all the same.
pub(crate) const GOODBYE: Duration = Duration::from_millis(3500);
/// How often the loop tells how it keeps its rate.
pub(crate) const REPORT_EVERY: Duration = Duration::from_secs(1);

/// Ticks at `rate_hz` until the robot sits after a shutdown was asked for, or has to end at once.
pub fn run_in_real_time(
    core: &mut Core,
    outbox: &mut Outbox,
    (clock, pulse): (&RosClock, &Pulse),
    rate_hz: f64,
    shutdown: &Shutdown,
) {
    let mut pacer = Pacer::new(rate_hz);
    let dt = pacer.period().as_secs_f64();
    let mut reported: Option<Duration> = None;
    let mut goodbye = Goodbye::default();
    loop {
        let now = pacer.wait();
        pulse.beat(now);
        if !goodbye.goes_on(core, now, shutdown) {
            return;
        }
        let state = tick(core, outbox, (Moment::real(now), dt), clock.now());
        let since = now.saturating_sub(*reported.get_or_insert(now.saturating_sub(pacer.period())));
        if since >= REPORT_EVERY {
            outbox.push(Done::Lateness(pacer.take_lateness(), since.as_secs_f64()));
            reported = Some(now);
        }
        if goodbye.is_over(state, now) {
            return;
        }
    }
}

/// The end of a loop: the robot is made to sit first. Times are real ones.
#[derive(Debug, Default)]
pub(crate) struct Goodbye {
    since: Option<Duration>,
}

impl Goodbye {
    /// Makes the robot sit once the end was asked for; false if that was for an end at once.
    pub(crate) fn goes_on(&mut self, core: &mut Core, now: Duration, shutdown: &Shutdown) -> bool {
        if shutdown.stage() == Stage::Stopping {
            self.since.get_or_insert(now);
            core.sit();
        }
        shutdown.stage() != Stage::Now
    }

    /// Whether the end has been asked for.
    pub(crate) fn has_begun(&self) -> bool {
        self.since.is_some()
    }

    /// Whether the robot sits, or has had the time for it.
    pub(crate) fn is_over(&self, state: GaitState, now: Duration) -> bool {
        self.has_begun() && (state == GaitState::Sitting || self.is_late(now))
    }

    /// Whether it has had the time for that.
    pub(crate) fn is_late(&self, now: Duration) -> bool {
        self.since.is_some_and(|since| now.saturating_sub(since) > GOODBYE)
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
        core.told();
    }
}
