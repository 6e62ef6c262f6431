//! The table of conditions and actions, cell by cell through the real driver on a clock turned by hand; and that
//! `docs/faults.md` shows it.
//!
//! `FAILSAFE_WRITE=1` writes it there.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::{PLANNER, Wires, from, names, pulses, servos_with};
use hexapod_ros::{Gid, Present, Received, Sender};
use hexapod_servo::simulated::BusFault;
use hexapod_servo::{SimulatedBus, State};
use servo_driver::Action;
use servo_driver::bus::on_boards;
use servo_driver::device::Device;
use servo_driver::failsafe::{Arming, Cause, Reaction, Situation, table};
use servo_driver::io::{Ends, Io};
use servo_driver::lease::{GuardWatch, OnGuard};
use servo_driver::looping::Looping;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const MS: fn(u64) -> Duration = Duration::from_millis;
/// The bus whose guard goes.
const BUS: u8 = 247;
/// A source that beats, and one that presses.
const BOX: u64 = 21;
const PRESSER: u64 = 22;
/// Somebody of another process, of whose calls nobody knows how long they were under way.
const ELSEWHERE: u64 = 23;

fn elsewhere(at: Duration) -> Received {
    Received { sender: Sender::Remote(Gid([23; 16])), sent: Duration::ZERO, ..from(ELSEWHERE, at) }
}

/// What happens in the middle of a transfer that hangs.
type Meanwhile = Arc<Mutex<Option<Box<dyn FnOnce() + Send>>>>;

struct World {
    now: Arc<AtomicU64>,
    bus: SimulatedBus,
    wires: Wires,
    ends: Ends,
    looping: Looping,
    meanwhile: Meanwhile,
    /// Joints are commanded while time passes, and where to.
    commands: Cell<Option<f64>>,
    beats: Cell<bool>,
    guard: Option<OnGuard>,
}

impl World {
    fn new(cause: Cause) -> Self {
        let (now, meanwhile) = (Arc::new(AtomicU64::new(1_000_000)), Meanwhile::default());
        let servos = servos_with("stall_after_s: 0.5, stall_error_rad: 0.2, fault_off_after_s: 2.0");
        let bus = SimulatedBus::for_config(&servos);
        let (hung, simulated, hook) = (Arc::clone(&now), bus.servo_time().clone(), Arc::clone(&meanwhile));
        let driven = bus.clone().with_hang_hook(move |time| {
            simulated.step(time);
            hung.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
            if let Some(happens) = hook.lock().unwrap().take() {
                happens();
            }
        });
        let (wires, (io, ends)) = (Wires::default(), Io::new(servos.joints()));
        let clock = Arc::clone(&now);
        let io = io.with_clock(move || MS(clock.load(Ordering::SeqCst))).with_pins(wires.clone());
        let io = io.with_servo_time(bus.servo_time().clone());
        let (is_guarded, mut guard) = (cause == Cause::Unguarded, OnGuard::default());
        let io = if is_guarded { io.with_guard(GuardWatch::new(&Device::i2c(BUS))) } else { io };
        if is_guarded {
            guard.stand(&Device::i2c(BUS));
        }
        let looping = Looping::new(io, on_boards(&servos, driven), 100.0);
        let (commands, beats) = (Cell::new(Some(0.0)), Cell::new(cause == Cause::Silent));
        if cause == Cause::Silent {
            ends.front.heartbeats().want(MS(100));
        }
        if cause == Cause::Battery {
            ends.front.planner().hear(Sender::Local(1), "standing");
        }
        Self { now, bus, wires, ends, looping, meanwhile, commands, beats, guard: Some(guard) }
    }

    fn now(&self) -> Duration {
        MS(self.now.load(Ordering::SeqCst))
    }

    fn pass(&mut self, time_ms: u64) {
        for _ in 0..time_ms.div_ceil(10) {
            let now = self.now();
            if let Some(angle_rad) = self.commands.get() {
                let names = names();
                let _ = self.ends.intake.take(PLANNER, &names, &vec![angle_rad; names.len()], now);
            }
            if self.beats.get() {
                self.ends.front.hear_stop(false, &from(BOX, now));
            }
            let now = MS(self.now.fetch_add(10, Ordering::SeqCst) + 10);
            if !self.bus.servo_time().is_paused() {
                self.bus.servo_time().step(MS(10));
            }
            self.bus.advance_to(now);
            self.looping.pass();
            self.ends.call_queue.attend(now);
            while self.ends.snapshots.pop().is_ok() {}
        }
    }

    fn state(&self) -> State {
        self.looping.state()
    }

    fn outputs(&self) -> bool {
        self.wires.outputs.load(Ordering::SeqCst)
    }

    fn ask(&mut self, action: Action) {
        let now = self.now();
        self.ends.front.ask(action, &from(9, now), |_| {});
    }

    fn enable(&mut self) -> (bool, String) {
        self.enable_by(9)
    }

    /// Asks for pulses, and tells what came of it.
    fn enable_by(&mut self, client: u64) -> (bool, String) {
        let (answer, now) = (Arc::new(Mutex::new(None)), self.now());
        let commanded = Arc::clone(&answer);
        let from = if client == ELSEWHERE { elsewhere(now) } else { from(client, now) };
        self.ends.front.ask(Action::Enable, &from, move |answer| *commanded.lock().unwrap() = Some(answer));
        let deadline = self.now() + MS(6000);
        loop {
            self.pass(10);
            if let Some(answer) = answer.lock().unwrap().take() {
                return (answer.success, answer.message);
            }
            assert!(self.now() < deadline, "no answer");
        }
    }

    fn say(&self, gait_state: &str) {
        self.ends.front.planner().hear(Sender::Local(1), gait_state);
    }

    fn arm(&mut self) {
        self.pass(50);
        let (granted, message) = self.enable();
        assert!(granted, "{message}");
    }

    /// Gets into a situation.
    fn bring(&mut self, situation: Situation) {
        let Situation::In(state) = situation else {
            self.arm();
            self.pass(1000);
            return;
        };
        match state {
            State::Disarmed => self.pass(50),
            // From where it was last commanded to be, which takes a while.
            State::Arming => {
                self.arm();
                self.pass(1000);
                self.ask(Action::Disable);
                self.commands.set(Some(0.8));
                self.arm();
                self.pass(20);
            }
            State::EmergencyStop => {
                self.ask(Action::EmergencyStop);
                self.pass(50);
            }
            State::Armed | State::Holding | State::Retiring | State::Fault => {
                self.arm();
                self.pass(1000);
            }
        }
        match state {
            State::Holding => {
                self.commands.set(None);
                self.pass(500);
            }
            State::Retiring => {
                self.say("walking");
                self.low(true);
                self.pass(520);
                self.low(false);
            }
            State::Fault => {
                self.bus.inject(BusFault::Dead { address: 0x41 });
                self.pass(120);
            }
            State::Disarmed | State::Arming | State::Armed | State::EmergencyStop => {}
        }
        assert_eq!(self.state(), state, "{situation}");
    }

    fn low(&self, low: bool) {
        self.wires.battery.store(low, Ordering::SeqCst);
    }

    /// Lets a condition come about, and what it takes until it counts.
    fn cause(&mut self, cause: Cause) {
        match cause {
            Cause::Service => self.ask(Action::EmergencyStop),
            Cause::Off => self.ask(Action::Disable),
            Cause::Topic => self.ends.front.hear_stop(true, &from(PRESSER, self.now())),
            Cause::Frozen => self.ends.front.line.stood_still(self.now()),
            Cause::Button => self.wires.stop.store(true, Ordering::SeqCst),
            Cause::Silent => self.beats.set(false),
            Cause::Unheard => self.ends.front.heartbeats().want(MS(100)),
            Cause::Unwatched => {
                let now = self.now();
                (0..1025).for_each(|source| self.ends.front.hear_stop(false, &from(1000 + source, now)));
            }
            Cause::Battery => self.low(true),
            Cause::BatteryAlone => {
                self.ends.front.planner().forget_gone(self.now(), |_| Present::default());
                self.low(true);
            }
            Cause::Board => self.bus.inject(BusFault::Dead { address: 0x40 }),
            Cause::Strained => self.commands.set(Some(1.5)),
            Cause::Stale => self.commands.set(None),
            Cause::Stalled => {
                self.now.fetch_add(160, Ordering::SeqCst);
                if !self.bus.servo_time().is_paused() {
                    self.bus.servo_time().step(MS(160));
                }
            }
            Cause::Held => {
                let now = self.now();
                // The last of what it said: each true has stopped before.
                let said = |number| self.ends.front.heartbeats().hear(Sender::Local(PRESSER), true, Some(number), now);
                assert!((1..4).all(said));
            }
            Cause::Ending => self.ends.front.close(),
            Cause::Unguarded => drop(self.guard.take()),
        }
    }
}

impl Drop for World {
    /// At the end the boards are commanded off until they answer, on a clock that nobody turns any more.
    fn drop(&mut self) {
        for address in [0x40, 0x41] {
            self.bus.inject(BusFault::Alive { address });
        }
    }
}

/// How long a condition takes until it counts.
fn takes(cause: Cause) -> u64 {
    match cause {
        Cause::Battery | Cause::BatteryAlone => 520,
        Cause::Strained => 900,
        Cause::Stale => 400,
        Cause::Board => 300,
        Cause::Silent => 130,
        _ => 20,
    }
}

/// What is seen once a condition has met a situation.
fn seen(cause: Cause, situation: Situation) -> (World, State) {
    let mut world = World::new(cause);
    world.bring(situation);
    let before = world.state();
    if situation == Situation::Paused {
        world.bus.servo_time().pause(true);
    }
    world.cause(cause);
    world.pass(takes(cause));
    (world, before)
}

/// What is done while the bus hangs other threads do, except for this.
fn meets_a_hang(cause: Cause) -> bool {
    matches!(cause, Cause::Service | Cause::Topic | Cause::Frozen | Cause::Off)
}

fn check(cause: Cause, situation: Situation) {
    let (world, before) = seen(cause, situation);
    let (state, cell) = (world.state(), format!("{cause}, {situation}"));
    // A dead board keeps its pulses: its outputs are cut.
    let is_off = !world.outputs() && (pulses(&world.bus) == 0 || before == State::Fault);
    match cause.reaction(situation) {
        Reaction::Latch => assert!(state == State::EmergencyStop && is_off, "{cell}: {state}"),
        Reaction::Off => {
            let after = if before.is_live() { State::Disarmed } else { before };
            assert!(state == after && is_off, "{cell}: {state}");
        }
        Reaction::Fault => assert_eq!(state, State::Fault, "{cell}"),
        Reaction::Sit => assert!(state == State::Retiring && world.outputs(), "{cell}: {state}"),
        Reaction::Hold => {
            let held = if before == State::Retiring { before } else { State::Holding };
            assert!(state == held && world.outputs(), "{cell}: {state}");
        }
        Reaction::Nothing => {
            let goes_on = before == State::Arming && state == State::Armed;
            assert!(state == before || goes_on, "{cell}: {before} became {state}");
        }
        Reaction::Cut => panic!("{cell}: nothing hangs"),
    }
}

#[test]
fn when_any_condition_meets_any_state_expect_what_the_table_says() {
    for cause in Cause::ALL {
        for situation in Situation::ALL.into_iter().filter(|situation| *situation != Situation::Frozen) {
            // Who sits the robot down, and lets the thread end, is the publishing thread.
            if cause != Cause::Ending {
                check(cause, situation);
            }
        }
    }
}

#[test]
fn when_a_stop_comes_while_the_bus_hangs_expect_the_outputs_cut_and_the_rest_once_it_is_back() {
    for cause in Cause::ALL.into_iter().filter(|cause| meets_a_hang(*cause)) {
        assert_eq!(cause.reaction(Situation::Frozen), Reaction::Cut);
        let mut world = World::new(cause);
        world.bring(Situation::Frozen);
        let (front, outputs, now) =
            (world.ends.front.clone(), Arc::clone(&world.wires.outputs), Arc::clone(&world.now));
        *world.meanwhile.lock().unwrap() = Some(Box::new(move || {
            let now = MS(now.load(Ordering::SeqCst));
            match cause {
                Cause::Service => front.ask(Action::EmergencyStop, &from(9, now), |_| {}),
                Cause::Topic => front.hear_stop(true, &from(PRESSER, now)),
                Cause::Frozen => front.line.stood_still(now),
                _ => front.ask(Action::Disable, &from(9, now), |_| {}),
            }
            assert!(!outputs.load(Ordering::SeqCst), "{cause}");
        }));
        world.commands.set(Some(0.1));
        world.bus.inject(BusFault::Hang { time: MS(500) });
        world.pass(30);
        assert!(world.meanwhile.lock().unwrap().is_none(), "it hung");
        let latched = if cause == Cause::Off { State::Disarmed } else { State::EmergencyStop };
        assert_eq!((world.state(), pulses(&world.bus), world.outputs()), (latched, 0, false), "{cause}");
    }
}

#[test]
fn when_a_condition_is_there_expect_an_enable_granted_refused_or_void_as_the_table_says() {
    for cause in Cause::ALL {
        let (mut world, _) = seen(cause, Situation::In(State::Disarmed));
        let (granted, message) = world.enable_by(ELSEWHERE);
        assert_eq!(granted, cause.arming() == Arming::Allowed, "{cause}: {message}");
        assert!(granted || pulses(&world.bus) == 0, "{cause}: pulses");
        if cause.arming() == Arming::Void {
            world.pass(800);
            let _ = world.enable_by(ELSEWHERE);
            world.pass(800);
            let (granted, message) = world.enable_by(ELSEWHERE);
            assert!(granted, "{cause}: {message}");
        }
    }
}

#[test]
fn when_the_table_is_shown_in_the_docs_expect_it_as_it_is() {
    const BEGIN: &str = "<!-- The table of crates/servo_driver/src/failsafe.rs -->\n";
    const END: &str = "<!-- End of the table -->\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/faults.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (shown, after) = rest.split_once(END).unwrap();
    if std::env::var("FAILSAFE_WRITE").is_ok_and(|write| write == "1") {
        std::fs::write(path, format!("{before}{BEGIN}{}{END}{after}", table())).unwrap();
    } else {
        assert_eq!(shown, table(), "FAILSAFE_WRITE=1 cargo test -p servo_driver writes it anew");
    }
}
