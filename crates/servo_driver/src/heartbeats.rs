//! Who speaks on the topic `emergency_stop`. A true is an event and stops by itself (`front.rs`); here is what lasts: a
//! source that keeps sending true, and, with a heartbeat wanted, one that has fallen silent. Sources are distinguished:
//! one that lives does not hide another that has died. Their clocks count for nothing: a message that comes by two
//! subscriptions is known by its number.

use crate::failsafe;
use hexapod_ros::nanos;
use hexapod_ros::{Present, Sender};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Most sources that are watched. While there are more, the servos are not on.
const MAX_SOURCES: usize = 1024;
/// With no room left, a source that was silent for so long, and whose silence means nothing, makes some.
const IDLE: Duration = Duration::from_secs(10);
/// A source whose last trues came in a row, the newest within this time, holds the stop: no `enable` until it lets go.
const HELD: Duration = Duration::from_millis(300);
/// So many in a row: who sends true once, or twice to be sure, does not hold it.
const IN_A_ROW: u32 = 3;
/// Trues without numbers that come closer than this may be one.
const APART: Duration = Duration::from_millis(20);

/// What was heard on the topic. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Heartbeats(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    heard: Mutex<Heard>,
    /// The longest silence that is allowed; 0 is any.
    timeout_ns: AtomicU64,
    /// The first source falls silent after this; 0 while none beats.
    silent_after_ns: AtomicU64,
    held_until_ns: AtomicU64,
    /// There are more sources than are watched.
    unwatched: AtomicBool,
}

#[derive(Debug, Default)]
struct Heard {
    sources: HashMap<Sender, Source>,
    /// Who said true last.
    stopper: Option<Sender>,
}

#[derive(Clone, Copy, Debug)]
struct Source {
    /// The greatest number of its messages, and one bit for each of the 64 up to it that was heard.
    newest: u64,
    seen: u64,
    received: Duration,
    trues: u32,
    /// It has said false: from then on its silence means something.
    beats: bool,
}

/// Why the servos may not be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// There are more sources than are watched.
    Unwatched,
    /// A source has been silent for too long; `None`: none has been heard yet.
    Silent(Option<Duration>),
    /// A source keeps sending true.
    Held,
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unwatched => {
                write!(formatter, "more than {MAX_SOURCES} sources on the topic emergency_stop: not all can be watched")
            }
            Self::Held => formatter.write_str("a source on the topic emergency_stop keeps sending true"),
            Self::Silent(None) => formatter.write_str("no heartbeat has come on the topic emergency_stop yet"),
            Self::Silent(Some(silent)) => {
                let silent_s = silent.as_secs_f64();
                write!(
                    formatter,
                    "a source of heartbeats on the topic emergency_stop has been silent for {silent_s:.2} s; each counts \
                     until its node is gone, one that was killed for up to 20 s"
                )
            }
        }
    }
}

impl From<Cause> for failsafe::Cause {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Unwatched => Self::Unwatched,
            Cause::Silent(Some(_)) => Self::Silent,
            Cause::Silent(None) => Self::Unheard,
            Cause::Held => Self::Held,
        }
    }
}

/// A message as it came in.
#[derive(Clone, Copy)]
struct Message {
    stop: bool,
    sequence: Option<u64>,
    taken: Duration,
}

impl Heartbeats {
    /// From now on silence of a source for longer than `timeout` asks for a stop; zero: silence never does.
    pub fn want(&self, timeout: Duration) {
        self.0.timeout_ns.store(nanos(timeout), Ordering::SeqCst);
    }

    /// A message of `sender`, with its number, taken at `taken`. True if it is a new one; the same message may come by
    /// several subscriptions. One without a number is always new.
    pub fn hear(&self, sender: Sender, stop: bool, sequence: Option<u64>, taken: Duration) -> bool {
        self.take(&mut self.heard(), sender, Message { stop, sequence, taken })
    }

    /// The same, without waiting for anybody; `None` if it would have to.
    pub(crate) fn try_hear(&self, sender: Sender, stop: bool, sequence: Option<u64>, taken: Duration) -> Option<bool> {
        let mut heard = self.0.heard.try_lock().ok()?;
        Some(self.take(&mut heard, sender, Message { stop, sequence, taken }))
    }

    fn take(&self, heard: &mut Heard, sender: Sender, message: Message) -> bool {
        if heard.sources.len() >= MAX_SOURCES && !heard.sources.contains_key(&sender) {
            let watches = self.0.timeout_ns.load(Ordering::SeqCst) > 0;
            let matters = |source: &Source| watches && source.beats || message.taken <= source.received + IDLE;
            heard.sources.retain(|_, source| matters(source));
        }
        let has_room = heard.sources.len() < MAX_SOURCES;
        let new = match heard.sources.get_mut(&sender) {
            Some(source) => source.hear(message),
            None if has_room => {
                heard.sources.insert(sender, Source::new(message));
                true
            }
            None => {
                self.0.unwatched.store(true, Ordering::SeqCst);
                true
            }
        };
        if new && message.stop {
            heard.stopper = Some(sender);
        }
        self.work_out(heard);
        new
    }

    /// The source that said true last.
    pub(crate) fn stopper(&self) -> Option<Sender> {
        self.heard().stopper
    }

    /// The source whose heartbeat is the oldest.
    pub(crate) fn quietest(&self) -> Option<Sender> {
        let heard = self.heard();
        let beating = heard.sources.iter().filter(|(_, source)| source.beats);
        beating.min_by_key(|(_, source)| source.received).map(|(sender, _)| *sender)
    }

    /// Whose doing that is, if it is one source's.
    pub(crate) fn source_of(&self, cause: Cause) -> Option<Sender> {
        match cause {
            Cause::Unwatched | Cause::Silent(None) => None,
            Cause::Silent(Some(_)) => self.quietest(),
            Cause::Held => self.stopper(),
        }
    }

    /// Forgets sources that are not there any more at `now`: whoever enables the servos again, with a source that beats,
    /// means to do without them. `look_up` tells who of these is present; nothing is locked while it does.
    pub fn forget_gone(&self, now: Duration, look_up: impl FnOnce(&[Sender]) -> Present) {
        let timeout = Duration::from_nanos(self.0.timeout_ns.load(Ordering::SeqCst));
        let known: Vec<Sender> = self.heard().sources.keys().copied().collect();
        let present = look_up(&known);
        let known: HashSet<Sender> = known.into_iter().collect();
        let mut heard = self.heard();
        let is_silent = |source: &Source| now > source.received + timeout;
        let beating = heard.sources.iter().filter(|(_, source)| source.beats && !is_silent(source));
        let beating: Vec<Sender> = beating.map(|(sender, _)| *sender).collect();
        heard.sources.retain(|sender, source| {
            // One that was not there a moment ago is there now.
            !known.contains(sender) || !present.lacks(*sender, is_silent(source), &beating)
        });
        self.0.unwatched.fetch_and(heard.sources.len() >= MAX_SOURCES, Ordering::SeqCst);
        self.work_out(&heard);
    }

    /// Why the servos may not be on at `now`, if they may not; what stops them before what only keeps them off. Takes no
    /// lock.
    #[must_use]
    pub fn cause(&self, now: Duration) -> Option<Cause> {
        if self.0.unwatched.load(Ordering::SeqCst) {
            return Some(Cause::Unwatched);
        }
        let load = |time: &AtomicU64| Duration::from_nanos(time.load(Ordering::SeqCst));
        let (timeout, silent_after) = (load(&self.0.timeout_ns), load(&self.0.silent_after_ns));
        if !timeout.is_zero() && (silent_after.is_zero() || now > silent_after) {
            let since = (now + timeout).saturating_sub(silent_after);
            return Some(Cause::Silent((!silent_after.is_zero()).then_some(since)));
        }
        (now < load(&self.0.held_until_ns)).then_some(Cause::Held)
    }

    fn work_out(&self, heard: &Heard) {
        let timeout = Duration::from_nanos(self.0.timeout_ns.load(Ordering::SeqCst));
        let sources = heard.sources.values();
        let oldest = sources.clone().filter(|source| source.beats).map(|source| source.received).min();
        let silent_after = oldest.map_or(0, |received| nanos(received + timeout).max(1));
        self.0.silent_after_ns.store(silent_after, Ordering::SeqCst);
        let holding = sources.filter(|source| source.trues >= IN_A_ROW);
        let held_until = holding.map(|source| nanos(source.received + HELD)).max();
        self.0.held_until_ns.store(held_until.unwrap_or(0), Ordering::SeqCst);
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.0.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source {
    fn new(Message { stop, sequence, taken }: Message) -> Self {
        let (newest, trues) = (sequence.unwrap_or(0), u32::from(stop));
        Self { newest, seen: 1, received: taken, trues, beats: !stop }
    }

    /// Takes a message in; false if it was heard before.
    fn hear(&mut self, Message { stop, sequence, taken }: Message) -> bool {
        let (new, latest) = sequence.map_or((true, true), |sequence| self.count(sequence));
        if !new {
            return false;
        }
        let apart = sequence.is_some() || taken >= self.received + APART;
        self.beats |= !stop;
        if latest {
            self.received = self.received.max(taken);
            self.trues = if stop { self.trues.saturating_add(u32::from(apart)) } else { 0 };
        }
        true
    }

    /// Notes a message's number: whether it is new, and whether no later one came before it.
    fn count(&mut self, sequence: u64) -> (bool, bool) {
        let latest = sequence > self.newest;
        if latest {
            let ahead = sequence - self.newest;
            self.seen = if ahead < 64 { self.seen << ahead } else { 0 } | 1;
            self.newest = sequence;
            return (true, true);
        }
        // What is too old to be known counts: a stop is never taken for one that was heard.
        let bit = 1_u64.checked_shl(u32::try_from(self.newest - sequence).unwrap_or(64)).unwrap_or(0);
        let new = self.seen & bit == 0;
        self.seen |= bit;
        (new, false)
    }
}

#[cfg(test)]
mod tests;
