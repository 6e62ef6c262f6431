//! Mass, first moment and inertia of a rigid body: the ten numbers in which its dynamics are linear.

use std::ops::Add;

use hexapod_kinematics::Inertial;
use nalgebra::{Isometry3, Matrix3, Vector3};

/// How many inertial parameters a link has.
pub const LINK_PARAMETERS: usize = 10;

/// Their names, in the order of [`Inertia::parameters`] (that of Pinocchio).
pub const PARAMETER_NAMES: [&str; LINK_PARAMETERS] = ["m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"];

/// Inertia of a rigid body about the origin of a frame, in that frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Mass, kg.
    pub mass: f64,
    /// Mass times centre of mass, kg m.
    pub first_moment: Vector3<f64>,
    /// Inertia tensor about the origin, kg m²; symmetric.
    pub tensor: Matrix3<f64>,
}

impl Inertia {
    /// Nothing at all.
    pub fn zero() -> Self {
        Self { mass: 0.0, first_moment: Vector3::zeros(), tensor: Matrix3::zeros() }
    }

    /// That of a link placed in a frame.
    pub fn of_link(inertial: &Inertial, frame_from_link: &Isometry3<f64>) -> Self {
        let frame_from_inertial = frame_from_link * inertial.link_from_inertial;
        let turn = frame_from_inertial.rotation.to_rotation_matrix().into_inner();
        let symmetric = 0.5 * (inertial.inertia + inertial.inertia.transpose());
        let centre = frame_from_inertial.translation.vector;
        let tensor = turn * symmetric * turn.transpose() + inertial.mass * spread(&centre, &centre);
        Self { mass: inertial.mass, first_moment: inertial.mass * centre, tensor }
    }

    /// The ten parameters, in the order of [`PARAMETER_NAMES`].
    pub fn parameters(&self) -> [f64; LINK_PARAMETERS] {
        let (s, i) = (&self.first_moment, &self.tensor);
        [self.mass, s.x, s.y, s.z, i.m11, i.m12, i.m22, i.m13, i.m23, i.m33]
    }

    /// From the ten parameters.
    pub fn from_parameters(parameters: &[f64; LINK_PARAMETERS]) -> Self {
        let [mass, x, y, z, xx, xy, yy, xz, yz, zz] = *parameters;
        let tensor = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        Self { mass, first_moment: Vector3::new(x, y, z), tensor }
    }

    /// The same body in a frame turned by `turn`, about the same point.
    #[inline]
    pub(crate) fn turned(&self, turn: &Matrix3<f64>) -> Self {
        let tensor = turn * self.tensor * turn.transpose();
        Self { mass: self.mass, first_moment: turn * self.first_moment, tensor }
    }

    /// The same body about a point from which the present one is at `arm`.
    #[inline]
    pub(crate) fn about(&self, arm: &Vector3<f64>) -> Self {
        let tensor = self.tensor
            + spread(&self.first_moment, arm)
            + spread(arm, &self.first_moment)
            + self.mass * spread(arm, arm);
        Self { mass: self.mass, first_moment: self.first_moment + self.mass * arm, tensor }
    }
}

impl Add for Inertia {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self {
            mass: self.mass + other.mass,
            first_moment: self.first_moment + other.first_moment,
            tensor: self.tensor + other.tensor,
        }
    }
}

/// `(a . b) 1 - a b'`: with `a = b = c`, the inertia of a unit mass at `c`.
#[inline]
fn spread(a: &Vector3<f64>, b: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::from_diagonal_element(a.dot(b)) - a * b.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_body_is_seen_from_elsewhere_expect_steiner_and_the_same_parameters_back() {
        let ball = Inertia { mass: 2.0, first_moment: Vector3::zeros(), tensor: Matrix3::from_diagonal_element(0.1) };
        let far = ball.about(&Vector3::new(0.0, 0.0, 3.0));
        assert_eq!(far.parameters(), [2.0, 0.0, 0.0, 6.0, 18.1, 0.0, 18.1, 0.0, 0.0, 0.1]);
        let back = far.about(&Vector3::new(0.0, 0.0, -3.0));
        assert!((back.tensor - ball.tensor).norm() < 1e-12 && back.first_moment == ball.first_moment);
        assert_eq!(Inertia::from_parameters(&far.parameters()), far);
    }
}
