//! Boxes that are turned any way, and how far they are apart.

use super::capsule::{Bounds, Capsule};
use super::distance;
use nalgebra::{Isometry3, Matrix3, Vector3};

/// Squared sine of the angle below which two edges are parallel: the directions across both are those of the faces then.
const PARALLEL: f64 = 1e-12;
/// Squared distance below which a corner touches a box, m².
const TOUCHES: f64 = 1e-18;

/// A box anywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cuboid {
    middle: Vector3<f64>,
    /// Directions of its edges, square to each other.
    axes: [Vector3<f64>; 3],
    /// Half of its edges' lengths, m.
    half: Vector3<f64>,
}

/// A box seen from another whose edges are the axes: its middle, and the directions of its edges.
struct Seen {
    middle: Vector3<f64>,
    axes: [Vector3<f64>; 3],
}

impl Cuboid {
    pub fn new(at: &Isometry3<f64>, half: Vector3<f64>) -> Self {
        let turn = at.rotation.to_rotation_matrix();
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| turn * axis);
        Self { middle: at.translation.vector, axes, half }
    }

    /// The box along directions that are square to each other that holds points.
    pub fn about<'a>(points: impl Iterator<Item = &'a Vector3<f64>>, axes: [Vector3<f64>; 3]) -> Self {
        let ends = [Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)];
        let [low, high] = points.fold(ends, |[low, high], point| {
            let [one, two, three] = axes.map(|axis| axis.dot(point));
            let at = Vector3::new(one, two, three);
            [low.inf(&at), high.sup(&at)]
        });
        let middle = 0.5 * (low + high);
        let placed = axes[0] * middle.x + axes[1] * middle.y + axes[2] * middle.z;
        Self { middle: placed, axes, half: 0.5 * (high - low) }
    }

    /// The same box, `times` as large.
    pub fn enlarged(&self, times: f64) -> Self {
        Self { middle: self.middle * times, half: self.half * times, ..*self }
    }

    /// m³.
    pub fn volume(&self) -> f64 {
        8.0 * self.half.product()
    }

    /// The same box, in a frame from which its own has this pose.
    #[inline]
    pub fn placed(&self, turn: &Matrix3<f64>, at: &Vector3<f64>) -> Self {
        Self { middle: turn * self.middle + at, axes: self.axes.map(|axis| turn * axis), half: self.half }
    }

    /// The capsule along its longest edges that holds it.
    pub fn capsule(&self) -> Capsule {
        let edges = self.axes.iter().zip(&self.half).map(|(axis, half)| (axis * *half, *half));
        let longest = self.half.max();
        let (mut along, mut radius, mut found) = (Vector3::zeros(), 0.0, false);
        for (edge, half) in edges {
            if half == longest && !found {
                (along, found) = (edge, true);
            } else {
                radius += half * half;
            }
        }
        Capsule { ends: [self.middle + along, self.middle - along], radius: radius.sqrt() }
    }

    /// The box along the axes that holds it.
    #[inline]
    pub fn bounds(&self) -> Bounds {
        let out = self.reach(|axis| axis.abs());
        Bounds { low: self.middle - out, high: self.middle + out }
    }

    /// How far it extends along a direction, m.
    pub fn extent(&self, ahead: &Vector3<f64>) -> f64 {
        let [one, two, three] = self.axes.map(|axis| axis.dot(ahead).abs());
        ahead.dot(&self.middle) + self.half.dot(&Vector3::new(one, two, three))
    }

    /// How far its farthest point is from the origin, m.
    pub fn farthest(&self) -> f64 {
        corners(&self.middle, &self.axes, &self.half).iter().map(|corner| corner.norm()).fold(0.0, f64::max)
    }

    /// Whether all of a capsule is inside.
    pub fn holds(&self, capsule: &Capsule) -> bool {
        let outermost = capsule.ends.map(|end| (self.seen(&(end - self.middle)).abs() - self.half).max());
        outermost.iter().all(|outside| outside + capsule.radius <= 0.0)
    }

    /// Distance from a capsule, m; below zero where they overlap.
    pub fn distance_to(&self, capsule: &Capsule) -> f64 {
        let ends = capsule.ends.map(|end| self.seen(&(end - self.middle)));
        distance::from_box(&ends, &self.half) - capsule.radius
    }

    /// Distance from another box, m; where they overlap, how far one would have to be moved, below zero. What is at least
    /// `enough` apart may be reported as anything from there up to the distance.
    ///
    /// Two boxes are as far apart as along the direction in which they are farthest apart. That is square to a face, or to an
    /// edge of each (the fifteen separating axes: Gottschalk, Lin and Manocha, *OBBTree*, 1996; Ericson, *Real-Time Collision
    /// Detection*, 4.4.1), or it leads from a box to a corner of the other, which is the one nearest to it then. No
    /// direction gives more than the distance, so rounding may only bring boxes nearer.
    pub fn distance(&self, other: &Self, enough: f64) -> f64 {
        let to = other.middle - self.middle;
        let its = Seen { middle: self.seen(&to), axes: other.axes.map(|axis| self.seen(&axis)) };
        let mine = Seen { middle: other.seen(&-to), axes: self.axes.map(|axis| other.seen(&axis)) };
        let faces = self.along_faces(&its, &other.half).max(other.along_faces(&mine, &self.half));
        if faces >= enough {
            return faces;
        }
        let apart = faces.max(self.across_edges(&its, &other.half));
        if apart <= 0.0 || apart >= enough {
            return apart;
        }
        apart.max(self.before_corner(&its, &other.half)).max(other.before_corner(&mine, &self.half))
    }

    /// A direction seen from the box.
    fn seen(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        let [one, two, three] = self.axes.map(|axis| axis.dot(direction));
        Vector3::new(one, two, three)
    }

    /// The sum of what its edges have, each as long as half of it.
    #[inline]
    fn reach(&self, of: impl Fn(&Vector3<f64>) -> Vector3<f64>) -> Vector3<f64> {
        summed(&self.axes, &self.half, of)
    }

    /// The gap along the directions of its own edges.
    fn along_faces(&self, its: &Seen, half: &Vector3<f64>) -> f64 {
        (its.middle.abs() - self.half - summed(&its.axes, half, |axis| axis.abs())).max()
    }

    /// The gap along directions square to an edge of each.
    fn across_edges(&self, its: &Seen, half: &Vector3<f64>) -> f64 {
        let [one, two, three] = its.axes;
        let mut most = f64::NEG_INFINITY;
        // Each component of what follows belongs to an edge of this box: its coordinates are x, y and z, and those after
        // them (y, z, x) and before them (z, x, y) are those across the edge.
        for (edge, [next, last], sides) in [
            (one, [two, three], [half.y, half.z]),
            (two, [three, one], [half.z, half.x]),
            (three, [one, two], [half.x, half.y]),
        ] {
            let (after, before) = (edge.yzx(), edge.zxy());
            let (squared, abs) = (after.component_mul(&after) + before.component_mul(&before), edge.abs());
            let between = its.middle.zxy().component_mul(&after) - its.middle.yzx().component_mul(&before);
            let mine = self.half.yzx().component_mul(&abs.zxy()) + self.half.zxy().component_mul(&abs.yzx());
            let beside = last.abs() * sides[0] + next.abs() * sides[1];
            let gaps = between.abs() - mine - beside;
            for (gap, squared) in gaps.iter().zip(&squared) {
                if *squared > PARALLEL {
                    most = most.max(gap / squared.sqrt());
                }
            }
        }
        most
    }

    /// The gap along the direction to the corner of another that is nearest.
    fn before_corner(&self, its: &Seen, half: &Vector3<f64>) -> f64 {
        let outside = |at: Vector3<f64>| at - at.sup(&-self.half).inf(&self.half);
        let mut nearest = (f64::INFINITY, Vector3::zeros());
        for corner in corners(&its.middle, &its.axes, half) {
            let way = outside(corner);
            let squared = way.norm_squared();
            if squared < nearest.0 {
                nearest = (squared, way);
            }
        }
        let (squared, way) = nearest;
        if squared < TOUCHES {
            return f64::NEG_INFINITY;
        }
        let [one, two, three] = its.axes.map(|axis| axis.dot(&way).abs());
        let beside = self.half.dot(&way.abs()) + half.dot(&Vector3::new(one, two, three));
        (way.dot(&its.middle) - beside) / squared.sqrt()
    }
}

/// The corners of a box.
fn corners(middle: &Vector3<f64>, axes: &[Vector3<f64>; 3], half: &Vector3<f64>) -> [Vector3<f64>; 8] {
    let [a, b, c] = [axes[0] * half.x, axes[1] * half.y, axes[2] * half.z];
    let [near, far] = [middle - a, middle + a];
    let [one, two, three, four] = [near - b, near + b, far - b, far + b];
    [one - c, one + c, two - c, two + c, three - c, three + c, four - c, four + c]
}

/// The sum of what each axis has, as often as half the edge is long.
fn summed(
    [one, two, three]: &[Vector3<f64>; 3],
    half: &Vector3<f64>,
    of: impl Fn(&Vector3<f64>) -> Vector3<f64>,
) -> Vector3<f64> {
    of(one) * half.x + of(two) * half.y + of(three) * half.z
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector(most: f64) -> impl Strategy<Value = Vector3<f64>> {
        prop::array::uniform3(-most..most).prop_map(Vector3::from)
    }

    /// A box within a metre; flat ones, and ones whose edges are those of the axes or nearly so, among them.
    fn cuboid() -> impl Strategy<Value = Cuboid> {
        let turn = prop_oneof![vector(3.0), vector(1e-3), vector(1e-7), Just(Vector3::zeros())];
        let half = prop::array::uniform3(prop_oneof![Just(0.0005), 0.005..0.02f64, 0.02..0.4f64]);
        (vector(0.6), turn, half).prop_map(|(at, turn, half)| Cuboid::new(&Isometry3::new(at, turn), half.into()))
    }

    fn all_corners(of: &Cuboid) -> [Vector3<f64>; 8] {
        let sign = |corner: usize, bit: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
        std::array::from_fn(|corner| (0..3).fold(of.middle, |at, i| at + of.axes[i] * of.half[i] * sign(corner, i)))
    }

    /// Its twelve edges in the frame of another.
    fn edges_in(of: &Cuboid, frame: &Cuboid) -> Vec<[Vector3<f64>; 2]> {
        let corners = all_corners(of);
        let pairs = (0..8_usize).flat_map(|a| (a + 1..8).map(move |b| (a, b)));
        let along_one = pairs.filter(|(a, b)| (a ^ b).is_power_of_two());
        along_one.map(|(a, b)| [corners[a], corners[b]].map(|end| frame.seen(&(end - frame.middle)))).collect()
    }

    /// The distance by brute force: of each edge of either from the other; zero where they overlap.
    fn of_all_edges(one: &Cuboid, other: &Cuboid) -> f64 {
        let from = |edges: Vec<[Vector3<f64>; 2]>, half| {
            edges.iter().map(|edge| distance::from_box(edge, half)).fold(f64::INFINITY, f64::min)
        };
        from(edges_in(one, other), &other.half).min(from(edges_in(other, one), &one.half))
    }

    /// How far they are apart along a direction, by their corners.
    fn gap_along(way: &Vector3<f64>, one: &Cuboid, other: &Cuboid) -> f64 {
        let ends = |of: &Cuboid| all_corners(of).map(|corner| corner.dot(way));
        let least = |of: &Cuboid| ends(of).into_iter().fold(f64::INFINITY, f64::min);
        let most = |of: &Cuboid| ends(of).into_iter().fold(f64::NEG_INFINITY, f64::max);
        (least(other) - most(one)).max(least(one) - most(other))
    }

    /// How far they are apart along what is square to a face or to an edge of each, below zero where they overlap.
    fn of_all_axes(one: &Cuboid, other: &Cuboid) -> f64 {
        let across = one.axes.iter().flat_map(|a| other.axes.iter().filter_map(|b| a.cross(b).try_normalize(1e-6)));
        let all = one.axes.iter().chain(&other.axes).copied().chain(across);
        all.map(|way| gap_along(&way, one, other)).fold(f64::NEG_INFINITY, f64::max)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn when_boxes_are_anywhere_expect_the_distance_of_their_edges_and_no_more(one in cuboid(), other in cuboid()) {
            let (distance, along) = (one.distance(&other, f64::INFINITY), of_all_axes(&one, &other));
            let expected = if along > 0.0 { of_all_edges(&one, &other) } else { along };
            prop_assert!((distance - expected).abs() < 1e-9, "{distance} {expected}");
            prop_assert!((distance - other.distance(&one, f64::INFINITY)).abs() < 1e-9);
        }

        #[test]
        fn when_boxes_are_looked_at_along_any_direction_expect_them_no_farther_apart(
            (one, other) in (cuboid(), cuboid()), ways in prop::collection::vec(vector(1.0), 50),
        ) {
            let distance = one.distance(&other, f64::INFINITY);
            for way in ways.iter().filter_map(|way| way.try_normalize(1e-6)) {
                let gap = gap_along(&way, &one, &other);
                prop_assert!(distance >= gap - 1e-9, "{distance} {gap}");
            }
        }

        #[test]
        fn when_only_what_is_nearer_counts_expect_the_same_verdict_and_no_more_than_the_distance(
            (one, other, enough) in (cuboid(), cuboid(), 0.0..0.5f64),
        ) {
            let (distance, found) = (one.distance(&other, f64::INFINITY), one.distance(&other, enough));
            prop_assert!(found <= distance && (found < enough) == (distance < enough), "{found} {distance} {enough}");
            prop_assert!(found == distance || found >= enough, "{found} {distance} {enough}");
        }

        #[test]
        fn when_a_box_is_compared_with_a_capsule_expect_the_distance_of_its_nearest_point(
            (of, at, way, radius) in (cuboid(), vector(0.6), vector(0.3), 0.0..0.1f64),
        ) {
            let distance = of.distance_to(&Capsule { ends: [at, at + way], radius });
            let points = (0..=200).map(|step| of.seen(&(at + way * (f64::from(step) / 200.0) - of.middle)));
            let outside = |p: Vector3<f64>| (p - p.zip_map(&of.half, |x, h| x.clamp(-h, h))).norm() - radius;
            let nearest = points.map(outside).fold(f64::INFINITY, f64::min);
            prop_assert!(distance <= nearest + 1e-9 && distance >= nearest - 0.003, "{distance} {nearest}");
        }

        #[test]
        fn when_something_is_about_a_box_expect_its_corners_inside(of in cuboid(), way in vector(1.0)) {
            let (capsule, bounds) = (of.capsule(), of.bounds());
            let most = all_corners(&of).map(|corner| corner.dot(&way)).into_iter().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!((of.extent(&way) - most).abs() < 1e-12);
            for corner in all_corners(&of) {
                prop_assert!(distance::of_segments(&[corner; 2], &capsule.ends) <= capsule.radius + 1e-12);
                prop_assert!((corner - bounds.low).min() >= -1e-12 && (bounds.high - corner).min() >= -1e-12);
                prop_assert!(corner.norm() <= of.farthest() + 1e-12);
            }
            let ball = |radius| Capsule { ends: [of.middle; 2], radius };
            prop_assert!(of.holds(&ball(0.99 * of.half.min())) && !of.holds(&ball(1.01 * of.half.min())));
        }
    }

    #[test]
    fn when_two_thighs_of_flat_bars_lie_side_by_side_expect_what_is_between_their_faces() {
        let half = 0.5 * Vector3::new(0.25, 0.0245, 0.034);
        let at = |y: f64| Cuboid::new(&Isometry3::translation(0.0, y, 0.0), half);
        let (one, other) = (at(0.0), at(0.05));
        assert!((one.distance(&other, 1.0) - 0.0255).abs() < 1e-12);
        let capsules = one.capsule().distance(&other.capsule());
        assert!(capsules < 0.009, "what it was as capsules about them: {capsules}");
    }
}
