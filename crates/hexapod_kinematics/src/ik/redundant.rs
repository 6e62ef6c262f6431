//! Redundant legs: of the angles that reach a target, those nearest to a posture.
//!
//! With more than three joints the angles that reach a point are a surface. On it, the angles that minimise
//! `sum ((q_i - posture_i) / range_i)²` are looked for by sequential quadratic programming: each step goes to the
//! minimum of that sum on the surface made flat, `dq = p + W Jᵀ (J W Jᵀ)⁻¹ (e - J p)` with `p = posture - q`,
//! `e = target - foot` and `W` the squared ranges. Joints that would leave their limits are put on them and held.
//! The posture being the middle of the limits by default, this keeps away from the limits; and the answer depends on
//! the target and the seed's bend, not on the way there, so that a cyclic foot path gives cyclic angles.

use nalgebra::Vector3;

use super::budget::IterationBudget;
use super::newton::Descent;
use super::track::{Joints, range};
use crate::angles::LegAngles;
use crate::closed_form::REACH_TOLERANCE;
use crate::leg::Leg;
use crate::math;

/// Most steps, in rounds after each of which the foot is on its target.
const MAX_ROUNDS: usize = 14;
const STEPS_A_ROUND: usize = 3;
/// Step at which the posture is reached, rad.
const STILL: f64 = 1e-8;
/// Fraction of its greatest velocity with which a joint of a leg on its way turns towards its posture.
const DRIFT_FRACTION: f64 = 0.2;

impl Leg {
    /// From angles that reach the target to those nearest to the posture that do, or on the way there when the budget
    /// is spent.
    pub(super) fn take_on_posture(
        &self,
        target: &Vector3<f64>,
        from: Descent,
        budget: &mut IterationBudget,
    ) -> LegAngles {
        let mut best = from;
        for _ in 0..MAX_ROUNDS {
            let (end, settled) = self.nearer_to_posture(target, best, budget);
            // Each round is taken back onto the surface, so that the last good one can be returned at any time.
            let Some(end) = self.converge(target, end, budget) else { break };
            if end.distance > REACH_TOLERANCE || self.strain(&end.angles) > self.strain(&best.angles) + 1e-12 {
                break;
            }
            best = end;
            if settled {
                break;
            }
        }
        best.angles
    }

    /// The same from angles that are known to reach the target.
    pub(super) fn on_posture(
        &self,
        target: &Vector3<f64>,
        angles: &LegAngles,
        budget: &mut IterationBudget,
    ) -> LegAngles {
        self.take_on_posture(target, self.stepped(target, angles, &Joints::zeros()), budget)
    }

    /// Some steps towards the posture, each of which brings the foot back as well; whether the last one was as good as none.
    fn nearer_to_posture(&self, target: &Vector3<f64>, from: Descent, budget: &mut IterationBudget) -> (Descent, bool) {
        let mut at = from;
        for _ in 0..STEPS_A_ROUND {
            let step = if budget.take(1) { self.surface_step(target, &at, &self.pull(&at.angles)) } else { None };
            let Some(step) = step else { return (at, true) };
            at = self.stepped(target, &at.angles, &step);
            if step.amax() < STILL {
                return (at, true);
            }
        }
        (at, false)
    }

    /// A step towards the posture, each joint turning no farther than a part of its greatest velocity takes it in `seconds`.
    pub(super) fn drift(
        &self,
        target: &Vector3<f64>,
        from: Descent,
        seconds: f64,
        budget: &mut IterationBudget,
    ) -> LegAngles {
        let step = if budget.take(1) { self.surface_step(target, &from, &self.pull(&from.angles)) } else { None };
        let Some(step) = step else { return from.angles };
        let room = self
            .joints()
            .iter()
            .zip(step.iter())
            .map(|(joint, step)| DRIFT_FRACTION * joint.limits().velocity * seconds / step.abs().max(STILL));
        let step = step * room.fold(1.0, f64::min);
        self.converge(target, self.stepped(target, &from.angles, &step), budget).unwrap_or(from).angles
    }

    /// The way from some angles to the posture.
    fn pull(&self, angles: &LegAngles) -> Joints {
        Joints::from_fn(|i, _| difference(self.posture.get(i), angles.get(i)))
    }

    /// Distance from the posture, in ranges.
    fn strain(&self, angles: &LegAngles) -> f64 {
        let parts = self.joints().iter().zip(angles.iter()).zip(self.posture.iter());
        parts.map(|((joint, angle), posture)| math::squared((angle - posture) / range(joint.limits()))).sum()
    }
}

fn difference(a: Option<&f64>, b: Option<&f64>) -> f64 {
    a.copied().unwrap_or(0.0) - b.copied().unwrap_or(0.0)
}
