//! Where the feet rest and how far they may go: worked out once from the robot's legs.
//!
//! The *footprint frame* lies on the ground below the body's centre, x forward; the body stands in it at a height.

use crate::gait::LegPlace;
use crate::usable::Usable;
use hexapod_kinematics::{Leg, LegAngles, MAX_LEGS, Robot};
use nalgebra::{Vector2, Vector3};

/// Resting feet and the circle about each in which the foot may be put, at one body height.
#[derive(Clone, Copy, Debug)]
pub struct Stance {
    count: usize,
    rest: [Vector2<f64>; MAX_LEGS],
    reach: f64,
    usable: [Usable; MAX_LEGS],
}

/// Why a robot cannot stand as asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StanceError {
    /// The legs cannot carry the body at this height.
    #[error("leg {leg} cannot stand with the body {height} m above the ground; give a height its joints allow")]
    Height {
        /// Name of the leg.
        leg: String,
        /// Height of the body asked for, m.
        height: f64,
    },
    /// A leg is to be switched off that the robot does not have.
    #[error("no leg is called {0:?}")]
    NoLeg(String),
    /// Too few legs are left to walk on.
    #[error("{0} legs are left; a robot walks on at least 4")]
    LegsLeft(usize),
    /// There are too few or too many legs to walk with.
    #[error("a walking robot has 3 to {MAX_LEGS} legs, this one has {0}")]
    LegCount(usize),
}

/// Heights and bounds a stance is worked out for, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StanceSpec {
    /// Body above the ground when walking.
    pub height: f64,
    /// Body above the ground when sitting.
    pub sit_height: f64,
    /// Greatest lift of a swinging foot.
    pub step_height: f64,
    /// Greatest length of a step.
    pub max_stride: f64,
}

const PLACE_STEP_M: f64 = 0.01;
const PLACES: usize = 100;
const ROOM_STEP_M: f64 = 0.003;
const MAX_ROOM_M: f64 = 0.3;
const DIRECTIONS: usize = 12;
/// The part of a foot's circle over which it may be at its full lift.
const LIFTED_PART: f64 = 0.6;
/// The part over which it may be at a third of it.
const RISING_PART: f64 = 0.9;

impl Stance {
    /// Chooses for each leg the resting place, straight out from its hip, about which the foot has most room.
    ///
    /// # Errors
    /// The robot has too few legs, or a leg cannot stand at `spec.height`.
    pub fn new(robot: &Robot, spec: StanceSpec) -> Result<Self, StanceError> {
        let legs = robot.legs();
        if !(3..=MAX_LEGS).contains(&legs.len()) {
            return Err(StanceError::LegCount(legs.len()));
        }
        let usable = std::array::from_fn(|leg| Usable::of(&legs[leg.min(legs.len() - 1)]));
        let mut stance = Self { count: legs.len(), rest: [Vector2::zeros(); MAX_LEGS], reach: f64::INFINITY, usable };
        for ((rest, leg), usable) in stance.rest.iter_mut().zip(legs).zip(&usable) {
            let (place, reach) = roomiest_place(leg, usable, spec)
                .ok_or_else(|| StanceError::Height { leg: leg.name().into(), height: spec.height })?;
            *rest = place;
            stance.reach = stance.reach.min(reach);
        }
        // Neighbours step towards each other: each may use a little less than half of what is between them.
        stance.reach = stance.reach.min(0.45 * stance.least_gap()).min(0.5 * spec.max_stride / STRIDE_PART);
        Ok(stance)
    }

    /// Resting feet in the footprint frame, m, in the order of the robot's legs.
    #[must_use]
    pub fn rest(&self) -> &[Vector2<f64>] {
        &self.rest[..self.count]
    }

    /// Radius of the circle about its resting place in which every foot may be put, m.
    #[must_use]
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The longest step, m: part of the circle is kept for changes of course.
    #[must_use]
    pub fn stride(&self) -> f64 {
        2.0 * self.reach * STRIDE_PART
    }

    /// The angles with which walking leg `index` reaches a foot in the body frame, nearest to `seed`.
    #[inline]
    pub(crate) fn inverse(
        &self,
        index: usize,
        leg: &Leg,
        foot_in_body: &Vector3<f64>,
        seed: &LegAngles,
    ) -> Option<LegAngles> {
        self.usable[index].inverse(leg, foot_in_body, seed)
    }

    /// Whether walking uses these angles of leg `index`.
    #[inline]
    pub(crate) fn uses(&self, index: usize, angles: &LegAngles) -> bool {
        self.usable[index].contains(angles)
    }

    fn least_gap(&self) -> f64 {
        let rest = self.rest();
        let gaps = rest.iter().enumerate().flat_map(|(i, a)| rest[i + 1..].iter().map(move |b| (a - b).norm()));
        gaps.fold(f64::INFINITY, f64::min)
    }
}

/// The part of the reach that a step at constant twist uses.
const STRIDE_PART: f64 = 0.8;

/// The robot's legs by side and rank, front to rear, for the rule of a gait.
#[must_use]
pub fn leg_places(robot: &Robot) -> Vec<LegPlace> {
    let hips: Vec<Vector3<f64>> = robot.legs().iter().map(Leg::hip_in_body).collect();
    let is_left = |i: usize| hips[i].y > 0.0;
    let rank = |i: usize| (0..hips.len()).filter(|&j| is_left(j) == is_left(i) && hips[j].x > hips[i].x).count();
    robot
        .legs()
        .iter()
        .enumerate()
        .map(|(i, leg)| LegPlace { name: leg.name().into(), left: is_left(i), rank: rank(i) })
        .collect()
}

/// The middle of every joint's range: a posture from which any reachable foot is found.
#[must_use]
pub fn middle_angles(leg: &Leg) -> LegAngles {
    let mut angles = LegAngles::zeros(leg.joint_count());
    for (angle, joint) in angles.iter_mut().zip(leg.joints()) {
        *angle = (joint.limits().lower + joint.limits().upper) / 2.0;
    }
    angles
}

/// The place nearest to the hip that has nearly the most room: feet close in load the servos less.
fn roomiest_place(leg: &Leg, usable: &Usable, spec: StanceSpec) -> Option<(Vector2<f64>, f64)> {
    let hip = leg.hip_in_body();
    let outward = (leg.foot_in_body(&middle_angles(leg)) - hip).xy().try_normalize(1e-6)?;
    let enough = 0.5 * spec.max_stride / STRIDE_PART;
    let place = |step: usize| hip.xy() + outward * (step as f64 * PLACE_STEP_M);
    let rooms: Vec<f64> = (0..PLACES).map(|step| room_about(leg, usable, place(step), spec).unwrap_or(-1.0)).collect();
    let most = rooms.iter().copied().fold(-1.0, f64::max);
    let chosen = rooms.iter().position(|&room| room >= 0.0 && room >= (0.95 * most).min(enough))?;
    Some((place(chosen), rooms[chosen]))
}

/// How far from `place` a foot may go in every direction, on the ground and lifted; `None` if it cannot even rest.
fn room_about(leg: &Leg, usable: &Usable, place: Vector2<f64>, spec: StanceSpec) -> Option<f64> {
    let reaches =
        |foot: Vector2<f64>, z: f64, seed: &LegAngles| usable.inverse(leg, &Vector3::new(foot.x, foot.y, z), seed);
    let rest = reaches(place, -spec.height, &middle_angles(leg))?;
    reaches(place, -spec.sit_height, &rest)?;
    let fits = |room: f64| {
        let at = |direction: usize, part: f64, z: f64| {
            let (sin, cos) = (std::f64::consts::TAU * direction as f64 / DIRECTIONS as f64).sin_cos();
            reaches(place + Vector2::new(cos, sin) * (room * part), z, &rest).is_some()
        };
        // A swing is low where it starts and ends, and at its highest near the resting place.
        (0..DIRECTIONS).all(|d| {
            at(d, 1.0, -spec.height)
                && at(d, RISING_PART, -spec.height + 0.35 * spec.step_height)
                && at(d, LIFTED_PART, -spec.height + spec.step_height)
        })
    };
    let mut room = 0.0;
    while room < MAX_ROOM_M && fits(room + ROOM_STEP_M) {
        room += ROOM_STEP_M;
    }
    Some(room)
}
