//! Who speaks on the topic `emergency_stop`. A true is an event and stops by itself (`front.rs`); here is what lasts: a
//! source that keeps sending true, and, with a heartbeat wanted, one that has fallen silent. Sources are told apart: one
//! that lives does not hide another that has died.

use hexapod_ros::Sender;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Most sources whose heartbeats are watched. A true of any other stops all the same.
const MAX_SOURCES: usize = 16;
/// A source whose last trues came in a row, the newest within this time, holds the stop: no `enable` until it lets go.
const HELD: Duration = Duration::from_millis(300);
/// So many stamps of a source are remembered, to know a message that comes by another subscription as well.
const REMEMBERED: usize = 8;
/// So many in a row: who sends true once, or twice to be sure, does not hold it.
const IN_A_ROW: u32 = 3;

/// What tells the senders of one process from those of another.
pub type Process = [u8; 12];

/// What was heard on the topic. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Heartbeats(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    sources: Mutex<Vec<Source>>,
    /// The longest silence that is allowed; 0 is any.
    timeout_ns: AtomicU64,
    /// The first source falls silent after this; 0 while none beats.
    silent_after_ns: AtomicU64,
    held_until_ns: AtomicU64,
}

#[derive(Clone, Copy, Debug)]
struct Source {
    sender: Sender,
    /// The sender's stamps of its newest messages: one that comes by two subscriptions is one.
    sent: [Duration; REMEMBERED],
    received: Duration,
    trues: u32,
    /// It has said false: from then on its silence means something.
    beats: bool,
}

/// Why the servos may not be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A source keeps sending true.
    Held,
    /// A source has been silent for too long; `None`: none has been heard yet.
    Silent(Option<Duration>),
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held => formatter.write_str("a source on the topic emergency_stop keeps sending true"),
            Self::Silent(None) => formatter.write_str("no heartbeat has come on the topic emergency_stop yet"),
            Self::Silent(Some(silent)) => {
                write!(formatter, "the heartbeat on the topic emergency_stop is {:.2} s old", silent.as_secs_f64())
            }
        }
    }
}

impl Heartbeats {
    /// From now on silence of a source for longer than `timeout` asks for a stop; zero: silence never does.
    pub fn want(&self, timeout: Duration) {
        self.0.timeout_ns.store(nanos(timeout), Ordering::SeqCst);
    }

    /// A message of `sender`. True if it is a new one; the same message may come by several subscriptions.
    pub fn hear(&self, sender: Sender, stop: bool, sent: Duration, received: Duration) -> bool {
        let mut sources = self.sources();
        let is_watched = sources.len() < MAX_SOURCES;
        let new = match sources.iter_mut().find(|source| source.sender == sender) {
            Some(source) => source.hear(stop, sent, received),
            None => {
                if is_watched {
                    sources.push(Source::new(sender, stop, sent, received));
                }
                true
            }
        };
        self.work_out(&sources);
        new
    }

    /// The source that said true last, of those that have not let go.
    pub(crate) fn stopper(&self) -> Option<Sender> {
        let sources = self.sources();
        let stopping = sources.iter().filter(|source| source.trues > 0);
        stopping.max_by_key(|source| source.received).map(|source| source.sender)
    }

    /// Forgets sources that are not there any more at `now`: whoever enables the servos again, with a source that beats,
    /// means to do without them. Those are gone whose node has no name any more, and those that have fallen silent and
    /// beat again from a node of the same name in another process: the middleware takes a while to miss one that was
    /// killed. `node_of` tells a sender's node and process.
    pub fn forget_gone(&self, now: Duration, node_of: impl Fn(Sender) -> Option<(String, Process)>) {
        let timeout = Duration::from_nanos(self.0.timeout_ns.load(Ordering::SeqCst));
        let mut sources = self.sources();
        let named = sources.iter().filter_map(|source| Some((*source, node_of(source.sender)?)));
        let named: Vec<(Source, (String, Process))> = named.collect();
        let is_silent = |source: &Source| now > source.received + timeout;
        let lives_on = |(name, process): &(String, Process)| {
            let mut others = named.iter().filter(|(_, (other, elsewhere))| other == name && elsewhere != process);
            others.any(|(other, _)| other.beats && !is_silent(other))
        };
        sources.retain(|source| {
            let node = named.iter().find(|(known, _)| known.sender == source.sender).map(|(_, node)| node);
            node.is_some_and(|node| !is_silent(source) || !lives_on(node))
        });
        self.work_out(&sources);
    }

    /// Why the servos may not be on at `now`, if they may not. Takes no lock.
    #[must_use]
    pub fn cause(&self, now: Duration) -> Option<Cause> {
        let load = |time: &AtomicU64| Duration::from_nanos(time.load(Ordering::SeqCst));
        if now < load(&self.0.held_until_ns) {
            return Some(Cause::Held);
        }
        let (timeout, silent_after) = (load(&self.0.timeout_ns), load(&self.0.silent_after_ns));
        if timeout.is_zero() {
            return None;
        }
        if silent_after.is_zero() {
            return Some(Cause::Silent(None));
        }
        (now > silent_after).then(|| Cause::Silent(Some((now + timeout).saturating_sub(silent_after))))
    }

    fn work_out(&self, sources: &[Source]) {
        let timeout = Duration::from_nanos(self.0.timeout_ns.load(Ordering::SeqCst));
        let oldest = sources.iter().filter(|source| source.beats).map(|source| source.received).min();
        let silent_after = oldest.map_or(0, |received| nanos(received + timeout).max(1));
        self.0.silent_after_ns.store(silent_after, Ordering::SeqCst);
        let holding = sources.iter().filter(|source| source.trues >= IN_A_ROW);
        let held_until = holding.map(|source| nanos(source.received + HELD)).max();
        self.0.held_until_ns.store(held_until.unwrap_or(0), Ordering::SeqCst);
    }

    fn sources(&self) -> MutexGuard<'_, Vec<Source>> {
        self.0.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source {
    fn new(sender: Sender, stop: bool, sent: Duration, received: Duration) -> Self {
        let mut stamps = [Duration::MAX; REMEMBERED];
        stamps[0] = sent;
        Self { sender, sent: stamps, received, trues: u32::from(stop), beats: !stop }
    }

    /// Takes a message in; false if it was heard before.
    fn hear(&mut self, stop: bool, sent: Duration, received: Duration) -> bool {
        if self.sent.contains(&sent) {
            return false;
        }
        self.sent.rotate_right(1);
        self.sent[0] = sent;
        self.received = self.received.max(received);
        self.trues = if stop { self.trues.saturating_add(1) } else { 0 };
        self.beats |= !stop;
        true
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;
    const BOX: Sender = Sender::Local(1);
    const OTHER: Sender = Sender::Local(2);

    fn say(heartbeats: &Heartbeats, sender: Sender, stop: bool, at: u64) -> bool {
        heartbeats.hear(sender, stop, MS(500_000 + at), MS(at))
    }

    #[test]
    fn when_a_source_goes_on_saying_true_expect_it_to_hold_the_stop_until_it_lets_go() {
        let heartbeats = Heartbeats::default();
        say(&heartbeats, BOX, true, 5);
        say(&heartbeats, BOX, true, 105);
        assert_eq!(heartbeats.cause(MS(106)), None, "twice, to be sure");
        say(&heartbeats, BOX, true, 205);
        say(&heartbeats, OTHER, false, 206);
        assert_eq!(heartbeats.cause(MS(504)), Some(Cause::Held));
        assert_eq!(heartbeats.cause(MS(505)), None, "it has gone");
        say(&heartbeats, BOX, true, 600);
        assert_eq!(heartbeats.cause(MS(601)), Some(Cause::Held));
        say(&heartbeats, BOX, false, 602);
        assert_eq!(heartbeats.cause(MS(603)), None, "it has let go");
    }

    #[test]
    fn when_one_of_two_sources_falls_silent_expect_the_other_not_to_hide_it() {
        let heartbeats = Heartbeats::default();
        heartbeats.want(MS(200));
        assert_eq!(heartbeats.cause(MS(0)), Some(Cause::Silent(None)));
        say(&heartbeats, BOX, false, 1000);
        for beat in 0..5 {
            say(&heartbeats, OTHER, false, 1000 + 50 * beat);
        }
        assert_eq!(heartbeats.cause(MS(1200)), None);
        assert_eq!(heartbeats.cause(MS(1201)), Some(Cause::Silent(Some(MS(201)))));
        let names = |sender| (sender == OTHER).then(|| ("/other".to_owned(), [0; 12]));
        heartbeats.forget_gone(MS(1201), names);
        assert_eq!(heartbeats.cause(MS(1201)), None, "whoever enables again does without it");
        heartbeats.forget_gone(MS(1201), |_| None);
        assert_eq!(heartbeats.cause(MS(1201)), Some(Cause::Silent(None)), "but not without any");
    }

    #[test]
    fn when_a_source_is_started_anew_expect_the_old_one_forgotten_and_no_other_that_has_died() {
        let heartbeats = Heartbeats::default();
        heartbeats.want(MS(200));
        let (first, again) = (Sender::Local(11), Sender::Local(12));
        say(&heartbeats, first, false, 1000);
        say(&heartbeats, OTHER, false, 2000);
        let names = |sender| {
            let name = if sender == OTHER { "/other" } else { "/box" };
            Some((name.to_owned(), [u8::from(sender == again); 12]))
        };
        let one_process = |sender| names(sender).map(|(name, _)| (name, [0; 12]));
        heartbeats.forget_gone(MS(2001), names);
        assert!(heartbeats.cause(MS(2001)).is_some(), "/box is still dead");
        say(&heartbeats, again, false, 2010);
        assert!(heartbeats.cause(MS(2011)).is_some(), "nobody has enabled the servos since");
        heartbeats.forget_gone(MS(2011), one_process);
        assert!(heartbeats.cause(MS(2011)).is_some(), "one of two senders of a process has died");
        heartbeats.forget_gone(MS(2011), names);
        assert_eq!(heartbeats.cause(MS(2011)), None, "it beats again");
        say(&heartbeats, OTHER, false, 2400);
        heartbeats.forget_gone(MS(2401), names);
        assert!(heartbeats.cause(MS(2401)).is_some(), "it has died again, and nobody beats in its place");
    }

    #[test]
    fn when_a_source_only_says_true_expect_its_silence_to_mean_nothing() {
        let heartbeats = Heartbeats::default();
        heartbeats.want(MS(200));
        say(&heartbeats, BOX, false, 1000);
        say(&heartbeats, OTHER, true, 1001);
        say(&heartbeats, BOX, false, 5000);
        assert_eq!(heartbeats.cause(MS(5100)), None);
    }

    #[test]
    fn when_a_message_comes_by_two_subscriptions_expect_it_once_whatever_the_senders_clock_does() {
        let heartbeats = Heartbeats::default();
        for (sent, new) in [(10, true), (11, true), (10, false), (11, false), (3, true), (3, false)] {
            assert_eq!(heartbeats.hear(BOX, true, MS(sent), MS(1)), new, "{sent}");
        }
    }

    #[test]
    fn when_there_are_more_sources_than_are_watched_expect_their_messages_new_all_the_same() {
        let heartbeats = Heartbeats::default();
        for number in 0..100 {
            assert!(say(&heartbeats, Sender::Local(number), true, 1));
        }
        assert_eq!(heartbeats.sources().len(), MAX_SOURCES);
    }
}
