//! Capsules about a mesh.

use super::capsule::Capsule;
use nalgebra::{Matrix3, SymmetricEigen, Vector2, Vector3};

/// Most capsules of one mesh.
const MOST: usize = 3;
/// Two capsules are worth their work where they have less than this part of the volume of one.
const WORTH: f64 = 0.8;
/// Most iterations for the directions in which triangles are long; a few are enough for three rows.
const MAX_ITERATIONS: usize = 64;

type Triangle = [Vector3<f64>; 3];

/// The room that a mesh takes up, in the frame of its shape, m.
#[derive(Clone, Debug, PartialEq)]
pub struct Bulk {
    capsules: Vec<Capsule>,
    corners: [Vector3<f64>; 2],
}

/// Triangles, the capsule about them, and the two directions in which they are long.
struct Piece {
    triangles: Vec<Triangle>,
    capsule: Capsule,
    long: [Vector3<f64>; 2],
}

impl Bulk {
    /// Of a mesh whose triangles have these vertices, three each; `None` where there are none.
    pub(crate) fn of(vertices: &[Vector3<f64>]) -> Option<Self> {
        let triangles: Vec<Triangle> = vertices.as_chunks::<3>().0.to_vec();
        let first = triangles.first()?[0];
        let points = triangles.iter().flatten();
        let corners = points.fold([first; 2], |[low, high], point| [low.inf(point), high.sup(point)]);
        let mut pieces = vec![Piece::of(triangles)];
        while pieces.len() < MOST {
            let halves = pieces.iter().enumerate().filter_map(|(index, piece)| Some((index, piece.halves()?)));
            let saved = |(index, halves): &(usize, [Piece; 2])| pieces[*index].volume() - volume(halves);
            let Some((index, halves)) = halves.max_by(|one, other| saved(one).total_cmp(&saved(other))) else { break };
            pieces.swap_remove(index);
            pieces.extend(halves);
        }
        Some(Self { capsules: pieces.into_iter().map(|piece| piece.capsule).collect(), corners })
    }

    /// The same of a mesh `times` as large.
    pub(crate) fn enlarged(&self, times: f64) -> Self {
        let capsule = |of: &Capsule| Capsule { ends: of.ends.map(|end| end * times), radius: of.radius * times };
        Self {
            capsules: self.capsules.iter().map(capsule).collect(),
            corners: self.corners.map(|corner| corner * times),
        }
    }

    /// Capsules that hold all of it together.
    pub fn capsules(&self) -> &[Capsule] {
        &self.capsules
    }

    /// The lowest and the highest corner of the box about it.
    pub fn corners(&self) -> &[Vector3<f64>; 2] {
        &self.corners
    }
}

impl Piece {
    fn of(triangles: Vec<Triangle>) -> Self {
        let points = || triangles.iter().flatten();
        let count = points().count().max(1) as f64;
        let mean = points().sum::<Vector3<f64>>() / count;
        let spread = points().fold(Matrix3::zeros(), |sum, point| sum + (point - mean) * (point - mean).transpose());
        let (values, axes) = SymmetricEigen::try_new(spread, f64::EPSILON, MAX_ITERATIONS)
            .map_or((spread.diagonal(), Matrix3::identity()), |found| (found.eigenvalues, found.eigenvectors));
        let mut order = [0, 1, 2];
        order.sort_by(|one, other| values[*other].total_cmp(&values[*one]));
        let [long, wide, thin] = order.map(|index| axes.column(index).into_owned());
        let capsule = about(points(), [long, wide, thin]);
        Self { triangles, capsule, long: [long, wide] }
    }

    /// The two halves of it across one of its long directions, where their capsules are worth it.
    fn halves(&self) -> Option<[Self; 2]> {
        let cut = |across: Vector3<f64>| {
            let middle = middle(self.triangles.iter().flatten(), &across);
            let half = |sign: f64| clipped(&self.triangles, &(across * sign), middle * sign);
            let halves = [half(1.0), half(-1.0)];
            halves.iter().all(|half| !half.is_empty()).then(|| halves.map(Self::of))
        };
        let best = self.long.into_iter().filter_map(cut).min_by(|one, other| volume(one).total_cmp(&volume(other)))?;
        (volume(&best) < WORTH * self.volume()).then_some(best)
    }

    fn volume(&self) -> f64 {
        let Capsule { ends: [a, b], radius } = self.capsule;
        std::f64::consts::PI * radius * radius * ((b - a).norm() + 4.0 / 3.0 * radius)
    }
}

fn volume(halves: &[Piece; 2]) -> f64 {
    halves.iter().map(Piece::volume).sum()
}

/// Halfway between the two points that are farthest apart along a direction.
fn middle<'a>(points: impl Iterator<Item = &'a Vector3<f64>>, way: &Vector3<f64>) -> f64 {
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = points.map(|point| way.dot(point)).fold(ends, |(low, high), at| (low.min(at), high.max(at)));
    0.5 * (low + high)
}

/// The capsule about points, along the first of three directions that are square to each other.
fn about<'a>(
    points: impl Iterator<Item = &'a Vector3<f64>> + Clone,
    [along, one, other]: [Vector3<f64>; 3],
) -> Capsule {
    let [mid_one, mid_other] = [one, other].map(|way| middle(points.clone(), &way));
    let aside = |point: &Vector3<f64>| Vector2::new(one.dot(point) - mid_one, other.dot(point) - mid_other).norm();
    let radius = points.clone().map(aside).fold(0.0, f64::max);
    // Each point needs the segment to come as near as its own distance from the axis leaves.
    let [mut low, mut high] = [f64::INFINITY, f64::NEG_INFINITY];
    for point in points.clone() {
        let (at, aside) = (along.dot(point), aside(point));
        let left = (radius * radius - aside * aside).max(0.0).sqrt();
        (low, high) = (low.min(at + left), high.max(at - left));
    }
    // What is no longer than thick is a ball.
    let [low, high] = if low <= high { [low, high] } else { [0.5 * (low + high); 2] };
    Capsule { ends: [low, high].map(|at| along * at + one * mid_one + other * mid_other), radius }
}

/// What of triangles is on the far side of a plane.
fn clipped(triangles: &[Triangle], across: &Vector3<f64>, from: f64) -> Vec<Triangle> {
    let mut kept = Vec::with_capacity(triangles.len());
    for triangle in triangles {
        let beyond = triangle.map(|point| across.dot(&point) - from);
        let mut corners: Vec<Vector3<f64>> = Vec::with_capacity(4);
        for (index, (point, at)) in triangle.iter().zip(beyond).enumerate() {
            let (next, then) = (triangle[(index + 1) % 3], beyond[(index + 1) % 3]);
            if at >= 0.0 {
                corners.push(*point);
            }
            if (at < 0.0) != (then < 0.0) {
                corners.push(point + (next - point) * (at / (at - then)));
            }
        }
        if let [first, rest @ ..] = corners.as_slice() {
            kept.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::distance::of_segments;
    use super::*;
    use proptest::prelude::*;

    fn is_inside(bulk: &Bulk, point: &Vector3<f64>) -> bool {
        bulk.capsules().iter().any(|of| of_segments(&[*point; 2], &of.ends) <= of.radius + 1e-9)
    }

    proptest! {
        #[test]
        fn when_triangles_are_anywhere_expect_every_point_of_them_inside(
            triangles in prop::collection::vec(prop::array::uniform9(-1.0..1.0f64), 1..20),
            (a, b) in (0.0..1.0f64, 0.0..1.0f64), flat in 0.0..1.0f64,
        ) {
            let vertices: Vec<Vector3<f64>> = triangles.iter()
                .flat_map(|of| [0, 3, 6].map(|at| Vector3::new(of[at], of[at + 1], of[at + 2] * flat))).collect();
            let bulk = Bulk::of(&vertices).unwrap();
            prop_assert!(bulk.capsules().len() <= MOST);
            for of in vertices.chunks(3) {
                let point = of[0] + (of[1] - of[0]) * a + (of[2] - of[1]) * (a * b);
                prop_assert!(is_inside(&bulk, &point));
                let [low, high] = bulk.corners();
                prop_assert!((point - low).min() >= -1e-12 && (high - point).min() >= -1e-12);
            }
        }
    }

    /// A box from the origin, six faces of two triangles.
    fn slab(size: Vector3<f64>) -> Vec<Vector3<f64>> {
        let corner =
            |bits: usize| size.zip_map(&Vector3::new(bits & 1, bits >> 1 & 1, bits >> 2 & 1), |s, b| s * b as f64);
        let faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
        faces.iter().flat_map(|[a, b, c, d]| [a, b, c, a, c, d].map(|bits| corner(*bits))).collect()
    }

    #[test]
    fn when_a_mesh_is_a_square_bar_expect_one_capsule_hardly_thicker_than_its_diagonal() {
        let bulk = Bulk::of(&slab(Vector3::new(0.1, 0.02, 0.02))).unwrap();
        assert_eq!(bulk.capsules().len(), 1);
        assert!(bulk.capsules()[0].radius < 0.02, "{bulk:?}");
    }

    #[test]
    fn when_a_mesh_is_flat_expect_capsules_side_by_side_that_are_thinner_than_one() {
        let bulk = Bulk::of(&slab(Vector3::new(0.1, 0.04, 0.01))).unwrap();
        assert!(bulk.capsules().len() > 1, "{bulk:?}");
        assert!(bulk.capsules().iter().all(|of| of.radius < 0.019), "{bulk:?}");
    }

    #[test]
    fn when_there_are_no_triangles_expect_none() {
        assert_eq!(Bulk::of(&[]), None);
    }
}
