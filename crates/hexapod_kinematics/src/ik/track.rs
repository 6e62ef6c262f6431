//! The inverse of a leg on its way: from angles whose foot is near, by Newton's method on the foot alone.
//!
//! `dq = W Jᵀ (J W Jᵀ)⁻¹ e`, with `W` the squared ranges: of a leg of three joints the usual step, of a redundant one the
//! least turns. A foot goes a millimetre from one point of a path to the next, so that two or three of these steps do,
//! where a search for the minimum of the distance takes many times as long.

use nalgebra::Vector3;

use super::effort::Effort;
use super::newton::Descent;
use super::redundant::Joints;
use crate::angles::LegAngles;
use crate::leg::Leg;

/// Most steps.
const MAX_STEPS: usize = 16;
/// Distance that counts as reached, m.
const REACHED: f64 = 1e-11;
/// A step that leaves more of the distance than this leads nowhere.
const LEFT: f64 = 0.9;

impl Leg {
    /// Angles that reach the target, on the bend that the seed has; `None` where this does not lead there at once.
    pub(super) fn track(&self, target: &Vector3<f64>, seed: &LegAngles, effort: &mut Effort) -> Option<Descent> {
        self.converge(target, self.stepped(target, seed, &Joints::zeros()), effort)
    }

    /// Brings the foot onto the target by the least turns, each step at least a little nearer.
    pub(super) fn converge(&self, target: &Vector3<f64>, from: Descent, effort: &mut Effort) -> Option<Descent> {
        let mut at = from;
        for _ in 0..MAX_STEPS {
            if at.distance <= REACHED {
                return Some(at);
            }
            if !effort.take(1) {
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
        let placed = self.chain.placed(angles.padded());
        let distance = (placed.foot_at_zero() - target).norm();
        Descent { angles, placed, distance, converged: true, steps: 0 }
    }
}
