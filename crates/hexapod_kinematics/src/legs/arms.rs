//! Chains that could be legs by their joints and are none: arms, heads, tails.

use nalgebra::{Isometry3, Point3, Vector2};

use super::branch::{Branch, MIN_LEG_JOINTS, not_a_leg};
use super::options::{MAX_LEGS, MIN_LEGS};
use crate::angles::MAX_LEG_JOINTS;
use crate::model::Model;

/// Words in names that say that a chain is no leg.
const ARM_WORDS: [&str; 13] = [
    "arm", "gripper", "grip", "claw", "pincer", "hand", "finger", "head", "neck", "tail", "camera", "sensor", "antenna",
];
/// Parts between joints that differ by less than this part of the chain are alike.
const ALIKE: f64 = 0.05;
/// A hip is opposite another when it is nearer to the other's mirror image than this part of its distance from the middle.
const OPPOSITE: f64 = 0.1;

/// Leaves out, and notes: chains whose names say so; a chain whose number of joints no other has, while others agree,
/// unless it is called as they are but for a number; and a chain none of the others is like, on no side of the body.
pub(super) fn drop(model: &Model, chosen: &mut Vec<Branch>, notes: &mut Vec<String>) {
    drop_called_arms(model, chosen, notes);
    drop_odd_counts(model, chosen, notes);
    drop_odd_shapes(model, chosen, notes);
}

/// Leaves out chains all of whose joints, or all of whose links, are called by such a word, as long as enough others are
/// left.
fn drop_called_arms(model: &Model, chosen: &mut Vec<Branch>, notes: &mut Vec<String>) {
    if chosen.iter().filter(|branch| called_arm(model, branch).is_none()).count() < MIN_LEGS {
        return;
    }
    chosen.retain(|branch| {
        let arm = called_arm(model, branch);
        notes.extend(arm.map(|of| not_a_leg(model, branch, &format!("by the names of its {of}"))));
        arm.is_none()
    });
}

/// What the names are of that call a chain an arm.
fn called_arm(model: &Model, branch: &Branch) -> Option<&'static str> {
    let joints: Vec<_> = branch.moving.iter().filter_map(|&index| model.joints().get(index)).collect();
    let links = joints.iter().filter_map(|joint| model.links().get(joint.child()));
    if joints.iter().all(|joint| is_arm_name(joint.name())) {
        return Some("joints");
    }
    links.into_iter().all(|link| is_arm_name(link.name())).then_some("links")
}

/// True when a word of the name is such a word, with a number behind it or not.
fn is_arm_name(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut words = name.split(['_', '-', '.', '/', ' ']);
    words.any(|word| ARM_WORDS.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit())))
}

fn drop_odd_counts(model: &Model, chosen: &mut Vec<Branch>, notes: &mut Vec<String>) {
    let with = |chosen: &[Branch], n: usize| chosen.iter().filter(|b| b.motors == n).count();
    let common = (MIN_LEG_JOINTS..=MAX_LEG_JOINTS).max_by_key(|&n| (with(chosen, n), MAX_LEG_JOINTS - n)).unwrap_or(0);
    if with(chosen, common) < MIN_LEGS {
        return;
    }
    let alone: Vec<usize> =
        (MIN_LEG_JOINTS..=MAX_LEG_JOINTS).filter(|&n| n != common && with(chosen, n) == 1).collect();
    let too_many = chosen.len() > MAX_LEGS;
    let legs: Vec<String> = chosen.iter().filter(|b| b.motors == common).map(|b| without_digits(model, b)).collect();
    chosen.retain(|branch| {
        let n = branch.motors;
        let called_alike = || legs.contains(&without_digits(model, branch));
        let keep = n == common || !(too_many || alone.contains(&n) && !called_alike());
        if !keep {
            notes.push(not_a_leg(model, branch, &format!("the legs have {common} joints")));
        }
        keep
    });
}

/// The name of a chain's first joint, digits left out: what legs that are numbered have in common.
fn without_digits(model: &Model, branch: &Branch) -> String {
    let name = branch.moving.first().and_then(|&index| model.joints().get(index)).map_or("", |joint| joint.name());
    name.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Leaves out a chain whose parts between the joints are as long as no other's and whose hip is opposite no other, where
/// most chains have one that is like them.
fn drop_odd_shapes(model: &Model, chosen: &mut Vec<Branch>, notes: &mut Vec<String>) {
    let shapes: Vec<Outline> = chosen.iter().map(|branch| Outline::of(model, branch)).collect();
    let others = |at: usize| shapes.iter().enumerate().filter(move |(other, _)| *other != at).map(|(_, shape)| shape);
    let middle = middle(&shapes);
    let is_odd = |(at, shape): (usize, &Outline)| {
        (!others(at).any(|other| shape.is_like(other)), others(at).any(|other| shape.is_opposite(other, middle)))
    };
    let odd: Vec<(bool, bool)> = shapes.iter().enumerate().map(is_odd).collect();
    let unlike = odd.iter().filter(|(unlike, _)| *unlike).count();
    if chosen.len() < MIN_LEGS + unlike || chosen.len() <= 2 * unlike {
        return;
    }
    let why =
        "the legs are like one another, it is like none of them; if it is one, list them all under legs in robot.yaml";
    let mut is_leg = odd.into_iter().map(|(unlike, opposite)| !unlike || opposite);
    chosen.retain(|branch| {
        let leg = is_leg.next().unwrap_or(true);
        if !leg {
            notes.push(not_a_leg(model, branch, why));
        }
        leg
    });
}

/// The middle of the box about all hips: the base link may be anywhere.
fn middle(shapes: &[Outline]) -> Vector2<f64> {
    let hips = || shapes.iter().map(|shape| shape.hip.coords.xy());
    let end = |of: fn(&Vector2<f64>, &Vector2<f64>) -> Vector2<f64>| hips().reduce(|a, b| of(&a, &b));
    end(|a, b| a.inf(b)).zip(end(|a, b| a.sup(b))).map_or_else(Vector2::zeros, |(least, most)| 0.5 * (least + most))
}

/// What a chain looks like with all joints at zero.
struct Outline {
    /// Where the first joint is in the body, m.
    hip: Point3<f64>,
    /// Distances from joint to joint, m.
    parts: Vec<f64>,
}

impl Outline {
    fn of(model: &Model, branch: &Branch) -> Self {
        let (mut pending, mut points) = (Isometry3::identity(), Vec::new());
        for index in model.path_to(branch.leaf) {
            let Some(joint) = model.joints().get(index) else { continue };
            pending *= joint.parent_from_joint();
            if branch.moving.contains(&index) {
                points.push(Point3::from(pending.translation.vector));
            }
        }
        let parts = points.windows(2).map(|pair| if let [a, b] = pair { (b - a).norm() } else { 0.0 }).collect();
        Self { hip: points.first().copied().unwrap_or_default(), parts }
    }

    fn is_like(&self, other: &Self) -> bool {
        let close = ALIKE * self.parts.iter().sum::<f64>();
        let pairs = self.parts.iter().zip(&other.parts);
        self.parts.len() == other.parts.len() && pairs.into_iter().all(|(own, other)| (own - other).abs() <= close)
    }

    /// On the other side of the body, or diagonally across it.
    fn is_opposite(&self, other: &Self, middle: Vector2<f64>) -> bool {
        let (own, other) = (self.hip.coords.xy() - middle, other.hip.coords.xy() - middle);
        let images = [(1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)].map(|(x, y)| Vector2::new(x * other.x, y * other.y));
        images.iter().any(|image| (own - image).norm() <= OPPOSITE * own.norm())
    }
}
