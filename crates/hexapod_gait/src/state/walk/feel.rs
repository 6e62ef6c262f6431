//! What feet feel of the ground: they are put down on it, look for it, and climb over what is in their way.

use super::{LEVELLED, Sensed, Walk};
use crate::plane::nearest::NearestPlane;
use crate::plane::twist::Twist;
use crate::state::contact_correction::ContactCorrection;
use crate::state::foot::Foot;
use nalgebra::{Vector2, Vector3};

/// Feet that stand no more unevenly than this stand on even ground, m. On rough ground and slopes, ground that a foot does
/// not find is deeper more often than it is a gap.
const EVEN_M: f64 = 0.015;

impl Walk {
    /// Where the feet have met the ground last: of those that go on down, and of those that have found none, nobody knows.
    pub(crate) fn met(&self) -> impl Iterator<Item = Vector3<f64>> {
        let met = |(leg, foot): (usize, &Foot)| foot.stood().filter(|_| !self.found_nothing(leg));
        self.feet().iter().enumerate().filter_map(met)
    }

    /// The slope, ahead and aside, of the plane nearest to where the feet have met the ground last.
    pub(crate) fn slope(&self) -> Vector2<f64> {
        let points = || self.met();
        if points().all(|at| at.z == 0.0) { Vector2::zeros() } else { NearestPlane::through(points).slope }
    }

    /// The slope at which the ground is expected to go on: as feet have met it below a body that is kept level, or is not so level
    /// as its IMU has it.
    pub(crate) fn slope_ahead(&self) -> Vector2<f64> {
        self.slope().cap_magnitude(LEVELLED)
    }

    /// Whether a foot was put down last where it found no ground.
    pub(crate) fn found_nothing(&self, leg: usize) -> bool {
        self.groundless & (1 << leg) != 0
    }

    /// What feet have found is no more: the robot may be carried elsewhere.
    pub(crate) fn forget_ground(&mut self) {
        self.groundless = 0;
    }

    /// Puts feet down that feel the ground or are to; in a walk with a twist, lets others look for it, or climb over it. Those
    /// that swing anew for that, one bit for each leg.
    pub(crate) fn feel(&mut self, sensed: &Sensed, correction: &mut ContactCorrection, walks: Option<Twist>) -> u32 {
        let past_gap = walks.map_or(0, |twist| self.step_past_gap(sensed, twist));
        self.put_down(sensed, correction);
        past_gap | if walks.is_some() { self.climb_over(sensed) } else { 0 }
    }

    /// Puts down the feet whose swing is over, and those that feel the ground before, which are then held as deep below it
    /// as was reported late.
    pub(super) fn put_down(&mut self, sensed: &Sensed, correction: &mut ContactCorrection) {
        let feet = self.feet.iter_mut().take(self.count).enumerate();
        for (leg, foot) in feet.filter(|(_, foot)| foot.is_in_the_air()) {
            let finds_nothing = foot.finds_nothing(sensed.by(leg).contact);
            correction.add(leg, -foot.put_down(&sensed.by(leg)));
            if foot.is_planted() {
                self.groundless = self.groundless & !(1 << leg) | u32::from(finds_nothing) << leg;
            }
        }
    }

    /// Lets feet that have found no ground on even ground, and so a gap, look for it farther on, in a walk with `twist`.
    fn step_past_gap(&mut self, sensed: &Sensed, twist: Twist) -> u32 {
        if !self.seeks_ground() || self.unevenness() > EVEN_M {
            return 0;
        }
        let feet = self.feet.iter_mut().take(self.count).zip(self.nominal.rest()).enumerate();
        feet.fold(0, |anew, (leg, (foot, rest))| {
            anew | u32::from(foot.step_past_gap(sensed.by(leg).contact, twist.velocity_at(*rest))) << leg
        })
    }

    /// How much higher the highest foot on the ground stands than the lowest, m.
    fn unevenness(&self) -> f64 {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = self.planted_heights().fold(ends, |(low, high), z| (low.min(z), high.max(z)));
        high - low
    }

    /// Lets feet that meet an obstacle in mid-swing climb over it.
    fn climb_over(&mut self, sensed: &Sensed) -> u32 {
        let climbs = |(leg, foot): (usize, &mut Foot)| match foot {
            Foot::Swinging(swing) => u32::from(swing.climb_over(sensed.by(leg).contact)) << leg,
            _ => 0,
        };
        self.feet.iter_mut().take(self.count).enumerate().map(climbs).fold(0, |anew, leg| anew | leg)
    }
}
