//! Whether feet are within reach, no angle being worked out: half the instructions of the inverse.

use super::bent::SinCos;
use super::vectors::over_lanes;
use super::{Batch, Lane, Lanes3, put};
use crate::legs::MAX_LEGS;
use crate::math;
use nalgebra::{Isometry3, Vector3};

/// By so much a range is cut short, in cosine, so that rounding never takes an angle for inside that is not.
const ROUNDING: f64 = 1e-12;

/// The cosine of no angle: the half of an empty range.
const NOTHING: f64 = 2.0;

/// A range of each joint of all legs, rad, and the same as directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Sectors {
    lower: Lanes3,
    upper: Lanes3,
    /// The middle, measured as the batch measures angles.
    sin: [Lane; 3],
    cos: [Lane; 3],
    /// Cosine of the half.
    half: [Lane; 3],
}

impl Batch {
    /// Ranges, rad, inside the joints' limits, as [`Self::reaches`] wants them.
    pub fn sectors(&self, lower: &Lanes3, upper: &Lanes3) -> Sectors {
        let zero = [[0.0; MAX_LEGS]; 3];
        let mut sectors = Sectors { lower: *lower, upper: *upper, sin: zero, cos: zero, half: zero };
        for leg in 0..self.legs {
            let (lower, upper) = (lower.get(leg), upper.get(leg));
            for (k, (lower, upper)) in lower.iter().zip(upper).enumerate() {
                let (middle, half) = (self.middle[k][leg], self.half[k][leg]);
                // Of a joint of more than a turn, the turn that the inverse finds.
                let (lower, upper) = (lower.max(middle - half), upper.min(middle + half));
                let sense = if k == 2 { self.sense[leg] } else { 1.0 };
                let (sin, cos) = math::sin_cos(sense * (0.5 * (lower + upper) - middle));
                put(&mut sectors.sin[k], leg, sin);
                put(&mut sectors.cos[k], leg, cos);
                let half = if lower <= upper { math::cos(0.5 * (upper - lower)) + ROUNDING } else { NOTHING };
                put(&mut sectors.half[k], leg, half);
            }
        }
        sectors
    }

    /// Which feet in the body frame, all moved `by` so much, m, are reached with each joint inside its sector: 1 or 0 in
    /// each lane. What [`Self::inverse_within`] tells, but for feet within some 1e-12 of an edge, which are left out.
    pub fn reaches(&self, feet: &Lanes3, by: &Vector3<f64>, sectors: &Sectors) -> Lane {
        over_lanes!(self, N => self.first_reaches::<N>(&feet.shifted(by), sectors))
    }

    /// The same for feet in another frame, m, in which the body has a pose.
    pub fn reaches_from(&self, body_from_world: &Isometry3<f64>, feet: &Lanes3, sectors: &Sectors) -> Lane {
        over_lanes!(self, N => self.first_reaches::<N>(&feet.transformed(body_from_world), sectors))
    }

    #[inline(always)]
    fn first_reaches<const N: usize>(&self, feet: &Lanes3, sectors: &Sectors) -> Lane {
        let mut reached = [0.0; MAX_LEGS];
        for (i, reached) in reached.iter_mut().enumerate().take(N) {
            let bent = self.bent(i, feet.0[0][i], feet.0[1][i], feet.0[2][i]);
            let yaw = sectors.along::<0>(i, bent.yaw) - sectors.half[0][i] * bent.flat;
            let pitch = sectors.along::<1>(i, bent.pitch) - sectors.half[1][i] * bent.reach;
            let knee = sectors.along::<2>(i, bent.knee) - sectors.half[2][i];
            // None of them is NaN where the foot is within reach, and else they do not count.
            let least = if yaw < pitch { yaw } else { pitch };
            let least = if least < knee { least } else { knee };
            let inside = least >= 0.0 && bent.square >= 0.0 && bent.open.abs() <= 1.0;
            *reached = if inside { 1.0 } else { 0.0 };
        }
        reached
    }
}

impl Sectors {
    /// What is left of `reached`, 1 or 0 in each lane, where all joints are within their ranges.
    #[inline(always)]
    pub(super) fn hold<const N: usize>(&self, angles: &Lanes3, reached: &Lane) -> Lane {
        let mut held = [0.0; MAX_LEGS];
        for i in 0..N.min(MAX_LEGS) {
            let is_within = |k: usize| (self.lower.0[k][i] <= angles.0[k][i]) & (angles.0[k][i] <= self.upper.0[k][i]);
            held[i] = if is_within(0) & is_within(1) & is_within(2) { reached[i] } else { 0.0 };
        }
        held
    }

    /// Cosine of an angle from the sector's middle, times its length.
    #[inline(always)]
    fn along<const K: usize>(&self, leg: usize, turn: SinCos) -> f64 {
        turn.cos * self.cos[K][leg] + turn.sin * self.sin[K][leg]
    }
}
