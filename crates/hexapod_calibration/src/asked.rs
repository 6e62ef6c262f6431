//! Which angles are asked for: always inside the joint's limits and inside the stops that were found.

use crate::finding::{MARKS, Mark};
use crate::travel::{DEG, Travel};

/// Two angles that are asked for lie at least this far apart.
const APART_RAD: f64 = 8.0 * DEG;
/// Kept from a limit, as a part of the way there: the servo's scale may differ by as much from the file's.
const MARGIN: f64 = 0.12;

/// The next angle to set, or none if there is none left. `trusted` when the angles of the travel are known already.
pub fn next(travel: &Travel, marks: &[Mark], trusted: bool) -> Option<f64> {
    let Some(first) = marks.first() else { return Some(first_angle(travel, trusted)) };
    if marks.len() >= MARKS {
        return None;
    }
    let (lower, upper) = travel.inside();
    let ends = [lower, upper].map(|end| rounded(end + MARGIN * (first.angle_rad - end), first.angle_rad));
    let far = |angle: &f64| marks.iter().all(|mark| (mark.angle_rad - angle).abs() >= APART_RAD);
    ends.into_iter().chain(between(marks)).find(|angle| far(angle))
}

/// Half-way between two marks: where one lies so near a limit that there is no third beyond it.
fn between(marks: &[Mark]) -> Option<f64> {
    let [one, other] = marks else { return None };
    let middle = 0.5 * (one.angle_rad + other.angle_rad);
    Some(rounded(middle, one.angle_rad))
}

/// Zero if that is inside, with room on both sides; else the angle nearest to it that is.
fn first_angle(travel: &Travel, trusted: bool) -> f64 {
    let (lower, upper) = if trusted { travel.inside() } else { travel.surely_inside() };
    let (whole_lower, whole_upper) = travel.inside();
    let room = (1.5 * APART_RAD).min(0.3 * (whole_upper - whole_lower));
    let middle = 0.5 * (lower + upper);
    let (lower, upper) = (lower.max(whole_lower + room), upper.min(whole_upper - room));
    if lower >= upper {
        return (middle / DEG).round() * DEG;
    }
    let nearest = 0.0_f64.clamp(lower, upper);
    if nearest == 0.0 { 0.0 } else { rounded(nearest, 0.5 * (lower + upper)) }
}

/// A whole number of five degrees, or of one, towards `inner`; as it is if none lies between.
fn rounded(angle: f64, inner: f64) -> f64 {
    let towards = |step: f64| {
        let steps = angle / (step * DEG);
        (if inner >= angle { (steps - 1e-9).ceil() } else { (steps + 1e-9).floor() }) * step * DEG
    };
    let between = |value: &f64| (value - angle) * (value - inner) <= 0.0 && (value - inner).abs() > 4.0 * DEG;
    [5.0, 1.0].into_iter().map(towards).find(between).unwrap_or(angle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever the joint, its offset and its stops: what is asked for is inside the limits and the true stops.
        #[test]
        fn when_an_angle_is_asked_for_expect_it_inside_the_limits_and_the_stops(
            lower in -2.6_f64..-0.3,
            upper in 0.3_f64..1.6,
            inner in (0.0_f64..0.3, 0.0_f64..0.3),
            offset in -0.43_f64..0.43,
            neutral in -1.1_f64..0.2,
        ) {
            let stops = (lower + inner.0 * (upper - lower), upper - inner.1 * (upper - lower));
            // A joint at its neutral that can be tested, and turned by more than an eye's error.
            prop_assume!(stops.0 + 6.0 * DEG < neutral && neutral < stops.1 - 6.0 * DEG);
            prop_assume!(stops.1 - stops.0 > 25.0 * DEG);
            // By the file the joint stands at its angle less the offset.
            let travel = Travel { minus_rad: stops.0 - offset, plus_rad: stops.1 - offset, urdf_rad: (lower, upper) };
            let first = next(&travel, &[], false).expect("one at least");
            prop_assert!(stops.0 <= first && first <= stops.1, "{first} of {stops:?}");
            let mut marks = vec![Mark { angle_rad: first, pulse_us: 0.0 }];
            let known = Travel { minus_rad: stops.0, plus_rad: stops.1, ..travel };
            while let Some(angle_rad) = next(&known, &marks, true) {
                prop_assert!(stops.0 <= angle_rad && angle_rad <= stops.1);
                marks.push(Mark { angle_rad, pulse_us: 0.0 });
            }
            let wide = stops.1 - stops.0 > 45.0 * DEG;
            prop_assert!(marks.len() >= if wide { MARKS } else { 2 }, "{marks:?} of {stops:?}");
        }
    }
}
