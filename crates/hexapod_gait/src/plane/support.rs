//! Static stability: the support polygon and the margin by which the centre of mass lies inside it.

use hexapod_kinematics::MAX_LEGS;
use nalgebra::Vector2;

/// The convex hull of the feet on the ground, counter-clockwise.
#[derive(Clone, Copy, Debug)]
pub struct SupportPolygon {
    corners: [Vector2<f64>; MAX_LEGS],
    count: usize,
}

/// Twice the area of a triangle whose corners are in a row, m²: feet 0.1 m apart are so within 1e-11 m.
const IN_A_ROW: f64 = 1e-12;
/// Square of the distance within which two feet are at one place, m².
const SAME_PLACE: f64 = 1e-18;

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
        if let Some(&any) = points.first() {
            // The farthest from any point is a corner, never the middle of a row of feet.
            let farther = |a: Vector2<f64>, b: &Vector2<f64>| {
                if (b - any).norm_squared() > (a - any).norm_squared() { *b } else { a }
            };
            polygon.wrap(points.iter().fold(any, farther), points);
        }
        polygon
    }

    /// Gift wrapping (Jarvis): few points, no allocation. Of feet in a row the farthest is the corner, whatever rounding
    /// makes of the row.
    fn wrap(&mut self, first: Vector2<f64>, points: &[Vector2<f64>]) {
        let mut corner = first;
        while let Some(at) = self.corners.get_mut(self.count) {
            *at = corner;
            self.count += 1;
            let mut next = corner;
            for &candidate in points {
                let (to_next, to_candidate) = (next - corner, candidate - corner);
                let far = to_candidate.norm_squared();
                if far < SAME_PLACE {
                    continue;
                }
                let turn = cross(to_next, to_candidate);
                if turn < -IN_A_ROW || (turn <= IN_A_ROW && far > to_next.norm_squared()) {
                    next = candidate;
                }
            }
            if self.corners().contains(&next) {
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
        fn when_two_rows_of_feet_stand_anywhere_expect_their_four_ends(
            rows in 2..=MAX_LEGS / 2, length in 0.05..0.5f64, width in 0.05..0.5f64, turn in -4.0..4.0f64,
            (x, y) in (-10.0..10.0f64, -10.0..10.0f64),
        ) {
            let (sin, cos) = f64::sin_cos(turn);
            let at = |along: f64, across: f64| {
                Vector2::new(x + length * (along * cos) - width * (across * sin), y + length * (along * sin) + width * (across * cos))
            };
            let feet: Vec<_> = (0..2 * rows)
                .map(|foot| at((foot / 2) as f64 / (rows - 1) as f64 - 0.5, (foot % 2) as f64 - 0.5))
                .collect();
            let polygon = SupportPolygon::new(feet.iter().copied());
            prop_assert_eq!(polygon.corners().len(), 4);
            prop_assert!((polygon.margin(at(0.0, 0.0)) - 0.5 * length.min(width)).abs() < 1e-9);
            prop_assert!(feet.iter().all(|&foot| polygon.margin(foot).abs() < 1e-9));
        }

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
