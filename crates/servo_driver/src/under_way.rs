//! Whether an `enable` may have been on its way already when a stop came: then it is void, however late it arrives.
//!
//! Order and ages count from receipt, on this process's monotonic clock. What a receipt cannot tell is how long a call was
//! under way, so after each stop there is a quiet time in which nothing is switched on. That holds for this process's own calls,
//! too, and for those that were surely sent after the stop: whoever asked for them may be far from the caller, and pressed before
//! it. From then on, for as long as a middleware may hold a call back, an `enable` counts if it was surely sent after the stop:
//!
//! - its process came into the domain after the stop: it could not call before it had heard of the driver; or
//! - its client has called since the stop and been answered, and calls again once it is quiet after that; or
//! - its process has called another service since the stop, and `enable` once it was quiet after that.
//!
//! What the clock of a sender shows never speaks for a call, only against it: one that was sent too early by that clock is
//! refused. Only the calls of two clients of a process need it, for the middleware does not keep the order of those.
//! A client that calls again as it was asked to may not have heard of a stop in between: its second call is refused.

mod doubt;

pub(crate) use doubt::Doubt;
use doubt::Why;
use hexapod_ros::{Process, Received, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// After a stop every `enable` is refused for so long.
pub const QUIET: Duration = Duration::from_millis(750);
/// A middleware holds nothing back for longer: a participant that is not heard for 20 s is forgotten (the lease of Fast DDS),
/// with all that it has still to deliver.
const LONGEST: Duration = Duration::from_secs(20);
/// A second call comes no later than this after the first.
const SECOND: Duration = Duration::from_secs(2);
/// What the ways of prompt calls differ by at most on a busy machine.
const SLACK: Duration = Duration::from_millis(100);
/// Processes that are distinguished; of more, those that were heard last.
const MOST: usize = 64;

/// What is known of those who call. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnderWay(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    callers: Vec<Caller>,
    /// The newest stop, if it was an `enable` false with a number.
    off: Option<Off>,
    /// Who was there after the stop of this number.
    roll: Option<(u64, Vec<Process>)>,
}

/// The newest stop: its number, and when it was received.
pub(crate) type Newest = Option<(u64, Duration)>;

/// A stop by an `enable` false. The middleware keeps the order of one client's calls.
#[derive(Clone, Copy, Debug)]
struct Off {
    client: Sender,
    sequence: u64,
    number: u64,
    /// When the newest stop before those of this client was received.
    before: Option<Duration>,
}

#[derive(Debug)]
struct Caller {
    process: Process,
    /// The first call since the newest stop, and the client that made it.
    first: Option<(Sender, Receipt)>,
    /// The first `enable` since then, likewise.
    again: Option<(Sender, Receipt)>,
    /// The newest `enable` that was refused, and its client.
    refused: Option<(Sender, Duration)>,
    heard: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Receipt {
    taken: Duration,
    /// Zero if nobody tells.
    sent: Duration,
    sequence: Option<u64>,
    /// From the sender's time to ours: the time on the way, and what the clocks differ by.
    offset_ns: i128,
}

impl UnderWay {
    /// Takes in an `enable` false that became the stop of this number, with the newest stop before it.
    pub fn off(&self, call: &Received, number: u64, before: Newest) {
        let mut known = self.known();
        let earlier =
            known.off.filter(|off| off.client == call.sender && Some(off.number) == before.map(|stop| stop.0));
        let follows = before.map_or(0, |stop| stop.0) + 1 == number;
        known.off = call.sequence.filter(|_| follows).map(|sequence| Off {
            client: call.sender,
            sequence,
            number,
            before: earlier.map_or_else(|| before.map(|stop| stop.1), |off| off.before),
        });
    }

    /// Takes in who is in the domain, looked at after the stop of this number.
    pub fn present(&self, number: u64, processes: Vec<Process>) {
        self.known().roll = Some((number, processes));
    }

    /// Takes in a call of any service, with the newest stop, its own included.
    pub fn called(&self, call: &Received, newest: Newest) {
        if let Sender::Remote(_) = call.sender {
            self.known().caller(call).call(call, newest);
        }
    }

    /// Takes in an `enable`.
    ///
    /// # Errors
    /// It may have been sent before the newest stop was received.
    pub fn enable(&self, call: &Received, newest: Newest) -> Result<(), Doubt> {
        let mut known = self.known();
        let judged = known.judge(call, newest);
        known.caller(call).judged(call, newest, judged.is_ok());
        judged
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn judge(&self, call: &Received, newest: Newest) -> Result<(), Doubt> {
        let Some(stop) = self.stop_before(call, newest) else { return Ok(()) };
        let since = call.taken.saturating_sub(stop);
        let is_here = matches!(call.sender, Sender::Local(_));
        let caller = self.callers.iter().find(|caller| caller.process == call.sender.process());
        let wait = caller.map_or(QUIET, |caller| caller.wait(call, stop));
        if caller.is_some_and(|caller| caller.is_second(call, stop)) {
            return Err(Doubt { why: Why::Second, since, wait });
        }
        let is_sure = is_here
            || since > LONGEST
            || self.is_newcomer(call.sender.process(), newest)
            || caller.is_some_and(|caller| caller.vouches(call, stop));
        match (since <= QUIET, is_sure) {
            (false, true) => Ok(()),
            (false, false) => Err(Doubt { why: Why::Unknown, since, wait }),
            (true, true) => Err(Doubt { why: Why::Quiet, since, wait: QUIET.saturating_sub(since) }),
            (true, false) => Err(Doubt { why: Why::Quiet, since, wait }),
        }
    }

    /// The newest stop that the client of this call may not have known of when it called.
    fn stop_before(&self, call: &Received, newest: Newest) -> Option<Duration> {
        let (number, received) = newest?;
        let own = self.off.filter(|off| off.number == number && off.client == call.sender);
        match own.filter(|off| call.sequence.is_some_and(|sequence| sequence > off.sequence)) {
            Some(off) => off.before,
            None => Some(received),
        }
    }

    fn is_newcomer(&self, process: Process, newest: Newest) -> bool {
        let roll = self.roll.as_ref().filter(|(number, _)| Some(*number) == newest.map(|stop| stop.0));
        roll.is_some_and(|(_, there)| !there.contains(&process))
    }

    fn caller(&mut self, heard: &Received) -> &mut Caller {
        let process = heard.sender.process();
        let at = self.callers.iter().position(|caller| caller.process == process).unwrap_or_else(|| {
            if self.callers.len() == MOST {
                let oldest = (0..MOST).min_by_key(|&index| self.callers[index].heard).unwrap_or(0);
                self.callers.swap_remove(oldest);
            }
            self.callers.push(Caller { process, first: None, again: None, refused: None, heard: heard.taken });
            self.callers.len() - 1
        });
        self.callers[at].heard = heard.taken;
        &mut self.callers[at]
    }
}

impl Caller {
    fn call(&mut self, call: &Received, newest: Newest) {
        if self.first.is_none_or(|(_, first)| first.taken < stopped(newest)) {
            self.first = Some((call.sender, Receipt::of(call)));
        }
    }

    /// Takes in an `enable` that was granted, or was not.
    fn judged(&mut self, call: &Received, newest: Newest, granted: bool) {
        let (receipt, stop) = (Receipt::of(call), stopped(newest));
        let again = self.again.filter(|(client, again)| *client == call.sender && again.taken >= stop);
        if again.is_none_or(|(_, again)| call.taken >= again.taken + QUIET) {
            self.again = Some((call.sender, receipt));
        }
        self.refused = (!granted).then_some((call.sender, call.taken));
        self.call(call, newest);
    }

    /// Whether this may be the second call of an `enable` that was refused before the stop.
    fn is_second(&self, call: &Received, stop: Duration) -> bool {
        let first = self.refused.filter(|(client, at)| *client == call.sender && *at < stop);
        first.is_some_and(|(_, at)| call.taken < at + SECOND)
    }

    /// How long it is until another call tells more.
    fn wait(&self, call: &Received, stop: Duration) -> Duration {
        let again = self.again.filter(|(client, again)| *client == call.sender && again.taken >= stop);
        let left = again.map(|(_, again)| (again.taken + QUIET).saturating_sub(call.taken));
        left.filter(|left| !left.is_zero()).unwrap_or(QUIET)
    }

    /// Whether an `enable` was surely sent after `stop` was received.
    fn vouches(&self, call: &Received, stop: Duration) -> bool {
        let receipt = Receipt::of(call);
        let since = |(_, earlier): &(Sender, Receipt)| earlier.taken >= stop && call.taken >= earlier.taken + QUIET;
        // Its client was refused since, and calls again: one that comes twice is no other one, and a clock that was set, or
        // that stands, is no doubt.
        if let Some((_, again)) = self.again.filter(since).filter(|(client, _)| *client == call.sender) {
            let is_another = again.sequence.is_none() || receipt.sequence > again.sequence;
            return is_another && (!again.tells(receipt) || receipt.follows(again));
        }
        // Another client of its process called since: one waits for the other.
        let first = self.first.filter(since).map(|(_, first)| first);
        first.is_some_and(|first| first.tells(receipt) && !receipt.is_early(first) && receipt.follows(first))
    }
}

impl Receipt {
    fn of(received: &Received) -> Self {
        let offset_ns = nanos(received.taken) - nanos(received.sent);
        Self { taken: received.taken, sent: received.sent, sequence: received.sequence, offset_ns }
    }

    /// Whether the clock of both says anything: it does not if it stands.
    fn tells(self, later: Self) -> bool {
        !self.sent.is_zero() && !later.sent.is_zero() && self.sent != later.sent
    }

    /// Whether it was under way for less long than `earlier` by more than calls differ: the clock of both was set in between.
    fn is_early(self, earlier: Self) -> bool {
        self.offset_ns < earlier.offset_ns - nanos(SLACK)
    }

    /// Whether it was sent so long after `earlier` was taken that the two were not under way together.
    fn follows(self, earlier: Self) -> bool {
        let late_ns = (self.offset_ns - earlier.offset_ns).max(0);
        let late = Duration::from_nanos(u64::try_from(late_ns).unwrap_or(u64::MAX));
        self.taken.saturating_sub(late) + SLACK >= earlier.taken + QUIET
    }
}

/// When the newest stop was received.
fn stopped(newest: Newest) -> Duration {
    newest.map_or(Duration::ZERO, |stop| stop.1)
}

fn nanos(time: Duration) -> i128 {
    i128::try_from(time.as_nanos()).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests;
