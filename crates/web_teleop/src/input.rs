//! What connections and the robot's services send to the bridge.

use crate::intents::ClientId;
use crate::out::Out;
use crate::protocol::Incoming;
use hexapod_ros::fleet::Outcome;
use std::time::Duration;

/// What comes in.
pub(crate) enum Input {
    /// A connection is there.
    Join { id: ClientId, out: Out },
    /// A client's message, at its receipt.
    Message { id: ClientId, message: Incoming, received: Duration },
    /// A value of a client's message was out of range.
    Bad { id: ClientId, of: &'static str, ask: Option<u64>, message: String },
    /// A connection is gone.
    Leave { id: ClientId },
    /// A service has answered: the number of the call.
    Answered { call: u64, success: bool, message: String },
    /// A stop was answered: its number.
    StopAnswered { stop: u64, success: bool, message: String },
    /// What came of the stop of all robots so far.
    Fleet(Vec<Outcome>),
    /// The node ends.
    End,
}
