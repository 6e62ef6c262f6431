//! What becomes of a stop, from the press to the robot's answer. Without I/O and clock.

use crate::intents::{ClientId, Hold, Stop};
use crate::protocol::StopReport;
use std::time::Duration;

/// How often a stop that is not answered is sent again.
const REPEAT_EVERY: Duration = Duration::from_millis(250);
/// For how long.
const REPEAT_FOR: Duration = Duration::from_secs(5);
/// Without an answer for so long, everybody is informed.
const ANSWER_TIME: Duration = Duration::from_secs(1);

/// The last stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stops {
    number: u64,
    asked: Option<PendingStop>,
}

#[derive(Clone, Debug)]
struct PendingStop {
    stop: Stop,
    by: ClientId,
    name: String,
    first: Duration,
    last: Duration,
    phase: Phase,
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Asked,
    Confirmed,
    Failed,
    Unanswered,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Confirmed => "confirmed",
            Self::Failed => "failed",
            Self::Unanswered => "unanswered",
        }
    }
}

impl Stops {
    /// Takes a stop down, and returns its number.
    pub fn ask(&mut self, stop: Stop, by: (ClientId, &str), now: Duration) -> u64 {
        self.number += 1;
        let (by, name) = (by.0, by.1.to_owned());
        self.asked =
            Some(PendingStop { stop, by, name, first: now, last: now, phase: Phase::Asked, message: String::new() });
        self.number
    }

    /// Takes down the answer to the stop of this number. True if that is news.
    pub fn answer(&mut self, number: u64, success: bool, message: String) -> bool {
        let Some(asked) = self.asked.as_mut().filter(|_| number == self.number) else { return false };
        // Once confirmed, the answers to repetitions change nothing.
        if asked.phase == Phase::Confirmed {
            return false;
        }
        asked.phase = if success { Phase::Confirmed } else { Phase::Failed };
        asked.message = message;
        true
    }

    /// The stop to be sent again at `now`, with its number.
    pub fn repeat(&mut self, now: Duration) -> Option<(Stop, u64)> {
        let number = self.number;
        let asked = self.asked.as_mut().filter(|asked| asked.is_open(now))?;
        let is_due = now.saturating_sub(asked.last) >= REPEAT_EVERY;
        is_due.then(|| {
            asked.last = now;
            (asked.stop, number)
        })
    }

    /// Whether everybody has to be informed at `now` that nobody answers.
    pub fn is_unanswered(&mut self, now: Duration) -> bool {
        let waits =
            |asked: &&mut PendingStop| asked.phase == Phase::Asked && now.saturating_sub(asked.first) >= ANSWER_TIME;
        self.asked.as_mut().filter(waits).map(|asked| asked.phase = Phase::Unanswered).is_some()
    }

    /// Whether the last stop was reported as unanswered, or failed.
    pub fn is_open_late(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| matches!(asked.phase, Phase::Unanswered | Phase::Failed))
    }

    /// When there is something to do next.
    pub fn next(&self, now: Duration) -> Option<Duration> {
        self.asked.as_ref().filter(|asked| asked.is_open(now)).map(|asked| asked.last + REPEAT_EVERY)
    }

    /// What everybody is sent.
    pub fn reported(&self, hold: Hold) -> StopReport {
        let Some(asked) = &self.asked else {
            return StopReport {
                kind: "none",
                phase: "confirmed",
                by: None,
                name: String::new(),
                message: String::new(),
                holds: Hold::Nothing.name(),
            };
        };
        StopReport {
            kind: asked.stop.name(),
            phase: asked.phase.name(),
            by: Some(asked.by),
            name: asked.name.clone(),
            message: asked.message.clone(),
            holds: hold.name(),
        }
    }
}

impl PendingStop {
    /// Whether an answer is waited for, and the stop sent again.
    fn is_open(&self, now: Duration) -> bool {
        matches!(self.phase, Phase::Asked | Phase::Unanswered) && now.saturating_sub(self.first) < REPEAT_FOR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn when_a_stop_is_not_answered_expect_it_repeated_for_5_s_and_reported_once_after_1_s() {
        let mut stops = Stops::default();
        assert_eq!(stops.next(ms(0)), None);
        stops.ask(Stop::Emergency, (7, "phone"), ms(0));
        let (mut repeats, mut reported) = (0, vec![]);
        for now in (0..10_000).step_by(10).map(ms) {
            repeats += u32::from(stops.repeat(now).is_some());
            if stops.is_unanswered(now) {
                reported.push(now);
            }
        }
        assert_eq!((repeats, reported), (19, vec![ms(1000)]));
        assert_eq!(stops.reported(Hold::Enable).phase, "unanswered");
        assert!(stops.answer(1, true, "off".into()), "late, but good news");
        assert_eq!((stops.reported(Hold::Enable).phase, stops.reported(Hold::Enable).by), ("confirmed", Some(7)));
    }

    #[test]
    fn when_stops_are_answered_expect_the_newest_ones_answer_alone() {
        let mut stops = Stops::default();
        let first = stops.ask(Stop::Halt, (1, ""), ms(0));
        let second = stops.ask(Stop::Emergency, (2, ""), ms(10));
        assert!(!stops.answer(first, true, "halted".into()));
        assert!(stops.answer(second, false, "no bus".into()));
        assert_eq!(stops.reported(Hold::Enable).phase, "failed");
        assert!(stops.answer(second, true, "off".into()) && !stops.answer(second, false, String::new()));
        assert_eq!((stops.repeat(ms(1000)), stops.is_unanswered(ms(5000))), (None, false));
    }
}
