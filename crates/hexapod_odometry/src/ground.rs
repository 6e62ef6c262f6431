//! The ground under the robot, guessed from its feet.

use hexapod_kinematics::{MAX_LEGS, math};
use nalgebra::{Isometry3, Matrix3, SymmetricEigen, Translation3, UnitQuaternion, Vector3};

/// One flag per leg.
pub(crate) type Flags = [bool; MAX_LEGS];

/// How many legs are flagged.
pub(crate) fn count(flags: &[bool]) -> usize {
    flags.iter().filter(|&&flag| flag).count()
}

/// The legs that both flag.
pub(crate) fn both(a: &Flags, b: &Flags) -> Flags {
    std::array::from_fn(|i| a[i] && b[i])
}

/// Without contacts, feet this near to the lowest one count as down, m.
const NEAR_LOWEST_M: f64 = 2e-3;
/// Feet nearer to one line than this (sum of squared distances, m^2) have no plane.
const LEAST_SPREAD_M2: f64 = 1e-4;
/// A foot that has moved by less since the sample before has not moved.
const STILL_M: f64 = 1e-9;
/// Passes of levelling feet on unlike balls: each leaves less than a tenth of the error before.
const PASSES: usize = 10;

/// Where feet are that stand on balls, and how high each is above the ground then, m.
#[derive(Clone, Copy)]
pub(crate) struct Feet<'a> {
    pub in_body: &'a [Vector3<f64>],
    pub above_ground: &'a [f64; MAX_LEGS],
}

impl Feet<'_> {
    /// Heights of what touches the ground, when the body has this attitude.
    fn soles(self, attitude: UnitQuaternion<f64>) -> impl Iterator<Item = f64> {
        self.in_body.iter().zip(self.above_ground).map(move |(foot, above)| (attitude * foot).z - above)
    }

    /// The feet that are lowest when the body has this attitude.
    pub(crate) fn lowest(self, attitude: &UnitQuaternion<f64>) -> Flags {
        let least = self.soles(*attitude).fold(f64::INFINITY, f64::min);
        let mut down = [false; MAX_LEGS];
        for (down, height) in down.iter_mut().zip(self.soles(*attitude)) {
            *down = height - least < NEAR_LOWEST_M;
        }
        down
    }

    /// The attitude of this yaw that levels what touches the ground. Below a body that is tilted the ground is not along
    /// the body's z, and how it is tilted shows only then: hence the passes, one of which would do for like balls.
    fn levelled(self, down: &Flags, attitude: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        let yaw = attitude.euler_angles().2;
        (0..PASSES).fold(*attitude, |attitude, _| {
            let up = attitude.inverse() * Vector3::z();
            let mut soles = [Vector3::zeros(); MAX_LEGS];
            for ((sole, foot), above) in soles.iter_mut().zip(self.in_body).zip(self.above_ground) {
                *sole = foot - *above * up;
            }
            let tilt = tilt(&soles[..self.in_body.len().min(MAX_LEGS)], down);
            tilt.map_or(attitude, |(roll, pitch)| UnitQuaternion::from_euler_angles(roll, pitch, yaw))
        })
    }
}

/// The pose at `place` (x and y) and the yaw of `attitude` that puts the feet in `down` on the ground z = 0. Fewer than
/// three of them do not tell the tilt, which then is that of `attitude`.
pub(crate) fn level(feet: Feet<'_>, down: &Flags, place: (f64, f64), attitude: &UnitQuaternion<f64>) -> Isometry3<f64> {
    let rotation = feet.levelled(down, attitude);
    let (mut sum, mut count) = (0.0, 0.0);
    let nothing_down = !down.iter().any(|&down| down);
    let lowest = feet.lowest(&rotation);
    let standing = if nothing_down { &lowest } else { down };
    for (height, _) in feet.soles(rotation).zip(standing).filter(|(_, down)| **down) {
        sum += height;
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

/// The anchor of a foot that is said to have come down at this place: on the ground, which is taken as level. One that has
/// not moved in the body, from `before` to `now`, is where it was: in the air, say, where an emergency stop ended its swing.
pub(crate) fn landed(
    place: Vector3<f64>,
    above_ground: f64,
    before: &Vector3<f64>,
    now: &Vector3<f64>,
) -> Vector3<f64> {
    if (now - before).norm() < STILL_M { place } else { Vector3::new(place.x, place.y, above_ground) }
}
