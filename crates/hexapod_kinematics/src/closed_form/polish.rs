//! Newton's method on the foot of three joints, from angles that are nearly right.

use nalgebra::{Matrix3, Vector3};

use crate::angles::MAX_LEG_JOINTS;
use crate::chain::Chain;

/// Distance to which a root must come, m.
const POLISHED: f64 = 1e-11;
/// Distance at which a root still counts, m.
const ACCEPTED: f64 = 5e-10;
/// Towards a double root each step leaves half of the distance.
const MAX_STEPS: usize = 40;
/// Longest step of one joint, rad.
const LONGEST_STEP: f64 = 0.1;

impl Chain {
    /// The angles of three joints that put the foot on the target; `None` if these do not lead there.
    pub(crate) fn polished(&self, target: &Vector3<f64>, angles: [f64; 3]) -> Option<[f64; 3]> {
        let ([mut q1, mut q2, mut q3], size) = (angles, (target - self.screws().first()?.point).norm_squared());
        let mut miss = f64::INFINITY;
        for _ in 0..MAX_STEPS {
            let mut padded = [0.0; MAX_LEG_JOINTS];
            padded.iter_mut().zip([q1, q2, q3]).for_each(|(p, q)| *p = q);
            let placed = self.placed(&padded);
            let error = target - placed.foot_at_zero();
            miss = error.norm();
            if miss < POLISHED {
                break;
            }
            let jacobian: Matrix3<f64> = placed.placed_jacobian().fixed_columns::<3>(0).into_owned();
            // Least squares with a trace of damping, so that a double root is approached and not left.
            let normal = jacobian.transpose() * jacobian + Matrix3::identity() * (1e-14 * size);
            let Some(step) = normal.cholesky().map(|c| c.solve(&(jacobian.transpose() * error))) else { break };
            let step = step.map(|s| s.clamp(-LONGEST_STEP, LONGEST_STEP));
            (q1, q2, q3) = (q1 + step.x, q2 + step.y, q3 + step.z);
        }
        (miss <= ACCEPTED).then_some([q1, q2, q3])
    }
}
