//! How near the legs may come to each other and to the body, and how far they may step so that they do not.

use crate::plane::reach::Reach;
use crate::plant::resting::LIFT_PROFILE;
use crate::plant::settings::LegClearance;
use crate::plant::stance::Stance;
use hexapod_kinematics::{LegAngles, LegRange, Look, MAX_LEGS, Neighbour, Robot, SelfCollision};
use nalgebra::{Vector2, Vector3};
use std::sync::Arc;

/// What is kept beside the clearance for what legs do between two looks, m.
const BETWEEN_LOOKS_M: f64 = 0.0005;
/// Parts of the stance's reach, ahead and aside, that are tried.
const PARTS: f64 = 20.0;
/// Directions in which the reach of a foot is looked at.
const DIRECTIONS: u32 = 16;
/// Legs that have less room between them anywhere in their reach are looked at in poses of the body, too, m.
const NEAR_M: f64 = 0.02;

/// What keeps the legs of a robot apart.
#[derive(Clone, Debug)]
pub(crate) struct Apart {
    collision: Arc<SelfCollision>,
    facing: Vec<Facing>,
    clear: Ranges,
    shortened: Option<Shortened>,
}

/// Why a robot's steps are shorter than its legs reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shortened {
    /// The leg, by its index, and what it would come nearest to.
    pub leg: usize,
    /// The other leg, or the body.
    pub to: Neighbour,
    /// The fractions of its reach ahead and aside that each foot keeps.
    pub fractions: Vector2<f64>,
}

/// Joint angles of all legs of three joints, from the first to the second; what lies beyond is not looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranges([[[f64; 3]; MAX_LEGS]; 2]);

/// Legs that step towards each other, every two of some that are near.
#[derive(Clone, Copy, Debug, Default)]
struct Facing {
    /// The way of each leg that steps, and whether it is the first of the two.
    ways: [Option<(Vector2<f64>, bool)>; MAX_LEGS],
}

/// Places to each [`Facing`]: no leg lifted, the first of two, the second.
const LIFTED: usize = 3;

impl Apart {
    /// For a robot of this stance, and the stance with shorter steps where legs would come too near to each other.
    pub(crate) fn of(robot: &Robot, stance: Stance, clearance: LegClearance) -> (Self, Stance) {
        let home: Vec<LegAngles> = (0..robot.legs().len()).map(|leg| at_rest(robot, &stance, leg)).collect();
        let mut collision = SelfCollision::new(robot, &home, clearance.metres() + BETWEEN_LOOKS_M);
        let mut rooms = collision.rooms(robot, &places(robot, &stance), NEAR_M);
        // Thighs that fold beside the body are lifted past it, and shorter steps would not keep them off.
        for (leg, rooms) in rooms.iter_mut().enumerate().filter(|(leg, rooms)| rooms[*leg] < 0.0) {
            collision.let_nearer_to_body(leg, -rooms[leg]);
            rooms[leg] = 0.0;
        }
        let (whole, mut stance, mut shortened) = (*stance.reach(), stance, None);
        let mut parts = Vector2::repeat(PARTS);
        loop {
            let (leg, to, room) = least(&rooms);
            if room >= 0.0 {
                break;
            }
            let shorter = [Vector2::x(), Vector2::y()].map(|axis| parts - axis);
            let shorter = shorter.into_iter().filter(|parts| parts.min() > 0.0).map(|parts| {
                let mut stance = stance;
                stance.set_reach(Reach::new(whole.axes().component_mul(&(parts / PARTS))));
                let rooms = collision.rooms(robot, &places(robot, &stance), NEAR_M);
                (parts, stance, rooms)
            });
            // Steps ahead stay as long as they are where shorter ones aside do, and the other way round.
            let most = shorter.max_by(|one, other| least(&one.2).2.total_cmp(&least(&other.2).2));
            let Some(most) = most else { break };
            (parts, stance, rooms) = most;
            shortened = Some(Shortened { leg, to, fractions: parts / PARTS });
        }
        let facing = facing(robot, &stance, &rooms);
        let clear = Ranges::of(&collision.clear_ranges(robot, &home).unwrap_or_default());
        (Self { collision: Arc::new(collision), facing, clear, shortened }, stance)
    }

    /// Whether links of a leg have no thickness that is known.
    pub(crate) fn is_of_lines(&self, leg: usize) -> bool {
        self.collision.is_of_lines(leg)
    }

    /// How near legs may come to each other and to the body.
    pub(crate) fn collision(&self) -> &Arc<SelfCollision> {
        &self.collision
    }

    /// Why steps are shorter than legs reach, where they are.
    pub(crate) fn shortened(&self) -> Option<Shortened> {
        self.shortened
    }

    /// The range of each joint of a leg within which it meets nothing, wherever other legs are within theirs; an empty one
    /// where there is none.
    pub(crate) fn clear_range(&self, leg: usize) -> [[f64; 3]; 2] {
        self.clear.of_leg(leg)
    }

    /// How many places there are at which legs step towards each other.
    pub(crate) fn places(&self) -> usize {
        LIFTED * self.facing.len()
    }

    /// Where a leg's foot is from its resting place at one of these, m, and how high in parts of its lift.
    pub(crate) fn place(&self, at: usize, leg: usize, reach: &Reach) -> (Vector2<f64>, f64) {
        let facing = self.facing.get(at / LIFTED).and_then(|facing| facing.ways.get(leg).copied().flatten());
        let Some((way, is_first)) = facing else { return (Vector2::zeros(), 0.0) };
        let is_lifted = at % LIFTED == if is_first { 1 } else { 2 };
        let [lowest, .., (fraction, lift)] = LIFT_PROFILE;
        let (fraction, lift) = if is_lifted { (fraction, lift) } else { lowest };
        (way * (fraction * reach.along(way)), lift)
    }

    /// Whether legs keep apart on the way from some joint angles to others near them: those that are too near may go where
    /// there is more room.
    #[inline]
    pub(crate) fn allows(&self, robot: &Robot, [from, to]: [&[LegAngles; MAX_LEGS]; 2], look: &mut Look) -> bool {
        self.clear.hold(to)
            || self.collision.is_clear(robot, to, look)
            || self.collision.check_way(robot, from, to).is_none()
    }

    /// Whether all legs are clear of each other and of the body.
    pub(crate) fn is_clear(&self, robot: &Robot, angles: &[LegAngles; MAX_LEGS]) -> bool {
        self.collision.check(robot, angles).is_none()
    }
}

impl Ranges {
    /// Those of these legs, and any angles of other lanes; none of any leg where there are none.
    fn of(legs: &[LegRange]) -> Self {
        let empty = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        let whole = [[f64::NEG_INFINITY; 3], [f64::INFINITY; 3]];
        let unused = if legs.is_empty() { empty } else { whole };
        let of_leg = |leg: usize, end: usize| {
            legs.get(leg).map_or(unused[end], |ends| std::array::from_fn(|joint| ends[end].padded()[joint]))
        };
        Self([0, 1].map(|end| std::array::from_fn(|leg| of_leg(leg, end))))
    }

    fn of_leg(&self, leg: usize) -> [[f64; 3]; 2] {
        let leg = leg.min(MAX_LEGS - 1);
        self.0.map(|ends| ends[leg])
    }

    /// Whether all angles are in their ranges.
    #[inline]
    fn hold(&self, angles: &[LegAngles; MAX_LEGS]) -> bool {
        let [low, high] = &self.0;
        angles.iter().zip(low).zip(high).fold(true, |all, ((angles, low), high)| {
            let joints = angles.padded().iter().zip(low).zip(high);
            joints.fold(all, |all, ((angle, low), high)| all & (angle >= low) & (angle <= high))
        })
    }
}

/// The joints of a leg whose foot rests under a body that stands.
fn at_rest(robot: &Robot, stance: &Stance, leg: usize) -> LegAngles {
    let (of, spec) = (&robot.legs()[leg], stance.own_spec());
    let sitting = stance.inverse(leg, of, &stance.rest()[leg].push(-spec.sit_height), &of.posture());
    let seed = sitting.unwrap_or_else(|| of.posture());
    stance.inverse(leg, of, &stance.rest()[leg].push(-spec.height), &seed).unwrap_or(seed)
}

/// The joints of each leg all around its reach, on the ground and lifted, under a body that stands.
fn places(robot: &Robot, stance: &Stance) -> Vec<Vec<LegAngles>> {
    let (spec, axes) = (stance.own_spec(), stance.reach().axes());
    let legs = robot.legs().iter().enumerate();
    legs.map(|(index, leg)| {
        let home = at_rest(robot, stance, index);
        let around = (0..DIRECTIONS).map(|step| {
            let (sin, cos) =
                hexapod_kinematics::math::sin_cos(std::f64::consts::TAU * f64::from(step) / f64::from(DIRECTIONS));
            axes.component_mul(&Vector2::new(cos, sin))
        });
        let feet = around.flat_map(|way| {
            LIFT_PROFILE.map(|(fraction, lift)| {
                (stance.rest()[index] + way * fraction).push(lift * spec.step_height - spec.height)
            })
        });
        let reached = feet.filter_map(|foot: Vector3<f64>| stance.inverse(index, leg, &foot, &home));
        reached.chain([home]).collect()
    })
    .collect()
}

/// What has the least room of these: a leg, what it comes near to, and the room, m.
fn least(rooms: &[[f64; MAX_LEGS]; MAX_LEGS]) -> (usize, Neighbour, f64) {
    let all = rooms.iter().enumerate().flat_map(|(leg, rooms)| {
        let to = move |other: usize| if other == leg { Neighbour::Body } else { Neighbour::Leg(other) };
        rooms.iter().enumerate().map(move |(other, room)| (leg, to(other), *room))
    });
    all.min_by(|one, other| one.2.total_cmp(&other.2)).unwrap_or((0, Neighbour::Body, f64::INFINITY))
}

/// Every two legs that have little room between them, as few at a time as it takes for each to step towards one.
fn facing(robot: &Robot, stance: &Stance, rooms: &[[f64; MAX_LEGS]; MAX_LEGS]) -> Vec<Facing> {
    let count = robot.legs().len().min(MAX_LEGS);
    let mut all: Vec<Facing> = Vec::new();
    for (one, rooms) in rooms.iter().enumerate().take(count) {
        for other in (one + 1..count).filter(|other| rooms[*other] < NEAR_M) {
            let way = stance.rest()[other] - stance.rest()[one];
            let Some(way) = way.try_normalize(1e-6) else { continue };
            let free = |facing: &&mut Facing| facing.ways[one].is_none() && facing.ways[other].is_none();
            if let Some(facing) = all.iter_mut().find(free) {
                (facing.ways[one], facing.ways[other]) = (Some((way, true)), Some((-way, false)));
            } else {
                let mut facing = Facing::default();
                (facing.ways[one], facing.ways[other]) = (Some((way, true)), Some((-way, false)));
                all.push(facing);
            }
        }
    }
    all
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::plant::settings::StanceSpec;

    fn shipped() -> (Robot, Stance) {
        let robot = Robot::from_urdf(include_str!("../../../../urdf/hexapod.urdf")).unwrap();
        let spec = StanceSpec { height: 0.09, sit_height: 0.03, step_height: 0.05, max_stride: 0.11 };
        let stance = Stance::new(&robot, spec).unwrap();
        (robot, stance)
    }

    #[test]
    fn when_legs_have_room_all_around_expect_the_stance_kept_and_no_places_to_look_at() {
        let (robot, stance) = shipped();
        let (apart, kept) = Apart::of(&robot, stance, LegClearance::default());
        assert_eq!((kept.reach(), apart.places()), (stance.reach(), 0));
        let home: [LegAngles; MAX_LEGS] =
            std::array::from_fn(|leg| if leg < 6 { at_rest(&robot, &kept, leg) } else { LegAngles::zeros(3) });
        assert!(apart.clear.hold(&home));
        let turned = |by: f64| home.map(|angles| LegAngles::from([angles[0] + by, angles[1], angles[2]]));
        assert!(apart.clear.hold(&turned(0.4)) && !apart.clear.hold(&turned(0.9)));
    }
}
