//! How far a foot can go from its place in a direction, without leaving its bend or its limits.

use nalgebra::Vector3;

use crate::angles::LegAngles;
use crate::leg::Leg;
use crate::legs::Robot;
use crate::math;

/// Step of the search, in parts of the leg's length.
const STEP: f64 = 0.01;
/// Greatest change of a joint in one step of the search that is still the same bend, rad.
const SAME_BEND: f64 = 0.5;
/// To what the end is found, m.
const PRECISION: f64 = 1e-6;

/// A heading nearer to one of the table's than this, in steps of the table, is that one.
const ON_TABLE: f64 = 1e-9;

/// Travel of a foot along a line through its place, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// How far it can go in the direction.
    pub ahead: f64,
    /// How far it can go against it.
    pub behind: f64,
}

impl Stroke {
    /// The longest stroke with the place in its middle.
    pub fn centred(&self) -> f64 {
        2.0 * self.ahead.min(self.behind)
    }

    /// The longest stroke at all.
    pub fn whole(&self) -> f64 {
        self.ahead + self.behind
    }
}

impl Leg {
    /// How far the foot can go from `rest` (body frame, m) along and against a direction of any length. Zero both ways
    /// where `rest` itself is out of reach, or the direction is not one.
    pub fn stroke(&self, rest: &Vector3<f64>, direction: &Vector3<f64>, seed: &LegAngles) -> Stroke {
        let none = Stroke { ahead: 0.0, behind: 0.0 };
        let Some(unit) = direction.try_normalize(1e-12).filter(|u| u.iter().all(|x| x.is_finite())) else {
            return none;
        };
        match self.inverse(rest, seed) {
            Ok(start) => Stroke { ahead: self.travel(rest, &unit, &start), behind: self.travel(rest, &-unit, &start) },
            Err(_) => none,
        }
    }

    /// Travel along a unit direction from a pose.
    fn travel(&self, rest: &Vector3<f64>, unit: &Vector3<f64>, start: &LegAngles) -> f64 {
        let step = STEP * self.length();
        let (mut at, mut done) = (*start, 0.0);
        while done < 3.0 * self.length() {
            match self.follow(&(rest + unit * (done + step)), &at) {
                Some(next) => (at, done) = (next, done + step),
                None => break,
            }
        }
        let mut beyond = step;
        let mut within = 0.0;
        while beyond - within > PRECISION {
            let middle = 0.5 * (within + beyond);
            match self.follow(&(rest + unit * (done + middle)), &at) {
                Some(_) => within = middle,
                None => beyond = middle,
            }
        }
        done + within
    }

    /// Angles for a point near the pose, on the same bend.
    fn follow(&self, point: &Vector3<f64>, from: &LegAngles) -> Option<LegAngles> {
        let next = self.inverse(point, from).ok()?;
        next.iter().zip(from.iter()).all(|(a, b)| (a - b).abs() < SAME_BEND).then_some(next)
    }
}

/// Travel of every foot in evenly spaced directions of the ground plane.
#[derive(Clone, Debug, PartialEq)]
pub struct StrokeTable {
    directions: usize,
    /// Travel per leg and direction, direction 0 along x, then counter-clockwise.
    travel: Vec<Vec<f64>>,
}

impl StrokeTable {
    /// The table of a robot whose feet rest at these points (body frame, m), for an even number of directions of the
    /// body's x-y plane. Legs without a rest point do not move.
    pub fn new(robot: &Robot, rest: &[Vector3<f64>], directions: usize) -> Self {
        let half = directions.div_ceil(2).max(1);
        let row = |(leg, rest): (&Leg, &Vector3<f64>)| {
            let strokes: Vec<Stroke> = (0..half).map(|k| leg.stroke(rest, &heading(k, half), &leg.posture())).collect();
            strokes.iter().map(|s| s.ahead).chain(strokes.iter().map(|s| s.behind)).collect()
        };
        Self { directions: 2 * half, travel: robot.legs().iter().zip(rest).map(row).collect() }
    }

    /// Number of directions.
    pub fn directions(&self) -> usize {
        self.directions
    }

    /// Travel of one leg in each direction, m; empty for a leg that is not there.
    pub fn of_leg(&self, leg: usize) -> &[f64] {
        self.travel.get(leg).map_or(&[], Vec::as_slice)
    }

    /// The longest stroke centred on the rest point that a leg can do along a heading (rad from x towards y), m:
    /// the lesser of the neighbouring directions of the table where it is between two.
    pub fn centred(&self, leg: usize, heading_rad: f64) -> f64 {
        let row = self.of_leg(leg);
        if row.is_empty() || !heading_rad.is_finite() {
            return 0.0;
        }
        let steps = (heading_rad / std::f64::consts::TAU).rem_euclid(1.0) * self.directions as f64;
        let at = |k: usize| row.get(k % row.len()).copied().unwrap_or(0.0);
        let both = |k: usize| at(k).min(at(k + self.directions / 2));
        if (steps - steps.round()).abs() < ON_TABLE {
            return 2.0 * both(steps.round() as usize);
        }
        let below = steps.floor() as usize;
        2.0 * both(below).min(both(below + 1))
    }

    /// The longest stroke that every leg can do along a heading, m.
    pub fn centred_of_all(&self, heading_rad: f64) -> f64 {
        (0..self.travel.len()).map(|leg| self.centred(leg, heading_rad)).fold(f64::INFINITY, f64::min).min(1e3)
    }
}

/// Direction `k` of `half` in half a turn.
fn heading(k: usize, half: usize) -> Vector3<f64> {
    let angle = std::f64::consts::PI * k as f64 / half as f64;
    Vector3::new(math::cos(angle), math::sin(angle), 0.0)
}
