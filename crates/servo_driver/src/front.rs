//! Where everything that is asked of the driver comes in, on whatever thread it does. Stops act here; all else is handed
//! to the [`Desk`](crate::desk::Desk), which answers.

use crate::heartbeats::Heartbeats;
use crate::planner::Planner;
use crate::requests::{Action, Answer};
use crate::stop::{By, Stop, StopLine, Ticket};
use crate::waker::Waker;
use hexapod_ros::Sender;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;

/// What is done with an answer.
pub type Reply = Box<dyn FnOnce(Answer) + Send>;

/// A call that waits for its answer.
pub(crate) struct Call {
    pub action: Action,
    /// For an `enable`: what it is worth.
    pub ticket: Ticket,
    /// For a stop: its number.
    pub stop: u64,
    pub reply: Reply,
}

/// The way in. Cheap to clone; a stop takes no lock but that of the pins, and waits for nobody.
#[derive(Clone)]
pub struct Front {
    pub(crate) line: StopLine,
    pub(crate) heartbeats: Heartbeats,
    pub(crate) planner: Planner,
    pub(crate) calls: SyncSender<Call>,
    pub(crate) desk: Waker,
}

impl Front {
    /// Takes in a call received at `received`, on the monotonic clock. A stop has acted when this returns; `reply` gets the
    /// answer when the boards were told, or could not be.
    pub fn ask(&self, action: Action, received: Duration, reply: impl FnOnce(Answer) + Send + 'static) {
        let stop = match action {
            Action::EmergencyStop => self.line.emergency_stop(By::Service, received),
            Action::Disable => self.line.stop(Stop::Off, received),
            Action::Enable | Action::Relax { .. } => 0,
        };
        let call = Call { action, ticket: self.line.ticket(received), stop, reply: Box::new(reply) };
        match self.calls.try_send(call) {
            Ok(()) => self.desk.wake(),
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
    pub fn hear_stop(&self, sender: Sender, stop: bool, sent: Duration, received: Duration) {
        if self.heartbeats.hear(sender, stop, sent, received) && stop {
            self.line.emergency_stop(By::Topic, received);
        }
    }

    /// What is known of the planner.
    #[must_use]
    pub fn planner(&self) -> &Planner {
        &self.planner
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
