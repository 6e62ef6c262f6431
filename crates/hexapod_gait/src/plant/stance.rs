//! Where the feet rest and how far they may go: worked out once from the robot's legs.
//!
//! The *footprint frame* lies on the ground below the body's centre, x forward; the body stands in it at a height.

use crate::gait::LegPlace;
use crate::plane::reach::{Reach, STRIDE_PART};
use crate::plant::nominal::{DrawIn, NominalStance};
use crate::plant::usable::Usable;
use hexapod_kinematics::{Effort, Leg, LegAngles, MAX_LEGS, Robot, math};
use nalgebra::{Vector2, Vector3};

/// Resting feet and the region about each in which the foot may be put, at one body height.
#[derive(Clone, Copy, Debug)]
pub struct Stance {
    count: usize,
    rest: [Vector2<f64>; MAX_LEGS],
    reach: Reach,
    spec: StanceSpec,
    usable: [Usable; MAX_LEGS],
    draw_in: [DrawIn; MAX_LEGS],
}

/// Why a robot cannot stand as asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StanceError {
    /// The legs cannot carry the body at this height.
    #[error("leg {leg} cannot stand with the body {height} m above the ground")]
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
    /// A leg cannot be folded as asked.
    #[error("leg {0} cannot be folded so: give an angle within its limits for each of its joints")]
    Packed(String),
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

/// Distance of the places that are looked at, in lengths of the leg.
const PLACE_STEP: f64 = 0.04;
const PLACES: usize = 30;
const RINGS: i32 = 6;
const ROOM_STEPS: u32 = 24;
const DIRECTIONS: usize = 12;
/// Part of the farthest hip's distance up to which a hip is on the middle line.
const MIDDLE_LINE: f64 = 0.05;
/// How far a joint may be from where it is in a posture that is still the same, rad.
const SAME_POSTURE_RAD: f64 = 2.0;
/// How far out from a hip that yaws the feet stay, in lengths of the leg.
const NEAR_HIP: f64 = 0.15;
/// Neighbours step towards each other: each may use a little less than half of what is between them.
const GAP_PART: f64 = 0.45;
/// Sizes that are tried between the room in all directions and the most.
const WIDENINGS: u32 = 8;
/// Room that is as good as the most there is.
const NEARLY: f64 = 0.95;
/// Parts of a foot's reach and of its lift that go together: a swing is low where it starts and ends, and at its
/// highest near the resting place.
pub(crate) const LIFT_PROFILE: [(f64, f64); 3] = [(1.0, 0.0), (0.9, 0.35), (0.6, 1.0)];

impl Stance {
    /// Chooses for each leg the resting place, straight out from its hip or below it, about which the foot has most room.
    ///
    /// # Errors
    /// The robot has too few legs, or a leg cannot stand at `spec.height`.
    pub fn new(robot: &Robot, spec: StanceSpec) -> Result<Self, StanceError> {
        Ok(Self::with_circles(robot, spec)?.widened(robot))
    }

    /// The same with as much room in every direction as there is in all of them.
    pub(crate) fn with_circles(robot: &Robot, spec: StanceSpec) -> Result<Self, StanceError> {
        let legs = robot.legs();
        if !(3..=MAX_LEGS).contains(&legs.len()) {
            return Err(StanceError::LegCount(legs.len()));
        }
        let usable = std::array::from_fn(|leg| Usable::of(&legs[leg.min(legs.len() - 1)]));
        let rest = [Vector2::zeros(); MAX_LEGS];
        let draw_in = [DrawIn::default(); MAX_LEGS];
        let reach = Reach::new(Vector2::zeros());
        let mut stance = Self { count: legs.len(), rest, reach, spec, usable, draw_in };
        let mut radius = f64::INFINITY;
        for ((rest, leg), usable) in stance.rest.iter_mut().zip(legs).zip(&usable) {
            let (place, reach) = roomiest_place(Walker::new(leg, usable), spec)
                .ok_or_else(|| StanceError::Height { leg: leg.name().into(), height: spec.height })?;
            *rest = place;
            radius = radius.min(reach);
        }
        let radius = radius.min(GAP_PART * stance.least_gap()).min(0.5 * spec.max_stride / STRIDE_PART);
        stance.reach = Reach::new(Vector2::repeat(radius));
        Ok(stance)
    }

    /// Lets the feet go farther ahead, and then aside, than in all directions, where every leg has the room.
    pub(crate) fn widened(mut self, robot: &Robot) -> Self {
        let (least, most) = (self.reach.least(), 0.5 * self.spec.max_stride / STRIDE_PART);
        for axis in [0, 1] {
            let wider = (1..=WIDENINGS).rev().map(|step| {
                let mut axes = self.reach.axes();
                axes[axis] = least + (most - least) * f64::from(step) / f64::from(WIDENINGS);
                Reach::new(axes)
            });
            if let Some(reach) = wider.filter(|_| most > least).find(|reach| self.has_room(robot, reach)) {
                self.reach = reach;
            }
        }
        for ((draw_in, leg), rest) in self.draw_in.iter_mut().zip(robot.legs()).zip(self.rest) {
            *draw_in = DrawIn::of(leg, rest, self.spec.height);
        }
        self
    }

    /// Whether every foot could go all around this region, and neighbours keep clear of each other.
    fn has_room(&self, robot: &Robot, reach: &Reach) -> bool {
        let mut legs = robot.legs().iter().zip(&self.usable).zip(self.rest());
        are_apart(self.rest(), reach)
            && legs.all(|((leg, usable), place)| {
                let walker = Walker::new(leg, usable);
                let rest = walker.reaches(*place, -self.spec.height, &leg.posture());
                rest.is_some_and(|rest| walker.goes_around(*place, &rest, self.spec, |way| reach.along(way)))
            })
    }

    /// What it was worked out for.
    #[must_use]
    pub fn spec(&self) -> StanceSpec {
        self.spec
    }

    /// Resting feet in the footprint frame, m, in the order of the robot's legs.
    #[must_use]
    pub fn rest(&self) -> &[Vector2<f64>] {
        self.rest.get(..self.count).unwrap_or(&self.rest)
    }

    /// How far from its resting place every foot may be put.
    #[must_use]
    pub fn reach(&self) -> &Reach {
        &self.reach
    }

    /// The longest step along a direction, m: part of the reach is kept for changes of course.
    #[must_use]
    pub fn stride(&self, direction: Vector2<f64>) -> f64 {
        2.0 * self.reach.along(direction) * STRIDE_PART
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
        self.usable.get(index)?.inverse(leg, foot_in_body, seed)
    }

    /// The same in bounded time, with the bend that `seed` has.
    #[inline]
    pub(crate) fn inverse_near(
        &self,
        index: usize,
        leg: &Leg,
        foot_in_body: &Vector3<f64>,
        seed: &LegAngles,
        effort: &mut Effort,
    ) -> Option<LegAngles> {
        self.usable.get(index)?.inverse_near(leg, foot_in_body, seed, effort)
    }

    /// Whether walking uses these angles of leg `index`.
    #[inline]
    pub(crate) fn uses(&self, index: usize, angles: &LegAngles) -> bool {
        self.usable.get(index).is_some_and(|usable| usable.contains(angles))
    }

    /// Whether a joint of leg `index` is within `margin` rad of an end of the range that walking uses.
    #[inline]
    pub(crate) fn is_near_end(&self, index: usize, angles: &LegAngles, margin: f64) -> bool {
        self.usable.get(index).is_some_and(|usable| usable.is_near_end(angles, margin))
    }

    /// Least and greatest angles that walking uses of the first three joints of a leg.
    pub(crate) fn usable_range(&self, leg: usize) -> [[f64; 3]; 2] {
        self.usable[leg].range()
    }

    fn least_gap(&self) -> f64 {
        pairs(self.rest()).map(|(a, b)| (a - b).norm()).fold(f64::INFINITY, f64::min)
    }

    /// Where the feet rest in the stance itself.
    pub(crate) fn own_nominal(&self) -> NominalStance {
        NominalStance::of_stance(self.rest(), self.reach)
    }

    /// Where the feet rest with the body so much higher than in the stance, and so much of their reach.
    pub(crate) fn nominal(&self, raised: f64, room: f64) -> NominalStance {
        if raised == 0.0 && room == 1.0 {
            return self.own_nominal();
        }
        self.own_nominal()
            .moved(raised, room, |leg| self.draw_in.get(leg).map_or_else(Vector2::zeros, |leg| leg.moves(raised)))
    }

    /// Whether neighbours keep clear of each other with another nominal stance.
    pub(crate) fn keeps_apart(&self, nominal: &NominalStance) -> bool {
        are_apart(nominal.rest(), &nominal.reach)
    }
}

/// Every two of some places.
fn pairs(places: &[Vector2<f64>]) -> impl Iterator<Item = (Vector2<f64>, Vector2<f64>)> + '_ {
    places.iter().enumerate().flat_map(move |(i, a)| places.iter().skip(i + 1).map(move |b| (*a, *b)))
}

/// Whether feet that rest there keep clear of each other when they go as far as they reach.
fn are_apart(rest: &[Vector2<f64>], reach: &Reach) -> bool {
    pairs(rest).all(|(a, b)| {
        let between = b - a;
        reach.axes().component_mul(&between).norm() <= GAP_PART * between.norm_squared()
    })
}

/// The robot's legs by side and rank, front to rear, for the rule of a gait.
#[must_use]
pub fn leg_places(robot: &Robot) -> Vec<LegPlace> {
    let hips: Vec<Vector2<f64>> = robot.legs().iter().map(|leg| leg.hip_in_body().xy()).collect();
    // A robot built with its front along y has its sides along x: a split that is less even along y, while the one along
    // x leaves no hip on the middle line. Legs of which more are on one side, as of three and one, do that in neither.
    let along_y: Vec<Vector2<f64>> = hips.iter().map(|hip| Vector2::new(hip.y, -hip.x)).collect();
    let hips = if on_middle_line(&along_y) == 0 && doubt(&along_y) < doubt(&hips) { along_y } else { hips };
    let left = sides(&hips);
    let rank = |i: usize| (0..hips.len()).filter(|&j| left[j] == left[i] && hips[j].x > hips[i].x).count();
    let legs = robot.legs().iter().enumerate();
    legs.map(|(i, leg)| LegPlace { name: leg.name().into(), left: left[i], rank: rank(i) }).collect()
}

/// Whether each hip is on the left (y > 0). Hips on the middle line go, from the front, where there are fewer.
fn sides(hips: &[Vector2<f64>]) -> Vec<bool> {
    let middle = middle_line(hips);
    let mut left: Vec<bool> = hips.iter().map(|hip| hip.y > middle).collect();
    let mut between: Vec<usize> = (0..hips.len()).filter(|&i| hips[i].y.abs() <= middle).collect();
    between.sort_by(|&a, &b| hips[b].x.total_cmp(&hips[a].x));
    let mut more_left = left.iter().filter(|is_left| **is_left).count();
    let mut more_right = hips.len() - more_left - between.len();
    for leg in between {
        left[leg] = more_left <= more_right;
        *(if left[leg] { &mut more_left } else { &mut more_right }) += 1;
    }
    left
}

/// How little a split into sides says: how uneven it is, and how many hips are on the middle line.
fn doubt(hips: &[Vector2<f64>]) -> usize {
    let left = sides(hips).iter().filter(|is_left| **is_left).count();
    (2 * left).abs_diff(hips.len()) + on_middle_line(hips)
}

fn on_middle_line(hips: &[Vector2<f64>]) -> usize {
    let middle = middle_line(hips);
    hips.iter().filter(|hip| hip.y.abs() <= middle).count()
}

/// Distance from the middle line up to which a hip is on it, m.
fn middle_line(hips: &[Vector2<f64>]) -> f64 {
    MIDDLE_LINE * hips.iter().map(|hip| hip.norm()).fold(0.0, f64::max)
}

/// A leg and the part of its range that walking uses.
#[derive(Clone, Copy)]
struct Walker<'a> {
    leg: &'a Leg,
    usable: &'a Usable,
    /// Where its hip is, and the way straight out from there, of a sprawled leg.
    hip: Vector2<f64>,
    outward: Option<Vector2<f64>>,
}

/// A place for the foot and how far the foot may go from it in every direction, m.
type Place = (Vector2<f64>, f64);

/// The nearest place of a leg that has nearly the most room: feet close in load the servos less.
fn roomiest_place(walker: Walker, spec: StanceSpec) -> Option<Place> {
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
    let enough = 0.5 * spec.max_stride / STRIDE_PART;
    let plenty = enough / NEARLY;
    let mut seen: Vec<Place> = Vec::new();
    let mut most = f64::NEG_INFINITY;
    for place in places {
        if let Some(room) = room_about(walker, place, spec, plenty) {
            seen.push((place, room));
            most = most.max(room);
        }
        if most >= plenty {
            break;
        }
    }
    seen.into_iter().find(|(_, room)| *room >= (NEARLY * most).min(enough))
}

/// How far from `place` a foot may go in every direction, on the ground and lifted, up to `plenty`; `None` if it cannot
/// even rest.
fn room_about(walker: Walker, place: Vector2<f64>, spec: StanceSpec, plenty: f64) -> Option<f64> {
    let rest = walker.reaches(place, -spec.height, &walker.leg.posture())?;
    walker.reaches(place, -spec.sit_height, &rest)?;
    let fits = |room: f64| walker.goes_around(place, &rest, spec, |_| room);
    // The inverse of a leg of more joints is an iteration, a hundred times as slow.
    let steps = if walker.leg.joint_count() > 3 { ROOM_STEPS / 3 } else { ROOM_STEPS };
    let room = |step: u32| plenty * f64::from(step) / f64::from(steps);
    Some(room((1..=steps).take_while(|&step| fits(room(step))).last().unwrap_or(0)))
}

impl<'a> Walker<'a> {
    fn new(leg: &'a Leg, usable: &'a Usable) -> Self {
        let hip = leg.hip_in_body().xy();
        let out = (leg.foot_in_body(&leg.posture()).xy() - hip).try_normalize(1e-6).or_else(|| hip.try_normalize(1e-6));
        Self { leg, usable, hip, outward: out.filter(|_| !leg.is_upright()) }
    }

    /// Whether the foot could go all around a region of this size in each direction, on the ground and lifted.
    fn goes_around(
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
            LIFT_PROFILE.iter().all(|(part, lift)| {
                self.reaches(place + edge * *part, lift * spec.step_height - spec.height, rest).is_some()
            })
        })
    }

    /// The angles with the foot there, in the posture of `seed`: not with the leg turned about or bent back over itself.
    fn reaches(self, foot: Vector2<f64>, z: f64, seed: &LegAngles) -> Option<LegAngles> {
        // Near the axis of a hip that yaws, the least step would turn the leg about.
        let clear = NEAR_HIP * self.leg.length();
        if self.outward.is_some_and(|outward| outward.dot(&(foot - self.hip)) < clear) {
            return None;
        }
        let angles = self.usable.inverse(self.leg, &Vector3::new(foot.x, foot.y, z), seed)?;
        angles.iter().zip(seed.iter()).all(|(angle, near)| (angle - near).abs() < SAME_POSTURE_RAD).then_some(angles)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use hexapod_kinematics::{LegOptions, LegSpec};

    fn points(hips: &[[f64; 2]]) -> Vec<Vector2<f64>> {
        hips.iter().map(|[x, y]| Vector2::new(*x, *y)).collect()
    }

    #[test]
    fn when_hips_are_on_a_ring_expect_half_of_them_on_either_side() {
        let turns = (0..6).map(|k| math::sin_cos(std::f64::consts::FRAC_PI_3 * f64::from(k)));
        let ring: Vec<[f64; 2]> = turns.map(|(y, x)| [x, y]).collect();
        assert_eq!(sides(&points(&ring)), [true, true, true, false, false, false]);
    }

    #[test]
    fn when_the_front_is_along_y_expect_the_split_along_x_to_be_the_plain_one() {
        let hips = [[0.2, 0.05], [0.0, 0.05], [-0.2, 0.05], [0.2, -0.05], [0.0, -0.05], [-0.2, -0.05]];
        let turned = hips.map(|[x, y]| [-y, x]);
        assert_eq!(doubt(&points(&hips)), 0);
        assert!(doubt(&points(&turned)) > 0);
    }

    #[test]
    fn when_three_legs_are_on_one_side_and_one_on_the_other_expect_each_on_its_own() {
        let legs = ["left_front", "left_middle", "left_rear", "right_rear"];
        let spec = |name: &str| LegSpec { name: name.into(), foot_link: format!("{name}_foot") };
        let options = LegOptions { legs: legs.map(spec).to_vec(), ..LegOptions::default() };
        let urdf = include_str!("../../../../urdf/hexapod.urdf");
        let robot = Robot::from_urdf_and_meshes(urdf, &options, &mut |_| None).unwrap();
        let left: Vec<bool> = leg_places(&robot).iter().map(|place| place.left).collect();
        assert_eq!(left, [true, true, true, false]);
    }
}
