//! Where the feet rest and how far they may go: worked out once from the robot's legs.
//!
//! The *footprint frame* lies on the ground below the middle of the hips, x along the body; the body stands in it at a
//! height.

use crate::plane::reach::{Reach, STROKE_FRACTION};
use crate::plane::size::{Enlarged, size_of};
use crate::plant::nominal::{DrawIn, NominalStance};
use crate::plant::resting::{Walker, roomiest_place};
use crate::plant::settings::StanceSpec;
use crate::plant::usable::Usable;
use hexapod_kinematics::{IterationBudget, Leg, LegAngles, MAX_LEGS, Robot};
use nalgebra::{Vector2, Vector3};

/// Resting feet and the region about each in which the foot may be put, at one body height.
#[derive(Clone, Copy, Debug)]
pub struct Stance {
    count: usize,
    rest: [Vector2<f64>; MAX_LEGS],
    reach: Reach,
    spec: StanceSpec,
    /// How much higher than the middle of the hips the base link is, m.
    base_z: f64,
    usable: [Usable; MAX_LEGS],
    /// The part of it in which the feet have their room.
    roomy: [Usable; MAX_LEGS],
    draw_in: DrawIn,
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
    /// Folded legs for more legs than there are.
    #[error("there are angles of {given} folded legs, and {legs} legs")]
    PackedLegs {
        /// Legs whose angles are given.
        given: usize,
        /// Legs of the robot.
        legs: usize,
    },
    /// There are too few or too many legs to walk with.
    #[error("a walking robot has 3 to {MAX_LEGS} legs, this one has {0}")]
    LegCount(usize),
}

impl StanceError {
    /// The same of a robot `times` as large.
    pub(crate) fn enlarged(self, times: f64) -> Self {
        match self {
            Self::Height { leg, height } => Self::Height { leg, height: height * times },
            other => other,
        }
    }

    /// The same with the height counted from a point of the body so much higher, m.
    pub(crate) fn raised(self, by: f64) -> Self {
        match self {
            Self::Height { leg, height } => Self::Height { leg, height: height + by },
            other => other,
        }
    }
}

/// How much higher than the middle of a robot's hips its base link is, m.
pub(crate) fn base_z(robot: &Robot) -> f64 {
    0.0 - robot.base_from_hips().translation.vector.z
}

/// Neighbours step towards each other: each may use a little less than half of what is between them.
const GAP_FRACTION: f64 = 0.45;
/// Sizes that are tried between the room in all directions and the most.
const WIDENINGS: u32 = 8;
impl Stance {
    /// Chooses for each leg the resting place, straight out from its hip or below it, about which the foot has most room.
    ///
    /// # Errors
    /// The robot has too few legs, or a leg cannot stand at `spec.height`.
    pub fn new(robot: &Robot, spec: StanceSpec) -> Result<Self, StanceError> {
        let (size, base_z) = (size_of(robot), base_z(robot));
        let own = robot.about_hips().enlarged(1.0 / size);
        let stance = Self::with_circles(&own, spec.raised(-base_z).enlarged(1.0 / size));
        let stance = stance.map_err(|error| error.enlarged(size).raised(base_z))?;
        Ok(stance.widened(&own).enlarged(size).for_base(base_z))
    }

    /// The same of a robot whose base link is so much higher than the middle of its hips, m.
    pub(crate) fn for_base(self, base_z: f64) -> Self {
        Self { base_z, ..self }
    }

    /// The same with as much room in every direction as there is in all of them.
    pub(crate) fn with_circles(robot: &Robot, spec: StanceSpec) -> Result<Self, StanceError> {
        let legs = robot.legs();
        if !(3..=MAX_LEGS).contains(&legs.len()) {
            return Err(StanceError::LegCount(legs.len()));
        }
        let usable = std::array::from_fn(|leg| Usable::of(&legs[leg.min(legs.len() - 1)]));
        let roomy = std::array::from_fn(|leg| Usable::roomy(&legs[leg.min(legs.len() - 1)]));
        let rest = [Vector2::zeros(); MAX_LEGS];
        let draw_in = DrawIn::none();
        let reach = Reach::new(Vector2::zeros());
        let mut stance = Self { count: legs.len(), rest, reach, spec, base_z: 0.0, usable, roomy, draw_in };
        let mut radius = f64::INFINITY;
        for ((rest, leg), usable) in stance.rest.iter_mut().zip(legs).zip(&roomy) {
            let (place, reach) = roomiest_place(Walker::new(leg, usable), spec)
                .ok_or_else(|| StanceError::Height { leg: leg.name().into(), height: spec.height })?;
            *rest = place;
            radius = radius.min(reach);
        }
        let radius = radius.min(GAP_FRACTION * stance.least_gap()).min(0.5 * spec.max_stride / STROKE_FRACTION);
        stance.reach = Reach::new(Vector2::repeat(radius));
        Ok(stance)
    }

    /// Lets the feet go farther ahead, and then aside, than in all directions, where every leg has the room.
    pub(crate) fn widened(mut self, robot: &Robot) -> Self {
        let (least, most) = (self.reach.least(), 0.5 * self.spec.max_stride / STROKE_FRACTION);
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
        self.draw_in = DrawIn::of(robot.legs().iter().zip(self.rest), self.spec.height);
        self
    }

    /// Whether every foot could go all around this region, and neighbours keep clear of each other.
    fn has_room(&self, robot: &Robot, reach: &Reach) -> bool {
        let mut legs = robot.legs().iter().zip(&self.roomy).zip(self.rest());
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
        self.spec.raised(self.base_z)
    }

    /// The same with heights of the middle of the hips.
    #[inline]
    pub(crate) fn own_spec(&self) -> StanceSpec {
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

    /// Has the feet put elsewhere about their resting places.
    pub(crate) fn set_reach(&mut self, reach: Reach) {
        self.reach = reach;
    }

    /// The longest step along a direction, m: part of the reach is kept for changes of course.
    #[must_use]
    pub fn stroke(&self, direction: Vector2<f64>) -> f64 {
        2.0 * self.reach.along(direction) * STROKE_FRACTION
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

    /// The same in bounded time, with the bend that `seed` has, and `spare_s` seconds to turn towards the posture.
    #[inline]
    pub(crate) fn inverse_tracking(
        &self,
        (index, leg): (usize, &Leg),
        foot_in_body: &Vector3<f64>,
        seed: &LegAngles,
        spare_s: f64,
        budget: &mut IterationBudget,
    ) -> Option<LegAngles> {
        self.usable.get(index)?.inverse_tracking(leg, foot_in_body, seed, spare_s, budget)
    }

    /// The same in bounded time from `seed` only, with a redundant leg on its posture.
    pub(crate) fn inverse_with_posture(
        &self,
        (index, leg): (usize, &Leg),
        foot_in_body: &Vector3<f64>,
        seed: &LegAngles,
        budget: &mut IterationBudget,
    ) -> Option<LegAngles> {
        let found = leg.inverse_with_posture(foot_in_body, seed, budget).ok();
        found.filter(|angles| self.uses(index, angles))
    }

    /// Whether walking uses these angles of leg `index`.
    #[inline]
    pub(crate) fn uses(&self, index: usize, angles: &LegAngles) -> bool {
        self.usable.get(index).is_some_and(|usable| usable.contains(angles))
    }

    /// The ranges of all legs that walking uses.
    #[inline(always)]
    pub(crate) fn usable(&self) -> &[Usable; MAX_LEGS] {
        &self.usable
    }

    /// Least and greatest angles that walking uses of the first three joints of a leg.
    pub(crate) fn usable_range(&self, leg: usize) -> [[f64; 3]; 2] {
        self.usable[leg].range()
    }

    /// The same of those at which the feet have their room.
    pub(crate) fn roomy_range(&self, leg: usize) -> [[f64; 3]; 2] {
        self.roomy[leg].range()
    }

    fn least_gap(&self) -> f64 {
        pairs(self.rest()).map(|(a, b)| (a - b).norm()).fold(f64::INFINITY, f64::min)
    }

    /// Where the feet rest in the stance itself.
    pub(crate) fn own_nominal(&self) -> NominalStance {
        NominalStance::of_stance(self.rest, self.count, self.reach)
    }

    /// Where the feet rest with the body so much higher than in the stance, and so much of their reach.
    pub(crate) fn nominal(&self, raised: f64, room: f64) -> NominalStance {
        if raised == 0.0 && room == 1.0 {
            return self.own_nominal();
        }
        self.draw_in.moved(self.own_nominal(), raised, room)
    }

    /// Whether neighbours keep clear of each other with another nominal stance.
    pub(crate) fn keeps_apart(&self, nominal: &NominalStance) -> bool {
        are_apart(nominal.rest(), &nominal.reach)
    }
}

impl Enlarged for Stance {
    fn enlarged(&self, times: f64) -> Self {
        if times == 1.0 {
            return *self;
        }
        Self {
            rest: self.rest.map(|place| place * times),
            reach: self.reach.scaled(times),
            spec: self.spec.enlarged(times),
            base_z: self.base_z * times,
            draw_in: self.draw_in.enlarged(times),
            ..*self
        }
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
        reach.axes().component_mul(&between).norm() <= GAP_FRACTION * between.norm_squared()
    })
}
