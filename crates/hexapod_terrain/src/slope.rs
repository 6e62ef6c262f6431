//! The slope that the robot stands on.

use crate::plane::Sums;
use hexapod_gait::Engine;
use nalgebra::{Isometry3, Point2, Point3, Vector2};

/// Feet do not hold on steeper ground: what is steeper is an edge between them.
pub(crate) const STEEPEST: f64 = 0.7;

/// The plane through where the feet stand, or stood last, by its rise: m a metre along each axis of the odometry frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Slope(pub Vector2<f64>);

impl Slope {
    /// That of a robot's feet; level where they tell none.
    pub fn under(engine: &Engine, odom_from_footprint: &Isometry3<f64>) -> Self {
        let steps = engine.next_steps();
        let feet = steps.iter().flatten().filter(|step| !step.over_nothing);
        Self::through(feet.map(|step| odom_from_footprint * Point3::from(step.from)))
    }

    fn through(feet: impl Iterator<Item = Point3<f64>> + Clone) -> Self {
        let first = feet.clone().next().unwrap_or_default();
        let mut sums = Sums::default();
        feet.for_each(|foot| sums.add(&(foot - first).xy(), foot.z - first.z));
        Self(sums.plane().map_or(Vector2::zeros(), |plane| plane.gradient).cap_magnitude(STEEPEST))
    }

    /// How far it goes down from one place to another, m; zero where it goes up: what lies lower is deep by itself.
    pub fn descent_m(self, from: &Point2<f64>, to: &Point2<f64>) -> f64 {
        -self.0.dot(&(to - from)).min(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feet(height_m: impl Fn(f64, f64) -> f64) -> [Point3<f64>; 6] {
        [(0.1, 0.1), (0.0, 0.12), (-0.1, 0.1), (-0.1, -0.1), (0.0, -0.12), (0.1, -0.1)]
            .map(|(x, y)| Point3::new(5.0 + x, y - 2.0, 0.3 + height_m(x, y)))
    }

    #[test]
    fn when_feet_stand_on_a_plane_expect_its_slope_and_none_from_feet_in_a_line_or_steeper_than_they_hold() {
        let slope = |feet: &[Point3<f64>]| Slope::through(feet.iter().copied());
        let plane = slope(&feet(|x, y| 0.5 * x - 0.2 * y));
        assert!((plane.0 - Vector2::new(0.5, -0.2)).norm() < 1e-12, "{plane:?}");
        assert!((plane.descent_m(&Point2::origin(), &Point2::new(-0.1, 0.0)) - 0.05).abs() < 1e-12);
        assert_eq!(plane.descent_m(&Point2::origin(), &Point2::new(0.1, 0.0)), 0.0);
        assert_eq!(slope(&feet(|x, y| x + y)[..2]), Slope::default());
        assert_eq!(slope(&[0.0, 0.1, 0.2].map(|x| Point3::new(x, 0.0, x))), Slope::default());
        assert!((slope(&feet(|x, _| 3.0 * x)).0.norm() - STEEPEST).abs() < 1e-12);
    }
}
