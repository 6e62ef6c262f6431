//! What goes over the WebSocket, as docs/web_protocol.md has it.

mod close;
mod incoming;
mod names;
mod outgoing;

pub use close::Close;
pub use incoming::{Ask, Bad, Incoming, PoseOffset, Service, parse};
pub(crate) use names::lease_change;
pub use outgoing::{
    Ages, Battery, Client, Event, Fleet, FleetRobot, Health, Lease, MotionStatus, NodeStatus, Recording, RobotNames,
    Rounded, State, StopReport, text,
};
pub(crate) use outgoing::{Answer, Events, FullStick, Pong, Refused, Welcome};

/// The version of the protocol.
pub const VERSION: u32 = 1;
/// The subprotocol that clients offer.
pub const SUBPROTOCOL: &str = "hexapod.v1";
/// The subprotocol of connections that only stop.
pub const STOP_SUBPROTOCOL: &str = "hexapod.stop";
/// What the subprotocol that carries a token begins with.
pub const TOKEN_PREFIX: &str = "token.";
/// Largest message of a client, bytes.
pub const MOST_BYTES: usize = 4096;
/// Longest name of a client, characters.
pub const MOST_NAME: usize = 40;
