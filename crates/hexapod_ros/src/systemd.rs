//! What systemd is notified of, when it started this process: ready, alive, stopping. Without it nothing is sent.

use sd_notify::NotifyState;
use std::time::Duration;

/// How often [`TimeoutExtender`] is asked for more time.
const ASK_EVERY: Duration = Duration::from_secs(1);
/// For how long each time.
const MORE: Duration = Duration::from_secs(5);

/// The process does its work.
pub fn ready() {
    tell(NotifyState::Ready);
}

/// The watchdog may wait anew.
pub fn alive() {
    tell(NotifyState::Watchdog);
}

/// The process ends.
pub fn stopping() {
    tell(NotifyState::Stopping);
}

/// Asks for more time than `TimeoutStopSec` while the robot sits down, again and again: a process that hangs asks no more.
#[derive(Debug, Default)]
pub struct TimeoutExtender {
    asked: Option<Duration>,
}

impl TimeoutExtender {
    /// Asks if it is time to, at `now`.
    pub fn ask(&mut self, now: Duration) {
        if self.asked.is_none_or(|at| now.saturating_sub(at) >= ASK_EVERY) {
            self.asked = Some(now);
            tell(NotifyState::ExtendTimeoutUsec(u32::try_from(MORE.as_micros()).unwrap_or(u32::MAX)));
        }
    }
}

fn tell(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::debug!("systemd was not notified: {error}");
    }
}
