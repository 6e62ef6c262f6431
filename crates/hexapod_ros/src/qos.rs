//! Quality of service that several nodes ask for.

use r2r::QosProfile;

/// For what is sent again and again, and is stale when it is late. Best effort: senders of every reliability are heard,
/// nothing that was lost is sent again, and half a message does not stop the process's hearing
/// ([`crate::Ros::watch_rmw`]). Each of the last ten is looked at, so that bad ones are counted.
#[must_use]
pub fn stream() -> QosProfile {
    QosProfile::default().keep_last(10).best_effort()
}
