//! The normal distribution, and odds.

use hexapod_kinematics::math;

/// Probability that a standard normal number is below `x`, within 2e-4 (Bowling et al. 2009); NaN counts as unknown.
#[inline]
pub(crate) fn normal_cdf(x: f64) -> f64 {
    if x.is_nan() { 0.5 } else { logistic(x * (1.5976 + 0.070_56 * x * x)) }
}

/// Probability from the logarithm of odds.
#[inline]
pub(crate) fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + math::exp(-log_odds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_table_is_looked_up_expect_it_within_two_in_ten_thousand() {
        for (x, expect) in [(0.0, 0.5), (1.0, 0.841_345), (-1.645, 0.05), (2.326, 0.99), (40.0, 1.0), (-1e9, 0.0)] {
            assert!((normal_cdf(x) - expect).abs() < 2e-4, "{x}");
        }
        assert_eq!(normal_cdf(f64::NAN), 0.5);
        assert_eq!(normal_cdf(f64::NEG_INFINITY), 0.0);
    }
}
