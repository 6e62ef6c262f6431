//! Transforms of joints and chains and their first and second derivatives, as 4 x 4 matrices (S4).
//!
//! A joint's transform is `M(q) = parent_from_joint Rot(axis, q)` (Rodrigues), a chain's the product of its joints'.
//! `dM/dq_i` replaces factor `i` by its derivative, `d²M/dq_i dq_j` two factors, or one by its second derivative.
//! Positions are indexed as in [`Joint::position_index`]; a mimic joint counts with its multiplier.

use nalgebra::{Matrix3, Matrix4, Unit, Vector3};

use super::{Joint, JointKind, Model};
use crate::math;

/// Rotation about a unit axis: `I + sin(q) K + (1 - cos(q)) K²`, with `K` the cross product by the axis (Rodrigues).
pub fn rotation(axis: &Unit<Vector3<f64>>, angle: f64) -> Matrix3<f64> {
    let k = axis.cross_matrix();
    let (sin, cos) = math::sin_cos(angle);
    Matrix3::identity() + k * sin + k * k * (1.0 - cos)
}

/// Derivative of [`rotation`] by the angle: `cos(q) K + sin(q) K²`.
pub fn rotation_derivative(axis: &Unit<Vector3<f64>>, angle: f64) -> Matrix3<f64> {
    let k = axis.cross_matrix();
    let (sin, cos) = math::sin_cos(angle);
    k * cos + k * k * sin
}

/// Second derivative of [`rotation`] by the angle: `-sin(q) K + cos(q) K²`.
pub fn rotation_second_derivative(axis: &Unit<Vector3<f64>>, angle: f64) -> Matrix3<f64> {
    let k = axis.cross_matrix();
    let (sin, cos) = math::sin_cos(angle);
    k * -sin + k * k * cos
}

/// Which derivative of one factor is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Value,
    First,
    Second,
}

impl Joint {
    /// Transform of the child link in the parent link's frame at `position` (rad or m).
    pub fn transform(&self, position: f64) -> Matrix4<f64> {
        self.factor(position, Order::Value)
    }

    /// Its derivative by the position; zero for a fixed joint.
    pub fn transform_derivative(&self, position: f64) -> Matrix4<f64> {
        self.factor(position, Order::First)
    }

    /// Its second derivative by the position; zero for a fixed or prismatic joint.
    pub fn transform_second_derivative(&self, position: f64) -> Matrix4<f64> {
        self.factor(position, Order::Second)
    }

    fn factor(&self, position: f64, order: Order) -> Matrix4<f64> {
        let origin = self.parent_from_joint.to_homogeneous();
        let axis = &self.axis;
        match (self.kind, order) {
            (JointKind::Fixed, Order::Value) => origin,
            (JointKind::Fixed, _) | (JointKind::Prismatic, Order::Second) => Matrix4::zeros(),
            (JointKind::Prismatic, Order::Value) => origin * Matrix4::new_translation(&(axis.into_inner() * position)),
            (JointKind::Prismatic, Order::First) => {
                let mut slide = Matrix4::zeros();
                slide.fixed_view_mut::<3, 1>(0, 3).copy_from(&axis.into_inner());
                origin * slide
            }
            (_, Order::Value) => origin * rotation(axis, position).to_homogeneous(),
            (_, Order::First) => origin * linear(&rotation_derivative(axis, position)),
            (_, Order::Second) => origin * linear(&rotation_second_derivative(axis, position)),
        }
    }
}

/// A derivative of a rotation as a 4 x 4 matrix: its last row and column are zero.
fn linear(rotation: &Matrix3<f64>) -> Matrix4<f64> {
    let mut matrix = Matrix4::zeros();
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(rotation);
    matrix
}

impl Model {
    /// Transform of a link in the base frame.
    pub fn link_transform(&self, link: usize, positions: &[f64]) -> Matrix4<f64> {
        self.product(link, positions, |_| Order::Value)
    }

    /// Derivative of [`Model::link_transform`] by position `i`; zero where the link does not depend on it.
    pub fn link_transform_derivative(&self, link: usize, positions: &[f64], i: usize) -> Matrix4<f64> {
        let mut sum = Matrix4::zeros();
        for joint in self.path_to(link) {
            let rate = self.rate(joint, i);
            if rate != 0.0 {
                sum += self.product(link, positions, |at| if at == joint { Order::First } else { Order::Value }) * rate;
            }
        }
        sum
    }

    /// Second derivative of [`Model::link_transform`] by positions `i` and `j`; symmetric in them.
    pub fn link_transform_second_derivative(&self, link: usize, positions: &[f64], i: usize, j: usize) -> Matrix4<f64> {
        let path = self.path_to(link);
        let mut sum = Matrix4::zeros();
        for &a in &path {
            for &b in &path {
                let rate = self.rate(a, i) * self.rate(b, j);
                if rate != 0.0 {
                    let order = |at| match (at == a, at == b) {
                        (true, true) => Order::Second,
                        (false, false) => Order::Value,
                        _ => Order::First,
                    };
                    sum += self.product(link, positions, order) * rate;
                }
            }
        }
        sum
    }

    /// Derivative of a joint's position by position `i`: one, a mimic's multiplier, or zero.
    fn rate(&self, joint: usize, i: usize) -> f64 {
        let Some(of) = self.joints.get(joint) else { return 0.0 };
        match of.mimic {
            Some(mimic) => {
                self.joints.get(mimic.joint).filter(|s| s.position == Some(i)).map_or(0.0, |_| mimic.multiplier)
            }
            None if of.position == Some(i) => 1.0,
            None => 0.0,
        }
    }

    /// Product of the factors from the base to a link.
    fn product(&self, link: usize, positions: &[f64], order: impl Fn(usize) -> Order) -> Matrix4<f64> {
        let mut product = Matrix4::identity();
        let mut at = link;
        while let Some((index, joint)) = self.parent_joint(at).and_then(|i| Some((i, self.joints.get(i)?))) {
            product = joint.factor(self.position_of(index, positions), order(index)) * product;
            at = joint.parent;
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_differencing_a_rotation_expect_its_derivatives() {
        let axis = Unit::new_normalize(Vector3::new(0.3, -0.5, 0.8));
        let h = 1e-5;
        for angle in [-2.0, 0.0, 0.4, 3.0] {
            let first = (rotation(&axis, angle + h) - rotation(&axis, angle - h)) / (2.0 * h);
            assert!((first - rotation_derivative(&axis, angle)).amax() < 1e-9);
            let second = (rotation_derivative(&axis, angle + h) - rotation_derivative(&axis, angle - h)) / (2.0 * h);
            assert!((second - rotation_second_derivative(&axis, angle)).amax() < 1e-9);
        }
    }
}
