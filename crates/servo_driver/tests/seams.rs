//! May pulses flow? A small model of that against the real service layer, state machine and boards, through random
//! interleavings of everything that starts and stops. No ROS, no threads: one step after the other, on a clock turned by
//! hand, so that a failing run shrinks to the few steps that matter.
//!
//! `SEAMS_STEPS` says how many steps (a million by default), `SEAMS_SEED` where to start; half of the steps come from a
//! fresh seed that is printed.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::{Wires, names, pulses, servos};
use hexapod_ros::Sender;
use hexapod_servo::simulated::BusFault;
use hexapod_servo::{SimulatedBus, State};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use servo_driver::io::{Ends, Io};
use servo_driver::looping::Looping;
use servo_driver::{Action, Answer};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);

#[derive(Clone, Debug)]
enum Step {
    /// Messages that were received up to so many ms ago, and are handled only now.
    Enable {
        late_ms: u64,
    },
    Disable,
    EmergencyStop,
    Topic {
        source: u64,
        stop: bool,
        late_ms: u64,
    },
    Button(bool),
    Battery(bool),
    Relax {
        group: usize,
        relaxed: bool,
    },
    /// Commands of one of two planners; a planner that has died sends none.
    Commands {
        planner: u64,
        part: bool,
    },
    GaitState(&'static str),
    Dead(bool),
    BrownOut,
    Hang(u64),
    Foreign,
    Wait(u64),
    /// The first planner commands all joints for so many periods, and everybody gets to run.
    Drive(u64),
    Desk,
    Pass,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..3u64).prop_map(|late_ms| Step::Enable { late_ms }),
        2 => Just(Step::Disable),
        2 => Just(Step::EmergencyStop),
        3 => (7..10u64, any::<bool>(), 0..3u64).prop_map(|(source, stop, late_ms)| Step::Topic { source, stop, late_ms }),
        1 => any::<bool>().prop_map(Step::Button),
        1 => any::<bool>().prop_map(Step::Battery),
        1 => (0..2usize, any::<bool>()).prop_map(|(group, relaxed)| Step::Relax { group, relaxed }),
        30 => (1..3u64, any::<bool>()).prop_map(|(planner, part)| Step::Commands { planner, part }),
        2 => prop_oneof![Just("sitting"), Just("standing"), Just("walking"), Just("fault")].prop_map(Step::GaitState),
        1 => any::<bool>().prop_map(Step::Dead),
        1 => Just(Step::BrownOut),
        1 => (0..800u64).prop_map(Step::Hang),
        1 => Just(Step::Foreign),
        20 => (0..12u64).prop_map(Step::Wait),
        1 => (12..400u64).prop_map(Step::Wait),
        2 => (1..80u64).prop_map(Step::Drive),
        15 => Just(Step::Desk),
        40 => Just(Step::Pass),
    ]
}

/// What may be true of the outputs, worked out from what was sent alone.
#[derive(Default)]
struct Model {
    /// When the newest stop was received.
    stopped_at: Option<Duration>,
    /// Receipts of enables that were answered with yes.
    granted: Option<Duration>,
}

impl Model {
    fn stop(&mut self, received: Duration) {
        self.stopped_at = self.stopped_at.max(Some(received));
    }

    /// Pulses need an enable that was granted, and received after every stop.
    fn may_pulse(&self) -> bool {
        self.granted.is_some_and(|granted| self.stopped_at.is_none_or(|stopped| granted > stopped))
    }
}

struct World {
    now: Arc<AtomicU64>,
    bus: SimulatedBus,
    wires: Wires,
    ends: Ends,
    looping: Looping<SimulatedBus>,
    model: Model,
    /// Answers of enables: when they were received, and what came.
    answers: Arc<Mutex<Vec<(Duration, Answer)>>>,
    asked: usize,
    answered: usize,
}

impl World {
    fn new() -> Self {
        let servos = servos();
        let now = Arc::new(AtomicU64::new(1_000_000_000_000));
        let hung = Arc::clone(&now);
        let bus = SimulatedBus::for_config(&servos);
        let driven = bus.clone().with_hang_hook(move |time| {
            hung.fetch_add(u64::try_from(time.as_nanos()).unwrap(), Ordering::SeqCst);
        });
        let wires = Wires::default();
        let (io, ends) = Io::new(servos);
        let clock = Arc::clone(&now);
        let io = io.with_pins(wires.clone()).with_clock(move || Duration::from_nanos(clock.load(Ordering::SeqCst)));
        let looping = Looping::new(io, driven, 100.0);
        let (model, answers) = (Model::default(), Arc::default());
        Self { now, bus, wires, ends, looping, model, answers, asked: 0, answered: 0 }
    }

    fn now(&self) -> Duration {
        Duration::from_nanos(self.now.load(Ordering::SeqCst))
    }

    fn ask(&mut self, action: Action, received: Duration) {
        let answers = Arc::clone(&self.answers);
        let is_enable = action == Action::Enable;
        self.asked += usize::from(is_enable);
        self.ends.front.ask(action, received, move |answer| {
            if is_enable {
                answers.lock().unwrap().push((received, answer));
            }
        });
    }

    /// Time moves on by a little with every step, so that no two things happen at once.
    fn play(&mut self, step: &Step) {
        self.now.fetch_add(1000, Ordering::SeqCst);
        let now = self.now();
        match *step {
            Step::Enable { late_ms } => self.ask(Action::Enable, now - MS * u32::try_from(late_ms).unwrap()),
            Step::Disable => {
                self.model.stop(now);
                self.ask(Action::Disable, now);
            }
            Step::EmergencyStop => {
                self.model.stop(now);
                self.ask(Action::EmergencyStop, now);
            }
            Step::Topic { source, stop, late_ms } => {
                let received = now - MS * u32::try_from(late_ms).unwrap();
                if stop {
                    self.model.stop(received);
                }
                self.ends.front.hear_stop(Sender::Local(source), stop, now, received);
            }
            Step::Button(pressed) => self.wires.stop.store(pressed, Ordering::SeqCst),
            Step::Battery(low) => self.wires.battery.store(low, Ordering::SeqCst),
            Step::Relax { group, relaxed } => self.ask(Action::Relax { group, relaxed }, now),
            Step::Commands { planner, part } => {
                let names = names();
                let names = if part { &names[..9] } else { &names[..] };
                let angle_rad = if planner == 1 { 0.1 } else { -0.4 };
                let _ = self.ends.intake.take(Sender::Local(planner), names, &vec![angle_rad; names.len()], now);
            }
            Step::GaitState(said) => self.ends.front.planner().hear(Sender::Local(1), said),
            Step::Dead(dead) => {
                let address = 0x41;
                self.bus.inject(if dead { BusFault::Dead { address } } else { BusFault::Alive { address } });
            }
            Step::BrownOut => self.bus.inject(BusFault::BrownOut { address: 0x40 }),
            Step::Hang(time_ms) => self.bus.inject(BusFault::Hang { time: Duration::from_millis(time_ms) }),
            Step::Foreign => {
                use embedded_hal::i2c::I2c;
                // The guard of another machine, or a tool: all channels of one board off.
                let _ = self.bus.clone().write(0x40, &[0xFD, 0x10]);
            }
            Step::Wait(time_ms) => drop(self.now.fetch_add(time_ms * 1_000_000, Ordering::SeqCst)),
            Step::Drive(periods) => {
                for _ in 0..periods {
                    for step in [Step::Commands { planner: 1, part: false }, Step::Wait(10), Step::Pass, Step::Desk] {
                        self.play(&step);
                        self.check(&step);
                    }
                }
            }
            Step::Desk => drop(self.ends.desk.attend(now)),
            Step::Pass => {
                self.bus.advance_to(now);
                self.looping.pass();
                while self.ends.snapshots.pop().is_ok() {}
            }
        }
    }

    /// What must hold after every step.
    fn check(&mut self, step: &Step) {
        for (received, answer) in std::mem::take(&mut *self.answers.lock().unwrap()) {
            self.answered += 1;
            let valid = self.model.stopped_at.is_none_or(|stopped| received > stopped);
            assert!(valid || !answer.success, "an enable older than a stop was granted: {}", answer.message);
            if answer.success {
                self.model.granted = self.model.granted.max(Some(received));
            }
        }
        let state = self.looping.state();
        // The loop grants before the desk has told; what it grants must be worth it.
        if matches!(step, Step::Pass) && state.is_live() && !self.model.may_pulse() {
            assert!(self.asked > self.answered, "live without an enable after {step:?}");
        }
        let let_through = self.wires.outputs.load(Ordering::SeqCst);
        if !self.model.may_pulse() && self.asked == self.answered {
            assert!(!let_through, "outputs on after {step:?} in {state}");
        }
        // A stop has cut the outputs by the time it was handled, whatever the bus does.
        if matches!(step, Step::Disable | Step::EmergencyStop | Step::Topic { stop: true, .. }) {
            assert!(!let_through, "{step:?} cut nothing");
        }
        if matches!(step, Step::Pass) && matches!(state, State::Disarmed | State::EmergencyStop) {
            let dead = pulses(&self.bus) > 0;
            assert!(!(dead && let_through), "pulses in {state} after {step:?}");
        }
    }
}

/// Plays the steps; returns the states that were seen with pulses let through, and without.
fn run(steps: &[Step]) -> HashSet<(State, bool)> {
    let mut world = World::new();
    let mut seen = HashSet::new();
    for step in steps {
        world.play(step);
        world.check(step);
        seen.insert((world.looping.state(), world.wires.outputs.load(Ordering::SeqCst)));
    }
    settle(&mut world);
    seen
}

/// With everything healthy again and nobody asking for anything, a stop ends every pulse, and every call has its answer.
fn settle(world: &mut World) {
    world.bus.inject(BusFault::Alive { address: 0x41 });
    world.wires.stop.store(false, Ordering::SeqCst);
    world.wires.battery.store(false, Ordering::SeqCst);
    for step in [&Step::EmergencyStop, &Step::Wait(10)] {
        world.play(step);
    }
    for _ in 0..500 {
        for step in [Step::Wait(10), Step::Pass, Step::Desk] {
            world.play(&step);
            world.check(&step);
        }
    }
    assert_eq!((world.asked, pulses(&world.bus)), (world.answered, 0));
    assert_eq!(world.looping.state(), State::EmergencyStop);
}

/// The states that were seen with pulses let through, and without.
fn interleave(steps: u32, seed: u64) -> HashSet<(State, bool)> {
    const RUN: usize = 200;
    let cases = steps / u32::try_from(RUN).unwrap();
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let steps = proptest::collection::vec(step(), RUN);
    let seen = Mutex::new(HashSet::new());
    let result = TestRunner::new_with_rng(config, rng).run(&steps, |steps| {
        seen.lock().unwrap().extend(run(&steps));
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
    seen.into_inner().unwrap()
}

/// A draw of its own may miss a state that lasts for moments: together the draws see all of them.
fn check_all_were_seen(seen: &HashSet<(State, bool)>) {
    let live = [State::Arming, State::Armed, State::Holding, State::Retiring, State::Fault];
    let off = [State::Disarmed, State::EmergencyStop];
    for state in live.map(|state| (state, true)).into_iter().chain(off.map(|state| (state, false))) {
        assert!(seen.contains(&state), "never {state:?}: these steps prove little");
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn when_everything_starts_and_stops_in_any_order_expect_pulses_only_after_the_newest_enable() {
    let steps = u32::try_from(number("SEAMS_STEPS").unwrap_or(1_000_000)).unwrap();
    let fresh = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed = number("SEAMS_SEED").unwrap_or(fresh);
    println!("SEAMS_SEED={seed}");
    let mut seen = interleave(steps / 2, 1);
    seen.extend(interleave(steps / 2, seed));
    check_all_were_seen(&seen);
}
