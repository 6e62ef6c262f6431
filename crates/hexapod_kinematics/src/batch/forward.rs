//! Forward kinematics of all legs, lane by lane: the inverse's steps run backwards.

use super::vectors::over_lanes;
use super::{Batch, Lanes3};
use crate::legs::MAX_LEGS;
use crate::poly::sin_cos;

impl Batch {
    /// Feet in the body frame (m) at joint angles (rad), written to `feet`, within 1e-12 m of [`Leg::foot_in_body`](crate::Leg::foot_in_body).
    pub fn forward(&self, angles: &Lanes3, feet: &mut Lanes3) {
        over_lanes!(self, N => self.first_feet::<N>(angles, feet));
    }

    #[inline(always)]
    fn first_feet<const N: usize>(&self, angles: &Lanes3, feet: &mut Lanes3) {
        let [out_x, out_y, out_z] = &mut feet.0;
        for i in 0..N.min(MAX_LEGS) {
            let [x, y, z] = self.foot(i, angles.0[0][i], angles.0[1][i], angles.0[2][i]);
            out_x[i] = x;
            out_y[i] = y;
            out_z[i] = z;
        }
    }

    #[inline(always)]
    fn foot(&self, i: usize, q1: f64, q2: f64, q3: f64) -> [f64; 3] {
        // Direction of the lower link seen from the upper one: sense * q3 + bend, from the middle of the range.
        let (s3, c3) = sin_cos(self.sense[i] * (q3 - self.middle[2][i]));
        let (bc, bs) = (self.bend_cos[i], self.bend_sin[i]);
        let (sin, cos) = (s3 * bc + c3 * bs, c3 * bc - s3 * bs);
        let (along, aside) = (self.upper[i] + self.lower[i] * cos, self.lower[i] * sin);
        let (s2, c2) = sin_cos(q2 - self.middle[1][i]);
        let (w1, w2) = (along * c2 - aside * s2, along * s2 + aside * c2);
        // w = w0 + wx x' + wy D + wz h with D = d0 - d_z h: two equations for x' and h.
        let (r1, r2) =
            (w1 - self.w0[0][i] - self.wy[0][i] * self.d0[i], w2 - self.w0[1][i] - self.wy[1][i] * self.d0[i]);
        let (h1, h2) = (self.wz[0][i] - self.wy[0][i] * self.d_z[i], self.wz[1][i] - self.wy[1][i] * self.d_z[i]);
        let (x1, x2) = (self.wx[0][i], self.wx[1][i]);
        let scale = self.unmix[i];
        let (ahead, h) = ((r1 * h2 - r2 * h1) * scale, (x1 * r2 - x2 * r1) * scale);
        let d = self.d0[i] - self.d_z[i] * h;
        let (s1, c1) = sin_cos(q1 - self.middle[0][i]);
        let (tx, ty) = (ahead * c1 - d * s1, ahead * s1 + d * c1);
        [
            self.hip[0][i] + self.x[0][i] * tx + self.y[0][i] * ty + self.z[0][i] * h,
            self.hip[1][i] + self.x[1][i] * tx + self.y[1][i] * ty + self.z[1][i] * h,
            self.hip[2][i] + self.x[2][i] * tx + self.y[2][i] * ty + self.z[2][i] * h,
        ]
    }
}
