//! Where everything that is asked of the driver comes in, on whatever thread it does. Stops act here; all else is handed
//! to the [`CallQueue`](crate::call_queue::CallQueue), which answers.

use crate::heartbeats::Heartbeats;
use crate::planner::Planner;
use crate::requests::{Action, Answer};
use crate::silent_sources::SilentSources;
use crate::stop::{By, Stop, StopLine, Ticket};
use crate::under_way::{Doubt, UnderWay};
use crate::waker::Waker;
use hexapod_ros::{Process, Received, Sender};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;

/// What is done with an answer.
pub type Reply = Box<dyn FnOnce(Answer) + Send>;

/// A call that waits for its answer.
pub(crate) struct Call {
    pub action: Action,
    /// For an `enable`: what it is worth.
    pub ticket: Ticket,
    /// And why it may have been sent before a stop, if it may.
    pub doubt: Option<Doubt>,
    /// For a stop: its number.
    pub stop: u64,
    pub reply: Reply,
}

/// The way in. Cheap to clone; a stop takes no lock but that of the pins, and waits for nobody.
#[derive(Clone)]
pub struct Front {
    /// What every stop pulls.
    pub line: StopLine,
    pub(crate) heartbeats: Heartbeats,
    pub(crate) under_way: UnderWay,
    pub(crate) planner: Planner,
    pub(crate) silent: SilentSources,
    pub(crate) calls: SyncSender<Call>,
    pub(crate) call_queue: Waker,
}

/// Who sends something, by its node's name.
pub(crate) type Namer<'a> = &'a dyn Fn(Sender) -> Option<String>;

/// What stops the servos for as long as it lasts, and keeps them off; whose doing it is, if there is somebody to `name` it.
pub(crate) fn held_off(
    line: &StopLine,
    heartbeats: &Heartbeats,
    now: Duration,
    name: Option<Namer<'_>>,
) -> Option<String> {
    if line.pins().stop_pressed() {
        return Some("FAILED stop button: it is pressed, or its wire is broken".into());
    }
    let cause = heartbeats.cause(now)?;
    let node = name.and_then(|name| heartbeats.source_of(cause).and_then(name));
    let of = node.map_or_else(String::new, |node| format!(" ({node})"));
    Some(format!("FAILED emergency_stop: {cause}{of}"))
}

impl Front {
    /// Takes in a call. A stop has acted when this returns; `reply` gets the answer when the boards have it, or could
    /// not be. Nothing that an `enable` waits for is done here: a stop may come next, on the same thread.
    pub fn ask(&self, action: Action, from: &Received, reply: impl FnOnce(Answer) + Send + 'static) {
        let before = self.line.newest();
        let stop = match action {
            Action::EmergencyStop => self.line.emergency_stop(By::Service, from.taken),
            Action::Disable => self.line.stop(Stop::Off, from.taken),
            Action::Enable | Action::Relax { .. } => 0,
        };
        // Before it is judged: a stop in between voids it.
        let ticket = self.line.ticket(from.taken);
        let mut doubt = None;
        if action == Action::Enable {
            doubt = self.under_way.enable(from, self.line.newest()).err();
        } else {
            if action == Action::Disable {
                self.under_way.off(from, stop, before);
            }
            self.under_way.called(from, self.line.newest());
        }
        let call = Call { action, ticket, doubt, stop, reply: Box::new(reply) };
        match self.calls.try_send(call) {
            Ok(()) => self.call_queue.wake(),
            Err(TrySendError::Full(call) | TrySendError::Disconnected(call)) => {
                let message = match call.action {
                    Action::EmergencyStop | Action::Disable => {
                        "everything is being switched off; too many calls wait for their answers to tell when it is"
                    }
                    Action::Enable | Action::Relax { .. } => {
                        "too many calls wait for their answers; nothing was done. Ask again"
                    }
                };
                (call.reply)(Answer::refused(message));
            }
        }
    }

    /// Takes in a message of the topic `emergency_stop`. Each true stops, whatever came before or comes after.
    pub fn hear_stop(&self, stop: bool, from: &Received) {
        let Received { sender, taken, sequence, .. } = *from;
        // Whoever looks at the sources right now is not waited for: a true counts twice rather than late.
        let heard = self.heartbeats.try_hear(sender, stop, sequence, taken);
        if stop && heard != Some(false) {
            self.line.emergency_stop(By::Topic, taken);
        }
        if heard.is_none() {
            self.heartbeats.hear(sender, stop, sequence, taken);
        }
    }

    /// Looks at who may call, if there was a stop since: `callers` tells the processes. Those who come later could not call
    /// before it.
    pub fn call_the_roll(&self, called: &mut u64, callers: impl FnOnce() -> Option<Vec<Process>>) {
        let number = self.line.generation();
        if number != *called
            && let Some(callers) = callers()
        {
            *called = number;
            self.under_way.present(number, callers);
        }
    }

    /// What is known of the planner.
    #[must_use]
    pub fn planner(&self) -> &Planner {
        &self.planner
    }

    /// Sources of joint commands that may be silent while they are there.
    #[must_use]
    pub fn silent_sources(&self) -> &SilentSources {
        &self.silent
    }

    /// Who speaks on the topic `emergency_stop`.
    #[must_use]
    pub fn heartbeats(&self) -> &Heartbeats {
        &self.heartbeats
    }

    /// No `enable` counts from now on: the process ends.
    pub fn close(&self) {
        self.line.close();
    }
}
