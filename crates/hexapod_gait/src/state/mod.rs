//! The robot at one moment.

pub(crate) mod allowance;
pub(crate) mod body_motion;
pub(crate) mod contact_correction;
pub(crate) mod foot;
pub(crate) mod foothold;
pub(crate) mod mode;
pub(crate) mod pose;
pub(crate) mod rates;
pub(crate) mod segment;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod tick;
pub(crate) mod walk;

use crate::gait::posture::BodyOffset;
use crate::plane::grid::GRID_NS;
use crate::plane::limits::LimitedBy;
use crate::plane::support::SupportPolygon;
use crate::plane::twist::Twist;
use crate::plant::Plant;
use crate::state::contact_correction::ContactCorrection;
use crate::state::foot::Foot;
use crate::state::mode::Mode;
use crate::state::rates::BodyRates;
use crate::state::walk::Walk;
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use nalgebra::{Isometry3, Vector2, Vector3};

/// The robot at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// Time since the engine was made.
    pub ns: u64,
    pub mode: Mode,
    pub walk: Walk,
    /// Body above the ground, m: of a robot that steps, that of its nominal stance; else that of the stance, from which the
    /// offset counts.
    pub height: f64,
    pub offset: BodyOffset,
    /// Shift of the body that keeps its weight over the feet that stay, m.
    pub sway: Vector2<f64>,
    /// What is added to the feet's path.
    pub correction: ContactCorrection,
    /// How these change until the next point of the grid.
    pub rates: BodyRates,
    /// The twist at the last point of the grid and at the next.
    pub twist: [Twist; 2],
    /// The twist that feet in the air expect when they are down, likewise.
    pub aim: [Twist; 2],
    /// The pace of the present swings, and its mean over some steps.
    pub swing_pace: f64,
    pub mean_pace: f64,
    /// How far the body may yet move over its feet before the centre of mass may come near the edge of the support, m: what
    /// was free when a foot was lifted last, less what the body has moved since. Below zero its balance is watched.
    pub margin_budget_m: f64,
    /// The distance of the centre of mass from the edge of the support that a walk keeps, m: less than a foot was lifted with
    /// last, and than what the body has moved over its feet since.
    pub required_margin_m: f64,
    /// It has waited to lift a foot, rests, and leans as far over the others as it can.
    pub lean_settled: bool,
    /// Legs that are folded, one bit each.
    pub packed: u32,
    pub angles: [LegAngles; MAX_LEGS],
    pub limited_by: LimitedBy,
}

impl State {
    /// Of a robot that sits with its feet at rest, `cycle` being the seconds that its gait takes.
    pub(crate) fn sitting(plant: &Plant, cycle: f64) -> Self {
        Self {
            ns: 0,
            mode: Mode::Sitting,
            walk: Walk::at_rest(plant.stance.own_nominal(), cycle),
            height: plant.stance.own_spec().sit_height,
            offset: BodyOffset::default(),
            sway: Vector2::zeros(),
            correction: ContactCorrection::NONE,
            rates: BodyRates::REST,
            twist: [Twist::ZERO; 2],
            aim: [Twist::ZERO; 2],
            swing_pace: 1.0,
            mean_pace: 1.0,
            margin_budget_m: 0.0,
            required_margin_m: 0.0,
            lean_settled: false,
            packed: 0,
            angles: plant.sitting,
            limited_by: LimitedBy::Nothing,
        }
    }

    /// The same in another mode.
    pub(crate) fn in_mode(&self, mode: Mode) -> Self {
        Self { mode, ..*self }
    }

    /// The same with the correction part of the feet's path: what leads through joint space knows none.
    pub(crate) fn without_overlay(&self) -> Self {
        let mut walk = self.walk;
        for (leg, foot) in walk.feet.iter_mut().enumerate() {
            if let Foot::Planted { at } = foot {
                *at = self.correction.over(leg, *at);
            }
        }
        Self { walk, correction: ContactCorrection::NONE, ..*self }
    }

    /// Where a foot is held: on its path, or where the correction has it.
    pub(crate) fn foot_position(&self, leg: usize) -> Vector3<f64> {
        self.correction.over(leg, self.walk.foot(leg).position())
    }

    /// Feet on the ground, footprint frame.
    pub(crate) fn planted(&self) -> impl Iterator<Item = Vector2<f64>> + '_ {
        self.planted_without(0)
    }

    fn planted_without(&self, legs: u32) -> impl Iterator<Item = Vector2<f64>> + '_ {
        let others = self.walk.feet().iter().enumerate().filter(move |(leg, _)| legs & (1 << leg) == 0);
        others.filter_map(|(_, foot)| match foot {
            Foot::Planted { at } => Some(at.xy()),
            _ => None,
        })
    }

    /// The margin by which the robot stands on its planted feet without one of them.
    pub(crate) fn margin_without(&self, without: usize, centre: Vector2<f64>) -> f64 {
        self.support_without(1 << without).margin(centre)
    }

    /// The hull of its planted feet without those of some legs, one bit each.
    pub(crate) fn support_without(&self, legs: u32) -> SupportPolygon {
        SupportPolygon::new(self.planted_without(legs))
    }

    /// The centre of mass over the ground, footprint frame.
    pub(crate) fn centre(&self, plant: &Plant) -> Vector2<f64> {
        plant.centre(&self.angles, &self.footprint_from_body())
    }

    /// The angles of one leg; none of a leg that the robot does not have.
    pub(crate) fn angles_of(&self, leg: usize) -> LegAngles {
        self.angles.get(leg).copied().unwrap_or(LegAngles::zeros(0))
    }

    /// The fraction of the way to the next point of the grid that is over.
    fn fraction(&self, later_ns: f64) -> f64 {
        ((self.ns % GRID_NS) as f64 + later_ns) / GRID_NS as f64
    }

    /// The twist that feet in the air expect, `later_ns` from now.
    pub(crate) fn aim_after(&self, later_ns: f64) -> Twist {
        let [from, to] = self.aim;
        if from == to { from } else { from.towards(to, self.fraction(later_ns)) }
    }

    /// The twist `later_ns` from now, before the next point of the grid.
    pub(crate) fn twist_after(&self, later_ns: f64) -> Twist {
        let [from, to] = self.twist;
        if from == to { from } else { from.towards(to, self.fraction(later_ns)) }
    }

    /// The body's pose in the footprint frame.
    pub(crate) fn footprint_from_body(&self) -> Isometry3<f64> {
        Self::pose_at(self.height, self.offset, self.sway)
    }

    /// The same with the body at another offset.
    pub(crate) fn footprint_from_body_with(&self, offset: BodyOffset) -> Isometry3<f64> {
        Self::pose_at(self.height, offset, self.sway)
    }

    /// The same `seconds` later, at these rates.
    pub(crate) fn footprint_from_body_after(&self, seconds: f64, rates: &BodyRates) -> Isometry3<f64> {
        let height = self.height + rates.height * seconds;
        Self::pose_at(height, self.offset.moved(&rates.offset, seconds), self.sway + rates.sway * seconds)
    }

    fn pose_at(height: f64, mut offset: BodyOffset, sway: Vector2<f64>) -> Isometry3<f64> {
        offset.translation += Vector3::new(sway.x, sway.y, 0.0);
        offset.footprint_from_body(height)
    }
}
