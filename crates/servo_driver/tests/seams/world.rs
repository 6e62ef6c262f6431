//! The driver, its boards, those who call it, and what may be true of the outputs.

use super::sources::{Letter, Source, What};
use super::steps::{Call, HERE, SOURCES, Step};
use super::wire::{Kind, Wire};
use crate::common::{Wires, from, names};
use hexapod_ros::{Process, Received, Sender};
use hexapod_servo::State;
use servo_driver::io::{Ends, Io};
use servo_driver::looping::Looping;
use servo_driver::{Action, Answer};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);

/// What may be true of the outputs, worked out from what was sent alone.
#[derive(Default)]
pub(super) struct Model {
    /// When the newest stop was received.
    pub(super) stopped_at: Option<Duration>,
    /// When the newest of the enables was sent that were answered with yes.
    pub(super) granted: Option<Duration>,
}

impl Model {
    pub(super) fn stop(&mut self, received: Duration) {
        self.stopped_at = self.stopped_at.max(Some(received));
    }

    /// Pulses need an enable that was granted, and sent after every stop.
    pub(super) fn may_pulse(&self) -> bool {
        self.granted.is_some_and(|granted| self.stopped_at.is_none_or(|stopped| granted > stopped))
    }
}

pub(super) struct World {
    pub(super) now: Arc<AtomicU64>,
    pub(super) wire: Wire,
    pub(super) wires: Wires,
    pub(super) ends: Ends,
    pub(super) looping: Looping,
    pub(super) model: Model,
    pub(super) sources: Vec<Source>,
    pub(super) started: u64,
    pub(super) mail: Vec<Letter>,
    pub(super) heard: HashSet<(Sender, Option<u64>)>,
    /// Processes that were killed: the middleware has not missed them yet.
    pub(super) gone: Vec<Process>,
    pub(super) rolled: u64,
    /// Answers of enables: when they were sent, and what came.
    pub(super) answers: Arc<Mutex<Vec<(Duration, Answer)>>>,
    pub(super) asked: usize,
    pub(super) answered: usize,
    /// Enables of other processes that were granted after the first stop.
    pub(super) remote: Arc<AtomicU64>,
}

impl World {
    pub(super) fn new(kind: Kind) -> Self {
        let now = Arc::new(AtomicU64::new(1_000_000_000_000));
        let (wire, joints, open) = Wire::new(kind, &now);
        let wires = Wires::default();
        let (io, ends) = Io::new(joints);
        let clock = Arc::clone(&now);
        let io = io.with_pins(wires.clone()).with_clock(move || Duration::from_nanos(clock.load(Ordering::SeqCst)));
        let looping = Looping::new(io, open, 100.0);
        let (model, answers, remote) = (Model::default(), Arc::default(), Arc::default());
        let sources = (0..SOURCES as u64).map(Source::new).collect();
        Self {
            now,
            wire,
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

    pub(super) fn now(&self) -> Duration {
        Duration::from_nanos(self.now.load(Ordering::SeqCst))
    }

    /// Hands over a call that was sent at `truly`.
    pub(super) fn ask(&mut self, action: Action, from: &Received, truly: Duration, waits: Arc<AtomicBool>) {
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
    pub(super) fn deliver(&mut self) {
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

    pub(super) fn call(&mut self, source: usize, call: Call, delay_ms: u64, now: Duration) {
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

    pub(super) fn say(&mut self, source: usize, stop: bool, delays_ms: &[u64], now: Duration) {
        let source = &mut self.sources[source];
        source.sent[2].0 += 1;
        self.mail.extend(delays_ms.iter().map(|&delay_ms| source.letter(2, What::Say(stop), now, delay_ms, false)));
    }

    /// Time moves on by a little with every step, so that no two things happen at once.
    pub(super) fn play(&mut self, step: &Step) {
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
            Step::Dead(dead) => self.wire.kill(dead),
            Step::BrownOut => self.wire.brown_out(),
            Step::Hang(time_ms) => self.wire.hang(Duration::from_millis(time_ms)),
            Step::Foreign => self.wire.switch_off_by_another(),
            Step::Wait(time_ms) => drop(self.now.fetch_add(time_ms * 1_000_000, Ordering::SeqCst)),
            Step::Arm => {
                self.play_each(&[Step::Dead(false), Step::Button(false), Step::Battery(false)]);
                self.play_each(&[Step::GaitState("standing"), Step::Wait(800), Step::Drive(1)]);
                self.play_each(&[Step::Enable { late_ms: 0 }, Step::Drive(1)]);
            }
            Step::Drive(periods) => {
                let drive = [Step::Commands { planner: 1, part: false }, Step::Wait(10), Step::Pass, Step::Answers];
                (0..periods).for_each(|_| self.play_each(&drive));
            }
            Step::DriveUntilLow(periods) => {
                let drive = Step::Drive(periods);
                let (walks, low) = (Step::GaitState("walking"), Step::Battery(true));
                self.play_each(&[Step::Arm, walks, drive.clone(), low, drive, Step::Battery(false)]);
            }
            Step::DriveWithPause(periods) => {
                self.play_each(&[Step::Arm, Step::Drive(periods)]);
                (0..periods).for_each(|_| self.play_each(&[Step::Wait(10), Step::Pass, Step::Answers]));
                self.play_each(&[Step::Drive(periods)]);
            }
            Step::Answers => {
                let gone = self.gone.iter().copied();
                let there = || Some(self.sources.iter().map(Source::process).chain(gone).collect());
                self.ends.front.call_the_roll(&mut self.rolled, there);
                self.ends.call_queue.attend(now);
            }
            Step::Pass => {
                self.wire.advance_to(now);
                self.looping.pass();
                while self.ends.snapshots.pop().is_ok() {}
            }
        }
    }

    fn play_each(&mut self, steps: &[Step]) {
        for step in steps {
            self.play(step);
            self.check(step);
        }
    }

    /// What must hold after every step.
    pub(super) fn check(&mut self, step: &Step) {
        for (sent, answer) in std::mem::take(&mut *self.answers.lock().unwrap()) {
            self.answered += 1;
            let valid = self.model.stopped_at.is_none_or(|stopped| sent > stopped);
            assert!(valid || !answer.success, "an enable older than a stop was granted: {}", answer.message);
            if answer.success {
                self.model.granted = self.model.granted.max(Some(sent));
            }
        }
        let state = self.looping.state();
        // The loop grants before the call queue has answered; what it grants must be worth it.
        if matches!(step, Step::Pass) && state.is_live() && !self.model.may_pulse() {
            assert!(self.asked > self.answered, "live without an enable after {step:?}");
        }
        let motions = self.wire.take_motions();
        if !self.model.may_pulse() && self.asked == self.answered {
            assert_eq!(motions, 0, "goals without an enable after {step:?} in {state}");
        }
        let let_through = self.wires.outputs.load(Ordering::SeqCst);
        if !self.model.may_pulse() && self.asked == self.answered {
            assert!(!let_through, "outputs on after {step:?} in {state}");
        }
        if matches!(step, Step::Pass) && matches!(state, State::Disarmed | State::EmergencyStop) {
            let dead = self.wire.holding() > 0;
            assert!(!(dead && let_through), "pulses in {state} after {step:?}");
        }
    }
}
