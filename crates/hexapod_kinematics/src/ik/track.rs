//! The inverse of a leg on its way: from angles whose foot is near, by Newton's method on the foot alone.
//!
//! `dq = W Jᵀ (J W Jᵀ)⁻¹ e`, with `W` the squared ranges: of a leg of three joints the usual step, of a redundant one the
//! least turns. A foot goes a millimetre from one point of a path to the next, so that two or three of these steps do,
//! where a search for the minimum of the distance takes many times as long.

use nalgebra::{Matrix3, SVector, Vector3};

use super::budget::IterationBudget;
use super::newton::{Descent, column};
use crate::angles::{LegAngles, MAX_LEG_JOINTS};
use crate::chain::Matrix3xN;
use crate::leg::Leg;
use crate::math;

/// Most steps.
const MAX_STEPS: usize = 16;
/// Distance that counts as reached, m.
const REACHED: f64 = 1e-11;
/// A step that leaves more of the distance than this leads nowhere.
const LEFT: f64 = 0.9;
/// Longest step of one joint, rad.
const LONGEST_STEP: f64 = 0.3;

/// One number for each joint.
pub(super) type Joints = SVector<f64, MAX_LEG_JOINTS>;

impl Leg {
    /// Angles that reach the target, on the bend that the seed has; `None` where this does not lead there at once.
    pub(super) fn track(
        &self,
        target: &Vector3<f64>,
        seed: &LegAngles,
        budget: &mut IterationBudget,
    ) -> Option<Descent> {
        self.converge(target, self.stepped(target, seed, &Joints::zeros()), budget)
    }

    /// Brings the foot onto the target by the least turns, each step at least a little nearer.
    pub(super) fn converge(
        &self,
        target: &Vector3<f64>,
        from: Descent,
        budget: &mut IterationBudget,
    ) -> Option<Descent> {
        let mut at = from;
        for _ in 0..MAX_STEPS {
            if at.distance <= REACHED {
                return Some(at);
            }
            if !budget.take(1) {
                return None;
            }
            let step = self.surface_step(target, &at, &Joints::zeros())?;
            let next = self.stepped(target, &at.angles, &step);
            if next.distance > LEFT * at.distance {
                return None;
            }
            at = next;
        }
        None
    }

    /// Where a step leads, inside the limits.
    pub(super) fn stepped(&self, target: &Vector3<f64>, from: &LegAngles, step: &Joints) -> Descent {
        let angles = LegAngles::from_fn(self.joint_count(), |i| {
            from.get(i).copied().unwrap_or(0.0) + step.get(i).copied().unwrap_or(0.0)
        });
        let angles = self.clamp(&angles);
        let placed = self.placed(&angles);
        let distance = (placed.foot_at_zero() - target).norm();
        Descent { angles, placed, distance, converged: true, steps: 0 }
    }

    /// The step to the target along which the joints turn as they are pulled, as far as that leaves the foot alone; with no
    /// pull, the least turns in parts of their ranges.
    pub(super) fn surface_step(&self, target: &Vector3<f64>, from: &Descent, pull: &Joints) -> Option<Joints> {
        let (jacobian, at) = (self.folded(from.placed.placed_jacobian()), &from.angles);
        let mut error = target - from.foot();
        let mut weight = Joints::from_fn(|i, _| self.joints().get(i).map_or(0.0, |j| math::squared(range(j.limits()))));
        let mut held = Joints::zeros();
        for _ in 0..=self.joint_count() {
            let step = free_step(&jacobian, &error, pull, &weight)? + held;
            let scale = (LONGEST_STEP / step.amax()).min(1.0);
            let step = step * scale;
            match self.first_outside(at, &step, &weight) {
                None => return Some(step),
                Some((joint, to_limit)) => {
                    *weight.get_mut(joint)? = 0.0;
                    *held.get_mut(joint)? = to_limit;
                    error -= column(&jacobian, joint) * to_limit;
                }
            }
        }
        None
    }

    /// The free joint that a step takes farthest out of its limits, and the way to the limit.
    fn first_outside(&self, at: &LegAngles, step: &Joints, weight: &Joints) -> Option<(usize, f64)> {
        let outside = self.joints().iter().zip(at.iter()).zip(step.iter().zip(weight.iter())).enumerate();
        outside
            .filter(|(_, (_, (_, weight)))| **weight > 0.0)
            .map(|(i, ((joint, angle), (step, _)))| (i, angle, angle + step, joint.limits()))
            .filter(|(_, _, to, limits)| limits.margin(*to) < 0.0)
            .max_by(|a, b| b.3.margin(b.2).total_cmp(&a.3.margin(a.2)))
            .map(|(i, angle, to, limits)| (i, limits.clamp(to) - angle))
    }
}

/// `p + W Jᵀ (J W Jᵀ)⁻¹ (e - J p)` over the joints whose weight is not zero.
fn free_step(jacobian: &Matrix3xN, error: &Vector3<f64>, pull: &Joints, weight: &Joints) -> Option<Joints> {
    let free_pull = Joints::from_fn(|i, _| if weight[i] > 0.0 { pull[i] } else { 0.0 });
    let weighted = Matrix3xN::from_fn(|r, c| jacobian[(r, c)] * weight[c]);
    let normal: Matrix3<f64> = weighted * jacobian.transpose();
    let damping = 1e-9 * normal.trace();
    let force = (normal + Matrix3::identity() * damping).cholesky()?.solve(&(error - jacobian * free_pull));
    let step = free_pull + weighted.transpose() * force;
    step.iter().all(|s| s.is_finite()).then_some(step)
}

/// The range of a joint, rad.
pub(super) fn range(limits: &crate::model::JointLimits) -> f64 {
    limits.upper - limits.lower
}
