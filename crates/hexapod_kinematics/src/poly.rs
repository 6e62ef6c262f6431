//! Arc tangent, sine and cosine without branches, so that loops over them vectorise. They multiply and add in two steps
//! even where one instruction does both: that would round once where other platforms round twice.
//!
//! Polynomials fitted at Chebyshev nodes; the errors stated are the greatest over the range, in rad.

/// `tan(pi/8)`: up to it the arc tangent's polynomial holds.
const EIGHTH: f64 = 0.414_213_562_373_095_03;

/// What the arc tangent is made of: its polynomial from the constant on, and where it is folded.
pub(crate) type ArcTangent<T> = [T; 12];

/// The arc tangent's polynomial in `z²` for `|z| <= tan(pi/8)`, within 8e-13, and then that bound and pi by 4, 2 and 1.
pub(crate) const ARC_TANGENT: ArcTangent<f64> = [
    0.999_999_999_999_270_4,
    -0.333_333_332_783_461_56,
    0.199_999_931_849_218_13,
    -0.142_853_911_064_864_59,
    0.111_035_321_275_120_6,
    -0.089_931_913_586_897_34,
    0.069_768_864_983_406_65,
    -0.037_699_612_876_992_71,
    EIGHTH,
    std::f64::consts::FRAC_PI_4,
    std::f64::consts::FRAC_PI_2,
    std::f64::consts::PI,
];

/// Arc tangent of `y / x` in all quadrants, within 2e-12; zero for `(0, 0)`.
#[inline(always)]
pub(crate) fn atan2(y: f64, x: f64) -> f64 {
    atan2_by(&ARC_TANGENT, y, x)
}

/// The same with the numbers of [`ARC_TANGENT`] from wherever they are read fastest.
#[inline(always)]
pub(crate) fn atan2_by(numbers: &ArcTangent<f64>, y: f64, x: f64) -> f64 {
    let [a0, a1, a2, a3, a4, a5, a6, a7, eighth, quarter, half, whole] = *numbers;
    let (ax, ay) = (x.abs(), y.abs());
    let (small, large) = if ay > ax { (ax, ay) } else { (ay, ax) };
    // atan(s / l) = pi/4 + atan((s - l) / (s + l)): one division serves both ranges.
    let far = small > eighth * large;
    let (top, bottom) = if far { (small - large, small + large) } else { (small, large) };
    let z = top / if bottom > 0.0 { bottom } else { 1.0 };
    let s = z * z;
    let (s2, s4) = (s * s, s * s * (s * s));
    let arc = ((a7 * s + a6) * s2 + (a5 * s + a4)) * s4 + ((a3 * s + a2) * s2 + (a1 * s + a0));
    let angle = z * arc + if far { quarter } else { 0.0 };
    let angle = if ay > ax { half - angle } else { angle };
    let angle = if x < 0.0 { whole - angle } else { angle };
    // Not below zero until here, so that it has no sign of its own to be cleared.
    f64::from_bits(angle.to_bits() | (y.to_bits() & (-0.0_f64).to_bits()))
}

/// [`atan2`] of four pairs, in the time of one or two where the target has vectors.
#[inline(never)]
pub(crate) fn atan2_each(y: [f64; 4], x: [f64; 4]) -> [f64; 4] {
    std::array::from_fn(|i| atan2(y[i], x[i]))
}

/// Sine and cosine, within 1e-13 for angles up to 1e5 rad.
#[inline(always)]
pub(crate) fn sin_cos(angle: f64) -> (f64, f64) {
    // 1.5 * 2^52: adding it and taking it away rounds to a whole number.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    // pi/2 in two parts.
    const HIGH: f64 = 1.570_796_326_734_125_6;
    const LOW: f64 = 6.077_100_506_506_192e-11;
    let turns = (angle * std::f64::consts::FRAC_2_PI + ROUND) - ROUND;
    let r = (angle - turns * HIGH) - turns * LOW;
    let s = r * r;
    let sine = r
        * (0.999_999_999_999_996_2
            + s * (-0.166_666_666_666_164_34
                + s * (0.008_333_333_323_842_661
                    + s * (-0.000_198_412_632_796_485_94
                        + s * (2.755_526_787_465_585e-6 - s * 2.475_626_125_599_992_3e-8)))));
    let cosine = 1.000_000_000_000_000_4
        + s * (-0.499_999_999_999_992_5
            + s * (0.041_666_666_666_504_61
                + s * (-0.001_388_888_887_434_267
                    + s * (2.480_158_048_044_474e-5
                        + s * (-2.755_558_566_594_863e-7 + s * 2.065_288_080_648_809e-9)))));
    // Cosine and sine of the quarter turns, in arithmetic instead of branches: the rest of a quarter of their number
    // is 0, 1/4, +-1/2 or -1/4.
    let quarter = turns * 0.25;
    let rest = quarter - ((quarter + ROUND) - ROUND);
    let a = 1.0 - 4.0 * rest.abs();
    let b = 4.0 * rest * (a + 1.0);
    (a * sine + b * cosine, a * cosine - b * sine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_all_round_the_circle_expect_libm_to_two_picoradians() {
        for k in -200_000i32..=200_000 {
            let angle = f64::from(k) * 1.570_001e-5;
            let length = 1e-3 * f64::from(k.rem_euclid(997) + 1);
            let (y, x) = (angle.sin() * length, angle.cos() * length);
            assert!((atan2(y, x) - y.atan2(x)).abs() < 2e-12, "{y} {x}");
            let (s, c) = sin_cos(angle * 10.0);
            assert!((s - (angle * 10.0).sin()).abs() < 1e-13 && (c - (angle * 10.0).cos()).abs() < 1e-13, "{angle}");
        }
        assert_eq!(atan2(0.0, 0.0), 0.0);
        assert_eq!(atan2(0.0, -1.0), std::f64::consts::PI);
        assert_eq!(atan2(1.0, 0.0), std::f64::consts::FRAC_PI_2);
    }
}
