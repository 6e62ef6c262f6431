//! The control loop that ticks by `/clock`.

use crate::control::{Goodbye, REPORT_EVERY, tell_news, tick};
use crate::core::Core;
use crate::life::Moment;
use crate::outbox::{Done, Outbox};
use crate::status::SharedState;
use hexapod_ros::{Lateness, Shutdown, monotonic_now};
use std::sync::Arc;
use std::time::Duration;

/// Ticks for every period that `/clock` has passed. A tick's time is a multiple of the period, and commands wait for
/// whole tenths of a second (`intake.rs`): the same commands at the same simulated times give the same ticks.
pub struct SimulatedLoop {
    core: Core,
    outbox: Outbox,
    period: Duration,
    last: Option<Duration>,
    cycles: Lateness,
    shared: Arc<SharedState>,
    goodbye: Goodbye,
    closing: Closing,
}

/// How a loop in simulated time ends. Clones are handles to the same.
#[derive(Clone, Debug, Default)]
pub struct Closing {
    /// The end of the process, which the robot is to sit for.
    pub asked: Shutdown,
    /// It sits, has had the time for that, or is not to.
    pub over: Shutdown,
}

/// A clock that goes back, or jumps further than this, starts anew instead of being caught up with.
const MAX_JUMP: Duration = Duration::from_secs(1);

impl SimulatedLoop {
    /// A loop that has not seen the clock yet.
    #[must_use]
    pub fn new(core: Core, outbox: Outbox, rate_hz: f64, shared: Arc<SharedState>, closing: Closing) -> Self {
        let period = Duration::from_secs_f64(1.0 / rate_hz);
        let (cycles, goodbye) = (Lateness::default(), Goodbye::default());
        Self { core, outbox, period, last: None, cycles, shared, goodbye, closing }
    }

    /// Ticks up to what `/clock` says.
    pub fn clock(&mut self, Moment { at: now, real }: Moment) {
        self.core.clock(Moment { at: now, real });
        let period = self.period.as_nanos().max(1);
        let floor = Duration::from_nanos(u64::try_from(now.as_nanos() / period * period).unwrap_or(u64::MAX));
        let mut next = match self.last {
            Some(last) if floor >= last && floor - last <= MAX_JUMP => last + self.period,
            _ => floor,
        };
        let started = monotonic_now();
        while next <= floor && monotonic_now() - started < MAX_JUMP {
            if !self.goodbye.goes_on(&mut self.core, real, &self.closing.asked) {
                return self.closing.over.ask();
            }
            self.shared.pulse.beat_slowly(monotonic_now());
            let moment = (Moment { at: next, real }, self.period.as_secs_f64());
            let state = tick(&mut self.core, &mut self.outbox, moment, next);
            self.shared.pulse.rest();
            if self.goodbye.is_over(state, (real, moment.1)) {
                self.shared.set_unseated(self.goodbye.leaves_standing(&self.core, state));
                return self.closing.over.ask();
            }
            self.report();
            self.last = Some(next);
            next += self.period;
        }
    }

    /// Whether more commands wait to be taken in than come between two messages on the clock.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.core.is_crowded()
    }

    /// Hears stops, and that servos were released, while the clock stands; `real` is on the monotonic one. No time passes.
    pub fn tick_paused(&mut self, real: Duration) {
        let Some(stamp) = self.last else { return };
        if let Some(&tick) = self.core.tick_paused(real) {
            let remarks = self.core.remarks();
            self.outbox.push(Done::Tick { tick, stamp, remarks });
        }
        tell_news(&mut self.core, &mut self.outbox, 0.0);
    }

    /// Sees to the end while a slow clock says nothing: one that `stands` does not let the robot sit at all.
    pub fn see_off(&mut self, real: Duration, stands: bool) {
        let goes_on = self.goodbye.goes_on(&mut self.core, real, &self.closing.asked);
        let is_over = (stands && self.goodbye.has_begun()) || self.goodbye.is_late(real);
        if is_over {
            self.shared.set_unseated(self.goodbye.leaves_standing(&self.core, self.core.last().state));
        }
        if !goes_on || is_over {
            self.closing.over.ask();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Command, MotionRequest, Received, queues};
    use crate::outbox::outbox;
    use crate::params::shipped;
    use crate::setup::Setup;
    use hexapod_gait::{GaitState, Twist};
    use hexapod_ros::Sender;
    use hexapod_ros::ending::LONGEST;
    use rtrb::{Consumer, Producer};

    /// A planner in simulated time, with a clock on the wall that the tests turn.
    struct Bench {
        ticks: SimulatedLoop,
        closing: Closing,
        commands: Producer<Received>,
        done: Consumer<Done>,
        now: Moment,
        state: GaitState,
    }

    const STEP: Duration = Duration::from_millis(10);
    const STICK: Sender = Sender::Local(1);

    impl Bench {
        fn standing() -> Self {
            let setup = Setup::load(&shipped()).unwrap();
            let ((commands, _, incoming), (outbox, done)) = (queues(), outbox());
            let rate_hz = setup.rate_hz;
            let (core, closing) = (setup.into_core(incoming, None), Closing::default());
            let ticks = SimulatedLoop::new(core, outbox, rate_hz, Arc::default(), closing.clone());
            let now = Moment { at: Duration::from_secs(7200), real: Duration::from_secs(1000) };
            let mut bench = Self { ticks, closing, commands, done, now, state: GaitState::Sitting };
            bench.send(Command::Stand);
            bench.run(3.5, 1.0);
            assert_eq!(bench.state, GaitState::Standing);
            bench
        }

        fn send(&mut self, command: Command) {
            self.commands.push(Received { command, sender: Some(STICK), at: self.now }).unwrap();
        }

        fn drive(&mut self) {
            self.send(Command::Twist(Twist::new(0.05, 0.0, 0.0)));
        }

        /// Lets some seconds of real time go by with the simulation at a rate; ticks that were done.
        fn run(&mut self, seconds: f64, rate: f64) -> usize {
            let mut ticks = 0;
            for _ in 0..(seconds / STEP.as_secs_f64()).round() as usize {
                self.now.real += STEP;
                self.now.at += STEP.mul_f64(rate);
                ticks += self.tick();
            }
            ticks
        }

        fn tick(&mut self) -> usize {
            self.ticks.clock(self.now);
            let mut ticks = 0;
            while let Ok(done) = self.done.pop() {
                if let Done::Tick { tick, .. } = done {
                    (self.state, ticks) = (tick.state, ticks + 1);
                }
            }
            ticks
        }
    }

    #[test]
    fn when_the_clock_goes_back_expect_what_was_received_before_void_at_once_and_for_good() {
        for back in [Duration::from_millis(300), Duration::from_secs(30), Duration::from_secs(3600), Duration::MAX] {
            let mut bench = Bench::standing();
            bench.drive();
            bench.run(0.2, 1.0);
            assert_eq!(bench.state, GaitState::Walking);
            bench.drive();
            bench.now.at = bench.now.at.saturating_sub(back);
            bench.tick();
            assert_eq!(bench.state, GaitState::Stopping, "{back:?}");
            bench.run(back.as_secs_f64().clamp(2.0, 40.0), 1.0);
            assert_eq!(bench.state, GaitState::Standing, "{back:?}");
            bench.drive();
            bench.run(0.1, 1.0);
            assert_eq!(bench.state, GaitState::Walking, "what comes afterwards counts");
        }
    }

    #[test]
    fn when_the_clock_stands_expect_no_ticks_and_the_command_void_when_it_goes_on_too_late() {
        for (seconds, state) in [(0.2, GaitState::Walking), (1.5, GaitState::Walking), (60.0, GaitState::Stopping)] {
            let mut bench = Bench::standing();
            bench.drive();
            bench.run(0.2, 1.0);
            assert_eq!(bench.run(seconds, 0.0), 0, "nothing is sent while the clock stands");
            bench.run(0.02, 1.0);
            assert_eq!(bench.state, state, "{seconds} s");
        }
    }

    #[test]
    fn when_a_simulation_is_slow_expect_its_time_to_count_and_real_time_within_bounds() {
        let mut bench = Bench::standing();
        bench.drive();
        bench.run(2.0, 0.2);
        assert_eq!(bench.state, GaitState::Walking, "0.4 s of the simulation");
        bench.run(0.7, 0.2);
        assert_eq!(bench.state, GaitState::Stopping, "0.54 s of the simulation");
        bench.run(20.0, 0.2);
        bench.run(3.0, 0.05);
        bench.drive();
        bench.run(4.8, 0.05);
        assert_eq!(bench.state, GaitState::Walking, "0.24 s of the simulation");
        bench.run(0.6, 0.05);
        assert_eq!(bench.state, GaitState::Stopping, "5 s of real time");
    }

    #[test]
    fn when_the_end_is_asked_for_in_stride_expect_the_robot_to_sit_before_the_loop_is_over() {
        let walking = || {
            let mut bench = Bench::standing();
            bench.drive();
            bench.run(0.3, 1.0);
            assert_eq!(bench.state, GaitState::Walking);
            bench
        };
        let mut bench = walking();
        bench.closing.asked.ask();
        while bench.closing.over.is_running() {
            bench.run(0.01, 1.0);
            assert!(bench.state != GaitState::Sitting || !bench.closing.over.is_running());
        }
        assert_eq!(bench.state, GaitState::Sitting);

        let mut slow = walking();
        slow.closing.asked.ask();
        let seen_off = |bench: &mut Bench, after: Duration, stands| {
            bench.ticks.see_off(bench.now.real + after, stands);
            !bench.closing.over.is_running()
        };
        assert!(!seen_off(&mut slow, Duration::ZERO, false) && !seen_off(&mut slow, LONGEST, false));
        assert!(seen_off(&mut slow, LONGEST + STEP, false), "a simulation that hardly goes on is not waited for");

        let mut standing = walking();
        assert!(!seen_off(&mut standing, Duration::ZERO, true), "nobody has asked");
        standing.closing.asked.ask();
        assert!(seen_off(&mut standing, Duration::ZERO, true));

        let mut hurried = walking();
        hurried.closing.asked.ask_now();
        hurried.run(0.01, 1.0);
        assert!(!hurried.closing.over.is_running() && hurried.state == GaitState::Walking);
    }

    #[test]
    fn when_a_simulation_is_fast_expect_its_time_to_count() {
        let mut bench = Bench::standing();
        bench.run(2.0, 5.0);
        bench.drive();
        bench.run(0.08, 5.0);
        assert_eq!(bench.state, GaitState::Walking);
        bench.run(0.04, 5.0);
        assert_eq!(bench.state, GaitState::Stopping);
    }

    #[test]
    fn when_the_loop_has_caught_up_expect_nothing_due() {
        let bench = Bench::standing();
        assert!(!bench.ticks.shared.pulse.is_lost(Duration::MAX));
    }

    /// A message on the clock or a command, some milliseconds late.
    fn late(seed: &mut u64) -> Duration {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        Duration::from_micros((*seed >> 33) % 3000)
    }

    /// What somebody sends in twelve seconds, ms after the start: changes of mind, a gap, another gait, a motion.
    fn recorded() -> Vec<(u64, Command)> {
        let setup = Setup::load(&shipped()).unwrap();
        let mut recorded = vec![];
        for k in (0..120).filter(|k| !(40..56).contains(k)) {
            let x = f64::from(k);
            let twist = Twist::new(0.06 * (0.11 * x).cos(), 0.03 * (0.7 * x).sin(), 0.3 * (0.13 * x).sin());
            recorded.push((37 + 53 * k as u64, Command::Twist(twist)));
        }
        recorded.retain(|(at, _)| (6..=94).contains(&(at % 100)));
        recorded.push((1423, Command::Gait(setup.gaits.get("ripple").unwrap())));
        recorded.push((3377, Command::BodyOffset(hexapod_gait::BodyOffset::default())));
        let shake = MotionRequest { motion: setup.motions.get("shake").unwrap(), request: 1 };
        recorded.push((8055, Command::Motion(Some(shake))));
        recorded.sort_by_key(|(at, _)| *at);
        recorded
    }

    /// Ticks of a replay by a clock of this rate, whose messages and the commands come late.
    fn replayed(rate_hz: f64, mut seed: u64) -> Vec<(Duration, hexapod_gait::Tick)> {
        let mut bench = Bench::standing();
        let (start, period) = (bench.now, Duration::from_secs_f64(1.0 / rate_hz));
        let phase = if seed == 0 { Duration::ZERO } else { late(&mut seed) };
        let mut commands = recorded().into_iter().peekable();
        let mut ticks = vec![];
        for k in 0..(12.0 * rate_hz) as u32 {
            let clock = phase + period * k;
            while let Some((at, command)) = commands.next_if(|(at, _)| Duration::from_millis(*at) <= clock) {
                let real = start.real + Duration::from_millis(at) + late(&mut seed);
                let at = Moment { at: start.at, real };
                bench.commands.push(Received { command, sender: Some(STICK), at }).unwrap();
            }
            bench.ticks.clock(Moment { at: start.at + clock, real: start.real + clock + late(&mut seed) });
            while let Ok(done) = bench.done.pop() {
                if let Done::Tick { tick, stamp, .. } = done {
                    ticks.push((stamp - start.at, tick));
                }
            }
        }
        ticks
    }

    #[test]
    fn when_a_record_is_replayed_at_any_clock_rate_expect_the_same_planned_states_at_common_times() {
        let all = replayed(1000.0, 0);
        assert!(all.iter().any(|(_, tick)| tick.state == GaitState::Walking));
        assert!(all.iter().any(|(_, tick)| tick.state == GaitState::Playing));
        for (rate_hz, seed) in
            [(10.0, 1), (10.0, 2), (25.0, 3), (40.0, 4), (40.0, 0), (60.0, 5), (100.0, 6), (250.0, 7)]
        {
            let some = replayed(rate_hz, seed);
            assert!(some.len() > 1180, "{rate_hz} Hz: {} ticks", some.len());
            for ((at, tick), (other_at, other)) in some.iter().zip(&all) {
                assert_eq!(at, other_at, "{rate_hz} Hz: no tick is left out");
                assert!(tick.angles == other.angles && tick.state == other.state, "{rate_hz} Hz differs at {at:?}");
            }
        }
    }
}
