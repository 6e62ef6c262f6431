//! The generalised-momentum observer (De Luca & Mattone 2003): torques of contact without any acceleration.
//!
//! In continuous time `r' = K (p' - torques - free_rate - r)`, so that `r' = K (J' force - r)`: a first-order filter of
//! the torques of contact, with `K` per joint. Over a step, the mean torque of contact is known from the momentum
//! gained, and the filter is exact: `r <- e^(-K h) r + (1 - e^(-K h)) mean`. So any gain is stable at any step.

use crate::leg::JointVector;
use crate::momentum::Momentum;
use hexapod_kinematics::math;

/// The observer of one leg.
#[derive(Clone, Debug, PartialEq)]
pub struct MomentumObserver {
    /// `K` per joint, 1/s.
    gains_per_s: JointVector,
    /// The last time between samples, s, and `e^(-K h)` per joint for it.
    step_s: f64,
    decay: JointVector,
    residual: JointVector,
    /// How much of the state before the first sample is still in the residual: 1 to 0.
    memory: JointVector,
    last: Option<Sample>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    momentum: JointVector,
    /// Rate of the momentum without contact.
    rate: JointVector,
}

impl MomentumObserver {
    /// An observer with a gain per joint, 1/s. What is no positive number counts as zero: such a joint's residual stays
    /// zero.
    pub fn new(gains_per_s: &JointVector) -> Self {
        let gains_per_s = gains_per_s.map(|gain| if gain > 0.0 { gain } else { 0.0 });
        let (residual, memory) = (JointVector::zeros(), JointVector::repeat(1.0));
        Self { gains_per_s, step_s: 0.0, decay: memory, residual, memory, last: None }
    }

    /// Forgets everything, as after a gap.
    pub fn reset(&mut self) {
        self.last = None;
        self.residual = JointVector::zeros();
        self.memory = JointVector::repeat(1.0);
    }

    /// Takes a sample `step_s` seconds after the one before; gives the torques of contact `J' force`, N m, from the second
    /// one on. A sample that is not finite resets the observer.
    #[inline]
    pub fn update(&mut self, momentum: &Momentum, torques: &JointVector, step_s: f64) -> Option<JointVector> {
        if step_s != self.step_s {
            (self.step_s, self.decay) = (step_s, self.gains_per_s.map(|gain| math::exp(-gain * step_s)));
        }
        let now = Sample { momentum: momentum.momentum, rate: torques + momentum.free_rate };
        let Some(last) = self.last.replace(now) else {
            if !now.is_finite() {
                self.reset();
            }
            return None;
        };
        let mean = (now.momentum - last.momentum) / step_s - 0.5 * (now.rate + last.rate);
        self.residual = self.residual.zip_zip_map(&mean, &self.decay, |r, m, decay| decay * r + (1.0 - decay) * m);
        self.memory.component_mul_assign(&self.decay);
        if self.residual.sum().is_finite() && now.is_finite() {
            return Some(self.residual);
        }
        self.reset();
        None
    }

    /// How much of what was before the first sample is still in each joint's torque: from 1 towards 0.
    pub fn memory(&self) -> &JointVector {
        &self.memory
    }
}

impl Sample {
    /// A sum is finite only if all its parts are.
    #[inline]
    fn is_finite(&self) -> bool {
        (self.momentum.sum() + self.rate.sum()).is_finite()
    }
}
