//! How a leg is bent with its foot at a place, no angle being worked out.

use super::Batch;

impl Batch {
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
            yaw: SinCos { sin: ty * ahead - tx * d, cos: tx * ahead + ty * d },
            pitch: SinCos { sin: w2 * along - w1 * aside, cos: w1 * along + w2 * aside },
            knee: SinCos { sin: sin * bc - cos * bs, cos: cos * bc + sin * bs },
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
    pub yaw: SinCos,
    pub pitch: SinCos,
    pub knee: SinCos,
}

/// An angle by its sine and cosine, both times some length.
#[derive(Clone, Copy)]
pub(super) struct SinCos {
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
pub(super) fn bounded(v: f64, bound: f64) -> f64 {
    let v = if v > -bound { v } else { -bound };
    if v < bound { v } else { bound }
}
