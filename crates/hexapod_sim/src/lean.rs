//! How far a body leans.

use hexapod_kinematics::math::atan2;
use nalgebra::{Isometry3, Vector3};

/// Angle between the z axis of a body and that of the world, rad.
#[must_use]
pub fn lean(body: &Isometry3<f64>) -> f64 {
    let up = body.rotation * Vector3::z();
    atan2(up.xy().norm(), up.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;

    #[test]
    fn when_a_body_is_turned_expect_roll_and_pitch_to_count_and_yaw_not_to() {
        for (roll, pitch, yaw, expected) in
            [(0.0, 0.0, 2.0, 0.0), (0.3, 0.0, 1.0, 0.3), (0.0, -0.7, -2.0, 0.7), (3.0, 0.0, 0.0, 3.0)]
        {
            let body = Isometry3::from_parts(
                Vector3::new(1.0, 2.0, 3.0).into(),
                UnitQuaternion::from_euler_angles(roll, pitch, yaw),
            );
            assert!((lean(&body) - expected).abs() < 1e-12, "{roll} {pitch} {yaw}: {}", lean(&body));
        }
    }
}
