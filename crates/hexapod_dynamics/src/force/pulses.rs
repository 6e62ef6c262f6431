//! Means over the period of the pulses that servos follow: each begins with a jerk, which samples see at its best or its
//! worst.

use crate::leg::JointVector;

/// Most servos are sent 50 pulses a second.
const PERIOD_S: f64 = 0.02;
const MOST: usize = 8;

/// The torques of the last samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pulses {
    /// Newest first.
    last: [JointVector; MOST],
    count: usize,
}

impl Pulses {
    /// Takes torques in, `step_s` seconds after the ones before, and gives the mean of those of a period.
    pub(super) fn mean(&mut self, torques: &JointVector, step_s: f64) -> JointVector {
        self.last.rotate_right(1);
        self.last[0] = *torques;
        self.count = (self.count + 1).min(MOST);
        let of_period = (PERIOD_S / step_s).round().max(1.0) as usize;
        let used = self.last.iter().take(of_period.min(self.count));
        used.clone().sum::<JointVector>() / used.len() as f64
    }
}
