//! The frame of the hips, by which legs are distinguished and in which a robot walks: its origin in their middle, its x
//! axis along the body. A base link may be anywhere on the body, and turned.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector2, Vector3};

use super::forward;
use super::options::Front;
use crate::leg::Leg;
use crate::math;

/// Hips are opposite each other when one is nearer to the other's mirror image than this part of the farthest hip's distance.
const OPPOSITE: f64 = 0.1;
/// Fraction of the farthest hip's distance up to which a hip is on the middle line.
const MIDDLE_LINE: f64 = 0.05;
/// Lengths, in parts of the farthest hip's distance, and angles, rad, that are nothing but rounding.
const ROUNDING: f64 = 1e-9;
/// Directions that are as far from the one that is wanted but for this, rad, are as good.
const AS_NEAR_RAD: f64 = 1e-6;

/// The frame of the hips in the base link's. Exactly the base link's own where that differs by rounding alone.
pub(super) fn base_from_hips(legs: &[Leg], front: Front) -> Isometry3<f64> {
    let hips: Vec<Vector3<f64>> = legs.iter().map(Leg::hip_in_body).collect();
    let middle = hips.iter().sum::<Vector3<f64>>() / hips.len().max(1) as f64;
    let around: Vec<Vector2<f64>> = hips.iter().map(|hip| (hip - middle).xy()).collect();
    let size = farthest(&around);
    let named = if front == Front::Named { forward::named(legs) } else { None };
    let yaw = heading(&around, size, named);
    let yaw = if yaw.abs() < ROUNDING { 0.0 } else { yaw };
    let least = ROUNDING * legs.iter().map(Leg::length).fold(size, f64::max);
    let middle = middle.map(|x| if x.abs() < least { 0.0 } else { x });
    let turn = if yaw == 0.0 { UnitQuaternion::identity() } else { turned(yaw) };
    Isometry3::from_parts(Translation3::from(middle), turn)
}

/// About z, with the same bits on each platform.
fn turned(yaw: f64) -> UnitQuaternion<f64> {
    let (sin, cos) = math::sin_cos(0.5 * yaw);
    UnitQuaternion::new_normalize(nalgebra::Quaternion::new(cos, 0.0, 0.0, sin))
}

fn farthest(hips: &[Vector2<f64>]) -> f64 {
    hips.iter().map(|hip| hip.norm()).fold(0.0, f64::max)
}

/// A line about which the hips are mirror images.
struct Mirror {
    /// Its direction, rad.
    angle: f64,
    /// How many hips are on it.
    on_it: usize,
}

/// Which way the body lies: along a line about which the hips are mirror images; of several along the one nearest to where
/// the legs' names have the front, else, of those with fewest hips on them, to x of the base link. Along x where the hips
/// are no mirror images.
fn heading(hips: &[Vector2<f64>], size: f64, named: Option<Vector2<f64>>) -> f64 {
    let wanted = named.map_or(0.0, |way| math::atan2(way.y, way.x));
    let mirrors = mirrors(hips, size);
    let fewest = mirrors.iter().map(|mirror| mirror.on_it).min().unwrap_or(0);
    let turns = mirrors
        .iter()
        .filter(|mirror| named.is_some() || mirror.on_it == fewest)
        .flat_map(|mirror| [0.0, std::f64::consts::PI].map(|half| whole_turns_off(mirror.angle + half - wanted)));
    // Of two that are as near, the one to the left.
    let distance = |turn: &f64| turn.abs() - if *turn > 0.0 { AS_NEAR_RAD } else { 0.0 };
    let nearest = turns.min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.map_or(0.0, |turn| whole_turns_off(turn + wanted))
}

fn whole_turns_off(angle: f64) -> f64 {
    let whole = std::f64::consts::TAU;
    angle - whole * (angle / whole).round()
}

/// All lines through the middle about which the hips are mirror images.
fn mirrors(hips: &[Vector2<f64>], size: f64) -> Vec<Mirror> {
    let far = || hips.iter().filter(|hip| hip.norm() > MIDDLE_LINE * size).map(|hip| math::atan2(hip.y, hip.x));
    let pairs = far().enumerate().flat_map(|(index, one)| far().skip(index).map(move |other| 0.5 * (one + other)));
    let lines = pairs.flat_map(|angle| [angle, angle + std::f64::consts::FRAC_PI_2]);
    lines.filter_map(|angle| mirror(hips, size, angle)).collect()
}

/// The mirror nearest to a line, if that about is one.
fn mirror(hips: &[Vector2<f64>], size: f64, angle: f64) -> Option<Mirror> {
    let image = |hip: &Vector2<f64>, angle: f64| {
        let (sin, cos) = math::sin_cos(2.0 * angle);
        Vector2::new(cos * hip.x + sin * hip.y, sin * hip.x - cos * hip.y)
    };
    let mut taken = 0_u32;
    let (mut re, mut im) = (0.0, 0.0);
    for hip in hips {
        let wanted = image(hip, angle);
        let away = |other: &usize| (hips[*other] - wanted).norm();
        let other = (0..hips.len()).min_by(|a, b| away(a).total_cmp(&away(b)))?;
        if away(&other) > OPPOSITE * size || taken & (1 << other) != 0 {
            return None;
        }
        taken |= 1 << other;
        // The line that fits best halves the sum of the angles of all pairs.
        re += hip.x * hips[other].x - hip.y * hips[other].y;
        im += hip.x * hips[other].y + hip.y * hips[other].x;
    }
    let angle = 0.5 * math::atan2(im, re);
    let (sin, cos) = math::sin_cos(angle);
    let beside = |hip: &&Vector2<f64>| (cos * hip.y - sin * hip.x).abs() <= MIDDLE_LINE * size;
    Some(Mirror { angle, on_it: hips.iter().filter(beside).count() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn heading_of(hips: &[[f64; 2]], yaw: f64, named: Option<f64>) -> f64 {
        let (sin, cos) = yaw.sin_cos();
        let turned: Vec<Vector2<f64>> =
            hips.iter().map(|[x, y]| Vector2::new(cos * x - sin * y, sin * x + cos * y)).collect();
        let way = named.map(|angle| Vector2::new(angle.cos(), angle.sin()));
        heading(&turned, farthest(&turned), way)
    }

    const HEXAPOD: [[f64; 2]; 6] = [[0.2, 0.05], [0.0, 0.07], [-0.2, 0.05], [0.2, -0.05], [0.0, -0.07], [-0.2, -0.05]];
    const QUADRUPED: [[f64; 2]; 4] = [[0.2, 0.1], [-0.2, 0.1], [0.2, -0.1], [-0.2, -0.1]];

    proptest! {
        #[test]
        fn when_a_base_is_turned_expect_the_front_to_turn_with_it(yaw in -1.5..1.5f64, named in -3.1..3.1f64) {
            prop_assert!((heading_of(&HEXAPOD, yaw, None) - yaw).abs() < 1e-9);
            prop_assert!(whole_turns_off(heading_of(&QUADRUPED, named, Some(named)) - named).abs() < 1e-9);
            prop_assert!((heading_of(&QUADRUPED, 0.5 * yaw, None) - 0.5 * yaw).abs() < 1e-9);
        }
    }

    #[test]
    fn when_the_front_is_along_y_expect_the_body_to_lie_along_y() {
        let turned = HEXAPOD.map(|[x, y]| [-y, x]);
        assert!((heading_of(&turned, 0.0, None) - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
    }

    #[test]
    fn when_hips_are_no_mirror_images_expect_x_of_the_base_link() {
        let hips = [[0.2, 0.1], [-0.2, 0.02], [0.1, -0.1], [-0.3, -0.13]];
        assert_eq!(heading_of(&hips, 0.0, None), 0.0);
    }
}
