//! Those who call and send, and what of it is on its way.

use super::steps::Clock;
use hexapod_ros::{Gid, Process, Received, Sender};
use servo_driver::Action;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A process that calls and sends.
pub(super) struct Source {
    /// Of its process, which is another one each time it starts.
    pub(super) process: u64,
    pub(super) ahead_s: i64,
    pub(super) frozen: Option<Duration>,
    /// Messages so far of its three endpoints, and when the last of each arrives: they overtake each other, but not
    /// themselves.
    pub(super) sent: [(u64, Duration); 3],
    pub(super) waits: Arc<AtomicBool>,
}

/// What is on its way.
pub(super) struct Letter {
    pub(super) due: Duration,
    /// When it was sent in truth.
    pub(super) truly: Duration,
    pub(super) what: What,
    pub(super) from: Received,
    pub(super) waits: Arc<AtomicBool>,
}

pub(super) enum What {
    Call(Action),
    Say(bool),
}

impl Source {
    pub(super) fn new(process: u64) -> Self {
        Self { process, ahead_s: 0, frozen: None, sent: Default::default(), waits: Arc::default() }
    }

    pub(super) fn stamp(&self, now: Duration) -> Duration {
        const EPOCH_S: i64 = 1_700_000_000;
        let shown = self.frozen.unwrap_or(now);
        shown + Duration::from_secs(u64::try_from(EPOCH_S + self.ahead_s).unwrap())
    }

    pub(super) fn gid(&self, endpoint: usize) -> Sender {
        let mut gid = [0; 16];
        gid[..8].copy_from_slice(&self.process.to_le_bytes());
        gid[15] = u8::try_from(endpoint).unwrap() + 1;
        Sender::Remote(Gid(gid))
    }

    pub(super) fn process(&self) -> Process {
        self.gid(0).process()
    }

    /// A letter of one of its endpoints, which does not overtake the one before it if `in_order`.
    pub(super) fn letter(
        &mut self,
        endpoint: usize,
        what: What,
        now: Duration,
        delay_ms: u64,
        in_order: bool,
    ) -> Letter {
        let mut due = now + Duration::from_millis(delay_ms);
        if in_order {
            due = due.max(self.sent[endpoint].1);
            self.sent[endpoint].1 = due;
        }
        let sequence = Some(self.sent[endpoint].0);
        let from = Received { sender: self.gid(endpoint), at: due, taken: due, sent: self.stamp(now), sequence };
        Letter { due, truly: now, what, from, waits: Arc::clone(&self.waits) }
    }

    pub(super) fn set(&mut self, clock: Clock, now: Duration) {
        match clock {
            Clock::Set(by_s) => self.ahead_s = (self.ahead_s + by_s).clamp(-1_000_000, 1_000_000),
            Clock::Freeze => self.frozen = self.frozen.or(Some(now)),
            Clock::GoOn => self.frozen = None,
        }
    }
}
