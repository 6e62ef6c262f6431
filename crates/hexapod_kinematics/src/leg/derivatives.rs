//! Derivatives of a leg's foot: second partial derivatives, geometric Jacobian, its time derivative.
//!
//! With joints `i <= j`, `d foot / dq_j = a_j x (foot - p_j)` and `d² foot / dq_i dq_j = a_i x (d foot / dq_j)`, where
//! axes `a` and points `p` are at the present angles: all in closed form.

use nalgebra::{SMatrix, Vector3};

use super::Leg;
use crate::angles::{LegAngles, MAX_LEG_JOINTS};
use crate::chain::Matrix3xN;

/// Geometric Jacobian of a foot: rows 0..3 as [`Matrix3xN`], rows 3..6 the angular velocity of the last link per
/// joint speed; unused columns zero.
pub type Matrix6xN = SMatrix<f64, 6, MAX_LEG_JOINTS>;

impl Leg {
    /// Second derivatives of the foot in the body frame, m/rad²: entry `i` holds `d² foot / dq_i dq_j` in column `j`.
    pub fn foot_second_derivatives(&self, angles: &LegAngles) -> [Matrix3xN; MAX_LEG_JOINTS] {
        let placed = self.placed(angles);
        let jacobian = placed.placed_jacobian();
        let mut all = [Matrix3xN::zeros(); MAX_LEG_JOINTS];
        for (i, of_i) in all.iter_mut().enumerate().take(self.moving().len()) {
            for j in 0..self.moving().len() {
                let (inner, outer) = (i.min(j), i.max(j));
                if let Some(screw) = placed.screws().get(inner) {
                    let column: Vector3<f64> = jacobian.column(outer).into_owned();
                    of_i.set_column(j, &screw.axis.cross(&column));
                }
            }
        }
        let Some(coupling) = self.coupling() else { return all };
        let folded = all.map(|of_i| of_i * coupling);
        std::array::from_fn(|k| folded.iter().zip(coupling.column(k).iter()).map(|(of_i, by)| of_i * *by).sum())
    }

    /// Geometric Jacobian in the body frame: linear above angular.
    pub fn geometric_jacobian(&self, angles: &LegAngles) -> Matrix6xN {
        let placed = self.placed(angles);
        let linear = placed.placed_jacobian();
        let mut jacobian = Matrix6xN::zeros();
        jacobian.fixed_rows_mut::<3>(0).copy_from(&linear);
        for (i, screw) in placed.screws().iter().enumerate() {
            jacobian.fixed_view_mut::<3, 1>(3, i).copy_from(&screw.axis);
        }
        self.folded(jacobian)
    }

    /// Time derivative of [`Leg::geometric_jacobian`] at joint speeds in rad/s.
    pub fn geometric_jacobian_rate(&self, angles: &LegAngles, speeds: &LegAngles) -> Matrix6xN {
        let placed = self.placed(angles);
        let linear = placed.placed_jacobian();
        let speeds = self.turns(speeds);
        let foot_velocity = linear * nalgebra::SVector::from(*speeds.padded());
        let mut rate = Matrix6xN::zeros();
        // Velocity of the point of joint j and angular velocity of the link before it, summed up on the way.
        let mut spin = Vector3::zeros();
        let mut done = Vector3::zeros();
        for (j, (screw, speed)) in placed.screws().iter().zip(speeds.padded()).enumerate() {
            let axis_rate = spin.cross(&screw.axis);
            // d/dt a x (foot - p) = a' x (foot - p) + a x (foot' - p')
            let point_velocity = spin.cross(&screw.point) + done;
            let lever = placed.foot_at_zero() - screw.point;
            let column = axis_rate.cross(&lever) + screw.axis.cross(&(foot_velocity - point_velocity));
            rate.fixed_view_mut::<3, 1>(0, j).copy_from(&column);
            rate.fixed_view_mut::<3, 1>(3, j).copy_from(&axis_rate);
            spin += screw.axis * *speed;
            done -= screw.axis.cross(&screw.point) * *speed;
        }
        self.folded(rate)
    }

    /// Time derivative of [`Leg::jacobian`] at joint speeds in rad/s.
    pub fn jacobian_rate(&self, angles: &LegAngles, speeds: &LegAngles) -> Matrix3xN {
        self.geometric_jacobian_rate(angles, speeds).fixed_rows::<3>(0).into_owned()
    }

    /// Velocity of the foot in the body frame at joint speeds in rad/s, m/s.
    pub fn foot_velocity(&self, angles: &LegAngles, speeds: &LegAngles) -> Vector3<f64> {
        self.jacobian(angles) * nalgebra::SVector::from(*speeds.padded())
    }

    /// Acceleration of the foot in the body frame, m/s²: `J q'' + J' q'`.
    pub fn foot_acceleration(&self, angles: &LegAngles, speeds: &LegAngles, accelerations: &LegAngles) -> Vector3<f64> {
        self.jacobian(angles) * nalgebra::SVector::from(*accelerations.padded())
            + self.jacobian_rate(angles, speeds) * nalgebra::SVector::from(*speeds.padded())
    }
}
