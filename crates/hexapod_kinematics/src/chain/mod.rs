//! The chain as screws of the body frame at angle zero: forward kinematics, axes and Jacobian without allocation.
//!
//! With all angles zero, joint `i` turns about the line through `point_i` along `axis_i` and the foot is at `foot`,
//! all in the body frame. The foot at angles `q` is then the product of exponentials
//! `foot(q) = E_1(q_1) E_2(q_2) .. E_n(q_n) foot` with `E_i(x) = point_i + Rot(axis_i, q_i) (x - point_i)`
//! (Brockett 1984; Lynch & Park, Modern Robotics, ch. 4). Any origin, rpy and axis of the description is inside
//! `point_i` and `axis_i`.

mod joint;

use nalgebra::{Isometry3, Matrix3, SMatrix, Vector3};

use crate::angles::MAX_LEG_JOINTS;
use crate::math;

pub use joint::LegJoint;

/// Jacobian of a foot: 3 rows (x, y, z of the body frame, m/rad), one column per joint, unused columns zero.
pub type Matrix3xN = SMatrix<f64, 3, MAX_LEG_JOINTS>;

/// Joints up to which turning all that is beyond each joint is least work.
const FEW: usize = 3;

/// A line in space that something turns about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Screw {
    /// Unit direction.
    pub(crate) axis: Vector3<f64>,
    /// A point on it: the joint's origin.
    pub(crate) point: Vector3<f64>,
}

/// The screws of a leg, hip first, and its foot at angle zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Chain {
    screws: [Screw; MAX_LEG_JOINTS],
    len: usize,
    foot: Vector3<f64>,
}

impl Chain {
    pub(crate) fn new(joints: &[LegJoint], tip: &Isometry3<f64>) -> Self {
        let none = Screw { axis: Vector3::z(), point: Vector3::zeros() };
        let mut chain = Self { screws: [none; MAX_LEG_JOINTS], len: joints.len(), foot: Vector3::zeros() };
        let mut pose = Isometry3::identity();
        for (screw, joint) in chain.screws.iter_mut().zip(joints) {
            pose *= joint.origin;
            *screw = Screw { axis: pose * joint.axis.into_inner(), point: pose.translation.vector };
        }
        chain.foot = (pose * tip).translation.vector;
        chain
    }

    /// Screws of the joints, hip first.
    pub(crate) fn screws(&self) -> &[Screw] {
        self.screws.get(..self.len).unwrap_or(&[])
    }

    /// The same with the last axis along the one before it, where the sine of the angle between them is no more than this.
    pub(crate) fn straightened(&self, most: f64) -> Option<Self> {
        let [.., before, last] = self.screws() else { return None };
        let (axis, meant) = (before.axis, last.axis.dot(&before.axis).signum());
        if axis.cross(&last.axis).norm() > most {
            return None;
        }
        let mut straight = *self;
        straight.screws.get_mut(self.len - 1)?.axis = axis * meant;
        Some(straight)
    }

    /// Foot at angle zero.
    pub(crate) fn foot_at_zero(&self) -> Vector3<f64> {
        self.foot
    }

    /// Foot at the given angles.
    pub(crate) fn foot(&self, angles: &[f64; MAX_LEG_JOINTS]) -> Vector3<f64> {
        let placed = self.screws().iter().zip(angles).rev();
        placed.fold(self.foot, |at, (screw, angle)| screw.point + turn(&screw.axis, *angle, &(at - screw.point)))
    }

    /// Axes and points of the joints at the given angles in the body frame, and the foot.
    pub(crate) fn placed(&self, angles: &[f64; MAX_LEG_JOINTS]) -> Chain {
        if self.len > FEW {
            return self.placed_outwards(angles);
        }
        let mut placed = *self;
        for (i, (screw, angle)) in self.screws().iter().zip(angles).enumerate().rev() {
            let (sin, cos) = math::sin_cos(*angle);
            for later in placed.screws.iter_mut().take(self.len).skip(i + 1) {
                later.axis = turn_by(&screw.axis, sin, cos, &later.axis);
                later.point = screw.point + turn_by(&screw.axis, sin, cos, &(later.point - screw.point));
            }
            placed.foot = screw.point + turn_by(&screw.axis, sin, cos, &(placed.foot - screw.point));
        }
        placed
    }

    /// The same joint by joint from the hip outwards, with the pose of what each carries: less work for a longer chain.
    fn placed_outwards(&self, angles: &[f64; MAX_LEG_JOINTS]) -> Chain {
        let mut placed = *self;
        let (mut rotation, mut shift) = (Matrix3::identity(), Vector3::zeros());
        for (screw, angle) in placed.screws.iter_mut().take(self.len).zip(angles) {
            let at_zero = *screw;
            *screw = Screw { axis: rotation * at_zero.axis, point: rotation * at_zero.point + shift };
            let (sin, cos) = math::sin_cos(*angle);
            rotation *= matrix(&at_zero.axis, sin, cos);
            shift = screw.point - rotation * at_zero.point;
        }
        placed.foot = rotation * self.foot + shift;
        placed
    }

    /// Jacobian of the foot for a chain already [placed](Self::placed).
    pub(crate) fn placed_jacobian(&self) -> Matrix3xN {
        let mut jacobian = Matrix3xN::zeros();
        for (mut column, screw) in jacobian.column_iter_mut().zip(self.screws()) {
            column.copy_from(&screw.axis.cross(&(self.foot - screw.point)));
        }
        jacobian
    }
}

/// The turn about a unit axis by an angle given by its sine and cosine, as a matrix.
fn matrix(axis: &Vector3<f64>, sin: f64, cos: f64) -> Matrix3<f64> {
    let (x, y, z) = (axis.x, axis.y, axis.z);
    let [fx, fy, fz] = [x, y, z].map(|part| part * (1.0 - cos));
    let (sx, sy, sz) = (x * sin, y * sin, z * sin);
    Matrix3::new(
        x * fx + cos,
        x * fy - sz,
        x * fz + sy,
        y * fx + sz,
        y * fy + cos,
        y * fz - sx,
        z * fx - sy,
        z * fy + sx,
        z * fz + cos,
    )
}

/// `v` turned about a unit axis (Rodrigues).
pub(crate) fn turn(axis: &Vector3<f64>, angle: f64, v: &Vector3<f64>) -> Vector3<f64> {
    let (sin, cos) = math::sin_cos(angle);
    turn_by(axis, sin, cos, v)
}

/// `v` turned about a unit axis by an angle given by its sine and cosine.
pub(crate) fn turn_by(axis: &Vector3<f64>, sin: f64, cos: f64, v: &Vector3<f64>) -> Vector3<f64> {
    v * cos + axis.cross(v) * sin + axis * (axis.dot(v) * (1.0 - cos))
}
