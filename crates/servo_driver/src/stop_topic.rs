//! The topic `emergency_stop`: true stops, as a pressed button does; with a heartbeat wanted, so does silence. Like the
//! locks of twist_mux, it never switches anything on: that takes `enable`.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// What was last heard on the topic. Cheap to clone; nobody waits for anybody.
#[derive(Clone, Debug, Default)]
pub struct StopTopic(Arc<Heard>);

#[derive(Debug, Default)]
struct Heard {
    held: AtomicBool,
    /// When the last message was received, on the monotonic clock; 0 if none was.
    at_ns: AtomicU64,
    /// The longest silence that is allowed; 0 is any.
    timeout_ns: AtomicU64,
}

/// Why the topic asks for a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It says true.
    Held,
    /// It has been silent for this long; `None`: since the start.
    Silent(Option<Duration>),
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held => formatter.write_str("the topic emergency_stop says true"),
            Self::Silent(None) => formatter.write_str("the topic emergency_stop has sent no heartbeat yet"),
            Self::Silent(Some(silent)) => {
                write!(formatter, "the heartbeat on the topic emergency_stop is {:.2} s old", silent.as_secs_f64())
            }
        }
    }
}

impl StopTopic {
    /// From now on silence for longer than `timeout` asks for a stop; zero: silence never does.
    pub fn want_heartbeat(&self, timeout: Duration) {
        self.0.timeout_ns.store(timeout.as_nanos() as u64, Ordering::SeqCst);
    }

    /// A message was received at `at`.
    pub fn hear(&self, held: bool, at: Duration) {
        self.0.at_ns.store((at.as_nanos() as u64).max(1), Ordering::SeqCst);
        self.0.held.store(held, Ordering::SeqCst);
    }

    /// Why the servos may not be on at `now`, if they may not.
    #[must_use]
    pub fn cause(&self, now: Duration) -> Option<Cause> {
        if self.0.held.load(Ordering::SeqCst) {
            return Some(Cause::Held);
        }
        let timeout = self.0.timeout_ns.load(Ordering::SeqCst);
        let at = self.0.at_ns.load(Ordering::SeqCst);
        let silent = (at > 0).then(|| now.saturating_sub(Duration::from_nanos(at)));
        let too_long = silent.is_none_or(|silent| silent > Duration::from_nanos(timeout));
        (timeout > 0 && too_long).then_some(Cause::Silent(silent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn when_true_was_said_expect_a_stop_until_false_is_said() {
        let topic = StopTopic::default();
        assert_eq!(topic.cause(MS(5)), None);
        topic.hear(true, MS(5));
        assert_eq!(topic.cause(MS(100_000)), Some(Cause::Held));
        topic.hear(false, MS(6));
        assert_eq!(topic.cause(MS(100_000)), None, "no heartbeat is wanted");
    }

    #[test]
    fn when_a_heartbeat_is_wanted_expect_silence_to_stop() {
        let topic = StopTopic::default();
        topic.want_heartbeat(MS(200));
        assert_eq!(topic.cause(MS(0)), Some(Cause::Silent(None)));
        topic.hear(false, MS(1000));
        assert_eq!(topic.cause(MS(1200)), None);
        assert_eq!(topic.cause(MS(1201)), Some(Cause::Silent(Some(MS(201)))));
        topic.hear(false, MS(1300));
        assert_eq!(topic.cause(MS(1400)), None);
    }
}
