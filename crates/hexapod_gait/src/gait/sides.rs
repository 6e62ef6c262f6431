//! Which legs are on which side, and their order from front to rear.

use crate::gait::LegPlace;
use hexapod_kinematics::{Leg, Robot};
use nalgebra::Vector2;

/// Fraction of the farthest hip's distance up to which a hip is on the middle line.
const MIDDLE_LINE: f64 = 0.05;

/// Hips are equally far forward when they differ by less, in parts of the farthest hip's distance.
const AS_FAR: f64 = 1e-6;

/// The robot's legs by side and rank, front to rear, for the rule of a gait: in the frame of its hips.
#[must_use]
pub fn leg_places(robot: &Robot) -> Vec<LegPlace> {
    let frame = robot.base_from_hips();
    let in_hips = |leg: &Leg| frame.inverse_transform_point(&leg.hip_in_body().into()).coords.xy();
    let hips: Vec<Vector2<f64>> = robot.legs().iter().map(in_hips).collect();
    let (left, as_far) = (sides(&hips), AS_FAR * farthest(&hips));
    let is_ahead = |one: usize, other: usize| left[one] == left[other] && hips[one].x > hips[other].x + as_far;
    let rank = |i: usize| (0..hips.len()).filter(|&j| is_ahead(j, i)).count();
    let legs = robot.legs().iter().enumerate();
    legs.map(|(i, leg)| LegPlace { name: leg.name().into(), left: left[i], rank: rank(i) }).collect()
}

/// Whether each hip is on the left (y > 0). Hips on the middle line go, from the front, where there are fewer.
fn sides(hips: &[Vector2<f64>]) -> Vec<bool> {
    let middle = middle_line(hips);
    let mut left: Vec<bool> = hips.iter().map(|hip| hip.y > middle).collect();
    let mut between: Vec<usize> = (0..hips.len()).filter(|&i| hips[i].y.abs() <= middle).collect();
    between.sort_by(|&a, &b| hips[b].x.total_cmp(&hips[a].x));
    let mut more_left = left.iter().filter(|is_left| **is_left).count();
    let mut more_right = hips.len() - more_left - between.len();
    for leg in between {
        left[leg] = more_left <= more_right;
        *(if left[leg] { &mut more_left } else { &mut more_right }) += 1;
    }
    left
}

/// Distance from the middle line up to which a hip is on it, m.
fn middle_line(hips: &[Vector2<f64>]) -> f64 {
    MIDDLE_LINE * farthest(hips)
}

fn farthest(hips: &[Vector2<f64>]) -> f64 {
    hips.iter().map(|hip| hip.norm()).fold(0.0, f64::max)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use hexapod_kinematics::{LegOptions, LegSpec, math};

    fn points(hips: &[[f64; 2]]) -> Vec<Vector2<f64>> {
        hips.iter().map(|[x, y]| Vector2::new(*x, *y)).collect()
    }

    #[test]
    fn when_hips_are_on_a_ring_expect_half_of_them_on_either_side() {
        let turns = (0..6).map(|k| math::sin_cos(std::f64::consts::FRAC_PI_3 * f64::from(k)));
        let ring: Vec<[f64; 2]> = turns.map(|(y, x)| [x, y]).collect();
        assert_eq!(sides(&points(&ring)), [true, true, true, false, false, false]);
    }

    #[test]
    fn when_three_legs_are_on_one_side_and_one_on_the_other_expect_each_on_its_own() {
        let legs = ["left_front", "left_middle", "left_rear", "right_rear"];
        let spec = |name: &str| LegSpec { name: name.into(), foot_link: format!("{name}_foot") };
        let options = LegOptions { legs: legs.map(spec).to_vec(), ..LegOptions::default() };
        let urdf = include_str!("../../../../urdf/hexapod.urdf");
        let robot = Robot::from_urdf_and_meshes(urdf, &options, &mut |_| None).unwrap();
        let left: Vec<bool> = leg_places(&robot).iter().map(|place| place.left).collect();
        assert_eq!(left, [true, true, true, false]);
    }
}
