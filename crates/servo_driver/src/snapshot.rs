//! What the I/O thread tells after each tick.

use crate::bus::Servos;
use crate::owners::MAX_JOINTS;
use crate::stoppable::Timing;
use crate::supply::Supply;
use hexapod_servo::backend::{Feet, Measured};
use hexapod_servo::simulated::ServoTime;
use hexapod_servo::{Counters, Fault, ServoDriver, State};
use std::time::Duration;

/// The driver after a tick. Of fixed size, so that nothing is allocated for it.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot {
    /// When the tick began, on the monotonic clock.
    pub at: Duration,
    /// The state it ended in.
    pub state: State,
    /// Whether it waits for a simulation that stands still.
    pub waits: bool,
    /// The fault that is latched.
    pub fault: Option<Fault>,
    /// Counts since the start.
    pub counters: Counters,
    /// When the last command was received, on the monotonic clock; later by as long as a simulation has stood still since.
    pub commanded_at: Option<Duration>,
    /// How late the tick began.
    pub late: Duration,
    /// Deadlines that were skipped before it.
    pub missed: u64,
    /// Joints that were let go because nobody commanded them any more.
    pub released: usize,
    /// Joints of sources that are there and silent.
    pub silent: usize,
    /// How long transactions took.
    pub bus: Timing,
    /// What switches under feet said last, where the servos' board reads them.
    pub feet: Option<Feet>,
    angles_rad: [f64; MAX_JOINTS],
    commanded: u64,
    measured: [Measured; MAX_JOINTS],
}

impl Snapshot {
    /// A tick at `at`, whose state machine goes by `servo_time`; how late it was, and the deadlines missed before.
    pub(crate) fn take(
        driver: &ServoDriver<Servos>,
        at: Duration,
        servo_time: &ServoTime,
        (late, missed): (Duration, u64),
        bus: Timing,
    ) -> Self {
        let (mut angles_rad, mut commanded) = ([0.0; MAX_JOINTS], 0);
        let (joints, now) = (driver.joints().len(), servo_time.at(at));
        let mut measured = [Measured::default(); MAX_JOINTS];
        measured.iter_mut().enumerate().take(joints).for_each(|(joint, it)| *it = driver.measured(joint, now));
        for (joint, angle_rad) in angles_rad.iter_mut().enumerate().take(joints) {
            if let Some(commanded_rad) = driver.commanded(joint) {
                *angle_rad = commanded_rad;
                commanded |= 1 << joint;
            }
        }
        Self {
            at,
            state: driver.state(),
            waits: servo_time.is_paused(),
            fault: driver.fault(),
            counters: *driver.counters(),
            commanded_at: driver.command_age(now).map(|age| at.saturating_sub(age)),
            late,
            missed,
            released: driver.released_count(),
            silent: driver.silent_count(),
            bus,
            feet: driver.feet(),
            angles_rad,
            commanded,
            measured,
        }
    }

    /// After all channels were switched off without a tick.
    pub(crate) fn switched_off(&mut self) {
        self.commanded = 0;
    }

    /// The commanded angle of a joint, rad; `None` if it has no pulse.
    #[must_use]
    pub fn commanded(&self, joint: usize) -> Option<f64> {
        (joint < MAX_JOINTS && self.commanded & (1 << joint) != 0).then(|| self.angles_rad[joint])
    }

    /// What the servo of a joint had measured of late.
    #[must_use]
    pub fn measured(&self, joint: usize) -> Measured {
        self.measured.get(joint).copied().unwrap_or_default()
    }

    /// What all servos had.
    #[must_use]
    pub fn supply(&self) -> Supply {
        Supply::of(self.measured.into_iter())
    }
}
