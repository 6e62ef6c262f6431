//! Where a foot rests: straight out from its hip or below it, where it has most room.

use crate::plane::reach::STROKE_FRACTION;
use crate::plant::settings::StanceSpec;
use crate::plant::usable::Usable;
use hexapod_kinematics::{IterationBudget, Leg, LegAngles, math};
use nalgebra::{Vector2, Vector3};

/// Distance of the places that are looked at, in lengths of the leg.
const PLACE_STEP: f64 = 0.04;
const PLACES: usize = 30;
const RINGS: i32 = 6;
const ROOM_STEPS: u32 = 24;
const DIRECTIONS: usize = 12;
/// How far a joint may be from where it is in a posture that is still the same, rad.
const SAME_POSTURE_RAD: f64 = 2.0;
/// How far out from a hip that yaws the feet stay, in lengths of the leg.
const NEAR_HIP: f64 = 0.15;
/// Steps of an iteration for one place.
pub(crate) const LOOK_BUDGET: u32 = 48;
/// Room that is as good as the most there is.
const NEARLY: f64 = 0.95;
/// Fractions of a foot's reach and of its lift that go together: a swing is low where it starts and ends, and at its
/// highest near the resting place.
pub(crate) const LIFT_PROFILE: [(f64, f64); 3] = [(1.0, 0.0), (0.9, 0.35), (0.6, 1.0)];

/// A leg and the part of its range that walking uses.
#[derive(Clone, Copy)]
pub(super) struct Walker<'a> {
    leg: &'a Leg,
    usable: &'a Usable,
    /// Where its hip is, and the way straight out from there, of a sprawled leg.
    hip: Vector2<f64>,
    outward: Option<Vector2<f64>>,
}

/// A place for the foot and how far the foot may go from it in every direction, m.
type Place = (Vector2<f64>, f64);

/// The nearest place of a leg that has nearly the most room: feet close in load the servos less.
pub(super) fn roomiest_place(walker: Walker, spec: StanceSpec) -> Option<Place> {
    if walker.leg.is_upright() { place_below(walker, spec) } else { place_outside(walker, spec) }
}

/// Of a sprawled leg, straight out from its hip.
fn place_outside(walker: Walker, spec: StanceSpec) -> Option<Place> {
    let outward = walker.outward?;
    let step = PLACE_STEP * walker.leg.length();
    choose((0..PLACES).map(|k| walker.hip + outward * (k as f64 * step)), walker, spec)
}

/// Of an upright leg, below its hip or near that.
fn place_below(walker: Walker, spec: StanceSpec) -> Option<Place> {
    let (below, step) = (walker.leg.below_hip(), 2.0 * PLACE_STEP * walker.leg.length());
    let mut offsets: Vec<(i32, i32)> = (-RINGS..=RINGS).flat_map(|i| (-RINGS..=RINGS).map(move |j| (i, j))).collect();
    offsets.sort_by_key(|(i, j)| i * i + j * j);
    choose(offsets.into_iter().map(|(i, j)| below + Vector2::new(f64::from(i), f64::from(j)) * step), walker, spec)
}

/// The first place with enough room, or with nearly as much as any has.
fn choose(places: impl Iterator<Item = Vector2<f64>>, walker: Walker, spec: StanceSpec) -> Option<Place> {
    let enough = 0.5 * spec.max_stride / STROKE_FRACTION;
    let rooms = Rooms { walker, spec, plenty: enough / NEARLY };
    // A place with no more room than one before it is never chosen.
    let mut best: Vec<(Vector2<f64>, u32)> = Vec::new();
    for place in places {
        let most = best.last().map(|(_, steps)| *steps);
        if most == Some(rooms.steps()) {
            break;
        }
        best.extend(rooms.more_than(most, place).map(|steps| (place, steps)));
    }
    let most = rooms.of(best.last()?.1);
    let seen = best.into_iter().map(|(place, steps)| (place, rooms.of(steps)));
    seen.into_iter().find(|(_, room)| *room >= (NEARLY * most).min(enough))
}

/// How much room there is about places, in steps up to plenty.
struct Rooms<'a> {
    walker: Walker<'a>,
    spec: StanceSpec,
    plenty: f64,
}

impl Rooms<'_> {
    fn steps(&self) -> u32 {
        // The inverse of a leg of more joints is an iteration, a hundred times as slow.
        if self.walker.leg.joint_count() > 3 { ROOM_STEPS / 3 } else { ROOM_STEPS }
    }

    /// The room of so many steps, m.
    fn of(&self, steps: u32) -> f64 {
        self.plenty * f64::from(steps) / f64::from(self.steps())
    }

    /// How far from `place` a foot may go in every direction, on the ground and lifted, where that is more than `most`;
    /// `None` if it is not, or the foot cannot even rest.
    fn more_than(&self, most: Option<u32>, place: Vector2<f64>) -> Option<u32> {
        let (walker, spec) = (self.walker, self.spec);
        let rest = walker.reaches(place, -spec.height, &walker.leg.posture())?;
        walker.reaches(place, -spec.sit_height, &rest)?;
        let fits = |steps: u32| walker.goes_around(place, &rest, spec, |_| self.of(steps));
        let more = most.map_or(0, |most| most + 1);
        if more > 0 && !fits(more) {
            return None;
        }
        let steps = (1..=self.steps()).take_while(|&steps| steps == more || fits(steps)).last().unwrap_or(0);
        (steps >= more).then_some(steps)
    }
}

impl<'a> Walker<'a> {
    pub(super) fn new(leg: &'a Leg, usable: &'a Usable) -> Self {
        let hip = leg.hip_in_body().xy();
        let out = (leg.foot_in_body(&leg.posture()).xy() - hip).try_normalize(1e-6).or_else(|| hip.try_normalize(1e-6));
        Self { leg, usable, hip, outward: out.filter(|_| !leg.is_upright()) }
    }

    /// Whether the foot could go all around a region of this size in each direction, on the ground and lifted.
    pub(super) fn goes_around(
        self,
        place: Vector2<f64>,
        rest: &LegAngles,
        spec: StanceSpec,
        room: impl Fn(Vector2<f64>) -> f64,
    ) -> bool {
        (0..DIRECTIONS).all(|direction| {
            let (sin, cos) = math::sin_cos(std::f64::consts::TAU * direction as f64 / DIRECTIONS as f64);
            let way = Vector2::new(cos, sin);
            let edge = way * room(way);
            LIFT_PROFILE.iter().all(|(fraction, lift)| {
                self.reaches(place + edge * *fraction, lift * spec.step_height - spec.height, rest).is_some()
            })
        })
    }

    /// The angles with the foot there, in the posture of `seed`: not with the leg turned about or bent back over itself.
    pub(super) fn reaches(self, foot: Vector2<f64>, z: f64, seed: &LegAngles) -> Option<LegAngles> {
        // Near the axis of a hip that yaws, the least step would turn the leg about.
        let clear = NEAR_HIP * self.leg.length();
        if self.outward.is_some_and(|outward| outward.dot(&(foot - self.hip)) < clear) {
            return None;
        }
        let foot = Vector3::new(foot.x, foot.y, z);
        let angles =
            self.usable.inverse_tracking(self.leg, &foot, seed, 0.0, &mut IterationBudget::new(LOOK_BUDGET))?;
        angles.iter().zip(seed.iter()).all(|(angle, near)| (angle - near).abs() < SAME_POSTURE_RAD).then_some(angles)
    }
}
