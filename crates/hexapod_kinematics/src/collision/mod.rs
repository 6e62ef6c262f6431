//! How near legs come to each other and to the body, by their collision shapes.

mod look;
mod placed;
mod ranges;
mod shapes;

pub use look::Look;
pub use ranges::LegRange;

use crate::solid::convex::Convex;
use crate::{LegAngles, MAX_LEG_JOINTS, MAX_LEGS, Robot};
use placed::{Detail, Placed};
use shapes::{BodyBox, LegShapes};

/// Fraction of the distance at home that is kept where two legs, or a leg and the body, are nearer there.
const HOME_FRACTION: f64 = 0.8;
/// The most that legs keep from the body, m: they fold close to it.
const OFF_BODY_M: f64 = 0.005;
/// A link that is a line shorter than this is hardly one, m.
const LONG_LINE_M: f64 = 0.02;
/// What is nearer by less is as near, m.
const NO_NEARER_M: f64 = 1e-9;

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

/// The collision shapes of a robot as capsules and boxes, and how far apart they are to be: boxes as they are, other shapes of
/// legs as capsules about them, those of the body as boxes.
///
/// A link without shapes is a line from its joint to the next, and so are all links of legs whose shapes overlap those of
/// another leg at home. Shapes on one leg are not compared with each other: its joints' limits keep them apart.
#[derive(Clone, Debug)]
pub struct SelfCollision {
    legs: Vec<LegShapes>,
    /// How far any point of a leg goes at most with each of its joints, m/rad.
    carried: [[f64; MAX_LEG_JOINTS]; MAX_LEGS],
    body: Vec<BodyBox>,
    apart: [[f64; MAX_LEGS]; MAX_LEGS],
    off_body: [f64; MAX_LEGS],
}

impl SelfCollision {
    /// For a robot whose legs keep `clearance` (m) from each other and at most 5 mm from the body, or four fifths of the
    /// distance that they have at home where that is less. What touches the body at home, as hips do, may do so.
    pub fn new(robot: &Robot, home: &[LegAngles], clearance: f64) -> Self {
        let mut legs: Vec<LegShapes> = robot.legs().iter().map(|leg| LegShapes::of(robot.model(), leg)).collect();
        let (mut shaped, mut placed) = ([Placed::NONE; MAX_LEGS], [Placed::NONE; MAX_LEGS]);
        place_all(&legs, robot, home, &mut shaped);
        for (one, other) in pairs(legs.len().min(MAX_LEGS)) {
            if shaped[one].distance(&shaped[other], Detail::up_to(f64::INFINITY)) <= 0.0 {
                (legs[one], legs[other]) =
                    (LegShapes::lines(&robot.legs()[one]), LegShapes::lines(&robot.legs()[other]));
            }
        }
        let body = shapes::of_body(robot.model());
        place_all(&legs, robot, home, &mut placed);
        let mut off_body = [OFF_BODY_M.min(clearance); MAX_LEGS];
        for ((shapes, placed), least) in legs.iter_mut().zip(&placed).zip(&mut off_body) {
            shapes.leave_out_what_touches(placed, &body);
            *least = least.min(HOME_FRACTION * shapes.distance_to_body(placed, &body, Detail::up_to(f64::INFINITY)));
        }
        let mut apart = [[clearance; MAX_LEGS]; MAX_LEGS];
        for (one, other) in pairs(legs.len().min(MAX_LEGS)) {
            let least =
                clearance.min(HOME_FRACTION * placed[one].distance(&placed[other], Detail::up_to(f64::INFINITY)));
            (apart[one][other], apart[other][one]) = (least, least);
        }
        let mut carried = [[0.0; MAX_LEG_JOINTS]; MAX_LEGS];
        for ((carried, shapes), leg) in carried.iter_mut().zip(&legs).zip(robot.legs()) {
            *carried = shapes.carried(leg);
        }
        Self { legs, carried, body, apart, off_body }
    }

    /// Whether links of a leg, by its index, are known as lines alone: they have no box, cylinder, sphere or mesh that could be
    /// read, or overlap another leg at home.
    pub fn is_of_lines(&self, leg: usize) -> bool {
        let is_line = |of: &Convex| match of {
            Convex::Capsule(of) => of.radius == 0.0 && (of.ends[1] - of.ends[0]).norm() > LONG_LINE_M,
            Convex::Cuboid(_) => false,
        };
        self.legs.get(leg).is_some_and(|shapes| shapes.links().flatten().any(is_line))
    }

    /// How many capsules and boxes the legs have together.
    pub fn shape_count(&self) -> usize {
        self.legs.iter().map(LegShapes::count).sum()
    }

    /// The first leg that is too near to another or to the body at these joint angles.
    pub fn check(&self, robot: &Robot, angles: &[LegAngles]) -> Option<TooNear> {
        let mut placed = [Placed::NONE; MAX_LEGS];
        place_all(&self.legs, robot, angles, &mut placed);
        self.neighbours().find_map(|(leg, to)| self.too_near(&placed, leg, to))
    }

    /// The first leg that is too near at the joint angles `to` and no farther off than it was at `from`: whoever is too near
    /// already may go where there is more room.
    pub fn check_way(&self, robot: &Robot, from: &[LegAngles], to: &[LegAngles]) -> Option<TooNear> {
        let (mut before, mut placed) = ([Placed::NONE; MAX_LEGS], [Placed::NONE; MAX_LEGS]);
        place_all(&self.legs, robot, from, &mut before);
        place_all(&self.legs, robot, to, &mut placed);
        self.neighbours().find_map(|(leg, to)| {
            let now = self.too_near(&placed, leg, to)?;
            let was = self.distance(&before, leg, to, Detail::up_to(now.least));
            (was >= now.least || now.distance < was - NO_NEARER_M).then_some(now)
        })
    }

    /// How much more than they keep two legs have between them at least, whichever of its places each is at, m, up to
    /// `enough`; on the diagonal, a leg and the body.
    pub fn rooms(&self, robot: &Robot, places: &[Vec<LegAngles>], enough: f64) -> [[f64; MAX_LEGS]; MAX_LEGS] {
        let legs = self.legs.iter().zip(robot.legs()).zip(places);
        let placed = legs.map(|((shapes, leg), places)| {
            let place = |angles| {
                let mut placed = Placed::NONE;
                shapes.place(leg, angles, &mut placed);
                placed
            };
            places.iter().map(place).collect::<Vec<_>>()
        });
        let placed: Vec<Vec<Placed>> = placed.collect();
        let mut rooms = [[enough; MAX_LEGS]; MAX_LEGS];
        for (one, other) in pairs(placed.len().min(MAX_LEGS)) {
            let (least, both) =
                (self.apart[one][other], placed[one].iter().flat_map(|a| placed[other].iter().map(move |b| (a, b))));
            let room = both.fold(enough, |room, (a, b)| room.min(a.distance(b, Detail::up_to(least + room)) - least));
            (rooms[one][other], rooms[other][one]) = (room, room);
        }
        for (leg, (shapes, placed)) in self.legs.iter().zip(&placed).enumerate().take(MAX_LEGS) {
            let least = self.off_body[leg];
            let nearest =
                |room: f64, at| room.min(shapes.distance_to_body(at, &self.body, Detail::up_to(least + room)) - least);
            rooms[leg][leg] = placed.iter().fold(enough, nearest);
        }
        rooms
    }

    /// Lets a leg come nearer to the body by this much, m.
    pub fn let_nearer_to_body(&mut self, leg: usize, by: f64) {
        if let Some(least) = self.off_body.get_mut(leg) {
            *least -= by;
        }
    }

    fn too_near(&self, placed: &[Placed; MAX_LEGS], leg: usize, to: Neighbour) -> Option<TooNear> {
        let least = match to {
            Neighbour::Leg(other) => *self.apart.get(leg)?.get(other)?,
            Neighbour::Body => *self.off_body.get(leg)?,
        };
        let distance = self.distance(placed, leg, to, Detail::up_to(least));
        (distance < least).then_some(TooNear { leg, to, distance, least })
    }

    /// How far a leg is from a neighbour, m.
    fn distance(&self, placed: &[Placed; MAX_LEGS], leg: usize, to: Neighbour, detail: Detail) -> f64 {
        let (Some(shapes), Some(at)) = (self.legs.get(leg), placed.get(leg)) else { return detail.most };
        match to {
            Neighbour::Leg(other) => placed.get(other).map_or(detail.most, |other| at.distance(other, detail)),
            Neighbour::Body => shapes.distance_to_body(at, &self.body, detail),
        }
    }

    /// Every two legs, then every leg and the body.
    fn neighbours(&self) -> impl Iterator<Item = (usize, Neighbour)> {
        let count = self.legs.len().min(MAX_LEGS);
        let legs = pairs(count).map(|(leg, other)| (leg, Neighbour::Leg(other)));
        legs.chain((0..count).map(|leg| (leg, Neighbour::Body)))
    }
}

/// Puts the shapes of all legs at these joint angles into `placed`, which holds none: returned, they would be copied.
fn place_all(legs: &[LegShapes], robot: &Robot, angles: &[LegAngles], placed: &mut [Placed; MAX_LEGS]) {
    for (((placed, shapes), leg), angles) in placed.iter_mut().zip(legs).zip(robot.legs()).zip(angles) {
        shapes.place(leg, angles, placed);
    }
}

/// Every two of so many legs.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |one| (one + 1..count).map(move |other| (one, other)))
}

#[cfg(test)]
mod tests;
