//! Where calls wait for their answers. No thread is made for a call, and no call waits behind another.

use crate::front::{Call, Namer, held_off};
use crate::heartbeats::Heartbeats;
use crate::requests::{Action, Answer, Claim, Order, Request};
use crate::stop::StopLine;
use crate::targets::IntakeCount;
use crate::waker::Waker;
use hexapod_ros::Sender;
use rtrb::Producer;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

/// Calls that wait at most.
pub(crate) const MAX_CALLS: usize = 64;
/// How long an answer of the bus is waited for. A request that was not begun by then is never carried out: a bus that comes
/// back after a minute must not arm the robot.
const REPLY_TIMEOUT: Duration = Duration::from_millis(500);
/// One that was begun is waited for so much longer.
const HUNG: Duration = Duration::from_secs(2);
/// How long DDS may take to bring a planner and this node together.
const DISCOVERY: Duration = Duration::from_millis(3500);
/// How often what cannot wake the call queue is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The calls that wait, served by one thread.
pub struct CallQueue {
    pub(crate) calls: Receiver<Call>,
    pub(crate) requests: Producer<Request>,
    pub(crate) line: StopLine,
    pub(crate) heartbeats: Heartbeats,
    /// Wakes the thread of the bus.
    pub(crate) bus: Waker,
    pub(crate) count: Arc<IntakeCount>,
    pub(crate) open: Vec<Open>,
}

/// A call and what it waits for.
pub(crate) struct Open {
    call: Call,
    since: Duration,
    stage: Stage,
}

enum Stage {
    /// The boards to be notified of a stop.
    Stopping,
    /// The first command: a planner that has just been started may not have been heard yet.
    Commands,
    /// The bus.
    Asked { claim: Claim, answer: Receiver<Answer>, since: Duration },
}

impl CallQueue {
    /// Takes in what was called by `now`; whether an `enable` is among it.
    fn take_in(&mut self, now: Duration) -> bool {
        let before = self.open.len();
        while self.open.len() < MAX_CALLS {
            let Ok(call) = self.calls.try_recv() else { break };
            let stage = if call.stop > 0 { Stage::Stopping } else { Stage::Commands };
            self.open.push(Open { call, since: now, stage });
        }
        self.open[before..].iter().any(|open| open.call.action == Action::Enable)
    }

    /// Hands on what came in and answers what can be answered at `now`; returns when to look again, if anything waits.
    pub fn attend(&mut self, now: Duration) -> Option<Duration> {
        self.attend_after(now, || {}, |_| None)
    }

    /// The same after a look at who is there, if an `enable` came in; refusals name who stands in the way.
    pub(crate) fn attend_after(
        &mut self,
        now: Duration,
        look: impl FnOnce(),
        name: impl Fn(Sender) -> Option<String>,
    ) -> Option<Duration> {
        if self.take_in(now) {
            look();
        }
        let mut index = 0;
        while index < self.open.len() {
            match self.look(index, now, &name) {
                Some(answer) => (self.open.remove(index).call.reply)(answer),
                None => index += 1,
            }
        }
        (!self.open.is_empty()).then_some(now + LOOK_EVERY)
    }

    fn look(&mut self, index: usize, now: Duration, name: Namer<'_>) -> Option<Answer> {
        let open = &mut self.open[index];
        match &open.stage {
            Stage::Stopping => stopped(&self.line, open, now),
            Stage::Commands => {
                let (ticket, since) = (open.call.ticket, open.since);
                if let Action::Relax { group, relaxed } = open.call.action {
                    return self.ask(index, Order::Relax { group, relaxed }, now);
                }
                // What lasts does so for longer than any quiet.
                if let Some(lasting) = held_off(&self.line, &self.heartbeats, now, Some(name)) {
                    return Some(Answer::refused(lasting));
                }
                if let Some(doubt) = open.call.doubt {
                    return Some(Answer::refused(doubt.to_string()));
                }
                if let Err(void) = self.line.check(ticket) {
                    return Some(Answer::refused(void.to_string()));
                }
                if let Some(other_robot) = self.count.other_robot(now) {
                    return Some(Answer::refused(format!("FAILED commands: {other_robot}")));
                }
                let heard = self.count.taken() > 0 || now.saturating_sub(since) >= DISCOVERY;
                if heard { self.ask(index, Order::Enable(ticket), now) } else { None }
            }
            Stage::Asked { claim, answer, since } => {
                let answer = answered(open.call.action, claim, answer, now.saturating_sub(*since))?;
                // What was switched on may have been stopped again before this is reported.
                let void =
                    if open.call.action == Action::Enable { self.line.check(open.call.ticket).err() } else { None };
                Some(void.map_or(answer, |void| Answer::refused(void.to_string())))
            }
        }
    }

    fn ask(&mut self, index: usize, order: Order, now: Duration) -> Option<Answer> {
        let (reply, answer) = sync_channel(1);
        let claim = Claim::default();
        let request = Request { order, claim: claim.clone(), reply };
        if self.requests.push(request).is_err() {
            return Some(Answer::refused(unanswered(self.open[index].call.action)));
        }
        self.bus.wake();
        self.open[index].stage = Stage::Asked { claim, answer, since: now };
        None
    }
}

fn stopped(line: &StopLine, open: &Open, now: Duration) -> Option<Answer> {
    if line.is_done(open.call.stop) {
        return Some(Answer::of_stop(open.call.action, line.outcome()));
    }
    let late = now.saturating_sub(open.since) >= REPLY_TIMEOUT;
    late.then(|| Answer::refused(unanswered(open.call.action)))
}

fn answered(action: Action, claim: &Claim, answer: &Receiver<Answer>, waited: Duration) -> Option<Answer> {
    if let Ok(answer) = answer.try_recv() {
        return Some(answer);
    }
    let given_up = (waited >= REPLY_TIMEOUT && claim.withdraw()) || (waited >= REPLY_TIMEOUT + HUNG && claim.leave());
    given_up.then(|| Answer::refused(unanswered(action)))
}

fn unanswered(action: Action) -> &'static str {
    match action {
        Action::EmergencyStop => "the bus does not answer; it is stopped as soon as it does. Cut the servos' power",
        Action::Disable => "the bus does not answer; everything is switched off as soon as it does",
        Action::Enable => "the bus does not answer; nothing was switched on",
        Action::Relax { .. } => "the bus does not answer",
    }
}
