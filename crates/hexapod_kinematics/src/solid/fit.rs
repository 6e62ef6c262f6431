//! Capsules and boxes about a mesh.

use super::capsule::Capsule;
use super::convex::Convex;
use super::cuboid::Cuboid;
use nalgebra::{Matrix3, SymmetricEigen, Vector2, Vector3};

/// Most capsules and boxes of one mesh.
const MOST: usize = 3;
/// Two of them are worth their work where they have less than this part of the volume of one.
const WORTH: f64 = 0.8;
/// Most iterations for the directions in which triangles are long; a few are enough for three rows.
const MAX_ITERATIONS: usize = 64;

type Triangle = [Vector3<f64>; 3];

/// The room that a mesh takes up, in the frame of its shape, m.
#[derive(Clone, Debug, PartialEq)]
pub struct Bulk {
    solids: Vec<Convex>,
    corners: [Vector3<f64>; 2],
}

/// Triangles, the capsule or box about them, and the directions in which they may be cut.
struct Piece {
    triangles: Vec<Triangle>,
    solid: Convex,
    cuts: Vec<Vector3<f64>>,
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
        Some(Self { solids: pieces.into_iter().map(|piece| piece.solid).collect(), corners })
    }

    /// The same of a mesh `times` as large.
    pub(crate) fn enlarged(&self, times: f64) -> Self {
        Self {
            solids: self.solids.iter().map(|solid| solid.enlarged(times)).collect(),
            corners: self.corners.map(|corner| corner * times),
        }
    }

    /// Capsules and boxes that hold all of it together.
    pub(crate) fn solids(&self) -> &[Convex] {
        &self.solids
    }

    /// The lowest and the highest corner of the box about it.
    pub fn corners(&self) -> &[Vector3<f64>; 2] {
        &self.corners
    }
}

impl Piece {
    fn of(triangles: Vec<Triangle>) -> Self {
        let points = || triangles.iter().flatten();
        let principal = principal_axes(&triangles);
        let frames = [principal, [Vector3::x(), Vector3::y(), Vector3::z()]].into_iter().chain(face_axes(&triangles));
        let boxes = frames.map(|axes| (Cuboid::about(points(), axes), axes));
        let smallest = boxes.min_by(|(one, _), (other, _)| one.volume().total_cmp(&other.volume()));
        let capsule = Convex::Capsule(about(points(), principal));
        let [long, wide, _] = principal;
        match smallest.map(|(of, axes)| (Convex::Cuboid(of), axes)) {
            Some((cuboid, axes)) if cuboid.volume() < capsule.volume() => {
                Self { triangles, solid: cuboid, cuts: axes.to_vec() }
            }
            _ => Self { triangles, solid: capsule, cuts: vec![long, wide] },
        }
    }

    /// The two halves of it across one of its directions, where they are worth it.
    fn halves(&self) -> Option<[Self; 2]> {
        let cut = |across: &Vector3<f64>| {
            let middle = middle(self.triangles.iter().flatten(), across);
            let half = |sign: f64| clipped(&self.triangles, &(across * sign), middle * sign);
            let halves = [half(1.0), half(-1.0)];
            halves.iter().all(|half| !half.is_empty()).then(|| halves.map(Self::of))
        };
        let best = self.cuts.iter().filter_map(cut).min_by(|one, other| volume(one).total_cmp(&volume(other)))?;
        (volume(&best) < WORTH * self.volume()).then_some(best)
    }

    fn volume(&self) -> f64 {
        self.solid.volume()
    }
}

/// Twice the area of a triangle, square to it.
fn normal([a, b, c]: &Triangle) -> Vector3<f64> {
    (b - a).cross(&(c - a))
}

/// The directions in which a surface is long, wide and thin, however finely it is cut into triangles.
fn principal_axes(triangles: &[Triangle]) -> [Vector3<f64>; 3] {
    let area: f64 = triangles.iter().map(|of| normal(of).norm()).sum();
    let sum = |of: &Triangle| of.iter().sum::<Vector3<f64>>();
    let mean = triangles.iter().map(|of| sum(of) * normal(of).norm()).sum::<Vector3<f64>>() / (3.0 * area);
    let mean = if area > 0.0 { mean } else { Vector3::zeros() };
    let spread = triangles.iter().fold(Matrix3::zeros(), |spread, of| {
        let [a, b, c] = of.map(|point| point - mean);
        let all = a + b + c;
        let squares = [a, b, c, all].map(|to| to * to.transpose());
        spread + squares.iter().sum::<Matrix3<f64>>() * normal(of).norm()
    });
    let (values, axes) = SymmetricEigen::try_new(spread, f64::EPSILON, MAX_ITERATIONS)
        .map_or((spread.diagonal(), Matrix3::identity()), |found| (found.eigenvalues, found.eigenvectors));
    let mut order = [0, 1, 2];
    order.sort_by(|one, other| values[*other].total_cmp(&values[*one]));
    order.map(|index| axes.column(index).into_owned())
}

/// Directions along each edge of the largest triangle, square to it in its plane, and square to the plane: where a part
/// has a large flat face, those of a box about it.
fn face_axes(triangles: &[Triangle]) -> impl Iterator<Item = [Vector3<f64>; 3]> {
    let size = |of: &Triangle| normal(of).norm_squared();
    let largest = triangles.iter().max_by(|one, other| size(one).total_cmp(&size(other)));
    let edges = largest.map(|of @ [a, b, c]| [b - a, c - b, a - c].map(|edge| (edge, normal(of))));
    edges.into_iter().flatten().filter_map(|(edge, normal)| {
        let (along, up) = (edge.try_normalize(0.0)?, normal.try_normalize(0.0)?);
        Some([along, up.cross(&along), up])
    })
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
    use super::*;
    use nalgebra::Rotation3;
    use proptest::prelude::*;

    fn is_inside(bulk: &Bulk, point: &Vector3<f64>) -> bool {
        let point = Convex::Capsule(Capsule { ends: [*point; 2], radius: 0.0 });
        bulk.solids().iter().any(|of| of.distance(&point, 1.0) <= 1e-9)
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
            prop_assert!(bulk.solids().len() <= MOST);
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

    /// How far what is about a convex mesh sticks out of it at most, along many directions.
    fn excess(bulk: &Bulk, mesh: &[Vector3<f64>]) -> f64 {
        let ways = (0..2000).map(|index| {
            let (up, turn) = (1.0 - (f64::from(index) + 0.5) / 1000.0, 2.399_963 * f64::from(index));
            let flat = (1.0 - up * up).sqrt();
            Vector3::new(flat * turn.cos(), flat * turn.sin(), up)
        });
        let of_mesh = |way: &Vector3<f64>| mesh.iter().map(|point| way.dot(point)).fold(f64::NEG_INFINITY, f64::max);
        let of_bulk = |way: &Vector3<f64>| bulk.solids().iter().map(|of| of.extent(way)).fold(0.0, f64::max);
        ways.map(|way| of_bulk(&way) - of_mesh(&way)).fold(0.0, f64::max)
    }

    fn turned(mesh: Vec<Vector3<f64>>, by: [f64; 3]) -> Vec<Vector3<f64>> {
        let turn = Rotation3::from_euler_angles(by[0], by[1], by[2]);
        mesh.into_iter().map(|point| turn * point).collect()
    }

    proptest! {
        #[test]
        fn when_a_mesh_is_a_block_turned_any_way_expect_a_box_as_large_as_it(
            size in prop::array::uniform3(0.01..0.1f64), by in prop::array::uniform3(-3.0..3.0f64),
        ) {
            let mesh = turned(slab(Vector3::from(size)), by);
            let bulk = Bulk::of(&mesh).unwrap();
            prop_assert_eq!(bulk.solids().len(), 1);
            prop_assert!(excess(&bulk, &mesh) < 1e-9, "{:?}", bulk);
        }
    }

    #[test]
    fn when_a_chunky_hip_is_a_turned_block_with_an_arm_expect_a_box_about_each() {
        let block = slab(Vector3::new(0.06, 0.055, 0.05));
        let arm = slab(Vector3::new(0.06, 0.012, 0.05)).into_iter().map(|point| point + Vector3::x() * 0.06);
        let bulk = Bulk::of(&turned(block.into_iter().chain(arm).collect(), [0.4, -0.3, 0.6])).unwrap();
        let (all, parts): (f64, f64) = (bulk.solids().iter().map(Convex::volume).sum(), 0.06 * 0.05 * (0.055 + 0.012));
        assert!(bulk.solids().len() == 2 && all < 1.001 * parts, "{all} {parts} {bulk:?}");
    }

    #[test]
    fn when_there_are_no_triangles_expect_none() {
        assert_eq!(Bulk::of(&[]), None);
    }
}
