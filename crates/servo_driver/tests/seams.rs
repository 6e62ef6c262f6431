//! May pulses flow? A small model of that against the real service layer, state machine and boards, through random
//! interleavings of everything that starts and stops. No ROS, no threads: one step after the other, on a clock turned by
//! hand, so that a failing run shrinks to the few steps that matter.
//!
//! `SEAMS_STEPS` says how many steps (a million by default), `SEAMS_SEED` where to start; half of the steps come from a
//! fresh seed that is printed.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::{Wires, from, names, pulses, servos};
use hexapod_ros::{Gid, Process, Received, Sender};
use hexapod_servo::simulated::BusFault;
use hexapod_servo::{SimulatedBus, State};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use servo_driver::io::{Ends, Io};
use servo_driver::looping::Looping;
use servo_driver::{Action, Answer};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);

/// Those who call and send: processes of their own, each with its clock.
const SOURCES: usize = 40;
/// So many of them do most of it.
const BUSY: usize = 4;
/// Who is of the driver's own process: nothing is under way from there.
const HERE: u64 = 7;

#[derive(Clone, Copy, Debug)]
enum Call {
    Enable,
    Disable,
    EmergencyStop,
}

#[derive(Clone, Copy, Debug)]
enum Clock {
    /// Set by so many seconds: never by as little as a message may be held up, which nobody could tell from that.
    Set(i64),
    Freeze,
    GoOn,
}

#[derive(Clone, Debug)]
enum Step {
    /// A call of a source; it does not call a service again before it has its answer.
    Call {
        source: usize,
        call: Call,
        delay_ms: u64,
    },
    /// A message of a source on the topic, by each of the subscriptions that get it at another time.
    Say {
        source: usize,
        stop: bool,
        delays_ms: Vec<u64>,
    },
    Clock {
        source: usize,
        clock: Clock,
    },
    /// The process of a source ends, and starts anew.
    Join(usize),
    /// An `enable` of this process that was received up to so many ms ago, and is handled only now.
    Enable {
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

fn source() -> impl Strategy<Value = usize> {
    prop_oneof![3 => 0..BUSY, 2 => 0..SOURCES]
}

/// Most messages are quick; some are held up.
fn delay_ms() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..20u64, 1 => 20..8000u64]
}

fn clock() -> impl Strategy<Value = Clock> {
    let set = prop_oneof![Just(-3600), Just(3600), -100..-10i64, 10..100i64];
    prop_oneof![4 => set.prop_map(Clock::Set), 1 => Just(Clock::Freeze), 2 => Just(Clock::GoOn)]
}

fn step() -> impl Strategy<Value = Step> {
    let call = |call| (source(), delay_ms()).prop_map(move |(source, delay_ms)| Step::Call { source, call, delay_ms });
    let say = (source(), any::<bool>(), proptest::collection::vec(delay_ms(), 1..4));
    prop_oneof![
        8 => call(Call::Enable),
        1 => call(Call::Disable),
        1 => call(Call::EmergencyStop),
        3 => say.prop_map(|(source, stop, delays_ms)| Step::Say { source, stop, delays_ms }),
        1 => (source(), clock()).prop_map(|(source, clock)| Step::Clock { source, clock }),
        1 => source().prop_map(Step::Join),
        3 => (0..3u64).prop_map(|late_ms| Step::Enable { late_ms }),
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
        4 => (400..3000u64).prop_map(Step::Wait),
        3 => (1..80u64).prop_map(Step::Drive),
        15 => Just(Step::Desk),
        40 => Just(Step::Pass),
    ]
}

/// A process that calls and sends.
struct Source {
    /// Of its process, which is another one each time it starts.
    process: u64,
    ahead_s: i64,
    frozen: Option<Duration>,
    /// Messages so far of its three endpoints, and when the last of each arrives: they overtake each other, but not
    /// themselves.
    sent: [(u64, Duration); 3],
    waits: Arc<AtomicBool>,
}

/// What is on its way.
struct Letter {
    due: Duration,
    /// When it was sent in truth.
    truly: Duration,
    what: What,
    from: Received,
    waits: Arc<AtomicBool>,
}

enum What {
    Call(Action),
    Say(bool),
}

impl Source {
    fn new(process: u64) -> Self {
        Self { process, ahead_s: 0, frozen: None, sent: Default::default(), waits: Arc::default() }
    }

    fn stamp(&self, now: Duration) -> Duration {
        const EPOCH_S: i64 = 1_700_000_000;
        let shown = self.frozen.unwrap_or(now);
        shown + Duration::from_secs(u64::try_from(EPOCH_S + self.ahead_s).unwrap())
    }

    fn gid(&self, endpoint: usize) -> Sender {
        let mut gid = [0; 16];
        gid[..8].copy_from_slice(&self.process.to_le_bytes());
        gid[15] = u8::try_from(endpoint).unwrap() + 1;
        Sender::Remote(Gid(gid))
    }

    fn process(&self) -> Process {
        self.gid(0).process()
    }

    /// A letter of one of its endpoints, which does not overtake the one before it if `in_order`.
    fn letter(&mut self, endpoint: usize, what: What, now: Duration, delay_ms: u64, in_order: bool) -> Letter {
        let mut due = now + Duration::from_millis(delay_ms);
        if in_order {
            due = due.max(self.sent[endpoint].1);
            self.sent[endpoint].1 = due;
        }
        let sequence = Some(self.sent[endpoint].0);
        let from = Received { sender: self.gid(endpoint), at: due, taken: due, sent: self.stamp(now), sequence };
        Letter { due, truly: now, what, from, waits: Arc::clone(&self.waits) }
    }

    fn set(&mut self, clock: Clock, now: Duration) {
        match clock {
            Clock::Set(by_s) => self.ahead_s = (self.ahead_s + by_s).clamp(-1_000_000, 1_000_000),
            Clock::Freeze => self.frozen = self.frozen.or(Some(now)),
            Clock::GoOn => self.frozen = None,
        }
    }
}

/// What may be true of the outputs, worked out from what was sent alone.
#[derive(Default)]
struct Model {
    /// When the newest stop was received.
    stopped_at: Option<Duration>,
    /// When the newest of the enables was sent that were answered with yes.
    granted: Option<Duration>,
}

impl Model {
    fn stop(&mut self, received: Duration) {
        self.stopped_at = self.stopped_at.max(Some(received));
    }

    /// Pulses need an enable that was granted, and sent after every stop.
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
    sources: Vec<Source>,
    started: u64,
    mail: Vec<Letter>,
    heard: HashSet<(Sender, Option<u64>)>,
    /// Processes that were killed: the middleware has not missed them yet.
    gone: Vec<Process>,
    rolled: u64,
    /// Answers of enables: when they were sent, and what came.
    answers: Arc<Mutex<Vec<(Duration, Answer)>>>,
    asked: usize,
    answered: usize,
    /// Enables of other processes that were granted after the first stop.
    remote: Arc<AtomicU64>,
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
        let (model, answers, remote) = (Model::default(), Arc::default(), Arc::default());
        let sources = (0..SOURCES as u64).map(Source::new).collect();
        Self {
            now,
            bus,
            wires,
            ends,
            looping,
            model,
            sources,
            started: SOURCES as u64,
            mail: vec![],
            heard: HashSet::new(),
            gone: vec![],
            rolled: 0,
            answers,
            asked: 0,
            answered: 0,
            remote,
        }
    }

    fn now(&self) -> Duration {
        Duration::from_nanos(self.now.load(Ordering::SeqCst))
    }

    /// Hands over a call that was sent at `truly`.
    fn ask(&mut self, action: Action, from: &Received, truly: Duration, waits: Arc<AtomicBool>) {
        if matches!(action, Action::Disable | Action::EmergencyStop) {
            self.model.stop(from.taken);
        }
        let (answers, remote) = (Arc::clone(&self.answers), Arc::clone(&self.remote));
        let is_enable = action == Action::Enable;
        let is_remote = matches!(from.sender, Sender::Remote(_)) && self.model.stopped_at.is_some();
        self.asked += usize::from(is_enable);
        self.ends.front.ask(action, from, move |answer| {
            waits.store(false, Ordering::SeqCst);
            if is_enable {
                remote.fetch_add(u64::from(is_remote && answer.success), Ordering::SeqCst);
                answers.lock().unwrap().push((truly, answer));
            }
        });
    }

    /// What has arrived by now, in the order of its arrival.
    fn deliver(&mut self) {
        let now = self.now();
        let mut arrived: Vec<Letter> = self.mail.extract_if(.., |letter| letter.due <= now).collect();
        arrived.sort_by_key(|letter| letter.due);
        for Letter { truly, what, mut from, waits, .. } in arrived {
            // Taken as soon as this process runs.
            (from.at, from.taken) = (now, now);
            match what {
                What::Call(action) => self.ask(action, &from, truly, waits),
                What::Say(stop) => {
                    self.ends.front.hear_stop(stop, &from);
                    // A copy of what was heard already need not stop once more.
                    if self.heard.insert((from.sender, from.sequence)) && stop {
                        self.model.stop(now);
                        assert!(!self.wires.outputs.load(Ordering::SeqCst), "a true was lost");
                    }
                }
            }
        }
    }

    fn call(&mut self, source: usize, call: Call, delay_ms: u64, now: Duration) {
        let source = &mut self.sources[source];
        let (endpoint, action) = match call {
            Call::Enable => (0, Action::Enable),
            Call::Disable => (0, Action::Disable),
            Call::EmergencyStop => (1, Action::EmergencyStop),
        };
        if !source.waits.swap(true, Ordering::SeqCst) {
            source.sent[endpoint].0 += 1;
            let letter = source.letter(endpoint, What::Call(action), now, delay_ms, true);
            self.mail.push(letter);
        }
    }

    fn say(&mut self, source: usize, stop: bool, delays_ms: &[u64], now: Duration) {
        let source = &mut self.sources[source];
        source.sent[2].0 += 1;
        self.mail.extend(delays_ms.iter().map(|&delay_ms| source.letter(2, What::Say(stop), now, delay_ms, false)));
    }

    /// Time moves on by a little with every step, so that no two things happen at once.
    fn play(&mut self, step: &Step) {
        self.now.fetch_add(1000, Ordering::SeqCst);
        self.deliver();
        let now = self.now();
        match *step {
            Step::Call { source, call, delay_ms } => self.call(source, call, delay_ms, now),
            Step::Say { source, stop, ref delays_ms } => self.say(source, stop, delays_ms, now),
            Step::Clock { source, clock } => self.sources[source].set(clock, now),
            Step::Join(source) => {
                let killed = std::mem::replace(&mut self.sources[source], Source::new(self.started));
                self.gone.push(killed.process());
                self.started += 1;
            }
            Step::Enable { late_ms } => {
                let received = now - MS * u32::try_from(late_ms).unwrap();
                self.ask(Action::Enable, &from(HERE, received), received, Arc::default());
            }
            Step::Button(pressed) => self.wires.stop.store(pressed, Ordering::SeqCst),
            Step::Battery(low) => self.wires.battery.store(low, Ordering::SeqCst),
            Step::Relax { group, relaxed } => {
                self.ask(Action::Relax { group, relaxed }, &from(HERE, now), now, Arc::default());
            }
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
            Step::Desk => {
                let gone = self.gone.iter().copied();
                let there = || Some(self.sources.iter().map(Source::process).chain(gone).collect());
                self.ends.front.call_the_roll(&mut self.rolled, there);
                self.ends.desk.attend(now);
            }
            Step::Pass => {
                self.bus.advance_to(now);
                self.looping.pass();
                while self.ends.snapshots.pop().is_ok() {}
            }
        }
    }

    /// What must hold after every step.
    fn check(&mut self, step: &Step) {
        for (sent, answer) in std::mem::take(&mut *self.answers.lock().unwrap()) {
            self.answered += 1;
            let valid = self.model.stopped_at.is_none_or(|stopped| sent > stopped);
            assert!(valid || !answer.success, "an enable older than a stop was granted: {}", answer.message);
            if answer.success {
                self.model.granted = self.model.granted.max(Some(sent));
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
        if matches!(step, Step::Pass) && matches!(state, State::Disarmed | State::EmergencyStop) {
            let dead = pulses(&self.bus) > 0;
            assert!(!(dead && let_through), "pulses in {state} after {step:?}");
        }
    }
}

/// The states that were seen with pulses let through, and without; and how many enables of other processes were granted
/// after a stop.
type Seen = (HashSet<(State, bool)>, u64);

/// Plays the steps.
fn run(steps: &[Step]) -> Seen {
    let mut world = World::new();
    let mut seen = HashSet::new();
    for step in steps {
        world.play(step);
        world.check(step);
        seen.insert((world.looping.state(), world.wires.outputs.load(Ordering::SeqCst)));
    }
    settle(&mut world);
    (seen, world.remote.load(Ordering::SeqCst))
}

/// With everything healthy again and nobody asking for anything, a stop ends every pulse, and every call has its answer.
fn settle(world: &mut World) {
    world.bus.inject(BusFault::Alive { address: 0x41 });
    world.wires.stop.store(false, Ordering::SeqCst);
    world.wires.battery.store(false, Ordering::SeqCst);
    let now = world.now();
    world.ask(Action::EmergencyStop, &from(HERE, now), now, Arc::default());
    world.play(&Step::Wait(10));
    for _ in 0..500 {
        for step in [Step::Wait(10), Step::Pass, Step::Desk] {
            world.play(&step);
            world.check(&step);
        }
    }
    assert_eq!((world.asked, pulses(&world.bus)), (world.answered, 0));
    assert_eq!(world.looping.state(), State::EmergencyStop);
}

fn interleave(steps: u32, seed: u64) -> Seen {
    const RUN: usize = 200;
    let cases = steps / u32::try_from(RUN).unwrap();
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let steps = proptest::collection::vec(step(), RUN);
    let seen = Mutex::new((HashSet::new(), 0));
    let result = TestRunner::new_with_rng(config, rng).run(&steps, |steps| {
        let (states, granted) = run(&steps);
        let mut seen = seen.lock().unwrap();
        seen.0.extend(states);
        seen.1 += granted;
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
    let (mut seen, granted) = interleave(steps / 2, 1);
    let (fresh, more) = interleave(steps / 2, seed);
    seen.extend(fresh);
    check_all_were_seen(&seen);
    println!("{} enables of other processes granted after a stop", granted + more);
    assert!(granted + more > u64::from(steps / 10_000), "hardly anybody is let in: this proves little");
}
