//! What systemd is told, when it started this process: ready, alive, stopping. Without it nothing is sent.

use sd_notify::NotifyState;

/// The process does its work.
pub(crate) fn ready() {
    tell(NotifyState::Ready);
}

/// The watchdog may wait anew.
pub(crate) fn alive() {
    tell(NotifyState::Watchdog);
}

/// The process ends.
pub(crate) fn stopping() {
    tell(NotifyState::Stopping);
}

fn tell(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::debug!("systemd was not told: {error}");
    }
}
