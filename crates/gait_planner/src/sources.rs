//! Who moves the robot. A source is one publisher of `cmd_vel` or `velocity`, distinguished by its endpoint (its name
//! could be forged or missing). One of them moves the robot at a time; the others are ignored, and named in
//! `/diagnostics`.
//!
//! - Whoever pushes while nobody moves the robot gets it, and keeps it until its zero, its silence or a stop.
//! - A zero of another source changes nothing: idle sticks send zeros all the time.
//! - Whoever pushes while another one moves the robot has to let go before it counts, lest a stick that lies pushed takes over
//!   when the driver lets go. Only where the driver falls silent, as a process that dies does, whoever pushes goes on.
//! - After a stop a source counts again once it has sent a zero that was received after the stop: whoever pushed last,
//!   however long ago, and whoever was heard a moment before. One that was silent at rest, or is new, may drive at once.
//! - After the robot was held (an emergency stop, a fault of the driver, servos off, lifted), every source has to send a zero.
//!   One that is heard first after that counts at once if it begins at rest.
//! - Where the planner starts under servos that are on, whoever pushes in its first moment may have pushed all along, and has to send
//!   a zero.

use crate::life::{Life, Moment};
use hexapod_ros::Sender;
use hexapod_ros::bounds::{MAX_NAMED_SOURCES, MAX_SOURCES};
use std::time::Duration;

/// A push that does not count is shown for so long, for those who read `/diagnostics` once a second.
const SHOWN: Duration = Duration::from_secs(2);

/// Why a push does not count until its stick has been let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// Another source moved the robot when this one was pushed.
    Overruled,
    /// The robot was stopped.
    Stopped,
    /// Nothing might move the robot: an emergency stop, a fault, servos off, a robot in the air.
    Held,
    /// It is new since then, and was pushed when it was heard first.
    Unrested,
}

impl Ignored {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Overruled => "overruled",
            Self::Stopped => "stopped",
            Self::Held => "robot held",
            Self::Unrested => "not yet at rest",
        }
    }

    /// The reason, and the way out.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Overruled => {
                "another source moves the robot: release the stick (send a zero command), and push it again when that rests"
            }
            Self::Stopped => "stopped: release the stick (send a zero command) to walk again",
            Self::Held => {
                "the robot was held (emergency stop, fault, servos off, or lifted): release the stick (send a zero command) to \
                 walk again"
            }
            Self::Unrested => {
                "a new source that was in motion when it was first heard: release the stick (send a zero command) once, and push \
                 it again"
            }
        }
    }
}

/// What a source has said.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    pub sender: Sender,
    pub topic: &'static str,
    pub at: Moment,
    /// It asks for motion.
    pub pushes: bool,
}

/// What comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It moves the robot.
    Moves,
    /// It moved the robot, and rests.
    Rests,
    /// It rests, and did not move the robot.
    Idles,
    /// It pushes and does not count.
    Ignored {
        why: Ignored,
        /// Not reported yet.
        is_new: bool,
    },
}

/// Who moves the robot, and who would.
#[derive(Clone, Copy, Debug, Default)]
pub struct DrivingSources {
    /// Who moves it, and on which topic.
    pub moved_by: Option<(Sender, &'static str)>,
    /// Some of those who push and do not count.
    pub ignored: [Option<(Sender, &'static str, Ignored)>; MAX_NAMED_SOURCES],
    /// How many more of them there are.
    pub more: usize,
}

#[derive(Clone, Copy, Debug)]
struct Source {
    last: Word,
    bar: Option<Bar>,
}

impl Source {
    /// Bars it, unless a stop does so already.
    fn add(&mut self, bar: Bar) {
        self.bar = Some(self.bar.filter(|bar| bar.why != Ignored::Overruled).unwrap_or(bar));
    }
}

/// What keeps a source from counting until it has sent a zero.
#[derive(Clone, Copy, Debug)]
struct Bar {
    why: Ignored,
    /// On the monotonic clock: zeros from before do not count.
    since: Duration,
    reported: bool,
}

impl Bar {
    fn new(why: Ignored, at: Moment) -> Self {
        Self { why, since: at.real, reported: false }
    }
}

/// All sources that are known.
#[derive(Debug)]
pub(crate) struct Sources {
    known: [Option<Source>; MAX_SOURCES],
    /// Who moves the robot.
    seat: Option<Sender>,
    /// What a source begins with that is not known and is heard until then.
    strangers: Option<(Bar, Duration)>,
    /// When the last stop came, on the monotonic clock.
    stopped: Duration,
}

impl Sources {
    pub fn new() -> Self {
        Self { known: [None; MAX_SOURCES], seat: None, strangers: None, stopped: Duration::ZERO }
    }

    /// Takes in what a source says, as long as commands live so long.
    pub fn hear(&mut self, word: Word, life: Life) -> Heard {
        let moved = self.seat == Some(word.sender);
        let bar = self.note(word);
        match (word.pushes, moved) {
            (true, true) => return Heard::Moves,
            (false, true) => {
                self.seat = None;
                return Heard::Rests;
            }
            (false, false) => return Heard::Idles,
            (true, false) => {}
        }
        if bar.is_none_or(|bar| bar.why == Ignored::Overruled) {
            if self.is_held(word.at, life) {
                if bar.is_none() {
                    self.bar(word.sender, Bar::new(Ignored::Overruled, word.at));
                }
            } else if self.seat.is_some() {
                self.lose();
            }
        }
        self.ignored(word.sender).unwrap_or_else(|| {
            self.seat = Some(word.sender);
            Heard::Moves
        })
    }

    /// Takes in that a source pushes while nothing may move the robot.
    pub fn hear_barred(&mut self, word: Word) {
        self.note(word);
        self.bar(word.sender, Bar::new(Ignored::Held, word.at));
        self.seat = self.seat.filter(|seat| *seat != word.sender);
    }

    /// The robot was stopped: nobody moves it until he has let go of his stick.
    pub fn stop(&mut self, at: Moment, life: Life) {
        for source in self.known.iter_mut().flatten() {
            if source.last.pushes || life.spans(&source.last.at, &at) {
                let why = source.bar.map_or(Ignored::Stopped, |bar| bar.why.max_with(Ignored::Stopped));
                source.bar = Some(Bar::new(why, at));
            }
        }
        (self.seat, self.stopped) = (None, at.real);
    }

    /// Nothing may move the robot: the same for everybody, also for who is not known yet.
    pub fn hold(&mut self, at: Moment) {
        let bar = Bar::new(Ignored::Held, at);
        self.known.iter_mut().flatten().for_each(|source| source.bar = Some(bar));
        let strangers = Bar::new(Ignored::Unrested, at);
        (self.seat, self.strangers, self.stopped) = (None, Some((strangers, Duration::MAX)), at.real);
    }

    /// The planner starts under servos that are on: who pushes within the life of a command has pushed since before.
    pub fn start(&mut self, at: Moment, life: Life) {
        self.strangers = Some((Bar::new(Ignored::Unrested, at), at.real + life.timeout));
    }

    /// Whoever moved the robot is silent: whoever pushes may go on.
    pub fn lose(&mut self) {
        self.seat = None;
        for source in self.known.iter_mut().flatten() {
            source.bar = source.bar.filter(|bar| bar.why != Ignored::Overruled);
        }
    }

    /// Whether somebody moves the robot at `now`.
    pub fn is_held(&self, now: Moment, life: Life) -> bool {
        let driver = self.seat.and_then(|seat| self.find(seat)).and_then(|place| self.known[place]);
        driver.is_some_and(|driver| life.spans(&driver.last.at, &now))
    }

    /// Who moves the robot.
    pub fn seat(&self) -> Option<Sender> {
        self.seat
    }

    /// Whether a sender of the same process as this one drives by `topic`.
    pub fn has_kin(&self, sender: Sender, topic: &str) -> bool {
        self.known.iter().flatten().any(|source| source.last.topic == topic && source.last.sender.is_kin(sender))
    }

    /// Who moves the robot, and who pushed a moment before `now` and does not count.
    pub fn driving(&self, now: Moment) -> DrivingSources {
        let mut driving = DrivingSources::default();
        for Source { last, bar } in self.known.iter().flatten() {
            if self.seat == Some(last.sender) {
                driving.moved_by = Some((last.sender, last.topic));
            }
            let is_recent = now.real.saturating_sub(last.at.real) <= SHOWN;
            let Some(bar) = bar.filter(|_| last.pushes && is_recent) else { continue };
            match driving.ignored.iter_mut().find(|place| place.is_none()) {
                Some(place) => *place = Some((last.sender, last.topic, bar.why)),
                None => driving.more += 1,
            }
        }
        driving
    }

    /// Takes down what a source says, and gives what bars it then.
    fn note(&mut self, word: Word) -> Option<Bar> {
        let place = self.find(word.sender).unwrap_or_else(|| self.make_room());
        let bar = self.strangers.filter(|(_, until)| word.at.real <= *until).map(|(bar, _)| bar);
        let source = self.known[place].get_or_insert(Source { last: word, bar });
        source.last = word;
        if !word.pushes {
            source.bar = source.bar.filter(|bar| word.at.real < bar.since);
        } else if word.at.real < self.stopped {
            // It was on its way when the stop came.
            source.add(Bar { why: Ignored::Stopped, since: self.stopped, reported: false });
        }
        source.bar
    }

    fn bar(&mut self, sender: Sender, bar: Bar) {
        if let Some(source) = self.find(sender).and_then(|place| self.known[place].as_mut()) {
            source.add(bar);
        }
    }

    /// Whether the pushes of a source are ignored; reported from then on.
    fn ignored(&mut self, sender: Sender) -> Option<Heard> {
        let bar = self.find(sender).and_then(|place| self.known[place].as_mut())?.bar.as_mut()?;
        let is_new = !std::mem::replace(&mut bar.reported, true);
        Some(Heard::Ignored { why: bar.why, is_new })
    }

    fn find(&self, sender: Sender) -> Option<usize> {
        self.known.iter().position(|source| source.is_some_and(|source| source.last.sender == sender))
    }

    /// A place for another source: that of the one that has been silent for longest, if all are taken. What it said is not
    /// known any more, so that from then on all who are not known have to send a zero.
    fn make_room(&mut self) -> usize {
        let seat = self.seat;
        let age = |source: &Option<Source>| {
            source.map(|source| (seat == Some(source.last.sender), source.last.at.real, source.bar.is_some()))
        };
        let oldest = (0..MAX_SOURCES).min_by_key(|&place| age(&self.known[place])).unwrap_or_default();
        if let Some(Source { last, bar }) = self.known[oldest].take() {
            let bar = bar.unwrap_or(Bar::new(Ignored::Stopped, last.at));
            let since = self.strangers.map_or(bar.since, |(strangers, _)| strangers.since.max(bar.since));
            self.strangers = Some((Bar { why: Ignored::Unrested, since, reported: false }, Duration::MAX));
        }
        oldest
    }
}

impl Ignored {
    /// The weightier of two.
    fn max_with(self, other: Self) -> Self {
        if matches!(self, Self::Held | Self::Unrested) { self } else { other }
    }
}

#[cfg(test)]
mod tests;
