//! Where a message comes from, and when it came.

use crate::pacer::monotonic_now;
use hexapod_rcl::{Gid, MessageInfo, RequestInfo};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Who sent a message: never the same for two publishers or two clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sender {
    /// An endpoint that the middleware knows by this number.
    Remote(Gid),
    /// A [`SharedPublisher`](crate::SharedPublisher) of this process, by a number of its own.
    Local(u64),
}

/// Leading bytes of a number that all endpoints of a process have in common (DDS's GUID prefix).
const PROCESS: usize = 12;

impl Sender {
    /// Whether two publishers are of one process, as far as the middleware tells.
    #[must_use]
    pub fn is_kin(self, other: Self) -> bool {
        match (self, other) {
            (Self::Remote(one), Self::Remote(other)) => one.0[..PROCESS] == other.0[..PROCESS],
            (Self::Local(_), Self::Local(_)) => true,
            _ => false,
        }
    }
}

/// What is known of a message besides its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Who sent it.
    pub sender: Sender,
    /// When the middleware received it, on the monotonic clock ([`monotonic_now`]), as far as this system's clock, by which
    /// the middleware dates messages, can be believed; of a request, when it was taken. Never later than now.
    pub at: Duration,
    /// When this process took it from the middleware, on the monotonic clock: no clock that can be set has a part in it.
    pub taken: Duration,
    /// When it was sent, since 1970 on the sender's clock; zero where the middleware does not tell.
    pub sent: Duration,
    /// Its number among all that its sender sent, where the middleware tells.
    pub sequence: Option<u64>,
}

/// What tells the endpoints of one process from those of another: the participant's part of a GUID (RTPS 2.5, 8.2.4.1).
pub type Process = [u8; 12];

impl Sender {
    /// The process of a sender; that of all who are in this one is zero.
    #[must_use]
    pub fn process(self) -> Process {
        let mut process = Process::default();
        if let Self::Remote(gid) = self {
            process.iter_mut().zip(gid.0).for_each(|(byte, of_gid)| *byte = of_gid);
        }
        process
    }
}

/// The greatest age that is believed: the system's clock, by which the middleware dates messages, may have been set
/// between a message's receipt and now.
const MOST_AGE: Duration = Duration::from_secs(5);

impl Received {
    /// A message of this process, handed over now.
    pub(crate) fn local(id: u64) -> Self {
        let now = monotonic_now();
        Self { sender: Sender::Local(id), at: now, taken: now, sent: system_now(), sequence: Some(next_sequence()) }
    }
}

impl From<MessageInfo> for Received {
    fn from(info: MessageInfo) -> Self {
        let taken = monotonic_now();
        let at = dated(info.received, system_now(), taken);
        Self { sender: Sender::Remote(info.sender), at, taken, sent: info.sent, sequence: info.sequence }
    }
}

impl From<RequestInfo> for Received {
    fn from(info: RequestInfo) -> Self {
        let taken = monotonic_now();
        Self { sender: Sender::Remote(info.client), at: taken, taken, sent: info.sent, sequence: info.sequence }
    }
}

/// The number of a publisher of this process.
pub(crate) fn next_local_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The number of a message of this process.
fn next_sequence() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The monotonic time of what the system's clock dates `received`.
fn dated(received: Duration, system_now: Duration, monotonic_now: Duration) -> Duration {
    let age = system_now.saturating_sub(received).min(MOST_AGE);
    monotonic_now.saturating_sub(age)
}

fn system_now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_message_is_dated_expect_its_age_taken_off_and_no_jump_of_the_clock_believed() {
        let s = Duration::from_secs;
        for (received, system, monotonic, expect) in [
            (s(1000), s(1002), s(50), s(48)),
            (s(1000), s(1000), s(50), s(50)),
            // The clock was set back: not later than now.
            (s(1000), s(900), s(50), s(50)),
            // Set ahead: not older than is believed.
            (s(1000), s(9000), s(50), s(45)),
            // Just after the machine's start.
            (s(1000), s(1004), s(2), s(0)),
        ] {
            assert_eq!(dated(received, system, monotonic), expect, "{received:?} {system:?} {monotonic:?}");
        }
    }

    #[test]
    fn when_publishers_of_the_process_are_numbered_expect_no_number_twice() {
        assert_ne!(Sender::Local(next_local_id()), Sender::Local(next_local_id()));
    }
}
