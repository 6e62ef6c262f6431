//! Acceleration and jerk limits of the twist.

use crate::plane::grid::GRID_S;
use crate::plane::limits::{Limited, TwistLimits};
use crate::plane::twist::Twist;

/// Most steps of the window.
const LONGEST: usize = 64;

/// A twist that follows another with bounded acceleration and jerk, one step of the grid at a time.
///
/// A straight ramp of bounded acceleration is averaged over a window: the mean of accelerations within a bound is within
/// it too, and changes by at most twice the bound in one window. The mean of twists on a straight line is on that line,
/// so the direction of a start, a stop or a change of speed is kept; there is no overshoot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ramp {
    at: Twist,
    last: [Twist; LONGEST],
    next: usize,
    /// Steps since the ramp last changed: from one window on, the mean is the ramp itself.
    steady: usize,
}

impl Ramp {
    pub(crate) const REST: Self = Self { at: Twist::ZERO, last: [Twist::ZERO; LONGEST], next: 0, steady: LONGEST };

    /// Steps of the window that holds the jerk.
    fn window(limits: &TwistLimits) -> usize {
        let linear = limits.linear_acceleration / limits.linear_jerk;
        let angular = limits.angular_acceleration / limits.angular_jerk;
        // In one window the mean may go from the greatest acceleration one way to the greatest the other way.
        ((2.0 * linear.max(angular) / GRID_S - 1e-9).ceil() as usize).clamp(1, LONGEST)
    }

    /// Limits with no more acceleration than the longest window keeps to their jerk.
    pub(crate) fn smooth(limits: TwistLimits) -> TwistLimits {
        let smooth = |acceleration: f64, jerk: f64| {
            let most = 0.5 * GRID_S * LONGEST as f64 * jerk;
            if acceleration > most && jerk > 0.0 { most } else { acceleration }
        };
        TwistLimits {
            linear_acceleration: smooth(limits.linear_acceleration, limits.linear_jerk),
            angular_acceleration: smooth(limits.angular_acceleration, limits.angular_jerk),
            ..limits
        }
    }

    /// Seconds by which the mean trails the ramp.
    pub(crate) fn lag(limits: &TwistLimits) -> f64 {
        0.5 * GRID_S * (Self::window(limits) + 1) as f64
    }

    /// One step towards `wanted`.
    pub(crate) fn step(&mut self, wanted: Limited, limits: &TwistLimits) -> Limited {
        let ramped = limits.acceleration(self.at, wanted, GRID_S);
        self.steady = if ramped.twist == self.at { (self.steady + 1).min(LONGEST) } else { 0 };
        self.at = ramped.twist;
        if let Some(last) = self.last.get_mut(self.next) {
            *last = ramped.twist;
        }
        self.next = (self.next + 1) % LONGEST;
        let window = Self::window(limits);
        if self.steady + 1 >= window {
            return ramped;
        }
        let mut sum = Twist::ZERO;
        for back in 1..=window {
            let twist = self.last[(self.next + LONGEST - back) % LONGEST];
            sum = Twist::new(sum.vx + twist.vx, sum.vy + twist.vy, sum.wz + twist.wz);
        }
        Limited { twist: sum.scaled(1.0 / window as f64), by: ramped.by }
    }

    /// Whether it has come to rest, and has left the window behind.
    pub(crate) fn is_at_rest(&self, limits: &TwistLimits) -> bool {
        self.at.is_zero() && self.steady + 1 >= Self::window(limits)
    }

    /// Slows the ramp and all it remembers: a hard limit that is not to be made up for.
    pub(crate) fn scale(&mut self, factor: f64) {
        self.at = self.at.scaled(factor);
        self.steady = 0;
        for twist in &mut self.last {
            *twist = twist.scaled(factor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::limits::tests::LIMITS;
    use proptest::prelude::*;

    fn difference(a: Twist, b: Twist) -> Twist {
        Twist::new(a.vx - b.vx, a.vy - b.vy, a.wz - b.wz)
    }

    proptest! {
        #[test]
        fn when_any_twists_are_wanted_expect_acceleration_and_jerk_bounded(
            wanted in prop::collection::vec((prop::array::uniform3(-0.1..0.1f64), 1usize..60), 1..20),
        ) {
            let (mut ramp, mut before, mut slope) = (Ramp::REST, Twist::ZERO, Twist::ZERO);
            for (w, steps) in wanted {
                let target = Limited::unlimited(Twist::new(w[0], w[1], 5.0 * w[2]));
                for _ in 0..steps {
                    let now = ramp.step(target, &LIMITS).twist;
                    let acceleration = difference(now, before).scaled(1.0 / GRID_S);
                    let jerk = difference(acceleration, slope).scaled(1.0 / GRID_S);
                    prop_assert!(acceleration.speed() <= 0.4 + 1e-9 && acceleration.wz.abs() <= 2.0 + 1e-9);
                    prop_assert!(jerk.speed() <= 8.0 + 1e-6 && jerk.wz.abs() <= 40.0 + 1e-6, "{jerk:?}");
                    (before, slope) = (now, acceleration);
                }
            }
        }

        #[test]
        fn when_jerk_is_bounded_far_below_the_acceleration_expect_both_held(
            wanted in prop::collection::vec((prop::array::uniform3(-0.2..0.2f64), 1usize..200), 1..10), jerk in 0.1..4.0f64,
        ) {
            let asked = TwistLimits { linear_acceleration: 0.3, linear_jerk: jerk, angular_jerk: 5.0 * jerk, ..LIMITS };
            let limits = Ramp::smooth(asked);
            let (mut ramp, mut before, mut slope) = (Ramp::REST, Twist::ZERO, Twist::ZERO);
            for (w, steps) in wanted {
                let target = Limited::unlimited(Twist::new(w[0], w[1], 5.0 * w[2]));
                for _ in 0..steps {
                    let now = ramp.step(target, &limits).twist;
                    let acceleration = difference(now, before).scaled(1.0 / GRID_S);
                    let change = difference(acceleration, slope).scaled(1.0 / GRID_S);
                    prop_assert!(acceleration.speed() <= 0.3 + 1e-9 && acceleration.wz.abs() <= 2.0 + 1e-9);
                    prop_assert!(change.speed() <= jerk + 1e-6 && change.wz.abs() <= 5.0 * jerk + 1e-6, "{change:?}");
                    (before, slope) = (now, acceleration);
                }
            }
            (0..1500).for_each(|_| _ = ramp.step(Limited::unlimited(Twist::ZERO), &limits));
            prop_assert!(ramp.is_at_rest(&limits) && ramp.step(Limited::unlimited(Twist::ZERO), &limits).twist.is_zero());
        }

        #[test]
        fn when_starting_expect_the_direction_kept_and_the_twist_reached_to_the_bit(w in prop::array::uniform3(0.01..0.1f64)) {
            let target = Twist::new(w[0], w[1], w[2]);
            let mut ramp = Ramp::REST;
            for _ in 0..200 {
                let now = ramp.step(Limited::unlimited(target), &LIMITS).twist;
                prop_assert!((now.vx * target.vy - now.vy * target.vx).abs() < 1e-12);
                prop_assert!((now.vx * target.wz - now.wz * target.vx).abs() < 1e-12);
            }
            prop_assert_eq!(ramp.step(Limited::unlimited(target), &LIMITS).twist, target);
        }
    }
}
