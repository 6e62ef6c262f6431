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
    /// When the middleware received it, on the monotonic clock ([`monotonic_now`]). Never later than now.
    pub at: Duration,
    /// When it was sent, since 1970 on the sender's clock; zero where the middleware does not tell.
    pub sent: Duration,
}

/// The greatest age that is believed: the system's clock, by which the middleware dates messages, may have been set
/// between a message's receipt and now.
const MOST_AGE: Duration = Duration::from_secs(5);

impl Received {
    /// A message of this process, handed over now.
    pub(crate) fn local(id: u64) -> Self {
        Self { sender: Sender::Local(id), at: monotonic_now(), sent: system_now() }
    }
}

impl From<MessageInfo> for Received {
    fn from(info: MessageInfo) -> Self {
        Self { sender: Sender::Remote(info.sender), at: on_monotonic(info.received), sent: info.sent }
    }
}

impl From<RequestInfo> for Received {
    fn from(info: RequestInfo) -> Self {
        Self { sender: Sender::Remote(info.client), at: on_monotonic(info.received), sent: info.sent }
    }
}

/// The number of a publisher of this process.
pub(crate) fn next_local_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn on_monotonic(received: Duration) -> Duration {
    dated(received, system_now(), monotonic_now())
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
