//! Inverse of all legs: the closed form of `closed_form::parallel` lane by lane, without branches.

use super::bent::{SinCos, bounded};
use super::vectors::over_lanes;
use super::{Batch, Lane, Lanes3, Sectors};
use crate::legs::MAX_LEGS;
use crate::poly::{ArcTangent, atan2_by};
use nalgebra::Isometry3;

/// How far out of reach rounding may put a target that is on the edge, m² (a square of m).
const EDGE: f64 = 1e-12;

impl Batch {
    /// Joint angles (rad, inside the limits) for feet in the body frame (m), written to `angles`; a lane of the
    /// result is 1 where the foot is reached inside the limits and 0 where the target was brought in.
    ///
    /// Lanes past the robot's legs are of no use. A lane whose target is not finite gets finite angles inside the limits and a 0. Error at most 1e-10 m.
    pub fn inverse(&self, feet: &Lanes3, angles: &mut Lanes3) -> Lane {
        over_lanes!(self, N => self.first_lanes::<N>(feet, angles))
    }

    /// The same for feet in another frame, m, in which the body has a pose.
    pub fn inverse_in_frame(&self, body_from_world: &Isometry3<f64>, feet: &Lanes3, angles: &mut Lanes3) -> Lane {
        over_lanes!(self, N => self.first_lanes::<N>(&feet.transformed(body_from_world), angles))
    }

    /// The same with each joint within its range: a lane of the result is 1 where the foot is reached so.
    pub fn inverse_within(
        &self,
        body_from_world: &Isometry3<f64>,
        feet: &Lanes3,
        ranges: &Sectors,
        angles: &mut Lanes3,
    ) -> Lane {
        over_lanes!(self, N => {
            let reached = self.first_lanes::<N>(&feet.transformed(body_from_world), angles);
            ranges.hold::<N>(angles, &reached)
        })
    }

    #[inline(always)]
    fn first_lanes<const N: usize>(&self, feet: &Lanes3, angles: &mut Lanes3) -> Lane {
        let mut reached = [0.0; MAX_LEGS];
        let [out1, out2, out3] = &mut angles.0;
        for i in 0..N.min(MAX_LEGS) {
            let (q, inside) = self.lane(i, feet.0[0][i], feet.0[1][i], feet.0[2][i]);
            out1[i] = q[0];
            out2[i] = q[1];
            out3[i] = q[2];
            reached[i] = inside;
        }
        reached
    }

    #[inline(always)]
    fn lane(&self, i: usize, x: f64, y: f64, z: f64) -> ([f64; 3], f64) {
        let bent = self.bent(i, x, y, z);
        let yaw = self.angle::<0>(i, bent.yaw);
        let pitch = self.angle::<1>(i, bent.pitch);
        let knee = self.sense[i] * self.angle::<2>(i, bent.knee);
        // All three are measured from the middle of their ranges.
        let (q1, q2, q3) =
            (bounded(yaw, self.half[0][i]), bounded(pitch, self.half[1][i]), bounded(knee, self.half[2][i]));
        let moved =
            (q1 - yaw).abs() + (q2 - pitch).abs() + (q3 - knee).abs() + (bounded(bent.open, 1.0) - bent.open).abs();
        let inside = if moved <= EDGE && bent.square >= -EDGE { 1.0 } else { 0.0 };
        ([q1 + self.middle[0][i], q2 + self.middle[1][i], q3 + self.middle[2][i]], inside)
    }

    #[inline(always)]
    fn angle<const K: usize>(&self, i: usize, turn: SinCos) -> f64 {
        let numbers: ArcTangent<f64> = std::array::from_fn(|n| self.arc_tangents[K][n][i]);
        atan2_by(&numbers, turn.sin, turn.cos)
    }
}
