//! The ground under the robot, guessed from its feet.

use hexapod_kinematics::{MAX_LEGS, math};
use nalgebra::{Isometry3, Matrix3, SymmetricEigen, Translation3, UnitQuaternion, Vector3};

/// One flag per leg.
pub(crate) type Flags = [bool; MAX_LEGS];

/// How many legs are flagged.
pub(crate) fn count(flags: &[bool]) -> usize {
    flags.iter().filter(|&&flag| flag).count()
}

/// Without contacts, feet this near to the lowest one count as down, m.
const NEAR_LOWEST_M: f64 = 2e-3;
/// Feet nearer to one line than this (sum of squared distances, m^2) have no plane.
const LEAST_SPREAD_M2: f64 = 1e-4;

/// The feet that are lowest when the body has this attitude.
pub(crate) fn lowest(feet: &[Vector3<f64>], attitude: &UnitQuaternion<f64>) -> Flags {
    let height = |foot: &Vector3<f64>| (attitude * foot).z;
    let least = feet.iter().map(height).fold(f64::INFINITY, f64::min);
    let mut down = [false; MAX_LEGS];
    for (down, foot) in down.iter_mut().zip(feet) {
        *down = height(foot) - least < NEAR_LOWEST_M;
    }
    down
}

/// The pose at `place` (x and y) and `yaw` that puts the feet in `down` on the plane z = 0. Fewer than three of them
/// do not tell the tilt, which then is that of `attitude`.
pub(crate) fn level(
    feet: &[Vector3<f64>],
    down: &Flags,
    place: (f64, f64),
    attitude: &UnitQuaternion<f64>,
) -> Isometry3<f64> {
    let (roll, pitch, yaw) = attitude.euler_angles();
    let (roll, pitch) = tilt(feet, down).unwrap_or((roll, pitch));
    let rotation = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
    let (mut sum, mut count) = (0.0, 0.0);
    let nothing_down = !down.iter().any(|&down| down);
    let lowest = lowest(feet, &rotation);
    let standing = if nothing_down { &lowest } else { down };
    for (foot, _) in feet.iter().zip(standing).filter(|(_, down)| **down) {
        sum += (rotation * foot).z;
        count += 1.0;
    }
    let height = if count > 0.0 { -sum / count } else { 0.0 };
    Isometry3::from_parts(Translation3::new(place.0, place.1, height), rotation)
}

/// Roll and pitch that level the plane of the feet.
fn tilt(feet: &[Vector3<f64>], down: &Flags) -> Option<(f64, f64)> {
    let standing = || feet.iter().zip(down).filter(|(_, down)| **down).map(|(foot, _)| foot);
    let count = standing().count();
    if count < 3 {
        return None;
    }
    let centre = standing().sum::<Vector3<f64>>() / count as f64;
    let spread = standing().fold(Matrix3::zeros(), |sum, foot| sum + (foot - centre) * (foot - centre).transpose());
    let eigen = SymmetricEigen::try_new(spread, f64::EPSILON, 64)?;
    let least = eigen.eigenvalues.imin();
    let greatest = eigen.eigenvalues.imax();
    let middle = (0..3).find(|&i| i != least && i != greatest)?;
    if eigen.eigenvalues[middle] < LEAST_SPREAD_M2 {
        return None;
    }
    let normal: Vector3<f64> = eigen.eigenvectors.column(least).into_owned();
    let up = if normal.z < 0.0 { -normal } else { normal };
    Some((math::atan2(up.y, up.z), -math::asin(up.x.clamp(-1.0, 1.0))))
}
