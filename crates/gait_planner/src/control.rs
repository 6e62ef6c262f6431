//! The control loop: on a thread of its own in real time, or tick by tick from `/clock`.

use crate::core::Core;
use crate::outbox::{Done, Outbox};
use hexapod_gait::GaitState;
use hexapod_ros::{Lateness, Pacer, RosClock, Shutdown, Stage, monotonic_now};
use std::time::Duration;

/// How long the robot may take to plant its feet and sit down before the process ends all the same.
const GOODBYE: Duration = Duration::from_millis(2750);
/// How often the loop tells how it keeps its rate.
const REPORT_EVERY: Duration = Duration::from_secs(1);

/// Ticks at `rate_hz` until the robot sits after a shutdown was asked for, or has to end at once.
pub fn run_in_real_time(core: &mut Core, outbox: &mut Outbox, clock: &RosClock, rate_hz: f64, shutdown: &Shutdown) {
    let mut pacer = Pacer::new(rate_hz);
    let dt = pacer.period().as_secs_f64();
    let mut reported: Option<Duration> = None;
    let mut leaving: Option<Duration> = None;
    loop {
        let now = pacer.wait();
        match shutdown.stage() {
            Stage::Running => {}
            Stage::Stopping => {
                leaving.get_or_insert(now);
                core.sit();
            }
            Stage::Now => return,
        }
        let tick = *core.tick(now, dt);
        outbox.push(Done::Tick { tick, stamp: clock.now(), fault: core.fault() });
        if let Some(refused) = core.take_refused() {
            outbox.push(Done::Refused(refused));
        }
        let since = now.saturating_sub(*reported.get_or_insert(now.saturating_sub(pacer.period())));
        if since >= REPORT_EVERY {
            outbox.push(Done::Lateness(pacer.take_lateness(), since.as_secs_f64()));
            reported = Some(now);
        }
        let sits = tick.state == GaitState::Sitting;
        if leaving.is_some_and(|since| sits || now.saturating_sub(since) > GOODBYE) {
            return;
        }
    }
}

/// Ticks for every period that `/clock` has passed. A tick's time is a multiple of the period, so that the same
/// commands at the same simulated times give the same ticks however the clock's messages fall.
pub struct SimulatedLoop {
    core: Core,
    outbox: Outbox,
    period: Duration,
    last: Option<Duration>,
    cycles: Lateness,
}

/// A clock that goes back, or jumps further than this, starts anew instead of being caught up with.
const MAX_JUMP: Duration = Duration::from_secs(1);

impl SimulatedLoop {
    /// A loop that has not seen the clock yet.
    #[must_use]
    pub fn new(core: Core, outbox: Outbox, rate_hz: f64) -> Self {
        Self { core, outbox, period: Duration::from_secs_f64(1.0 / rate_hz), last: None, cycles: Lateness::default() }
    }

    /// Ticks up to `now`.
    pub fn clock(&mut self, now: Duration) {
        let period = self.period.as_nanos().max(1);
        let floor = Duration::from_nanos(u64::try_from(now.as_nanos() / period * period).unwrap_or(u64::MAX));
        let mut next = match self.last {
            Some(last) if floor >= last && floor - last <= MAX_JUMP => last + self.period,
            _ => floor,
        };
        let started = monotonic_now();
        while next <= floor && monotonic_now() - started < MAX_JUMP {
            let tick = *self.core.tick(next, self.period.as_secs_f64());
            self.outbox.push(Done::Tick { tick, stamp: next, fault: self.core.fault() });
            if let Some(refused) = self.core.take_refused() {
                self.outbox.push(Done::Refused(refused));
            }
            self.report();
            self.last = Some(next);
            next += self.period;
        }
    }

    /// Once a simulated second, what there is to say of a loop that cannot be late.
    fn report(&mut self) {
        self.cycles.record(Duration::ZERO);
        let seconds = self.cycles.cycles as f64 * self.period.as_secs_f64();
        if seconds >= REPORT_EVERY.as_secs_f64() {
            self.outbox.push(Done::Lateness(std::mem::take(&mut self.cycles), seconds));
        }
    }
}
