//! The plane nearest to points of the ground, and how far from it they are.

use nalgebra::{Matrix2, Vector2, Vector3};

/// The determinant of the points' spread, in parts of its squared trace, below which they are in a line.
const LEAST_SPREAD: f64 = 0.01;
/// What a plane takes of the freedom of its points: more of them are needed to tell how far from plane the ground is.
const OWN_FREEDOM: f64 = 3.0;

/// A plane, as the height over the ground that was planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NearestPlane {
    mean: Vector3<f64>,
    /// Ahead and aside; none where the points are in a line, or nearly, which show none.
    pub slope: Vector2<f64>,
}

impl NearestPlane {
    /// The plane of the least squared distances in height.
    pub(crate) fn through<P: Iterator<Item = Vector3<f64>>>(points: impl Fn() -> P) -> Self {
        let (sum, count) = points().fold((Vector3::zeros(), 0.0), |(sum, count), at| (sum + at, count + 1.0));
        let mean = sum / count;
        let (mut squares, mut heights) = (Matrix2::zeros(), Vector2::zeros());
        for from_mean in points().map(|at| at - mean) {
            squares += from_mean.xy() * from_mean.xy().transpose();
            heights += from_mean.xy() * from_mean.z;
        }
        let (determinant, trace) = (squares.determinant(), squares.trace());
        if determinant <= LEAST_SPREAD * trace * trace {
            return Self { mean, slope: Vector2::zeros() };
        }
        let [[a, b], [_, d]] = [[squares.m11, squares.m12], [squares.m21, squares.m22]];
        Self { mean, slope: Vector2::new(d * heights.x - b * heights.y, a * heights.y - b * heights.x) / determinant }
    }

    /// How far the points are from it in height, root mean square over what they are free to be, m; none where there are too few.
    pub(crate) fn spread<P: Iterator<Item = Vector3<f64>>>(&self, points: impl Fn() -> P) -> f64 {
        let from_plane = |at: Vector3<f64>| at.z - self.mean.z - self.slope.dot(&(at - self.mean).xy());
        let (sum, count) = points().map(from_plane).fold((0.0, 0.0), |(sum, count), z| (sum + z * z, count + 1.0));
        if count > OWN_FREEDOM { (sum / (count - OWN_FREEDOM)).sqrt() } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(height: impl Fn(f64, f64) -> f64) -> Vec<Vector3<f64>> {
        let feet = [(0.2, 0.15), (0.0, 0.2), (-0.2, 0.15), (0.2, -0.15), (0.0, -0.2), (-0.2, -0.15)];
        feet.iter().map(|&(x, y)| Vector3::new(x, y, height(x, y))).collect()
    }

    fn spread(points: &[Vector3<f64>]) -> f64 {
        let all = || points.iter().copied();
        NearestPlane::through(all).spread(all)
    }

    #[test]
    fn when_ground_is_plane_however_steep_expect_no_spread_and_more_where_it_is_rougher() {
        assert!(spread(&points(|x, y| 0.3 * x - 0.2 * y + 0.01)) < 1e-12);
        let rough = |size: f64| spread(&points(|x, y| size * ((70.0 * x + 31.0 * y).to_bits() % 7) as f64 + 0.3 * x));
        assert!(rough(0.001) > 1e-4 && (rough(0.003) - 3.0 * rough(0.001)).abs() < 1e-12);
    }

    #[test]
    fn when_there_are_too_few_points_or_none_expect_no_spread() {
        let all = points(|x, _| x * x);
        assert!((0..=3).all(|count| spread(&all[..count]) == 0.0));
    }
}
