//! Means over the period of the pulses that servos follow: each begins with a jerk, which samples see at its best or its
//! worst.

use nalgebra::Vector3;

/// Most servos are sent 50 pulses a second.
const PERIOD_S: f64 = 0.02;
const MOST: usize = 8;

/// The last forces.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pulses {
    /// Newest first.
    last: [Vector3<f64>; MOST],
    count: usize,
}

impl Pulses {
    /// Takes a force in, `step_s` seconds after the one before, and gives the mean of those of a period.
    pub(super) fn mean(&mut self, force: &Vector3<f64>, step_s: f64) -> Vector3<f64> {
        self.last.rotate_right(1);
        self.last[0] = *force;
        self.count = (self.count + 1).min(MOST);
        let of_period = (PERIOD_S / step_s).round().max(1.0) as usize;
        let used = of_period.min(self.count);
        self.last.iter().take(used).sum::<Vector3<f64>>() / used as f64
    }

    /// Forgets all forces, as after a gap.
    pub(super) fn reset(&mut self) {
        self.count = 0;
    }
}
