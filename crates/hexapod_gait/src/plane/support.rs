//! Static stability: the support polygon and the margin by which the centre of mass lies inside it.

use hexapod_kinematics::MAX_LEGS;
use nalgebra::Vector2;

/// The convex hull of the feet on the ground, counter-clockwise.
#[derive(Clone, Copy, Debug)]
pub struct SupportPolygon {
    corners: [Vector2<f64>; MAX_LEGS],
    count: usize,
}

impl SupportPolygon {
    /// The hull of at most [`MAX_LEGS`] points; further ones are left out.
    #[must_use]
    pub fn new(feet: impl Iterator<Item = Vector2<f64>>) -> Self {
        let mut points = [Vector2::zeros(); MAX_LEGS];
        let mut total = 0;
        for (point, foot) in points.iter_mut().zip(feet) {
            *point = foot;
            total += 1;
        }
        let points = points.get(..total).unwrap_or_default();
        let mut polygon = Self { corners: [Vector2::zeros(); MAX_LEGS], count: 0 };
        if let Some(&first) = points.iter().min_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y))) {
            polygon.wrap(first, points);
        }
        polygon
    }

    /// Gift wrapping (Jarvis): few points, no allocation.
    fn wrap(&mut self, first: Vector2<f64>, points: &[Vector2<f64>]) {
        let mut corner = first;
        while let Some(at) = self.corners.get_mut(self.count) {
            *at = corner;
            self.count += 1;
            let mut next = corner;
            for &candidate in points {
                if candidate == corner {
                    continue;
                }
                let turn = cross(next - corner, candidate - corner);
                let is_farther = || (candidate - corner).norm_squared() > (next - corner).norm_squared();
                if next == corner || turn < 0.0 || (turn == 0.0 && is_farther()) {
                    next = candidate;
                }
            }
            if next == first || next == corner || self.count == points.len() {
                return;
            }
            corner = next;
        }
    }

    /// The corners, counter-clockwise.
    #[must_use]
    pub fn corners(&self) -> &[Vector2<f64>] {
        self.corners.get(..self.count).unwrap_or(&self.corners)
    }

    /// Distance (m) of `point` from the nearest edge, negative outside; minus infinity when there is no polygon.
    #[must_use]
    pub fn margin(&self, point: Vector2<f64>) -> f64 {
        let corners = self.corners();
        if corners.len() < 3 {
            return f64::NEG_INFINITY;
        }
        let edges = corners.iter().zip(corners.iter().cycle().skip(1));
        edges.map(|(&a, &b)| cross(b - a, point - a) / (b - a).norm()).fold(f64::INFINITY, f64::min)
    }
}

/// The edges of a polygon with their normals, for many looks at one polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edges {
    /// Of each edge the unit vector to its inner side and the edge's distance along that from the origin, m.
    edges: [(Vector2<f64>, f64); MAX_LEGS],
    count: usize,
}

impl Edges {
    pub(crate) fn of(polygon: &SupportPolygon) -> Self {
        let mut found = Self { edges: [(Vector2::zeros(), 0.0); MAX_LEGS], count: polygon.count };
        let corners = polygon.corners();
        let ends = corners.iter().zip(corners.iter().cycle().skip(1));
        for (edge, (a, b)) in found.edges.iter_mut().zip(ends) {
            let along = (b - a).normalize();
            let inward = Vector2::new(-along.y, along.x);
            *edge = (inward, inward.dot(a));
        }
        found
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Vector2<f64>, f64)> {
        self.edges.iter().take(self.count)
    }

    /// As [`SupportPolygon::margin`].
    pub(crate) fn margin(&self, point: Vector2<f64>) -> f64 {
        if self.count < 3 {
            return f64::NEG_INFINITY;
        }
        self.iter().map(|(inward, at)| inward.dot(&point) - at).fold(f64::INFINITY, f64::min)
    }
}

fn cross(a: Vector2<f64>, b: Vector2<f64>) -> f64 {
    a.x * b.y - a.y * b.x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn when_in_a_square_expect_the_distance_to_the_nearest_edge() {
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.5, 0.5)];
        let polygon = SupportPolygon::new(corners.iter().map(|&(x, y)| Vector2::new(x, y)));
        assert_eq!(polygon.corners().len(), 4);
        assert!((polygon.margin(Vector2::new(0.3, 0.5)) - 0.3).abs() < 1e-12);
        assert!((polygon.margin(Vector2::new(0.5, -0.2)) + 0.2).abs() < 1e-12);
    }

    #[test]
    fn when_two_feet_stand_expect_no_margin() {
        let polygon = SupportPolygon::new([(0.0, 0.0), (1.0, 0.0)].iter().map(|&(x, y)| Vector2::new(x, y)));
        assert_eq!(polygon.margin(Vector2::zeros()), f64::NEG_INFINITY);
    }

    proptest! {
        #[test]
        fn when_any_feet_stand_expect_every_foot_in_the_hull(
            feet in prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64), 3..=MAX_LEGS),
        ) {
            let feet: Vec<_> = feet.iter().map(|&(x, y)| Vector2::new(x, y)).collect();
            let polygon = SupportPolygon::new(feet.iter().copied());
            if polygon.corners().len() >= 3 {
                for foot in feet {
                    prop_assert!(polygon.margin(foot) > -1e-9);
                    let point = 1.3 * foot;
                    prop_assert!((Edges::of(&polygon).margin(point) - polygon.margin(point)).abs() < 1e-12);
                }
            }
        }
    }
}
