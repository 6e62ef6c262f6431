//! The one line that everything that stops the servos pulls, and that every pulse passes.
//!
//! Each stop adds one to a generation. Whoever asks for pulses shows a [`Ticket`] with the generation at which he was
//! heard; pulses flow only while that is still the newest, and this is looked at for every frame that would carry one
//! ([`Stoppable`](crate::Stoppable)). So no order in which threads happen to run lets an `enable` undo a later stop.

use crate::failsafe::Cause;
use crate::liveness::Liveness;
use crate::pins::SharedPins;
use crate::waker::Waker;
use hexapod_ros::nanos;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

/// What kind of stop it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// `enable` false: everything off.
    Off,
    /// Everything off by one frame ahead of all others, and latched.
    Emergency,
}

impl Stop {
    const fn bit(self) -> u8 {
        match self {
            Self::Off => 1,
            Self::Emergency => 2,
        }
    }
}

/// Who asked for an emergency stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The service.
    Service,
    /// A true on the topic.
    Topic,
    /// The stop button.
    Button,
    /// The silence of a source on the topic.
    Silence,
    /// More sources on the topic than are watched.
    Unwatched,
    /// The guard, which heard nothing of this process.
    Guard,
    /// This process, which has stood still.
    Lapse,
    /// Whoever suspends this process, as with Ctrl-Z.
    Suspension,
}

impl By {
    const ALL: [Self; 8] = [
        Self::Service,
        Self::Topic,
        Self::Button,
        Self::Silence,
        Self::Unwatched,
        Self::Guard,
        Self::Lapse,
        Self::Suspension,
    ];
}

impl From<Cause> for By {
    /// Of what lasts.
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Button => Self::Button,
            Cause::Unwatched => Self::Unwatched,
            _ => Self::Silence,
        }
    }
}

/// Cheap to clone; nobody waits for anybody.
#[derive(Clone, Debug, Default)]
pub struct StopLine {
    state: Arc<State>,
    pins: SharedPins,
    waker: Waker,
    liveness: Liveness,
}

#[derive(Debug, Default)]
struct State {
    /// Stops so far.
    generation: AtomicU64,
    /// When the newest stop was received, in nanoseconds on the monotonic clock.
    received_ns: AtomicU64,
    /// Kinds of stops that the thread of the bus has not seen yet.
    asked: AtomicU8,
    /// The generation up to which it has acted.
    done: AtomicU64,
    /// What came of that: bits of [`Outcome`].
    outcome: AtomicU8,
    /// No ticket counts any more: the process ends.
    closed: AtomicBool,
    /// Who asked for the newest emergency stop.
    by: AtomicU8,
}

/// What an `enable` is worth: everything that was received before it, and no stop since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    generation: u64,
    received: Duration,
}

impl Ticket {
    /// Stops when it was drawn.
    pub(crate) fn generation(self) -> u64 {
        self.generation
    }
}

/// Why a ticket is void.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TicketError {
    /// A stop was received after it.
    #[error("a stop came in after it: nothing was switched on; call enable again to switch the servos on")]
    Stopped,
    /// The process ends.
    #[error("the driver is shutting down: nothing was switched on")]
    Ending,
}

impl StopLine {
    pub(crate) fn new(waker: Waker) -> Self {
        Self { waker, ..Self::default() }
    }

    /// Stops everything: outputs are cut here and now, if there is a pin for that, tickets drawn before are void, and the
    /// boards are written next. `received` is when this was asked for, on the monotonic clock. Returns the number of
    /// this stop, see [`is_done`](Self::is_done).
    pub fn stop(&self, kind: Stop, received: Duration) -> u64 {
        self.state.received_ns.fetch_max(nanos(received), Ordering::SeqCst);
        let number = self.state.generation.fetch_add(1, Ordering::SeqCst) + 1;
        // After the number, so that whoever takes this has it.
        self.state.asked.fetch_or(kind.bit(), Ordering::SeqCst);
        self.pins.cut();
        self.waker.wake();
        number
    }

    /// As [`Self::stop`], with everything off at once, and who asked for it.
    pub(crate) fn emergency_stop(&self, by: By, received: Duration) -> u64 {
        self.state.by.store(by as u8, Ordering::SeqCst);
        self.stop(Stop::Emergency, received)
    }

    /// This process has stood still, as is seen at `now`: everything is off until enabled.
    pub fn stood_still(&self, now: Duration) {
        self.emergency_stop(By::Lapse, now);
    }

    /// Who asked for the newest emergency stop.
    pub(crate) fn by(&self) -> By {
        By::ALL.get(usize::from(self.state.by.load(Ordering::SeqCst))).copied().unwrap_or(By::Service)
    }

    /// A ticket for what was received at `received`.
    #[must_use]
    pub fn ticket(&self, received: Duration) -> Ticket {
        Ticket { generation: self.state.generation.load(Ordering::SeqCst), received }
    }

    /// Whether the ticket still counts. A stop that was handled before the ticket was drawn, but received after what it
    /// stands for, voids it, too.
    ///
    /// # Errors
    /// Why it is void.
    pub fn check(&self, ticket: Ticket) -> Result<(), TicketError> {
        let stopped = self.state.generation.load(Ordering::SeqCst) != ticket.generation
            || (ticket.generation > 0 && self.state.received_ns.load(Ordering::SeqCst) >= nanos(ticket.received));
        match (self.state.closed.load(Ordering::SeqCst), stopped) {
            (true, _) => Err(TicketError::Ending),
            (false, true) => Err(TicketError::Stopped),
            (false, false) => Ok(()),
        }
    }

    /// No ticket counts from now on. What has its pulses keeps them, to sit down.
    pub fn close(&self) {
        self.state.closed.store(true, Ordering::SeqCst);
    }

    /// Lets the outputs through if the ticket counts, with no stop in between.
    pub(crate) fn release(&self, ticket: Ticket) -> Result<(), TicketError> {
        self.pins.release_if(|| self.check(ticket))
    }

    /// The pins beside the bus.
    #[must_use]
    pub fn pins(&self) -> &SharedPins {
        &self.pins
    }

    /// Whether this process does its work.
    pub(crate) fn liveness(&self) -> &Liveness {
        &self.liveness
    }

    /// The kinds of stops that were asked for since the last call, and the number of the newest.
    pub(crate) fn take(&self) -> Option<(Stop, u64)> {
        let asked = self.state.asked.swap(0, Ordering::SeqCst);
        let number = self.state.generation.load(Ordering::SeqCst);
        let emergency = asked & Stop::Emergency.bit() != 0;
        (asked != 0).then_some((if emergency { Stop::Emergency } else { Stop::Off }, number))
    }

    /// Notes that all stops up to `number` were acted upon, and what came of it.
    pub(crate) fn done(&self, number: u64, outcome: Outcome) {
        self.state.outcome.store(outcome.bits(), Ordering::SeqCst);
        self.state.done.fetch_max(number, Ordering::SeqCst);
    }

    /// What came of the last stops.
    pub(crate) fn outcome(&self) -> Outcome {
        Outcome::of(self.state.outcome.load(Ordering::SeqCst))
    }

    /// Whether the stop of this number was acted upon.
    #[must_use]
    pub fn is_done(&self, number: u64) -> bool {
        self.state.done.load(Ordering::SeqCst) >= number
    }

    /// Whether an emergency stop waits for the thread of the bus.
    pub(crate) fn is_pulled(&self) -> bool {
        self.state.asked.load(Ordering::SeqCst) & Stop::Emergency.bit() != 0
    }

    /// The number of the newest stop, and when it was received.
    pub(crate) fn newest(&self) -> Option<(u64, Duration)> {
        let number = self.generation();
        let received = Duration::from_nanos(self.state.received_ns.load(Ordering::SeqCst));
        (number > 0).then_some((number, received))
    }

    /// Stops so far.
    pub(crate) fn generation(&self) -> u64 {
        self.state.generation.load(Ordering::SeqCst)
    }
}

/// What came of a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// A board acknowledged the frame to all of them.
    pub acknowledged: bool,
    /// A fault or emergency stop stays until the servos are enabled.
    pub latched: bool,
}

impl Outcome {
    fn bits(self) -> u8 {
        u8::from(self.acknowledged) | u8::from(self.latched) << 1
    }

    fn of(bits: u8) -> Self {
        Self { acknowledged: bits & 1 != 0, latched: bits & 2 != 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn when_a_stop_comes_after_a_ticket_expect_it_void_and_one_drawn_later_good() {
        let line = StopLine::default();
        let before = line.ticket(MS(10));
        assert_eq!(line.check(before), Ok(()));
        for kind in [Stop::Off, Stop::Emergency] {
            let ticket = line.ticket(MS(100));
            line.stop(kind, MS(100));
            assert_eq!(line.check(ticket), Err(TicketError::Stopped));
            assert_eq!(line.check(line.ticket(MS(101))), Ok(()));
        }
        assert_eq!(line.check(before), Err(TicketError::Stopped));
    }

    #[test]
    fn when_a_stop_was_handled_first_but_received_later_expect_the_ticket_void() {
        let line = StopLine::default();
        line.stop(Stop::Emergency, MS(20));
        assert_eq!(line.check(line.ticket(MS(19))), Err(TicketError::Stopped));
        assert_eq!(line.check(line.ticket(MS(20))), Err(TicketError::Stopped));
        assert_eq!(line.check(line.ticket(MS(21))), Ok(()));
    }

    #[test]
    fn when_stops_are_taken_expect_the_worst_kind_once_and_the_newest_number() {
        let line = StopLine::default();
        assert_eq!(line.take(), None);
        let first = line.stop(Stop::Emergency, MS(1));
        let second = line.stop(Stop::Off, MS(2));
        assert_eq!(line.take(), Some((Stop::Emergency, second)));
        assert_eq!(line.take(), None);
        assert!(!line.is_done(first));
        line.done(second, Outcome { acknowledged: true, latched: true });
        assert_eq!(line.outcome(), Outcome { acknowledged: true, latched: true });
        assert!(line.is_done(first) && line.is_done(second));
    }

    #[test]
    fn when_the_process_ends_expect_every_ticket_void() {
        let line = StopLine::default();
        line.close();
        assert_eq!(line.check(line.ticket(MS(5))), Err(TicketError::Ending));
    }
}
