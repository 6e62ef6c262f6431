//! What the platforms' own libraries round each in their way: one implementation for all of them, so that a Raspberry
//! Pi, a PC and a browser work out the same bits.
//!
//! The standard library passes `f64::sin` and its like on to the C library of the platform, whose last bits differ. These
//! go by the crate `libm`, as nalgebra's own do (its feature `libm-force`), all within one unit in the last place.
//! Addition to division, square roots and rounding to whole numbers are exact everywhere (IEEE 754), and rustc never
//! contracts `a * b + c` to one instruction. `clippy.toml` keeps the others out of the crates that a tick runs.

/// Sine of an angle in rad.
#[inline]
#[must_use]
pub fn sin(angle: f64) -> f64 {
    libm::sin(angle)
}

/// Cosine of an angle in rad.
#[inline]
#[must_use]
pub fn cos(angle: f64) -> f64 {
    libm::cos(angle)
}

/// Sine and cosine of an angle in rad.
#[inline]
#[must_use]
pub fn sin_cos(angle: f64) -> (f64, f64) {
    libm::sincos(angle)
}

/// Tangent of an angle in rad.
#[inline]
#[must_use]
pub fn tan(angle: f64) -> f64 {
    libm::tan(angle)
}

/// Arc sine, rad.
#[inline]
#[must_use]
pub fn asin(sine: f64) -> f64 {
    libm::asin(sine)
}

/// Arc cosine, rad.
#[inline]
#[must_use]
pub fn acos(cosine: f64) -> f64 {
    libm::acos(cosine)
}

/// Arc tangent of `y / x` in all quadrants, rad.
#[inline]
#[must_use]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// Power of e.
#[inline]
#[must_use]
pub fn exp(exponent: f64) -> f64 {
    libm::exp(exponent)
}

/// Natural logarithm.
#[inline]
#[must_use]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// Logarithm to the base 10.
#[inline]
#[must_use]
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// Power of 10.
#[inline]
#[must_use]
pub fn exp10(exponent: f64) -> f64 {
    libm::exp10(exponent)
}

/// Length of a vector in the plane, however long; one below 1e-150 has few digits or none.
#[inline]
#[must_use]
pub fn hypot(x: f64, y: f64) -> f64 {
    let square = x * x + y * y;
    if square <= f64::MAX { square.sqrt() } else { libm::hypot(x, y) }
}

/// A whole power, by multiplication.
#[must_use]
pub fn whole_power(x: f64, exponent: u32) -> f64 {
    (0..exponent).fold(1.0, |power, _| power * x)
}

/// The square.
#[inline]
#[must_use]
pub fn squared(x: f64) -> f64 {
    x * x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of each function at some of its arguments. What these are matters less than that they are the same on
    /// each platform: a version of `libm` that rounds otherwise fails here, and so does one that goes by the platform.
    #[test]
    fn when_a_function_is_asked_expect_these_bits_on_every_platform() {
        let places = (0..1000).map(|k| (f64::from(k) - 500.0) * 0.037_171_3);
        let mut digest = 0xcbf2_9ce4_8422_2325_u64;
        let mut take = |value: f64| digest = (digest ^ value.to_bits()).wrapping_mul(0x0000_0100_0000_01b3);
        for x in places {
            let part = x / 20.0;
            let of_all = [sin(x), cos(x), sin_cos(x).0, sin_cos(x).1, tan(x), exp(part), exp10(part), hypot(x, part)];
            of_all.into_iter().for_each(&mut take);
            [asin(part), acos(part), atan2(part, x - part), log10(x.abs())].into_iter().for_each(&mut take);
        }
        assert_eq!(digest, 0xa387_37a6_4c9d_a393, "{digest:#018x}");
    }

    #[test]
    fn when_a_square_would_be_too_large_expect_the_length_all_the_same() {
        for size in [1e308, 1e200, 1e-140, 0.0] {
            let (ours, theirs) = (hypot(0.6 * size, 0.8 * size), size);
            assert!((ours - theirs).abs() <= 1e-15 * size, "{ours} {theirs}");
        }
        assert_eq!(hypot(f64::INFINITY, 1.0), f64::INFINITY);
        assert!(hypot(f64::NAN, 1.0).is_nan());
    }

    #[test]
    fn when_compared_with_the_platforms_library_expect_the_last_digits_to_differ_at_most() {
        for k in -2000..2000 {
            let (x, part) = (f64::from(k) * 0.013, f64::from(k) / 2001.0);
            for (ours, theirs) in [
                (sin(x), x.sin()),
                (cos(x), x.cos()),
                (sin_cos(x).0, x.sin()),
                (sin_cos(x).1, x.cos()),
                (asin(part), part.asin()),
                (acos(part), part.acos()),
                (atan2(part, x), part.atan2(x)),
                (exp(part), part.exp()),
                (exp10(part), 10f64.powf(part)),
                (hypot(x, part), x.hypot(part)),
            ] {
                assert!((ours - theirs).abs() <= 4.0 * f64::EPSILON * theirs.abs().max(1.0), "{x}: {ours} {theirs}");
            }
        }
    }
}
