//! The thread that steps the robot, as fast as was asked for, and who asks it for what.

use crate::brown_out::why_it_gave_way;
use crate::disturbances::Disturbances;
use crate::lockstep::{Driver, Planner};
use crate::plant::Plant;
use crate::publish::Teller;
use hexapod_ros::{Diagnostics, Level, Shutdown, Stage, Status, Unheard, monotonic_now, thread_time};
use hexapod_servo::simulated::ServoTime;
use hexapod_sim::{Supply, lean};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A second is summed up in diagnostics.
const DIAGNOSTICS_PERIOD: Duration = Duration::from_secs(1);
/// Physics that is later than this, in simulated time, gives up what it lags behind.
const MOST_LAG: Duration = Duration::from_millis(100);
/// How often it is looked whether the planner has followed.
const LOOK: Duration = Duration::from_micros(200);
/// A body that leans by as much, rad, does not stand any more.
const LIES_RAD: f64 = std::f64::consts::FRAC_PI_4;
/// Fraction of the speed that was asked for below which the physics are late.
const LATE: f64 = 0.95;
/// Physics that have run for less of a second than this are too short a sample to call them late.
const SAMPLE: Duration = Duration::from_millis(500);

/// What is asked of a running simulation.
#[derive(Debug)]
pub(crate) struct Wish {
    /// How many times as fast as real time.
    pub speed: f64,
    /// Whether it waits for the planner as soon as that is behind.
    pub lockstep: bool,
    /// Whether it waits for a planner that is far behind.
    pub waits: bool,
    pub paused: bool,
    /// Periods to go on by while it is paused.
    pub steps: u32,
    pub reset: bool,
    pub pushes: u32,
    /// What is to be done to the robot from now on, where that has changed.
    pub disturbances: Option<Disturbances>,
}

/// The same, for those who ask. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Wishes(Arc<Mutex<Wish>>);

impl Wishes {
    /// Nothing but a speed, and whether the planner is waited for.
    pub fn at(speed: f64, lockstep: bool) -> Self {
        let (waits, paused, reset, steps, pushes, disturbances) = (true, false, false, 0, 0, None);
        let wish = Wish { speed, lockstep, waits, paused, steps, reset, pushes, disturbances };
        Self(Arc::new(Mutex::new(wish)))
    }

    pub fn change<T>(&self, change: impl FnOnce(&mut Wish) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What is asked; what is to happen once is taken away.
    fn take(&self) -> Wish {
        self.change(|wish| {
            let left = Wish { steps: 0, reset: false, pushes: 0, disturbances: None, ..*wish };
            std::mem::replace(wish, left)
        })
    }
}

impl Wish {
    /// The same once the robot is to sit and the process to end, which is promised in real time: a slow simulation goes at
    /// the pace of that, does not wait for a planner that may have ended, and one that is paused stands, so that nobody
    /// waits for its steps.
    fn closing(self) -> Self {
        Self { speed: self.speed.max(1.0), waits: self.lockstep, steps: 0, ..self }
    }
}

/// How a simulation ends.
#[derive(Clone, Debug, Default)]
pub struct Closing {
    /// The end of the process, which the robot is to sit for first.
    pub asked: Shutdown,
    /// The end of the simulation.
    pub over: Shutdown,
}

/// The robot and its time.
pub(crate) struct Run {
    plant: Plant,
    planner: Planner,
    driver: Driver,
    /// What the driver waits with, who plays for its boards in the same process.
    servo_time: ServoTime,
    step: Duration,
    /// Time between messages.
    period: Duration,
    /// Simulated time since the start, and how far it is to go.
    time: Duration,
    due: Duration,
    reported: Duration,
    /// Over the present second.
    watch: Watch,
}

/// What is reported of a second.
#[derive(Default)]
struct Watch {
    since: Duration,
    /// How much of it the physics were to run, and not paused.
    running: Duration,
    /// Simulated meanwhile.
    simulated: Duration,
    /// Processor time of this thread at its beginning: what the clock tells counts what others took meanwhile.
    worked: Duration,
}

impl Watch {
    /// Simulated time by real time, without pauses.
    fn factor(&self) -> f64 {
        if self.running.is_zero() { 0.0 } else { self.simulated.as_secs_f64() / self.running.as_secs_f64() }
    }

    /// Whether the physics fall behind the speed that was asked for.
    fn is_late(&self, speed: f64) -> bool {
        self.running >= SAMPLE && self.factor() < LATE * speed.min(1.0)
    }
}

impl Run {
    pub fn new(plant: Plant, planner: Planner, servo_time: ServoTime, rate_hz: f64) -> Self {
        let step = Duration::from_secs_f64(plant.simulator().world().settings().step_s);
        let period = Duration::from_secs_f64(1.0 / rate_hz);
        let watch = Watch::default();
        let [time, due, reported] = [Duration::ZERO; 3];
        Self { plant, planner, driver: Driver::default(), servo_time, step, period, time, due, reported, watch }
    }

    pub fn go(
        &mut self,
        teller: &mut Teller,
        (diagnostics, unheard): (&Diagnostics, &mut Unheard),
        wishes: &Wishes,
        closing: &Closing,
    ) {
        let mut last = monotonic_now();
        self.watch = Watch { since: last, worked: thread_time(), ..Watch::default() };
        while closing.over.is_running() {
            let (now, mut wish) = (monotonic_now(), wishes.take());
            if !closing.asked.is_running() {
                wish = wish.closing();
            }
            self.answer(&mut wish, teller);
            self.servo_time.pause(wish.paused);
            self.fall_due(&wish, now.saturating_sub(last));
            last = now;
            let before = self.time;
            let waits = self.catch_up(teller, &wish, now);
            if !wish.paused {
                self.watch.simulated += self.time - before;
            }
            if now.saturating_sub(self.watch.since) >= DIAGNOSTICS_PERIOD {
                let mut status = self.status(now, &wish);
                unheard.look().into_iter().for_each(|words| status.report(Level::Warn, words));
                diagnostics.publish(status);
                self.watch = Watch { since: now, worked: thread_time(), ..Watch::default() };
            }
            let left = (self.time + self.step).saturating_sub(self.due).div_f64(wish.speed);
            let passed = monotonic_now().saturating_sub(now);
            let pause = if waits { LOOK } else { left.min(self.step).saturating_sub(passed) };
            let _ = closing.over.wait(Stage::Stopping, pause);
        }
    }

    /// Does to the robot what was asked for. Where it is put is seen at once, also while the physics are paused: no step
    /// tells of it then.
    fn answer(&mut self, wish: &mut Wish, teller: &mut Teller) {
        if let Some(next) = wish.disturbances.take() {
            self.plant.disturb(next);
        }
        if wish.reset {
            self.plant.put();
            if wish.paused {
                let stamp = teller.now();
                teller.tell_truth(&self.plant, stamp);
            }
        }
        (0..wish.pushes).for_each(|_| self.plant.push());
    }

    /// How far the physics are to go, so much later.
    fn fall_due(&mut self, wish: &Wish, passed: Duration) {
        if wish.paused {
            self.due += wish.steps * self.period;
        } else {
            self.due += passed.mul_f64(wish.speed);
            self.watch.running += passed;
        }
    }

    /// Steps until as much time is simulated as is due `now`; whether the planner has to follow first.
    fn catch_up(&mut self, teller: &mut Teller, wish: &Wish, now: Duration) -> bool {
        self.due = self.due.min(self.time + MOST_LAG);
        let since = monotonic_now().saturating_sub(now);
        let present = teller.now().saturating_sub(since);
        while self.time + self.step <= self.due {
            if wish.waits && !self.may_go_on(wish.lockstep) {
                return true;
            }
            let resets = self.plant.simulator().supply().resets();
            self.plant.step();
            self.time += self.step;
            self.servo_time.step(self.step);
            tell_brown_out(resets, self.plant.simulator().supply());
            teller.tell_time(self.time);
            if self.time.saturating_sub(self.reported) >= self.period {
                self.reported = self.time;
                // Steps that are caught up with belong to the times at which they were due.
                let late = (self.due - self.time).div_f64(wish.speed);
                teller.tell(&self.plant, teller.stamp(self.time, present.saturating_sub(late)));
            }
        }
        false
    }

    /// Whether planner and driver have followed.
    fn may_go_on(&mut self, lockstep: bool) -> bool {
        let (next, now) = (self.time + self.step, monotonic_now());
        self.planner.lets_pass(next, lockstep, now) && self.driver.lets_pass(self.servo_time.ticked(), next, now)
    }

    fn status(&self, now: Duration, wish: &Wish) -> Status {
        let mut status = Status::default();
        let passed = now.saturating_sub(self.watch.since).as_secs_f64();
        let worked = thread_time().saturating_sub(self.watch.worked).as_secs_f64();
        let factor = self.watch.factor();
        let simulator = self.plant.simulator();
        let lean = lean(&simulator.world().base());
        status.value("real-time factor", format!("{factor:.2}"));
        status.value("processor (% of a core)", format!("{:.1}", 100.0 * worked / passed));
        status.value("supply (V)", format!("{:.2}", simulator.supply().volts()));
        status.value("supply (A)", format!("{:.2}", simulator.supply().current()));
        status.value("resets of the boards", simulator.supply().resets());
        status.value("lean (degrees)", format!("{:.1}", lean.to_degrees()));
        let own_time = wish.lockstep || wish.speed != 1.0;
        let obstacle = if own_time { self.planner.obstacle(self.time, now) } else { None };
        if wish.paused {
            status.report(Level::Ok, "paused: goes on by the service pause with data: false, or step by step");
        } else if let Some(why) = obstacle {
            status.report(Level::Warn, why);
        } else if lean > LIES_RAD {
            status.report(Level::Warn, "the robot lies on its side or back: call reset");
        } else if self.watch.is_late(wish.speed) {
            status.report(Level::Warn, format!("the physics keep up with {:.0} % of real time", 100.0 * factor));
        }
        status
    }
}

/// Says that the boards have been reset since there were so many resets, and by what.
fn tell_brown_out(resets: u32, supply: &Supply) {
    if supply.resets() == resets {
        return;
    }
    let why = why_it_gave_way(supply);
    tracing::warn!("the supply of the servos gave way, and all boards were reset: {why}");
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn when_the_end_is_asked_for_expect_a_slow_simulation_at_the_pace_of_real_time_and_no_step_of_a_paused_one() {
        for (speed, closing) in [(0.01, 1.0), (0.2, 1.0), (1.0, 1.0), (3.0, 3.0)] {
            let wishes = Wishes::at(speed, false);
            assert_eq!(wishes.take().closing().speed, closing);
            assert_eq!(wishes.take().speed, speed, "what was asked for stays");
        }
        let wishes = Wishes::at(0.2, false);
        wishes.change(|wish| (wish.paused, wish.steps) = (true, 5));
        let wish = wishes.take().closing();
        assert_eq!((wish.paused, wish.steps), (true, 0));
    }

    #[test]
    fn when_a_second_was_paused_in_part_expect_the_rest_measured_and_little_of_it_not_judged() {
        for (running, simulated, factor, late) in [
            (1000, 1000, 1.0, false),
            (1000, 340, 0.34, true),
            (600, 600, 1.0, false),
            (600, 300, 0.5, true),
            (100, 50, 0.5, false),
            (0, 0, 0.0, false),
        ] {
            let watch = Watch { running: MS(running), simulated: MS(simulated), ..Watch::default() };
            assert_eq!((watch.factor(), watch.is_late(1.0)), (factor, late), "{simulated} of {running} ms");
        }
        let watch = Watch { running: MS(1000), simulated: MS(500), ..Watch::default() };
        assert!(!watch.is_late(0.5), "as fast as it was asked for");
    }
}
