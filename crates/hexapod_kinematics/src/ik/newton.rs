//! Least distance between foot and target inside the joint limits: Newton's method with bounds.
//!
//! Minimises `|foot(q) - target|² / 2` over the box of limits. The Hessian is exact, `JᵀJ + sum_k e_k d²foot_k`, with
//! the second derivatives in closed form, so that it converges quadratically also where a distance remains
//! (unreachable targets), where Gauss-Newton would creep. Joints that stand on a limit and would be pushed out are
//! held (active set); a step that does not get nearer is damped (Levenberg).

use nalgebra::{SMatrix, SVector, Vector3};

use super::budget::IterationBudget;
use crate::angles::{LegAngles, MAX_LEG_JOINTS};
use crate::chain::{Chain, Matrix3xN};
use crate::leg::Leg;

/// Most steps of one descent.
const MAX_STEPS: usize = 60;
/// Distance that counts as reached, m.
const REACHED: f64 = 1e-11;
/// Step below which the descent has ended, rad.
const STILL: f64 = 1e-12;

type Gradient = SVector<f64, MAX_LEG_JOINTS>;
type Hessian = SMatrix<f64, MAX_LEG_JOINTS, MAX_LEG_JOINTS>;

/// Where a descent ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Descent {
    pub(super) angles: LegAngles,
    /// The chain at those angles: what looks on from there need not place it again.
    pub(super) placed: Chain,
    /// Distance from foot to target, m.
    pub(super) distance: f64,
    /// False when the steps ran out before the foot stood still.
    pub(super) converged: bool,
    pub(super) steps: usize,
}

impl Descent {
    pub(super) fn foot(&self) -> Vector3<f64> {
        self.placed.foot_at_zero()
    }
}

/// A column of a Jacobian; zero of one that is not there.
pub(super) fn column(jacobian: &Matrix3xN, index: usize) -> Vector3<f64> {
    Vector3::from_fn(|row, _| jacobian.get((row, index)).copied().unwrap_or(0.0))
}

impl Leg {
    /// Descends from `start`, moved into the limits, until the budget is spent.
    pub(super) fn descend(&self, target: &Vector3<f64>, start: &LegAngles, budget: &mut IterationBudget) -> Descent {
        let angles = self.clamp(start);
        let placed = self.placed(&angles);
        let distance = (placed.foot_at_zero() - target).norm();
        let mut at = Descent { angles, placed, distance, converged: false, steps: 0 };
        let mut damping = 1e-6 * self.reach_scale();
        while at.steps < MAX_STEPS {
            at.steps += 1;
            if at.distance <= REACHED {
                at.converged = true;
                return at;
            }
            if !budget.take(1) {
                return at;
            }
            let slope = self.slope(target, &at.placed);
            match self.improve(target, &mut at, &slope, &mut damping, budget) {
                Some(moved) if moved > STILL => {}
                _ => {
                    at.converged = !budget.is_spent();
                    return at;
                }
            }
        }
        at
    }

    /// One step that gets nearer, with as much damping as it takes; how far it moved, `None` when no step does.
    fn improve(
        &self,
        target: &Vector3<f64>,
        at: &mut Descent,
        (gradient, hessian): &(Gradient, Hessian),
        damping: &mut f64,
        budget: &mut IterationBudget,
    ) -> Option<f64> {
        for _ in 0..40 {
            if !budget.take(1) {
                return None;
            }
            if let Some(next) = self.step(&at.angles, gradient, hessian, *damping) {
                let placed = self.placed(&next);
                let distance = (placed.foot_at_zero() - target).norm();
                if distance < at.distance {
                    let moved = next.distance_squared(&at.angles).sqrt();
                    *damping *= 0.1;
                    (at.angles, at.placed, at.distance) = (next, placed, distance);
                    return Some(moved);
                }
            }
            *damping = (*damping * 8.0).max(1e-12 * self.reach_scale());
        }
        None
    }

    /// Gradient and Hessian of half the squared distance; unused joints have a one on the diagonal.
    fn slope(&self, target: &Vector3<f64>, placed: &Chain) -> (Gradient, Hessian) {
        let jacobian = placed.placed_jacobian();
        let error = placed.foot_at_zero() - target;
        let gradient = jacobian.transpose() * error;
        let mut hessian = jacobian.transpose() * jacobian;
        for (i, screw) in placed.screws().iter().enumerate() {
            for j in i..placed.screws().len() {
                let bend = screw.axis.cross(&column(&jacobian, j)).dot(&error);
                let both = if i == j { 1 } else { 2 };
                for at in [(i, j), (j, i)].into_iter().take(both) {
                    hessian.get_mut(at).into_iter().for_each(|h| *h += bend);
                }
            }
        }
        let (gradient, mut hessian) = match self.coupling() {
            None => (gradient, hessian),
            Some(coupling) => (coupling.tr_mul(&gradient), coupling.tr_mul(&hessian) * coupling),
        };
        for i in self.joint_count()..MAX_LEG_JOINTS {
            hessian.get_mut((i, i)).into_iter().for_each(|h| *h = 1.0);
        }
        (gradient, hessian)
    }

    /// The damped Newton step inside the box, joints on a limit that would be pushed out being held.
    fn step(&self, from: &LegAngles, gradient: &Gradient, hessian: &Hessian, damping: f64) -> Option<LegAngles> {
        let mut slope = *gradient;
        let mut curve = *hessian;
        for i in 0..MAX_LEG_JOINTS {
            curve[(i, i)] += damping;
            if self.is_held(i, from, gradient) {
                curve.row_mut(i).fill(0.0);
                curve.column_mut(i).fill(0.0);
                curve[(i, i)] = 1.0;
                slope[i] = 0.0;
            }
        }
        let step = curve.cholesky()?.solve(&slope);
        if !step.iter().all(|s| s.is_finite()) {
            return None;
        }
        let stepped = LegAngles::from_fn(self.joint_count(), |i| {
            from.get(i).copied().unwrap_or(0.0) - step.get(i).copied().unwrap_or(0.0).clamp(-1.0, 1.0)
        });
        Some(self.clamp(&stepped))
    }

    fn is_held(&self, joint: usize, angles: &LegAngles, gradient: &Gradient) -> bool {
        let (Some(joint_of), Some(angle), Some(slope)) =
            (self.joints().get(joint), angles.get(joint), gradient.get(joint))
        else {
            return false;
        };
        (*angle <= joint_of.limits().lower && *slope > 0.0) || (*angle >= joint_of.limits().upper && *slope < 0.0)
    }

    /// Square of the leg's size, the scale of the Hessian, m².
    fn reach_scale(&self) -> f64 {
        (self.chain.foot_at_zero() - self.hip_in_body()).norm_squared().max(1e-6)
    }
}
