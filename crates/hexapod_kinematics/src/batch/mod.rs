//! All legs at once: structure of arrays, one lane per leg, loops that the compiler vectorises in safe Rust.
//!
//! For legs of the parallel closed form (yaw-pitch-pitch and the like, lateral offsets included). Each leg's bend is
//! chosen once, from a pose; targets out of reach or outside the limits are brought in by clamping, which is total
//! and cheap but not the nearest point: [`Leg::closest_reachable`](crate::Leg::closest_reachable) is that.

mod bent;
mod forward;
mod inverse;
mod reach;
mod vectors;

pub use reach::Sectors;
pub use vectors::Vectors;

use std::f64::consts::PI;

use nalgebra::{Isometry3, Vector3};

use crate::angles::LegAngles;
use crate::closed_form::{Parallel, Solver};
use crate::legs::{MAX_LEGS, Robot};
use crate::math;
use crate::model::JointLimits;
use crate::poly::{ARC_TANGENT, ArcTangent, sin_cos};

/// One number per leg.
pub type Lane = [f64; MAX_LEGS];

/// Sines and cosines of one joint's angles (rad) on the first `N` legs, within 1e-13 for angles up to 1e5 rad.
#[inline(always)]
pub fn sin_cos_lanes<const N: usize>(angles: &[f64; N]) -> [[f64; N]; 2] {
    let mut found = [[0.0; N]; 2];
    for i in 0..N {
        (found[0][i], found[1][i]) = sin_cos(angles[i]);
    }
    found
}

/// Three numbers per leg: x, y, z of points (m), or the angles of joints 1, 2, 3 (rad).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes3(pub [Lane; 3]);

impl Default for Lanes3 {
    fn default() -> Self {
        Self([[0.0; MAX_LEGS]; 3])
    }
}

impl Lanes3 {
    /// Points of the first legs, m; zeros for the others.
    #[inline]
    pub fn of_points(points: impl Iterator<Item = Vector3<f64>>) -> Self {
        let mut lanes = Self::default();
        let [x, y, z] = &mut lanes.0;
        for (((x, y), z), point) in x.iter_mut().zip(y).zip(z).zip(points) {
            (*x, *y, *z) = (point.x, point.y, point.z);
        }
        lanes
    }

    /// The numbers of each leg.
    #[inline]
    pub fn legs(&self) -> impl Iterator<Item = [f64; 3]> {
        let [x, y, z] = &self.0;
        x.iter().zip(y).zip(z).map(|((x, y), z)| [*x, *y, *z])
    }

    /// The numbers of one leg; zeros past [`MAX_LEGS`].
    pub fn get(&self, leg: usize) -> [f64; 3] {
        let [x, y, z] = &self.0;
        [x, y, z].map(|lane| lane.get(leg).copied().unwrap_or(0.0))
    }

    /// Sets the numbers of one leg; without effect past [`MAX_LEGS`].
    pub fn set(&mut self, leg: usize, values: [f64; 3]) {
        for (lane, value) in self.0.iter_mut().zip(values) {
            if let Some(slot) = lane.get_mut(leg) {
                *slot = value;
            }
        }
    }

    /// Points moved by a vector.
    #[must_use]
    #[inline(always)]
    pub fn shifted(&self, by: &Vector3<f64>) -> Self {
        let [x, y, z] = &self.0;
        Self([x.map(|x| x + by.x), y.map(|y| y + by.y), z.map(|z| z + by.z)])
    }

    /// Points moved by a pose, such as `body_from_world`.
    #[inline(always)]
    pub fn transformed(&self, pose: &Isometry3<f64>) -> Self {
        let r = pose.rotation.to_rotation_matrix().into_inner();
        let t = pose.translation.vector;
        let [x, y, z] = &self.0;
        let row = |i: usize| {
            let (rx, ry, rz, t) = (r[(i, 0)], r[(i, 1)], r[(i, 2)], t[i]);
            std::array::from_fn(|k| rx * x[k] + ry * y[k] + rz * z[k] + t)
        };
        Self([row(0), row(1), row(2)])
    }
}

/// Constants of all legs, a lane each.
#[derive(Clone, Debug)]
pub struct Batch {
    legs: usize,
    vectors: Vectors,
    /// Origin of joint 1 and the frame there, turned by the middle of joint 1's range.
    hip: [Lane; 3],
    x: [Lane; 3],
    y: [Lane; 3],
    z: [Lane; 3],
    d0: Lane,
    d_z: Lane,
    /// Planar arm: `w = w0 + wx x' + wy D + wz h`, turned by the middle of joint 2's range and its angle at zero.
    w0: [Lane; 2],
    wx: [Lane; 2],
    wy: [Lane; 2],
    wz: [Lane; 2],
    /// One over the determinant of `w` by `x'` and `h`, for the way back.
    unmix: Lane,
    upper: Lane,
    lower: Lane,
    /// `1 / (2 upper lower)` and `(upper² + lower²) / (2 upper lower)`.
    inverse: Lane,
    squares: Lane,
    /// Bend of the foot at zero and the middle of joint 3's range, as a turn.
    bend_cos: Lane,
    bend_sin: Lane,
    sense: Lane,
    /// Signs of the root of joint 1 and of joint 3.
    ahead: Lane,
    knee: Lane,
    middle: [Lane; 3],
    half: [Lane; 3],
    /// Of all lanes alike, and for each joint anew: so the processor reads a number with the instruction that takes it,
    /// where the compiler would keep one of them all, for which it has no registers.
    arc_tangents: [ArcTangent<Lane>; 3],
}

impl Batch {
    /// The batch of a robot, bent as each leg is in the middle of its limits; `None` when a leg has another geometry
    /// than the parallel closed form.
    pub fn new(robot: &Robot) -> Option<Self> {
        let zero = [0.0; MAX_LEGS];
        let mut batch = Self {
            legs: robot.legs().len(),
            vectors: Vectors::of_this_processor(),
            hip: [zero; 3],
            x: [zero; 3],
            y: [zero; 3],
            z: [zero; 3],
            d0: zero,
            d_z: zero,
            w0: [zero; 2],
            wx: [zero; 2],
            wy: [zero; 2],
            wz: [zero; 2],
            unmix: zero,
            upper: [1.0; MAX_LEGS],
            lower: [1.0; MAX_LEGS],
            inverse: [0.5; MAX_LEGS],
            squares: [1.0; MAX_LEGS],
            bend_cos: [1.0; MAX_LEGS],
            bend_sin: zero,
            sense: [1.0; MAX_LEGS],
            ahead: [1.0; MAX_LEGS],
            knee: [1.0; MAX_LEGS],
            middle: [zero; 3],
            half: [[1.0; MAX_LEGS]; 3],
            arc_tangents: [ARC_TANGENT.map(|number| [number; MAX_LEGS]); 3],
        };
        for (i, leg) in robot.legs().iter().enumerate() {
            let Solver::Parallel(parallel) = &leg.solver else { return None };
            let limits: [_; 3] = std::array::from_fn(|k| leg.joints().get(k).map(|j| *j.limits()));
            for (k, (limits, near)) in limits.iter().flatten().zip(leg.posture().iter()).enumerate() {
                let (middle, half) = one_turn(limits, *near);
                put(&mut batch.middle[k], i, middle);
                put(&mut batch.half[k], i, half);
            }
            batch.put_leg(i, parallel);
            batch.bend_as(robot, i, &leg.posture());
        }
        Some(batch)
    }

    /// Number of legs; the lanes past it hold nothing of use.
    pub fn leg_count(&self) -> usize {
        self.legs
    }

    /// Chooses the bend of one leg: the solution on the same side as this pose.
    pub fn bend_as(&mut self, robot: &Robot, leg: usize, pose: &LegAngles) {
        let Some(of) = robot.legs().get(leg) else { return };
        let Solver::Parallel(parallel) = &of.solver else { return };
        let (ahead, knee) = parallel.branch(&of.foot_in_body(pose), pose);
        put(&mut self.ahead, leg, ahead);
        put(&mut self.knee, leg, knee);
    }

    fn put_leg(&mut self, i: usize, leg: &Parallel) {
        let middle = [0, 1, 2].map(|k: usize| self.middle.get(k).and_then(|m| m.get(i)).copied().unwrap_or(0.0));
        let [yaw, pitch, knee] = middle;
        // Joint 1: a frame turned by the middle of the range, so that the angle found is from there.
        let (sin, cos) = math::sin_cos(yaw);
        put3(&mut self.hip, i, &leg.hip);
        put3(&mut self.x, i, &(leg.x * cos + leg.y * sin));
        put3(&mut self.y, i, &(leg.y * cos - leg.x * sin));
        put3(&mut self.z, i, &leg.z);
        put(&mut self.d0, i, leg.d0);
        put(&mut self.d_z, i, leg.d_z);
        // Joint 2: the same in the plane of the arm.
        let (sin, cos) = math::sin_cos(pitch + leg.upper_angle);
        for (to, from) in
            [(&mut self.w0, leg.w0), (&mut self.wx, leg.wx), (&mut self.wy, leg.wy), (&mut self.wz, leg.wz)]
        {
            let [a, b] = from;
            put(&mut to[0], i, a * cos + b * sin);
            put(&mut to[1], i, b * cos - a * sin);
        }
        let ([ax, bx], [ay, by], [az, bz]) = (leg.wx, leg.wy, leg.wz);
        put(&mut self.unmix, i, 1.0 / (ax * (bz - by * leg.d_z) - bx * (az - ay * leg.d_z)));
        put(&mut self.upper, i, leg.upper);
        put(&mut self.lower, i, leg.lower);
        put(&mut self.inverse, i, 0.5 / (leg.upper * leg.lower));
        put(&mut self.squares, i, 0.5 * (leg.upper / leg.lower + leg.lower / leg.upper));
        let (sin, cos) = math::sin_cos(leg.bend + leg.sense * knee);
        put(&mut self.bend_cos, i, cos);
        put(&mut self.bend_sin, i, sin);
        put(&mut self.sense, i, leg.sense);
    }
}

/// Middle and half of a joint's range; of one of more than a turn, those of the turn about `near` that is inside.
fn one_turn(limits: &JointLimits, near: f64) -> (f64, f64) {
    let half = 0.5 * (limits.upper - limits.lower);
    if half > PI { (near.max(limits.lower + PI).min(limits.upper - PI), PI) } else { (limits.middle(), half) }
}

fn put(lane: &mut Lane, leg: usize, value: f64) {
    if let Some(slot) = lane.get_mut(leg) {
        *slot = value;
    }
}

fn put3(lanes: &mut [Lane; 3], leg: usize, value: &Vector3<f64>) {
    lanes.iter_mut().zip(value.iter()).for_each(|(lane, v)| put(lane, leg, *v));
}

#[cfg(test)]
mod tests {
    use super::*;

    const URDF: &str = include_str!("../../../../urdf/hexapod.urdf");

    /// Feet all over, within reach and out of it, and some that are nowhere.
    fn feet(seed: u64) -> Lanes3 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut feet = Lanes3([(); 3].map(|()| [(); MAX_LEGS].map(|()| 0.6 * next())));
        if seed.is_multiple_of(7) {
            feet.0[1][(seed % 6) as usize] = f64::NAN;
        }
        feet
    }

    #[test]
    fn when_solved_in_wider_vectors_than_the_builds_expect_the_same_bits() {
        let robot = Robot::from_urdf(URDF).unwrap();
        let wide = Batch::new(&robot).unwrap();
        let narrow = Batch { vectors: Vectors::of_the_build(), ..wide.clone() };
        let ranges = wide.sectors(&Lanes3([[-0.5; MAX_LEGS]; 3]), &Lanes3([[0.7; MAX_LEGS]; 3]));
        let bits = |lanes: Lanes3| lanes.0.map(|lane| [0, 1, 2, 3, 4, 5].map(|leg| lane[leg].to_bits()));
        for seed in 0..20_000 {
            let feet = feet(seed);
            let of = |batch: &Batch| {
                let mut out = [Lanes3::default(); 4];
                let pose = Isometry3::new(Vector3::new(0.01, 0.02, feet.0[0][0]), Vector3::new(0.1, -0.2, 0.3));
                let reached = [
                    batch.inverse(&feet, &mut out[0]),
                    batch.inverse_in_frame(&pose, &feet, &mut out[1]),
                    batch.inverse_within(&pose, &feet, &ranges, &mut out[2]),
                ];
                let angles = out[0];
                batch.forward(&angles, &mut out[3]);
                let reaches = Lanes3([batch.reaches(&feet, &pose.translation.vector, &ranges); 3]);
                let from = Lanes3([batch.reaches_from(&pose, &feet, &ranges); 3]);
                (out.map(bits), bits(Lanes3(reached)), bits(reaches), bits(from))
            };
            assert_eq!(of(&wide), of(&narrow), "{seed}");
        }
    }
}
