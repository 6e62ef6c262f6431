//! Inverse of all legs: the closed form of `ik::parallel` lane by lane, without branches.

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
    pub fn inverse_from(&self, body_from_world: &Isometry3<f64>, feet: &Lanes3, angles: &mut Lanes3) -> Lane {
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
    fn angle<const K: usize>(&self, i: usize, turn: Turn) -> f64 {
        let numbers: ArcTangent<f64> = std::array::from_fn(|n| self.arc_tangents[K][n][i]);
        atan2_by(&numbers, turn.sin, turn.cos)
    }

    /// How a leg is bent with its foot there.
    #[inline(always)]
    pub(super) fn bent(&self, i: usize, x: f64, y: f64, z: f64) -> Bent {
        let (px, py, pz) = (x - self.hip[0][i], y - self.hip[1][i], z - self.hip[2][i]);
        let tx = self.x[0][i] * px + self.x[1][i] * py + self.x[2][i] * pz;
        let ty = self.y[0][i] * px + self.y[1][i] * py + self.y[2][i] * pz;
        let h = self.z[0][i] * px + self.z[1][i] * py + self.z[2][i] * pz;
        let d = self.d0[i] - self.d_z[i] * h;
        let flat = tx * tx + ty * ty;
        let square = flat - d * d;
        let ahead = positive(square).sqrt() * self.ahead[i];

        let w1 = self.w0[0][i] + self.wx[0][i] * ahead + self.wy[0][i] * d + self.wz[0][i] * h;
        let w2 = self.w0[1][i] + self.wx[1][i] * ahead + self.wy[1][i] * d + self.wz[1][i] * h;
        let reach = w1 * w1 + w2 * w2;
        let open = reach * self.inverse[i] - self.squares[i];
        let cos = bounded(open, 1.0);
        let sin = positive((1.0 - cos) * (1.0 + cos)).sqrt() * self.knee[i];
        let (along, aside) = (self.upper[i] + self.lower[i] * cos, self.lower[i] * sin);
        let (bc, bs) = (self.bend_cos[i], self.bend_sin[i]);
        Bent {
            flat,
            square,
            reach,
            open,
            yaw: Turn { sin: ty * ahead - tx * d, cos: tx * ahead + ty * d },
            pitch: Turn { sin: w2 * along - w1 * aside, cos: w1 * along + w2 * aside },
            knee: Turn { sin: sin * bc - cos * bs, cos: cos * bc + sin * bs },
        }
    }
}

/// How a leg is bent with its foot at a place.
#[derive(Clone, Copy)]
pub(super) struct Bent {
    /// Square of the distance of the foot from the axis of joint 1, m².
    pub flat: f64,
    /// Square of how far ahead of joint 1 it is in the plane of the arm, m²; negative for a foot too near the axis.
    pub square: f64,
    /// Square of its distance from joint 2 in that plane, m².
    pub reach: f64,
    /// Cosine of the bend at joint 3; beyond one for a foot out of reach.
    pub open: f64,
    /// Each joint's angle from the middle of its range, times `flat`, times `reach`, and, in its own sense, as it is.
    pub yaw: Turn,
    pub pitch: Turn,
    pub knee: Turn,
}

/// An angle by its sine and cosine, both times some length.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    pub sin: f64,
    pub cos: f64,
}

/// At least zero; zero for NaN.
#[inline(always)]
fn positive(v: f64) -> f64 {
    if v > 0.0 { v } else { 0.0 }
}

/// Within `-bound..=bound`; `-bound` for NaN.
#[inline(always)]
fn bounded(v: f64, bound: f64) -> f64 {
    let v = if v > -bound { v } else { -bound };
    if v < bound { v } else { bound }
}
