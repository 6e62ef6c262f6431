//! Redundant legs: of the angles that reach a target, those nearest to a posture.
//!
//! With more than three joints the angles that reach a point are a surface. On it, the angles that minimise
//! `sum ((q_i - posture_i) / range_i)²` are looked for by sequential quadratic programming: each step goes to the
//! minimum of that sum on the surface made flat, `dq = p + W Jᵀ (J W Jᵀ)⁻¹ (e - J p)` with `p = posture - q`,
//! `e = target - foot` and `W` the squared ranges. Joints that would leave their limits are put on them and held.
//! The posture being the middle of the limits by default, this keeps away from the limits; and the answer depends on
//! the target and the seed's bend, not on the way there, so that a cyclic foot path gives cyclic angles.

use nalgebra::{Matrix3, SVector, Vector3};

use super::effort::Effort;
use super::newton::{Descent, column};
use super::solutions::REACH_TOLERANCE;
use crate::angles::{LegAngles, MAX_LEG_JOINTS};
use crate::leg::{Leg, Matrix3xN};
use crate::math;

/// Most steps, and those of a leg on its way, which starts next to its posture and comes nearer at the next point.
pub(super) const MAX_STEPS: usize = 40;
pub(super) const STEPS_ON_THE_WAY: usize = 6;
/// Longest step of one joint, rad.
const LONGEST_STEP: f64 = 0.3;
/// Step at which the posture is reached, rad.
const STILL: f64 = 1e-9;

type Joints = SVector<f64, MAX_LEG_JOINTS>;

impl Leg {
    /// From angles that reach the target to those nearest to the posture that do, or on the way there when the steps
    /// or the effort are spent.
    pub(super) fn take_on_posture(
        &self,
        target: &Vector3<f64>,
        from: Descent,
        steps: usize,
        effort: &mut Effort,
    ) -> LegAngles {
        let mut best = from;
        for _ in 0..steps {
            if !effort.take(1) {
                break;
            }
            let Some(step) = self.posture_step(target, &best) else { break };
            let stepped = LegAngles::from_fn(best.angles.len(), |i| sum(best.angles.get(i), step.get(i)));
            let settled = step.amax() < STILL;
            let end = self.descend(target, &stepped, effort);
            // Each step is taken back onto the surface, so that the last good one can be returned at any time.
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

    /// Distance from the posture, in ranges.
    fn strain(&self, angles: &LegAngles) -> f64 {
        let parts = self.joints().iter().zip(angles.iter()).zip(self.posture.iter());
        parts.map(|((joint, angle), posture)| math::squared((angle - posture) / range(joint.limits()))).sum()
    }

    fn posture_step(&self, target: &Vector3<f64>, from: &Descent) -> Option<Joints> {
        let (jacobian, at) = (from.placed.placed_jacobian(), &from.angles);
        let mut error = target - from.foot();
        let pull = Joints::from_fn(|i, _| difference(self.posture.get(i), at.get(i)));
        let mut weight = Joints::from_fn(|i, _| self.joints().get(i).map_or(0.0, |j| math::squared(range(j.limits()))));
        let mut held = Joints::zeros();
        for _ in 0..=self.joint_count() {
            let step = free_step(&jacobian, &error, &pull, &weight)? + held;
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

fn range(limits: &crate::model::JointLimits) -> f64 {
    limits.upper - limits.lower
}

fn sum(a: Option<&f64>, b: Option<&f64>) -> f64 {
    a.copied().unwrap_or(0.0) + b.copied().unwrap_or(0.0)
}

fn difference(a: Option<&f64>, b: Option<&f64>) -> f64 {
    a.copied().unwrap_or(0.0) - b.copied().unwrap_or(0.0)
}
