//! The posture of a leg whose limits say nothing about it: bent, knee up or in.
//!
//! The middle of the joints' ranges is a good posture where the limits are those of a real leg. Where they are wide and
//! even (continuous joints, half a turn either way), the middle is the leg stretched out, from which both bends are
//! equally near. There the posture is the best of a grid: foot where a leg of this kind stands, knee up (sprawled
//! leg) or towards the middle of the body (upright leg), away from singular poses, near zero.

use nalgebra::Vector3;

use crate::angles::LegAngles;
use crate::leg::Leg;
use crate::math;

/// Least singular value of the Jacobian, in lengths of the leg, from which a posture is not singular.
const LIVELY: f64 = 0.05;
/// Range of a joint from which its middle says nothing, rad.
const WIDE: f64 = 4.0;
/// Fraction of its length at which an upright leg stands below its hip.
const UPRIGHT_DEPTH: f64 = 0.75;
/// Depth and distance from the hip at which a sprawled leg stands, in its lengths.
const SPRAWLED_DEPTH: f64 = 0.36;
const SPRAWLED_OUT: f64 = 0.62;
/// Distance from the limits that is enough, rad.
const AMPLE: f64 = 1.0;
/// How far from the middle the grid goes, rad.
const WIDEST: f64 = 1.5;

/// The posture of a leg.
pub(super) fn natural(leg: &Leg) -> LegAngles {
    let middle = leg.posture();
    let narrow = leg.joints().iter().skip(1).all(|joint| joint.limits().upper - joint.limits().lower < WIDE);
    if narrow && leg.margins(&middle).singularity_m > LIVELY * leg.length() {
        return middle;
    }
    let stand = Stand::of(leg, &middle);
    let mut best = (f64::INFINITY, middle);
    for_each_pose(leg, |pose| {
        let strain = stand.strain(leg, &pose);
        if strain < best.0 {
            best = (strain, pose);
        }
    });
    best.1
}

/// Calls back with a grid of poses about zero, the hip straight.
fn for_each_pose(leg: &Leg, mut look: impl FnMut(LegAngles)) {
    let free = leg.joint_count() - 1;
    let samples: usize = match free {
        0..=2 => 13,
        3 => 7,
        _ => 5,
    };
    let (home, straight) = (leg.home(), leg.straight_hip());
    let fraction = |k: usize| 2.0 * k as f64 / (samples - 1) as f64 - 1.0;
    for index in 0..samples.pow(u32::try_from(free).unwrap_or(0)) {
        let mut rest = index;
        let pose = LegAngles::from_fn(leg.joint_count(), |i| {
            if i == 0 {
                return straight;
            }
            let sample = rest % samples;
            rest /= samples;
            home.get(i).copied().unwrap_or(0.0) + WIDEST * fraction(sample)
        });
        look(leg.clamp(&pose));
    }
}

/// Where a leg stands and which way it bends.
struct Stand {
    foot: Vector3<f64>,
    /// Direction in which the knee is to be, and from where that is counted.
    bend: Vector3<f64>,
    from: Vector3<f64>,
    length: f64,
}

impl Stand {
    fn of(leg: &Leg, middle: &LegAngles) -> Self {
        let (hip, length) = (leg.hip_in_body(), leg.length());
        if leg.is_upright() {
            let upper = leg.joints().get(1).map_or(0.0, |j| j.origin().translation.vector.norm());
            let below = leg.below_hip();
            let depth = UPRIGHT_DEPTH * (length - upper);
            let inwards = if hip.x < -0.1 * length { 1.0 } else { -1.0 };
            let bend = Vector3::new(inwards, 0.0, 0.0);
            return Self { foot: Vector3::new(below.x, below.y, hip.z - depth), bend, from: hip, length };
        }
        let out = (leg.foot_in_body(middle) - hip).xy().try_normalize(1e-3 * length);
        let out = out.or_else(|| hip.xy().try_normalize(1e-3 * length)).unwrap_or_default();
        let foot =
            hip + Vector3::new(out.x, out.y, 0.0) * (SPRAWLED_OUT * length) - Vector3::z() * (SPRAWLED_DEPTH * length);
        Self { foot, bend: Vector3::z(), from: 0.5 * (hip + foot), length }
    }

    fn strain(&self, leg: &Leg, pose: &LegAngles) -> f64 {
        let placed = leg.placed(pose);
        let away = (placed.foot_at_zero() - self.foot).norm_squared() / math::squared(self.length);
        let knees = leg.motors(&placed).skip(2);
        let bend = knees.map(|knee| (knee.point - self.from).dot(&self.bend)).sum::<f64>() / self.length;
        let margins = leg.margins(pose);
        let lively = (margins.singularity_m / self.length).min(0.2);
        let turned = pose.distance_squared(&leg.home());
        4.0 * away - 0.5 * bend - lively - margins.limit_rad.min(AMPLE) + 0.02 * turned
    }
}
