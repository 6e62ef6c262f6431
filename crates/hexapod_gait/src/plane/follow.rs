//! A square-root controller with damping: how something follows a target that may move in steps, as one does that comes in
//! messages: with bounded speed and acceleration, never at rest between two steps, and at rest where the target is.

use crate::plane::grid::GRID_S;
use nalgebra::SVector;

/// Speed for each m (or rad) that is left, 1/s. A target that moves evenly is trailed by the inverse, 0.1 s: long enough
/// to bridge the time between two messages, short enough not to be felt.
const GAIN: f64 = 10.0;
/// Fraction of the acceleration with which it comes to rest from afar; the rest is for a target that moves meanwhile.
const BRAKING: f64 = 0.7;
/// Nearer than this, and as slow as that is in one step of the grid, it goes a part of the way in each step: sooner there
/// than with that gain, and still on its way when the next of many small steps of the target comes.
const NEAR: f64 = 2e-5;
const LAST_FRACTION: f64 = 0.5;
/// Nearer than this it is there.
const ARRIVED: f64 = 1e-7;

/// What bounds the way to the target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Follow {
    /// Greatest speed, per second.
    pub speed: f64,
    /// Greatest change of the speed, per second.
    pub acceleration: f64,
    /// How many times as quickly as else it follows.
    pub speed_scale: f64,
}

impl Follow {
    /// The rate until the next point of the grid, `left` being the way to the target and `last` the rate before.
    #[inline]
    pub(crate) fn rate<const N: usize>(&self, left: SVector<f64, N>, last: SVector<f64, N>) -> SVector<f64, N> {
        let distance = left.norm();
        let near = NEAR.min(self.acceleration * GRID_S * GRID_S);
        if distance < near && last.norm() * GRID_S <= near {
            let fraction = if distance < ARRIVED { 1.0 } else { (self.speed_scale * LAST_FRACTION).min(1.0) };
            return left * (fraction / GRID_S);
        }
        // The loop of speed is four times as quick as that of place: critically damped, it does not overshoot.
        let damping = 4.0 * self.speed_scale * GAIN * GRID_S;
        let wanted = if distance > 0.0 { left * (self.speed_with(distance) / distance) } else { left };
        last + ((wanted - last) * damping).cap_magnitude(self.acceleration * GRID_S)
    }

    /// The speed with so much of the way left: in proportion to it, and beyond the distance at which that would brake
    /// too hard, with its square root.
    fn speed_with(&self, distance: f64) -> f64 {
        let (gain, braking) = (self.speed_scale * GAIN, BRAKING * self.acceleration);
        let linear = braking / (gain * gain);
        let speed =
            if distance <= linear { gain * distance } else { (2.0 * braking * (distance - 0.5 * linear)).sqrt() };
        speed.min(self.speed_scale * self.speed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector1;
    use proptest::prelude::*;

    /// Where it is after each step of the grid on its way to targets that are held for so many steps each.
    fn followed(follow: Follow, targets: &[(f64, usize)]) -> Vec<(f64, f64)> {
        let (mut at, mut rate, mut all) = (Vector1::zeros(), Vector1::zeros(), vec![]);
        for &(target, steps) in targets {
            for _ in 0..steps {
                rate = follow.rate(Vector1::new(target) - at, rate);
                at += rate * GRID_S;
                all.push((at.x, rate.x));
            }
        }
        all
    }

    proptest! {
        #[test]
        fn when_the_target_jumps_at_random_expect_speed_and_acceleration_bounded_and_rest_where_it_is(
            targets in prop::collection::vec((-0.06..0.06f64, 1usize..80), 1..20),
            acceleration in 0.2..4.0f64, speed_scale in prop_oneof![Just(1.0), Just(2.0)],
        ) {
            let follow = Follow { speed: 0.08, acceleration, speed_scale };
            let last = targets[targets.len() - 1].0;
            let targets = [&targets[..], &[(last, 500)]].concat();
            let mut before = 0.0;
            for (_, rate) in followed(follow, &targets) {
                prop_assert!(rate.abs() <= 0.08 * speed_scale + 1e-12, "{rate} m/s");
                prop_assert!((rate - before).abs() <= acceleration * GRID_S + 1e-12);
                before = rate;
            }
            prop_assert_eq!(followed(follow, &targets).last().map(|(at, rate)| ((at - last).abs() < 1e-12, rate.abs() < 1e-12)), Some((true, true)));
        }

        #[test]
        fn when_it_goes_from_rest_to_rest_expect_it_not_beyond_the_target(to in 0.001..0.06f64, acceleration in 0.2..4.0f64) {
            let follow = Follow { speed: 0.08, acceleration, speed_scale: 1.0 };
            let beyond = followed(follow, &[(to, 600)]).into_iter().fold(0.0f64, |most, (at, _)| most.max(at - to));
            prop_assert!(beyond < 0.02 * to, "{beyond} m beyond {to} m");
        }

        #[test]
        fn when_a_target_comes_in_messages_expect_no_rest_between_them_and_little_lag(
            steps in 1usize..=10, speed in 0.005..0.06f64,
        ) {
            let follow = Follow { speed: 0.08, acceleration: 1.5, speed_scale: 1.0 };
            let each = speed * GRID_S * steps as f64;
            let targets: Vec<_> = (1..=200 / steps).map(|k| (k as f64 * each, steps)).collect();
            let way = followed(follow, &targets);
            for (k, (at, rate)) in way.iter().enumerate().skip(50) {
                prop_assert!(*rate > 0.2 * speed, "{rate} of {speed} m/s");
                let lag = k as f64 * GRID_S - at / speed;
                prop_assert!(lag < 0.11 + 0.5 * steps as f64 * GRID_S && lag > 0.0, "{lag} s");
            }
        }

        #[test]
        fn when_a_target_moves_by_micrometres_expect_no_rest_between_messages(
            steps in 1usize..=5, speed in 1e-4..5e-3f64,
        ) {
            let follow = Follow { speed: 0.08, acceleration: 1.5, speed_scale: 1.0 };
            let each = speed * GRID_S * steps as f64;
            let targets: Vec<_> = (1..=200 / steps).map(|k| (k as f64 * each, steps)).collect();
            for (_, rate) in &followed(follow, &targets)[50..] {
                prop_assert!(*rate > 0.1 * speed, "{rate} of {speed} m/s");
            }
        }
    }
}
