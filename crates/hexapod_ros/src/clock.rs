//! ROS time: the system's clock, or `/clock` when `use_sim_time` is set.

use r2r::builtin_interfaces::msg::Time;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Where stamps come from.
#[derive(Clone, Debug)]
pub enum RosClock {
    /// The system's clock.
    System,
    /// The last `/clock`, nanoseconds.
    Simulated(Arc<AtomicU64>),
}

impl RosClock {
    /// A simulated clock that stands at zero.
    #[must_use]
    pub fn simulated() -> Self {
        Self::Simulated(Arc::default())
    }

    /// The time now, since 1970 or since the start of the simulation.
    #[must_use]
    pub fn now(&self) -> Duration {
        match self {
            Self::System => SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
            Self::Simulated(nanos) => Duration::from_nanos(nanos.load(Ordering::SeqCst)),
        }
    }

    /// Sets a simulated clock; the system's clock is left alone.
    pub fn set(&self, time: Duration) {
        if let Self::Simulated(nanos) = self {
            nanos.store(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::SeqCst);
        }
    }
}

/// A time as messages carry it. Seconds beyond 2038 saturate, as the message's 32 bits do.
#[must_use]
pub fn to_stamp(time: Duration) -> Time {
    Time { sec: i32::try_from(time.as_secs()).unwrap_or(i32::MAX), nanosec: time.subsec_nanos() }
}

/// The time a message carries; negative seconds count as zero.
#[must_use]
pub fn from_stamp(stamp: &Time) -> Duration {
    Duration::new(u64::try_from(stamp.sec).unwrap_or(0), 0) + Duration::from_nanos(u64::from(stamp.nanosec))
}
