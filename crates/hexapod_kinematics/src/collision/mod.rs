//! How near legs come to each other and to the body, by their collision shapes.

mod capsule;
mod distance;
mod placed;
mod shapes;

pub use capsule::Capsule;

use crate::{LegAngles, MAX_LEGS, Robot};
use placed::Placed;
use shapes::{BodyBox, LegShapes};

/// Part of the distance at home that is kept where two legs, or a leg and the body, are nearer there.
const PART_AT_HOME: f64 = 0.8;

/// What a leg came too near to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbour {
    /// Another leg, by its index.
    Leg(usize),
    /// The body.
    Body,
}

/// A leg that is nearer to something than it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooNear {
    /// The leg, by its index.
    pub leg: usize,
    /// What it is too near to.
    pub to: Neighbour,
    /// How far apart they are, m; below zero where they overlap.
    pub distance: f64,
    /// How far apart they are to be, m.
    pub least: f64,
}

/// The collision shapes of a robot as capsules and boxes, and how far apart they are to be.
///
/// A link without shapes is a line from its joint to the next. Shapes on one leg are not compared with each other: its
/// joints' limits keep them apart.
#[derive(Clone, Debug)]
pub struct SelfCollision {
    legs: Vec<LegShapes>,
    body: Vec<BodyBox>,
    apart: [[f64; MAX_LEGS]; MAX_LEGS],
    off_body: [f64; MAX_LEGS],
}

impl SelfCollision {
    /// For a robot whose legs keep `clearance` (m) from each other and from the body, or four fifths of the distance that
    /// they have at home where that is less. What touches the body at home, as hips do, may do so.
    pub fn new(robot: &Robot, home: &[LegAngles], clearance: f64) -> Self {
        let mut legs: Vec<LegShapes> = robot.legs().iter().map(|leg| LegShapes::of(robot.model(), leg)).collect();
        let body = shapes::of_body(robot.model());
        let placed = place_all(&legs, robot, home);
        let mut off_body = [clearance; MAX_LEGS];
        for ((shapes, placed), least) in legs.iter_mut().zip(&placed).zip(&mut off_body) {
            shapes.leave_out_what_touches(placed, &body);
            *least = clearance.min(PART_AT_HOME * shapes.distance_to_body(placed, &body, f64::INFINITY));
        }
        let mut apart = [[clearance; MAX_LEGS]; MAX_LEGS];
        for (one, other) in pairs(robot.legs().len()) {
            if let [Some(a), Some(b)] = [placed.get(one), placed.get(other)] {
                apart[one][other] = clearance.min(PART_AT_HOME * a.distance(b, f64::INFINITY));
            }
        }
        Self { legs, body, apart, off_body }
    }

    /// How many capsules the legs have together.
    pub fn capsule_count(&self) -> usize {
        self.legs.iter().map(LegShapes::count).sum()
    }

    /// The first leg that is too near to another or to the body at these joint angles.
    pub fn check(&self, robot: &Robot, angles: &[LegAngles]) -> Option<TooNear> {
        let placed = place_all(&self.legs, robot, angles);
        let count = self.legs.len().min(MAX_LEGS);
        let legs = pairs(count).find_map(|(leg, other)| {
            let least = self.apart[leg][other];
            let distance = placed[leg].distance(&placed[other], least);
            (distance < least).then_some(TooNear { leg, to: Neighbour::Leg(other), distance, least })
        });
        legs.or_else(|| {
            (0..count).find_map(|leg| {
                let least = self.off_body[leg];
                let distance = self.legs[leg].distance_to_body(&placed[leg], &self.body, least);
                (distance < least).then_some(TooNear { leg, to: Neighbour::Body, distance, least })
            })
        })
    }
}

fn place_all(legs: &[LegShapes], robot: &Robot, angles: &[LegAngles]) -> [Placed; MAX_LEGS] {
    let mut placed = [Placed::NONE; MAX_LEGS];
    for (((placed, shapes), leg), angles) in placed.iter_mut().zip(legs).zip(robot.legs()).zip(angles) {
        shapes.place(leg, angles, placed);
    }
    placed
}

/// Every two of so many legs.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |one| (one + 1..count).map(move |other| (one, other)))
}

#[cfg(test)]
mod tests;
