//! The rigid motion that carries points of the body onto points of the ground.

use crate::ground::{Flags, count};
use hexapod_kinematics::{MAX_LEGS, math};
use nalgebra::{Isometry3, Matrix3, Matrix4, Quaternion, SymmetricEigen, Translation3, UnitQuaternion, Vector3};
use std::cmp::Ordering;

/// A foot: where it is in the body and where it stands on the ground.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pair {
    pub body: Vector3<f64>,
    pub ground: Vector3<f64>,
    /// How much it counts, above 0.
    pub weight: f64,
}

impl Pair {
    /// How far the foot is from its place when the body is there, m.
    fn residual(&self, pose: &Isometry3<f64>) -> f64 {
        (pose.transform_point(&self.body.into()).coords - self.ground).norm()
    }
}

/// Feet nearer to one line than this (sum of squared distances, m^2) say nothing about the turn about it.
const LEAST_SPREAD_M2: f64 = 1e-4;
const MAX_ITERATIONS: usize = 64;

/// The least-squares rotation and translation of three or more feet (Horn 1987, "Closed-form solution of absolute
/// orientation using unit quaternions"); `None` when they are fewer or on one line.
pub(crate) fn rigid(pairs: &[Pair]) -> Option<Isometry3<f64>> {
    if pairs.len() < 3 {
        return None;
    }
    let centre = centre(pairs)?;
    let correlation = pairs.iter().fold(Matrix3::zeros(), |sum, pair| {
        sum + (pair.body - centre.body) * (pair.ground - centre.ground).transpose() * pair.weight
    });
    let eigen = SymmetricEigen::try_new(horn(&correlation), f64::EPSILON, MAX_ITERATIONS)?;
    let (best, greatest) = eigen.eigenvalues.argmax();
    let others = eigen.eigenvalues.iter().enumerate().filter(|(i, _)| *i != best);
    let next = others.fold(f64::NEG_INFINITY, |next, (_, &value)| next.max(value));
    // The gap is twice the second singular value of the correlation.
    if greatest - next < 2.0 * LEAST_SPREAD_M2 * mean_weight(pairs, &centre) {
        return None;
    }
    let q = eigen.eigenvectors.column(best);
    Some(through(&centre, UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]))))
}

/// The motion of one or more feet with the tilt of `tilt`: position, and yaw where the feet are apart.
pub(crate) fn planar(pairs: &[Pair], tilt: &UnitQuaternion<f64>) -> Option<Isometry3<f64>> {
    let centre = centre(pairs)?;
    let (mut cross, mut dot) = (0.0, 0.0);
    for pair in pairs {
        let from = tilt * (pair.body - centre.body);
        let to = pair.ground - centre.ground;
        cross += pair.weight * (from.x * to.y - from.y * to.x);
        dot += pair.weight * (from.x * to.x + from.y * to.y);
    }
    let tells = math::hypot(dot, cross) > LEAST_SPREAD_M2 * mean_weight(pairs, &centre);
    let yaw = if tells { math::atan2(cross, dot) } else { 0.0 };
    Some(through(&centre, UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw) * tilt))
}

/// The greatest distance between a foot and its place, m.
pub(crate) fn worst_residual(pairs: &[Pair], pose: &Isometry3<f64>) -> f64 {
    pairs.iter().map(|pair| pair.residual(pose)).fold(0.0, f64::max)
}

/// By how little the three feet that have kept their distances best miss one motion, m: noise, where three feet at least are
/// firm. `None` with fewer than three.
pub(crate) fn least_misfit(pairs: &[Pair]) -> Option<f64> {
    let mut least: Option<f64> = None;
    for_each_three(pairs.len().min(MAX_LEGS), |three| {
        let three = three.map(|i| pairs[i]);
        let misfit = rigid(&three).map(|pose| worst_residual(&three, &pose));
        least = least.into_iter().chain(misfit).reduce(f64::min);
    });
    least
}

/// The feet that have kept their distances: the most of them that one motion carries to their places, within
/// `tolerance` (m). `None` when fewer than three have, or as many others by another motion.
pub(crate) fn firm(pairs: &[Pair], tolerance: f64) -> Option<Flags> {
    let mut most: Option<Flags> = None;
    let mut tied = false;
    for_each_three(pairs.len().min(MAX_LEGS), |three| {
        let three = three.map(|i| pairs[i]);
        let pose = rigid(&three).filter(|pose| worst_residual(&three, pose) <= tolerance);
        let Some(pose) = pose else { return };
        let mut carried = [false; MAX_LEGS];
        carried.iter_mut().zip(pairs).for_each(|(carried, pair)| *carried = pair.residual(&pose) <= tolerance);
        match most.map_or(0, |most| count(&most)).cmp(&count(&carried)) {
            Ordering::Less => (most, tied) = (Some(carried), false),
            Ordering::Equal => tied |= most != Some(carried),
            Ordering::Greater => {}
        }
    });
    most.filter(|_| !tied)
}

/// The same of places that are noisy: all feet without those that miss the motion of the others by more than `tolerance` (m).
/// `None` when that leaves no more than half of them.
pub(crate) fn steady(pairs: &[Pair], tolerance: f64) -> Option<Flags> {
    let mut steady: Flags = std::array::from_fn(|foot| foot < pairs.len());
    loop {
        let (mut kept, mut used) = ([Pair::default(); MAX_LEGS], 0);
        for (pair, _) in pairs.iter().zip(steady).filter(|(_, steady)| *steady) {
            kept[used] = *pair;
            used += 1;
        }
        if used < 3 || 2 * used <= pairs.len() {
            return None;
        }
        let pose = rigid(&kept[..used])?;
        let misses = pairs.iter().map(|pair| pair.residual(&pose)).enumerate().filter(|(foot, _)| steady[*foot]);
        let (worst, miss) = misses.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        if miss <= tolerance {
            return Some(steady);
        }
        steady[worst] = false;
    }
}

fn for_each_three(count: usize, mut see: impl FnMut([usize; 3])) {
    for i in 0..count {
        for j in i + 1..count {
            for k in j + 1..count {
                see([i, j, k]);
            }
        }
    }
}

fn through(centre: &Pair, rotation: UnitQuaternion<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from(centre.ground - rotation * centre.body), rotation)
}

fn centre(pairs: &[Pair]) -> Option<Pair> {
    let sum = pairs.iter().fold(Pair::default(), |sum, pair| Pair {
        body: sum.body + pair.body * pair.weight,
        ground: sum.ground + pair.ground * pair.weight,
        weight: sum.weight + pair.weight,
    });
    (sum.weight > 0.0).then(|| Pair {
        body: sum.body / sum.weight,
        ground: sum.ground / sum.weight,
        weight: sum.weight,
    })
}

/// What a foot counts on the mean: sums are weighted, and what they are compared with is not.
fn mean_weight(pairs: &[Pair], centre: &Pair) -> f64 {
    centre.weight / pairs.len() as f64
}

/// The matrix whose greatest eigenvalue belongs to the rotation's quaternion (w, x, y, z).
fn horn(s: &Matrix3<f64>) -> Matrix4<f64> {
    let (xx, xy, xz) = (s[(0, 0)], s[(0, 1)], s[(0, 2)]);
    let (yx, yy, yz) = (s[(1, 0)], s[(1, 1)], s[(1, 2)]);
    let (zx, zy, zz) = (s[(2, 0)], s[(2, 1)], s[(2, 2)]);
    #[rustfmt::skip]
    let matrix = Matrix4::new(
        xx + yy + zz, yz - zy,      zx - xz,       xy - yx,
        yz - zy,      xx - yy - zz, xy + yx,       zx + xz,
        zx - xz,      xy + yx,      -xx + yy - zz, yz + zy,
        xy - yx,      zx + xz,      yz + zy,       -xx - yy + zz,
    );
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
        prop::array::uniform3(-size..size).prop_map(Vector3::from)
    }

    fn moved(points: &[Vector3<f64>], pose: &Isometry3<f64>) -> Vec<Pair> {
        points
            .iter()
            .map(|&body| Pair { body, ground: pose.transform_point(&body.into()).coords, weight: 1.0 })
            .collect()
    }

    proptest! {
        #[test]
        fn when_feet_move_rigidly_expect_the_motion_back(
            turn in vector(1.7), shift in vector(100.0), rough in prop::array::uniform6(-0.03..0.03f64), flat: bool, count in 3usize..=6,
        ) {
            let around = |i: usize| {
                let angle = i as f64 * std::f64::consts::TAU / count as f64;
                Vector3::new(0.2 * angle.cos(), 0.15 * angle.sin(), if flat { -0.09 } else { -0.09 + rough[i] })
            };
            let points: Vec<_> = (0..count).map(around).collect();
            let pose = Isometry3::new(shift, turn);
            let found = rigid(&moved(&points, &pose)).unwrap();
            prop_assert!((found.translation.vector - shift).norm() < 1e-11);
            prop_assert!(found.rotation.angle_to(&pose.rotation) < 1e-12);
        }

        #[test]
        fn when_two_feet_are_left_expect_yaw_and_place_at_the_same_tilt(
            yaw in -3.1..3.1f64, shift in vector(5.0), roll in -0.3..0.3f64, pitch in -0.3..0.3f64,
        ) {
            let tilt = UnitQuaternion::from_euler_angles(roll, pitch, 0.0);
            let pose = Isometry3::from_parts(shift.into(), UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw) * tilt);
            let pairs = moved(&[Vector3::new(0.2, 0.1, -0.1), Vector3::new(-0.1, -0.2, -0.1)], &pose);
            prop_assert!(rigid(&pairs).is_none());
            let found = planar(&pairs, &tilt).unwrap();
            prop_assert!(worst_residual(&pairs, &found) < 1e-12);
        }
    }

    proptest! {
        #[test]
        fn when_no_foot_is_certain_expect_the_same_motion(
            yaw in -3.1..3.1f64, shift in vector(5.0), weights in prop::array::uniform6(0.01..0.02f64), all: bool,
        ) {
            let pose = Isometry3::new(shift, Vector3::new(0.0, 0.0, yaw));
            let mut pairs = moved(&six()[..if all { 6 } else { 2 }], &pose);
            pairs.iter_mut().zip(weights).for_each(|(pair, weight)| pair.weight = weight);
            let found = if all { rigid(&pairs).unwrap() } else { planar(&pairs, &UnitQuaternion::identity()).unwrap() };
            prop_assert!(worst_residual(&pairs, &found) < 1e-10, "{}", worst_residual(&pairs, &found));
        }
    }

    fn six() -> Vec<Vector3<f64>> {
        [(0.2, 0.15), (0.0, 0.2), (-0.2, 0.15), (0.2, -0.15), (0.0, -0.2), (-0.2, -0.15)]
            .map(|(x, y)| Vector3::new(x, y, -0.09))
            .to_vec()
    }

    proptest! {
        #[test]
        fn when_up_to_three_of_six_feet_slide_expect_the_others_to_be_firm(
            turn in vector(0.5), shift in vector(1.0), slides in prop::array::uniform3(vector(0.05)), first in 0usize..6,
        ) {
            let mut pairs = moved(&six(), &Isometry3::new(shift, turn));
            let apart = |i: usize, j: usize| (slides[i] - slides[j]).norm() > 1e-3;
            prop_assume!(apart(0, 1) && apart(1, 2) && apart(0, 2) && slides.iter().all(|slide| slide.norm() > 1e-3));
            for (i, slide) in slides.iter().enumerate() {
                pairs[(first + i) % 6].body += slide;
                let firm = firm(&pairs, 1e-9).unwrap();
                let expected: Flags = std::array::from_fn(|foot| foot < 6 && (foot + 6 - first) % 6 > i);
                prop_assert_eq!(firm, expected);
            }
        }
    }

    #[test]
    fn when_two_threes_move_apart_or_all_feet_do_expect_no_word_of_who_is_firm() {
        let mut pairs = moved(&six(), &Isometry3::identity());
        pairs.iter_mut().step_by(2).for_each(|pair| pair.body.z += 0.01);
        assert_eq!(firm(&pairs, 1e-6), None);
        let mut pairs = moved(&six(), &Isometry3::identity());
        pairs.iter_mut().for_each(|pair| pair.body *= 1.1);
        assert_eq!(firm(&pairs, 1e-6), None);
        assert_eq!(firm(&pairs[..2], 1e-6), None);
    }

    #[test]
    fn when_feet_are_on_one_line_or_in_one_point_expect_no_rigid_fit() {
        let line: Vec<_> = (0..4).map(|i| Vector3::new(0.1 * f64::from(i), 0.05 * f64::from(i), -0.1)).collect();
        assert!(rigid(&moved(&line, &Isometry3::identity())).is_none());
        let point = vec![Vector3::new(0.1, 0.2, -0.1); 5];
        let pairs = moved(&point, &Isometry3::translation(1.0, 2.0, 3.0));
        assert!(rigid(&pairs).is_none());
        let found = planar(&pairs, &UnitQuaternion::identity()).unwrap();
        assert!((found.translation.vector - Vector3::new(1.0, 2.0, 3.0)).norm() < 1e-12);
        assert!(planar(&[], &UnitQuaternion::identity()).is_none());
    }
}
