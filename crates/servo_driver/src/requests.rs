//! What is asked of the thread of the bus, and who still waits for the answer.

use crate::stop::{Outcome, Ticket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::SyncSender;

/// What holds servos up in a simulation that stands still, and the way out.
pub(crate) const PAUSED: &str =
    "the simulation is paused, and the servos wait: call the service pause with data: false to resume";

/// What a user asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Pulses on, if every check passes.
    Enable,
    /// Pulses off.
    Disable,
    /// Everything off at once, latched.
    EmergencyStop,
    /// The pulses of one group away, or back on.
    Relax {
        /// Index of the group.
        group: usize,
        /// Whether they go.
        relaxed: bool,
    },
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether it was done.
    pub success: bool,
    /// What was done, or why not.
    pub message: String,
}

impl Answer {
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self { success: false, message: message.into() }
    }

    pub(crate) fn done(message: impl Into<String>) -> Self {
        Self { success: true, message: message.into() }
    }

    /// The same, saying so where what is timed of the servos `waits` for a simulation.
    pub(crate) fn waiting(mut self, waits: bool) -> Self {
        if waits {
            self.message = format!("{}; {PAUSED}", self.message);
        }
        self
    }

    /// To whoever asked for a stop.
    pub(crate) fn of_stop(action: Action, outcome: Outcome) -> Self {
        match (action, outcome.acknowledged) {
            (Action::EmergencyStop, true) => Self::done("all channels are off until enabled"),
            (Action::EmergencyStop, false) => Self::refused(
                "no board acknowledged the stop; it is repeated until every board does. Cut the servos' power",
            ),
            _ if outcome.latched => Self::done("servos off; still stopped until you enable them"),
            _ => Self::done("servos off"),
        }
    }
}

/// What the thread of the bus decides. Stops are none of these: they have a way of their own (`stop.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Enable(Ticket),
    Relax { group: usize, relaxed: bool },
}

/// An order on its way.
pub(crate) struct Request {
    pub order: Order,
    pub claim: Claim,
    pub reply: SyncSender<Answer>,
}

/// Who has a request: nobody yet, the thread of the bus, or nobody any more. What one side has said the other cannot take
/// back, so an answer "nothing was switched on" stays true.
#[derive(Clone, Debug, Default)]
pub(crate) struct Claim(Arc<AtomicU8>);

const WAITING: u8 = 0;
const BEGUN: u8 = 1;
const DONE: u8 = 2;
const GIVEN_UP: u8 = 3;

impl Claim {
    /// The thread of the bus takes it up; false if nobody waits for it any more.
    pub fn begin(&self) -> bool {
        self.step(WAITING, BEGUN)
    }

    /// It has an answer; false if nobody waits for that any more.
    pub fn finish(&self) -> bool {
        self.step(BEGUN, DONE)
    }

    /// The one who asked withdraws what was not taken up; false if it was.
    pub fn withdraw(&self) -> bool {
        self.step(WAITING, GIVEN_UP)
    }

    /// The one who asked leaves what was taken up, but not answered; false if it was answered.
    pub fn leave(&self) -> bool {
        self.step(BEGUN, GIVEN_UP)
    }

    fn step(&self, from: u8, to: u8) -> bool {
        self.0.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_both_sides_want_a_request_expect_one_of_them_to_have_it() {
        let claim = Claim::default();
        assert!(claim.begin() && !claim.withdraw() && claim.finish() && !claim.leave());
        let claim = Claim::default();
        assert!(claim.withdraw() && !claim.begin() && !claim.finish());
        let claim = Claim::default();
        assert!(claim.begin() && claim.leave() && !claim.finish(), "what it has armed it disarms");
    }
}
