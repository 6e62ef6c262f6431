//! Means over the period of the pulses that servos follow: each begins with a jerk, which samples see at its best or its
//! worst.

use super::motors::Spent;

/// Most servos are sent 50 pulses a second.
const PERIOD_S: f64 = 0.02;
const MOST: usize = 8;

/// The last samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pulses {
    /// Newest first.
    last: [Spent; MOST],
    count: usize,
}

impl Pulses {
    /// Takes a sample in, `step_s` seconds after the one before, and gives the mean of those of a period.
    pub(super) fn mean(&mut self, spent: &Spent, step_s: f64) -> Spent {
        self.last.rotate_right(1);
        self.last[0] = *spent;
        self.count = (self.count + 1).min(MOST);
        let of_period = (PERIOD_S / step_s).round().max(1.0) as usize;
        Spent::mean(&self.last[..of_period.min(self.count)])
    }

    /// Forgets all samples, as after a gap.
    pub(super) fn reset(&mut self) {
        self.count = 0;
    }
}
