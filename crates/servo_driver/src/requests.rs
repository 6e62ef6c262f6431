//! Requests to the I/O thread that want an answer.

use crate::stop::StopFlag;
use crate::waker::Waker;
use hexapod_ros::monotonic_now;
use rtrb::{Consumer, Producer, RingBuffer};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

/// How long an answer is waited for. A request that was not begun by then is never carried out: a bus that comes back
/// after a minute must not arm the robot.
pub(crate) const PATIENCE: Duration = Duration::from_millis(500);
/// Preparing a board takes 90 bytes, 8 ms at 100 kHz: enabling is waited for so much longer a board.
const BOARD: Duration = Duration::from_millis(12);
const CAPACITY: usize = 16;

/// What is asked of the I/O thread.
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

/// A request on its way.
pub(crate) struct Request {
    pub action: Action,
    /// When it was made, on the monotonic clock.
    pub at: Duration,
    pub reply: SyncSender<Answer>,
}

/// The end that asks.
pub struct Control {
    queue: Producer<Request>,
    stop: StopFlag,
    waker: Waker,
    /// How long an answer to [`Action::Enable`] is waited for.
    enabling: Duration,
}

/// Both ends.
pub(crate) fn requests(boards: usize, stop: StopFlag, waker: Waker) -> (Control, Consumer<Request>) {
    let (queue, consumer) = RingBuffer::new(CAPACITY);
    let enabling = PATIENCE + BOARD * u32::try_from(boards).unwrap_or(u32::MAX);
    (Control { queue, stop, waker, enabling }, consumer)
}

impl Control {
    /// Asks and waits for the answer, about half a second at most. An emergency stop is latched even if no answer comes: it
    /// is the first thing the bus gets to see.
    pub fn ask(&mut self, action: Action) -> Answer {
        if action == Action::EmergencyStop {
            self.stop.raise();
        }
        let (reply, answer) = sync_channel(1);
        let queued = self.queue.push(Request { action, at: monotonic_now(), reply }).is_ok();
        self.waker.wake();
        let patience = if action == Action::Enable { self.enabling } else { PATIENCE };
        let answer = if queued { answer.recv_timeout(patience).ok() } else { None };
        answer.unwrap_or_else(|| unanswered(action))
    }
}

fn unanswered(action: Action) -> Answer {
    let message = match action {
        Action::EmergencyStop => "the bus does not answer; it is stopped as soon as it does. Cut the servos' power",
        Action::Enable => "the bus does not answer; nothing was switched on",
        Action::Disable | Action::Relax { .. } => "the bus does not answer",
    };
    Answer { success: false, message: message.into() }
}
