//! Mass matrix (composite rigid bodies, Featherstone 2008, ch. 6), Coriolis matrix, forward dynamics and energy.

use hexapod_kinematics::LegAngles;
use nalgebra::{SVector, Vector3};

use crate::base::BaseMotion;
use crate::inertia::Inertia;
use crate::leg::{JointMatrix, JointVector, PlacedLeg};

/// A leg whose mass matrix cannot be inverted: a joint moves nothing that has a mass, or a number is not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the leg's mass matrix cannot be inverted: give the links of every joint an <inertial>, and finite angles")]
pub struct MasslessLeg;

impl PlacedLeg {
    /// The symmetric mass matrix, kg m².
    pub fn mass_matrix(&self) -> JointMatrix {
        let mut matrix = JointMatrix::zeros();
        let mut outer = Inertia::zero();
        for (i, body) in self.bodies().enumerate().rev() {
            outer = body.inertia + outer;
            let force = body.axis.cross(&outer.first_moment);
            let mut moment = outer.tensor * body.axis;
            for (j, inner) in self.bodies().take(i + 1).enumerate().rev() {
                let entry = inner.axis.dot(&moment);
                (matrix[(i, j)], matrix[(j, i)]) = (entry, entry);
                moment += inner.arm.cross(&force);
            }
            outer = outer.about(&body.arm);
        }
        self.of_motors(self.of_motors(matrix).transpose())
    }

    /// The Coriolis matrix `C` with `C q'` the Coriolis and centrifugal torques of a body at rest, N m s/rad, from
    /// Christoffel's symbols, so that `M' - 2 C` is skew.
    ///
    /// Those torques are quadratic in the speeds; their symmetric bilinear form with one argument left open is `C`.
    pub fn coriolis_matrix(&self, speeds: &LegAngles) -> JointMatrix {
        let speeds = SVector::from(*speeds.padded());
        let of = |speeds: &JointVector| self.velocity_torques(speeds);
        let of_all = of(&speeds);
        let mut matrix = JointMatrix::zeros();
        for (j, mut column) in matrix.column_iter_mut().enumerate().take(self.joints) {
            let mut unit = JointVector::zeros();
            unit[j] = 1.0;
            column.copy_from(&(0.5 * (of(&(speeds + unit)) - of_all - of(&unit))));
        }
        matrix
    }

    fn velocity_torques(&self, speeds: &JointVector) -> JointVector {
        self.torques(speeds, &JointVector::zeros(), &BaseMotion::at_rest(Vector3::zeros()))
    }

    /// Joint accelerations, rad/s², under these joint torques, N m, and a force of the ground on the foot, N.
    ///
    /// # Errors
    /// [`MasslessLeg`] where the mass matrix is not positive definite.
    pub fn forward_dynamics(
        &self,
        speeds: &LegAngles,
        torques: &JointVector,
        foot_force: &Vector3<f64>,
        base: &BaseMotion,
    ) -> Result<JointVector, MasslessLeg> {
        let bias = self.torques(&SVector::from(*speeds.padded()), &JointVector::zeros(), base);
        let drive = torques + self.jacobian().transpose() * foot_force - bias;
        let mut matrix = self.mass_matrix();
        // Joints that the leg does not have: a unit inertia and no drive.
        (self.joints..matrix.nrows()).for_each(|i| matrix[(i, i)] = 1.0);
        let mut accelerations = matrix.cholesky().ok_or(MasslessLeg)?.solve(&drive);
        accelerations.iter_mut().skip(self.joints).for_each(|unused| *unused = 0.0);
        if accelerations.iter().all(|a| a.is_finite()) { Ok(accelerations) } else { Err(MasslessLeg) }
    }

    /// Kinetic and potential energy of the leg on a body at rest, J; potential energy is zero at the body's origin.
    pub fn energy(&self, speeds: &LegAngles, gravity: &Vector3<f64>) -> f64 {
        let speeds = SVector::from(*speeds.padded());
        let kinetic = 0.5 * speeds.dot(&(self.mass_matrix() * speeds));
        let moments = self.bodies().map(|body| body.inertia.first_moment + body.point * body.inertia.mass);
        kinetic - moments.map(|moment| gravity.dot(&moment)).sum::<f64>()
    }
}
