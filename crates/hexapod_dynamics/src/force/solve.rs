//! From torques that the leg's own motion does not explain to the force on the foot: `J' force = torques`.

use hexapod_kinematics::{Matrix3xN, math};
use nalgebra::{Matrix3, Vector3};

use crate::leg::JointVector;

/// How well a force is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Certainty {
    /// Inverse variances of the joints' torques.
    weights: JointVector,
    pub(super) covariance: Matrix3<f64>,
}

/// Weighted least squares; near a singular leg damped by what is known beforehand, that a force is of the size of
/// `prior_n` (Nakamura & Hanafusa 1986, with the damping of a Gaussian prior).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Solver {
    pub(super) singular_m: f64,
    pub(super) prior_n: f64,
}

/// The equations of a leg at one pose, for any torques.
#[derive(Clone, Copy, Debug)]
pub(super) struct Equations<'a> {
    jacobian: &'a Matrix3xN,
    count: usize,
    pub(super) singular_value_m: f64,
    /// Information of the prior, 1/N²; zero away from singular poses.
    damping: f64,
}

impl Solver {
    /// The equations of a leg of `count` joints with this Jacobian.
    #[inline]
    pub(super) fn equations<'a>(&self, jacobian: &'a Matrix3xN, count: usize) -> Equations<'a> {
        let square = jacobian.column_iter().take(count).fold(Matrix3::zeros(), |sum, j| sum + j * j.transpose());
        let singular_value_m = least_eigenvalue(&square, self.singular_m * self.singular_m).max(0.0).sqrt();
        let near = singular_value_m / self.singular_m;
        let damping = if near < 1.0 { (1.0 - near * near) / (self.prior_n * self.prior_n) } else { 0.0 };
        Equations { jacobian, count, singular_value_m, damping }
    }
}

impl Equations<'_> {
    /// How well a force is known from torques with these inverse variances; `None` where that is not finite.
    #[inline]
    pub(super) fn certainty(&self, weights: JointVector) -> Option<Certainty> {
        let mut information = Matrix3::from_diagonal_element(self.damping);
        for (column, weight) in self.jacobian.column_iter().zip(&weights).take(self.count) {
            information += column * (column * *weight).transpose();
        }
        let covariance = symmetric_inverse(&information)?;
        // A sum is finite only if all its parts are.
        (covariance.sum() + self.singular_value_m).is_finite().then_some(Certainty { weights, covariance })
    }

    /// The force that explains the torques; `None` where that is not finite.
    #[inline]
    pub(super) fn force(&self, torques: &JointVector, certainty: &Certainty) -> Option<Vector3<f64>> {
        let weighted = torques.component_mul(&certainty.weights);
        let force = certainty.covariance * (self.jacobian * weighted);
        force.sum().is_finite().then_some(force)
    }

    /// True where the prior holds the force back.
    pub(super) fn damped(&self) -> bool {
        self.damping > 0.0
    }
}

/// The inverse of a symmetric matrix by its cofactors, with one division; `None` where it is singular.
#[inline]
fn symmetric_inverse(a: &Matrix3<f64>) -> Option<Matrix3<f64>> {
    let (xx, xy, xz) = (a.m22 * a.m33 - a.m23 * a.m23, a.m13 * a.m23 - a.m12 * a.m33, a.m12 * a.m23 - a.m13 * a.m22);
    let (yy, yz, zz) = (a.m11 * a.m33 - a.m13 * a.m13, a.m12 * a.m13 - a.m11 * a.m23, a.m11 * a.m22 - a.m12 * a.m12);
    let determinant = a.m11 * xx + a.m12 * xy + a.m13 * xz;
    (determinant != 0.0).then(|| Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) * determinant.recip())
}

/// The least eigenvalue of a positive semidefinite matrix, by the trigonometric solution of its cubic (Smith 1961); where
/// it is above `enough`, a number between the two.
#[inline]
fn least_eigenvalue(a: &Matrix3<f64>, enough: f64) -> f64 {
    let middle = a.trace() / 3.0;
    // The other two multiply to at most the square of half of the trace.
    let bound = a.determinant() / (2.25 * middle * middle);
    if bound > enough {
        return bound;
    }
    let off = a - Matrix3::from_diagonal_element(middle);
    let size = (off.norm_squared() / 6.0).sqrt();
    if size <= f64::EPSILON * middle.abs() {
        return middle;
    }
    let half_determinant = 0.5 * off.determinant() / (size * size * size);
    let angle = math::acos(half_determinant.clamp(-1.0, 1.0)) / 3.0;
    middle + 2.0 * size * math::cos(angle + std::f64::consts::TAU / 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_matrix_is_symmetric_expect_its_least_eigenvalue() {
        for m in [
            Matrix3::new(2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 3.0),
            Matrix3::from_diagonal_element(4.0),
            Matrix3::new(1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 5.0),
            Matrix3::zeros(),
        ] {
            let (expect, found) = (m.symmetric_eigenvalues().min(), least_eigenvalue(&m, 100.0));
            assert!((found - expect).abs() < 1e-12, "{m}: {found} {expect}");
            let (enough, bound) = (0.2 * expect, least_eigenvalue(&m, 0.2 * expect));
            assert!((enough - 1e-12..=expect + 1e-12).contains(&bound), "{m}: {bound} {expect}");
        }
    }

    #[test]
    fn when_a_matrix_is_symmetric_expect_its_inverse() {
        let m = Matrix3::new(2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 3.0);
        assert!((symmetric_inverse(&m).unwrap() * m - Matrix3::identity()).norm() < 1e-14);
        assert_eq!(symmetric_inverse(&Matrix3::zeros()), None);
    }

    #[test]
    fn when_the_leg_is_stretched_expect_a_damped_force_no_larger_than_what_is_likely() {
        let solver = Solver { singular_m: 0.01, prior_n: 20.0 };
        let mut jacobian = Matrix3xN::zeros();
        for (i, column) in [Vector3::x() * 0.1, Vector3::y() * 0.2, Vector3::y() * 0.1].iter().enumerate() {
            jacobian.set_column(i, column);
        }
        let torques = JointVector::from([0.1, 0.4, 0.2, 0.0, 0.0, 0.0]);
        let equations = solver.equations(&jacobian, 3);
        let certainty = equations.certainty(JointVector::from_element(1e4)).unwrap();
        let force = equations.force(&torques, &certainty).unwrap();
        assert!(equations.damped() && equations.singular_value_m < 1e-8);
        assert!((force - Vector3::new(1.0, 2.0, 0.0)).norm() < 1e-3, "{force}");
        assert!((certainty.covariance[(2, 2)].sqrt() - 20.0).abs() < 1e-9, "nothing is known along the leg");
        assert!(equations.force(&(torques * f64::NAN), &certainty).is_none());
        jacobian.set_column(2, &(Vector3::z() * f64::NAN));
        assert!(solver.equations(&jacobian, 3).certainty(JointVector::from_element(1e4)).is_none());
    }
}
