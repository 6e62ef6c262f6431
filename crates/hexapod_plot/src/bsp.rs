//! Order from back to front, exact even where solids cut into each other: a binary space partition.
//!
//! Fuchs, Kedem, Naylor, "On visible surface generation by a priori tree structures", SIGGRAPH 1980. Every face here
//! looks towards the viewer, who is infinitely far away, so the viewer is in front of every plane: what lies behind a
//! face is drawn first, then the face, then what lies in front.

use crate::mesh::Face;
use nalgebra::{Point3, Vector3};

/// Corners closer to a plane than this (m) count as on it.
const ON_PLANE: f64 = 1e-6;
/// How many faces are tried as the plane that divides the rest.
const CANDIDATES: usize = 24;

struct Plane {
    normal: Vector3<f64>,
    offset: f64,
}

impl Plane {
    fn of(face: &Face) -> Self {
        Self { normal: face.normal, offset: face.corners.first().map_or(0.0, |corner| face.normal.dot(&corner.coords)) }
    }

    fn height(&self, point: &Point3<f64>) -> f64 {
        self.normal.dot(&point.coords) - self.offset
    }
}

#[derive(Debug, PartialEq)]
enum Side {
    On,
    Front,
    Back,
    Both,
}

/// The faces, some cut in pieces, such that none hides one that comes after it. All must look towards the viewer.
pub(crate) fn back_to_front(faces: Vec<Face>) -> Vec<Face> {
    enum Task {
        Divide(Vec<Face>),
        Emit(Vec<Face>),
    }
    let mut ordered = Vec::with_capacity(faces.len() * 2);
    let mut tasks = vec![Task::Divide(faces)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Emit(faces) => ordered.extend(faces),
            Task::Divide(faces) if faces.len() < 2 => ordered.extend(faces),
            Task::Divide(faces) => {
                let [back, on, front] = divide(faces);
                tasks.push(Task::Divide(front));
                tasks.push(Task::Emit(on));
                tasks.push(Task::Divide(back));
            }
        }
    }
    ordered
}

fn divide(mut faces: Vec<Face>) -> [Vec<Face>; 3] {
    // The divider is taken out first, so each division leaves fewer faces whatever rounding does.
    let divider = faces.swap_remove(best_divider(&faces));
    let plane = Plane::of(&divider);
    let (mut back, mut on, mut front) = (Vec::new(), vec![divider], Vec::new());
    for face in faces {
        match side(&plane, &face) {
            Side::On => on.push(face),
            Side::Front => front.push(face),
            Side::Back => back.push(face),
            Side::Both => {
                let [behind, before] = cut(&plane, &face);
                back.extend(behind);
                front.extend(before);
            }
        }
    }
    [back, on, front]
}

/// Of a few faces spread over the list, the index of the one whose plane cuts fewest others and leaves halves even.
fn best_divider(faces: &[Face]) -> usize {
    let cost = |index: &usize| {
        let plane = Plane::of(&faces[*index]);
        let (mut cuts, mut balance) = (0_i64, 0_i64);
        for face in faces {
            match side(&plane, face) {
                Side::Both => cuts += 1,
                Side::Front => balance += 1,
                Side::Back => balance -= 1,
                Side::On => {}
            }
        }
        8 * cuts + balance.abs()
    };
    let step = faces.len().div_ceil(CANDIDATES).max(1);
    (0..faces.len()).step_by(step).min_by_key(cost).unwrap_or(0)
}

fn side(plane: &Plane, face: &Face) -> Side {
    let heights = face.corners.iter().map(|corner| plane.height(corner));
    let (low, high) = heights.fold((0.0_f64, 0.0_f64), |(low, high), height| (low.min(height), high.max(height)));
    match (low < -ON_PLANE, high > ON_PLANE) {
        (false, false) => Side::On,
        (false, true) => Side::Front,
        (true, false) => Side::Back,
        (true, true) => Side::Both,
    }
}

/// The pieces of a face behind and in front of a plane.
fn cut(plane: &Plane, face: &Face) -> [Option<Face>; 2] {
    let (mut behind, mut before) = (Vec::new(), Vec::new());
    for (corner, next) in face.corners.iter().zip(face.corners.iter().cycle().skip(1)) {
        let (height, next_height) = (plane.height(corner), plane.height(next));
        if height <= ON_PLANE {
            behind.push(*corner);
        }
        if height >= -ON_PLANE {
            before.push(*corner);
        }
        if height.abs() > ON_PLANE && next_height.abs() > ON_PLANE && height * next_height < 0.0 {
            let crossing = corner + (next - corner) * (height / (height - next_height));
            behind.push(crossing);
            before.push(crossing);
        }
    }
    [behind, before].map(|corners| (corners.len() >= 3).then(|| Face { corners, ..face.clone() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::Rgb;

    fn square(z: f64, tilt: f64) -> Face {
        let corner = |x: f64, y: f64| Point3::new(x, y, z + tilt * x);
        let corners = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        Face::new(corners, Rgb::hex(0)).unwrap()
    }

    #[test]
    fn when_faces_are_stacked_expect_the_lowest_first() {
        let ordered = back_to_front([0.3, 0.1, 0.4, 0.2].map(|z| square(z, 0.0)).to_vec());
        let heights: Vec<f64> = ordered.iter().map(|face| face.corners[0].z).collect();
        assert_eq!(heights, [0.1, 0.2, 0.3, 0.4]);
    }

    #[test]
    fn when_faces_cross_expect_one_cut_in_two_of_the_same_area() {
        let ordered = back_to_front(vec![square(0.0, 0.5), square(0.0, -0.5)]);
        assert_eq!(ordered.len(), 3);
        assert!(ordered.iter().all(|face| face.corners.len() == 4));
    }
}
