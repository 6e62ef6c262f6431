//! Ranges of joint angles within which legs cannot meet, so that nobody needs to look.

use super::shapes::{BodyBox, LegShapes};
use super::{Placed, SelfCollision, pairs};
use crate::math;
use crate::{Leg, LegAngles, MAX_LEGS, Robot};
use nalgebra::{Matrix3, Vector3};

/// Directions along the ground in which legs are seen to be apart.
const DIRECTIONS: usize = 24;
/// Directions around its first joint in which a leg is measured.
const AROUND: usize = 2 * DIRECTIONS;
/// How far the axis of the first joint may be from the vertical, as a sine.
const UPRIGHT: f64 = 1e-6;
/// How far the first joint is looked at to each side of home, rad, and at how many angles.
const TURN_RAD: f64 = 0.9;
const TURNS: usize = 19;
/// How far the others are, and at how many angles each: the farthest at which the first joints keep [`WIDE_RAD`].
const BENDS_RAD: [f64; 7] = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3];
const BENDS: usize = 11;
/// As far as a leg turns while it walks, rad.
const WIDE_RAD: f64 = 0.35;

/// How far nothing extends, m.
const NOWHERE: f64 = -1e9;

/// How far something extends in each of the directions, m.
type Extents = [f64; DIRECTIONS];

/// A leg's joint angles from the first to the second, each.
pub type LegRange = [LegAngles; 2];

/// A leg over a grid of joint angles.
struct Swept {
    /// Ends of the ranges looked at.
    ends: LegRange,
    /// How far the leg extends at each angle of its first joint, wherever the others are, and how far that of it which does
    /// not touch the body.
    legs: Vec<[Extents; 2]>,
    /// What it extends farther between the angles of the grid at most, m.
    between: f64,
    /// The angles of the first joint that have been found clear, by their places in the grid.
    from: usize,
    to: usize,
    /// How far the leg extends within them, and how far that of it which does not touch the body.
    most: [Extents; 2],
}

impl SelfCollision {
    /// Ranges of all joint angles about `home` within which no leg is too near to another or to the body, wherever the others
    /// are within theirs; none for legs of other than three joints or whose first is not upright, and where there is little.
    pub fn clear_ranges(&self, robot: &Robot, home: &[LegAngles]) -> Option<Vec<LegRange>> {
        let is_upright = |leg: &Leg| first_axis(leg).xy().norm() <= UPRIGHT;
        let is_usual = robot.legs().iter().all(|leg| leg.moving().len() == 3 && is_upright(leg));
        if !is_usual || robot.legs().len() > MAX_LEGS || home.len() < robot.legs().len() {
            return None;
        }
        let body: Vec<Extents> = self.body.iter().map(extents_of_body).collect();
        let mut best: Option<(f64, Vec<LegRange>)> = None;
        for bend in BENDS_RAD {
            let Some((width, ranges)) = self.ranges_with(robot, home, bend, &body) else { continue };
            if best.as_ref().is_none_or(|(best, _)| width > *best) {
                best = Some((width, ranges));
            }
            if width >= WIDE_RAD {
                break;
            }
        }
        best.map(|(_, ranges)| ranges)
    }

    /// Such ranges whose joints but the first bend so far from home, and how far the first of all legs turn to each side.
    fn ranges_with(
        &self,
        robot: &Robot,
        home: &[LegAngles],
        bend: f64,
        body: &[Extents],
    ) -> Option<(f64, Vec<LegRange>)> {
        let legs = self.legs.iter().zip(robot.legs()).zip(home).zip(&self.carried);
        let mut swept: Vec<Swept> =
            legs.map(|(((shapes, leg), home), carried)| Swept::of(shapes, leg, home, bend, carried)).collect();
        let count = swept.len();
        let clear = pairs(count).all(|(one, other)| self.are_apart(&swept, one, other))
            && (0..count).all(|leg| self.is_off_body(&swept[leg], leg, body));
        if !clear {
            return None;
        }
        // Each in its turn, so that neighbours share what is between them.
        let mut grows = true;
        while grows {
            grows = false;
            for leg in 0..count {
                for is_up in [false, true] {
                    grows |= self.grow(&mut swept, leg, is_up, body);
                }
            }
        }
        let width = swept.iter().zip(home).map(|(swept, home)| swept.width(home[0])).fold(f64::INFINITY, f64::min);
        Some((width, swept.iter().map(Swept::range).collect()))
    }

    /// Has a leg turn one angle further where it stays clear of all others.
    fn grow(&self, swept: &mut [Swept], leg: usize, is_up: bool, body: &[Extents]) -> bool {
        let Swept { from, to, most, .. } = swept[leg];
        let next = if is_up { Some(to + 1).filter(|next| *next < TURNS) } else { from.checked_sub(1) };
        let Some(next) = next else { return false };
        swept[leg].take_in(next);
        (swept[leg].from, swept[leg].to) = (from.min(next), to.max(next));
        let others = (0..swept.len()).filter(|other| *other != leg);
        let fits =
            self.is_off_body(&swept[leg], leg, body) && { others }.all(|other| self.are_apart(swept, leg, other));
        if !fits {
            (swept[leg].from, swept[leg].to, swept[leg].most) = (from, to, most);
        }
        fits
    }

    /// Whether there is a direction in which one leg ends as far before the other begins as they are to be apart.
    fn are_apart(&self, swept: &[Swept], one: usize, other: usize) -> bool {
        let ([first, _], [second, _]) = (&swept[one].most, &swept[other].most);
        let least = self.apart[one][other];
        (0..DIRECTIONS).any(|way| -first[way] - second[opposite(way)] >= least)
    }

    fn is_off_body(&self, swept: &Swept, leg: usize, body: &[Extents]) -> bool {
        let [_, extents] = &swept.most;
        let is_off = |of: &Extents| (0..DIRECTIONS).any(|way| -of[way] - extents[opposite(way)] >= self.off_body[leg]);
        body.iter().all(is_off)
    }
}

impl Swept {
    fn of(shapes: &LegShapes, leg: &Leg, home: &LegAngles, bend: f64, carried: &[f64]) -> Self {
        let within = |joint: usize, angle: f64| {
            let limits = leg.joints()[joint].limits();
            angle.clamp(limits.lower, limits.upper)
        };
        let far = |joint: usize| if joint == 0 { TURN_RAD } else { bend };
        let ends = [-1.0, 1.0].map(|way| LegAngles::from_fn(3, |joint| within(joint, home[joint] + way * far(joint))));
        let step = |joint: usize| (ends[1][joint] - ends[0][joint]) / (samples(joint) - 1) as f64;
        let at = |joint: usize, place: usize| ends[0][joint] + step(joint) * place as f64;
        let bends = (0..BENDS * BENDS).map(|place| LegAngles::from([0.0, at(1, place % BENDS), at(2, place / BENDS)]));
        let unturned = Unturned::of(shapes, leg, bends);
        // Between two angles a distance apart a point that turns about an axis goes no farther than both by more than this
        // (what linear interpolation is off).
        let between = carried.iter().take(3).enumerate().map(|(joint, r)| r * step(joint) * step(joint) / 8.0).sum();
        let nearest = ((home[0] - ends[0][0]) / step(0).max(1e-9)).round().clamp(0.0, (TURNS - 1) as f64) as usize;
        let (from, to) = (nearest.saturating_sub(1), (nearest + 1).min(TURNS - 1));
        let legs = (0..TURNS).map(|turn| unturned.turned(at(0, turn))).collect();
        let mut swept = Self { ends, legs, between, from, to, most: [[NOWHERE; DIRECTIONS]; 2] };
        (from..=to).for_each(|turn| swept.take_in(turn));
        swept
    }

    /// Counts in how far the leg extends at an angle of its first joint.
    fn take_in(&mut self, turn: usize) {
        for (most, extents) in self.most.iter_mut().zip(&self.legs[turn]) {
            for (most, extent) in most.iter_mut().zip(extents) {
                *most = most.max(extent + self.between);
            }
        }
    }

    fn turn(&self, place: usize) -> f64 {
        let [low, high] = [self.ends[0][0], self.ends[1][0]];
        low + (high - low) * place as f64 / (TURNS - 1) as f64
    }

    /// How far the leg turns from home to the side where it turns less, rad; a joint's limit is no bound.
    fn width(&self, home: f64) -> f64 {
        let down = if self.from == 0 { TURN_RAD } else { home - self.turn(self.from) };
        let up = if self.to + 1 == TURNS { TURN_RAD } else { self.turn(self.to) - home };
        down.min(up)
    }

    fn range(&self) -> LegRange {
        let mut ends = self.ends;
        (ends[0][0], ends[1][0]) = (self.turn(self.from), self.turn(self.to));
        ends
    }
}

/// At how many of its angles a joint is looked at.
fn samples(joint: usize) -> usize {
    if joint == 0 { TURNS } else { BENDS }
}

/// The axis of a leg's first joint in the body's frame.
fn first_axis(leg: &Leg) -> Vector3<f64> {
    leg.joints().first().map_or(Vector3::zeros(), |first| first.origin().rotation * first.axis().into_inner())
}

/// One of so many directions along the ground; the body's frame.
fn direction(way: usize, of: usize) -> Vector3<f64> {
    let (sin, cos) = math::sin_cos(std::f64::consts::TAU * way as f64 / of as f64);
    Vector3::new(cos, sin, 0.0)
}

/// How far a box of the body extends.
fn extents_of_body(of: &BodyBox) -> Extents {
    std::array::from_fn(|way| of.extent(&direction(way, DIRECTIONS)))
}

fn opposite(way: usize) -> usize {
    (way + DIRECTIONS / 2) % DIRECTIONS
}

/// A leg whose first joint is at zero, wherever the others are.
struct Unturned {
    /// How far it extends from that joint in each of [`AROUND`] directions, m, and how far that of it which does not touch the
    /// body.
    extents: [[f64; AROUND]; 2],
    joint: Vector3<f64>,
    /// Which way it turns, seen from above.
    sense: f64,
}

impl Unturned {
    fn of(shapes: &LegShapes, leg: &Leg, bends: impl Iterator<Item = LegAngles>) -> Self {
        let first = &leg.joints()[0];
        let joint = first.origin().translation.vector;
        let sense = first_axis(leg).z.signum();
        let directions: [Vector3<f64>; AROUND] = std::array::from_fn(|way| direction(way, AROUND));
        let mut extents = [[NOWHERE; AROUND]; 2];
        for angles in bends {
            let mut placed = Placed::NONE;
            shapes.place(leg, &angles, &mut placed);
            for ((shape, _), touches) in placed.iter().zip(shapes.touches_body()) {
                let from_joint = shape.placed(&Matrix3::identity(), &-joint);
                let held = if touches { 1 } else { 2 };
                for (way, ahead) in directions.iter().enumerate() {
                    let extent = from_joint.extent(ahead);
                    for extents in extents.iter_mut().take(held) {
                        extents[way] = extents[way].max(extent);
                    }
                }
            }
        }
        Self { extents, joint, sense }
    }

    /// How far the leg extends from the body's origin, its first joint turned by this.
    fn turned(&self, turn: f64) -> [Extents; 2] {
        let seen = std::f64::consts::TAU / AROUND as f64;
        [0, 1].map(|which| {
            let extents = &self.extents[which];
            std::array::from_fn(|way| {
                let place =
                    (way as f64 * (AROUND / DIRECTIONS) as f64 - self.sense * turn / seen).rem_euclid(AROUND as f64);
                let (before, part) = (place.floor() as usize % AROUND, place.fract());
                // A direction between two is a sum of both, and nothing extends farther along a sum than along its parts.
                let [one, other] = [(1.0 - part) * seen, part * seen].map(|angle| math::sin(angle) / math::sin(seen));
                let extent = extents[before] * one + extents[(before + 1) % AROUND] * other;
                extent + direction(way, DIRECTIONS).dot(&self.joint)
            })
        })
    }
}
