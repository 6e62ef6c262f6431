//! How far a pose is from its limits and from singularity.

use nalgebra::{Matrix3, SVector, Vector3};

use crate::angles::LegAngles;
use crate::leg::Leg;

/// Margins of one pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseMargins {
    /// Distance of the nearest joint from its limit, rad; negative outside.
    pub limit_rad: f64,
    /// That joint, 0 at the hip.
    pub joint: usize,
    /// Least singular value of the Jacobian, m/rad: foot speed per joint speed in the worst direction. Zero in a
    /// singular pose.
    pub singularity_m: f64,
    /// The direction of the body frame in which that is.
    pub weakest_direction: Vector3<f64>,
    /// Product of the singular values (Yoshikawa's manipulability), m³/rad³.
    pub manipulability: f64,
}

impl Leg {
    /// Margins of a pose.
    pub fn margins(&self, angles: &LegAngles) -> PoseMargins {
        let margins = self.joints().iter().zip(angles.iter()).map(|(j, a)| j.limits().margin(*a)).enumerate();
        let nearest = margins.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, f64::INFINITY));
        let jacobian = self.jacobian(angles);
        let square: Matrix3<f64> = jacobian * jacobian.transpose();
        let eigen = square.symmetric_eigen();
        let least = eigen.eigenvalues.imin();
        PoseMargins {
            limit_rad: nearest.1,
            joint: nearest.0,
            singularity_m: eigen.eigenvalues.min().max(0.0).sqrt(),
            weakest_direction: eigen.eigenvectors.column(least).into_owned(),
            manipulability: eigen.eigenvalues.product().max(0.0).sqrt(),
        }
    }

    /// Greatest speed of the foot along a unit direction of the body frame, m/s, at which no joint exceeds its
    /// velocity limit; zero where the pose is singular in that direction. For a redundant leg the joint speeds are
    /// those of least norm, so that it may be able to do more.
    pub fn greatest_foot_speed(&self, angles: &LegAngles, direction: &Vector3<f64>) -> f64 {
        let jacobian = self.jacobian(angles);
        let square: Matrix3<f64> = jacobian * jacobian.transpose();
        let Some(inverse) = square.try_inverse() else { return 0.0 };
        let speeds: SVector<f64, 6> = jacobian.transpose() * (inverse * direction);
        let along = jacobian * speeds;
        if !speeds.iter().all(|s| s.is_finite()) || (along - direction).norm() > 1e-6 {
            return 0.0;
        }
        let allowed = self.joints().iter().zip(speeds.iter());
        allowed.map(|(joint, speed)| joint.limits().velocity / speed.abs()).fold(f64::INFINITY, f64::min)
    }
}
