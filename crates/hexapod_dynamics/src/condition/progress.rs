//! Whether a robot that walks gets on: the velocity of its body by its IMU, against that by its legs.
//!
//! In the long run legs tell the velocity, to which the IMU's drifts else. Where the two part they count for little for some
//! seconds, so that an obstacle shows when it is met. What is told rests on how well the IMU knows the velocity then.

use super::inputs::{Inertial, Planned};
use super::velocity::Velocity;
use nalgebra::{Isometry3, Vector2, Vector3};

/// Progress is looked at over this time, s, in so many parts, and over so many of them that were last.
const WINDOW_S: f64 = 1.0;
const PARTS: usize = 20;
const LAST: usize = 12;
/// Fraction of the planned way below which a robot is blocked, over all of the time and over the last of it.
const BLOCKED_FRACTION: f64 = 0.5;
const BLOCKED_LAST: f64 = 0.35;
/// A robot that is commanded to walk more slowly on the mean, m/s, is not looked at.
const SLOWEST_M_S: f64 = 0.02;
/// What legs say of the velocity may be off by this part of it, and by this, m/s, for so long, s.
const LEGS_FRACTION: f64 = 0.2;
const LEGS_M_S: f64 = 0.015;
const LEGS_S: f64 = 0.5;
/// The same of a robot that stands still.
const STILL_M_S: f64 = 0.003;
/// Mean over this time, s, of how far the two are apart; from this part of the velocity on legs count for less by so much, and
/// for so long at most, s.
const APART_S: f64 = 0.2;
const APART_FRACTION: f64 = 0.35;
const APART_FACTOR: f64 = 10.0;
const APART_MOST_S: f64 = 3.0;
/// A velocity this far from the legs', m/s, is none of walking: the robot has been pushed.
const PUSHED_M_S: f64 = 0.5;

#[derive(Clone, Debug)]
pub(super) struct Progress {
    radius_m: f64,
    sensed: Option<Velocity>,
    /// The body over its footprint in the tick before.
    footprint_from_body: Option<Isometry3<f64>>,
    /// How far the velocities by legs and IMU are apart, m/s, and for how long they have been, s.
    apart: Vector3<f64>,
    apart_s: f64,
    window: Window,
}

impl Progress {
    pub fn new(radius_m: f64) -> Self {
        Self {
            radius_m,
            sensed: None,
            footprint_from_body: None,
            apart: Vector3::zeros(),
            apart_s: 0.0,
            window: Window::default(),
        }
    }

    /// Forgets what has been.
    pub fn forget(&mut self) {
        self.sensed.iter_mut().for_each(Velocity::doubt);
        (self.apart, self.apart_s, self.window) = (Vector3::zeros(), 0.0, Window::default());
    }

    /// The IMU has fallen silent.
    pub fn unsense(&mut self) {
        self.forget();
        self.sensed = None;
    }

    pub fn sense(&mut self, reported: &Inertial) {
        match (&mut self.sensed, reported.since_s) {
            (Some(sensed), Some(since_s)) => sensed.follow(reported, since_s),
            (sensed, _) => *sensed = Some(Velocity::new(reported)),
        }
    }

    /// By how many deviations the robot, which has been `still`, falls short of its plan, if it does not get on where it
    /// `knows`; zero if it does.
    pub fn step(&mut self, planned: &Planned, still: bool, knows: bool, dt: f64) -> f64 {
        let by_legs = self.by_legs(planned, dt);
        let Some(sensed) = &mut self.sensed else { return 0.0 };
        let wanted = Vector2::new(planned.twist[0], planned.twist[1]);
        let (speed, turning) = (wanted.norm(), self.radius_m * planned.twist[2].abs());
        self.apart += (by_legs - sensed.get() - self.apart) * (dt / APART_S).min(1.0);
        if self.apart.norm() > PUSHED_M_S {
            self.forget();
            return 0.0;
        }
        if still {
            sensed.at_rest();
        }
        let apart = !still && self.apart.xy().norm() > APART_FRACTION * (speed + turning);
        self.apart_s = if apart { self.apart_s + dt } else { (self.apart_s - 2.0 * dt).max(0.0) };
        let off = if still { STILL_M_S } else { LEGS_FRACTION * (speed + turning) + LEGS_M_S };
        let factor = if apart && self.apart_s < APART_MOST_S { APART_FACTOR } else { 1.0 };
        // Errors of successive ticks go together.
        sensed.by_legs(&by_legs, off * factor * (LEGS_S / dt).sqrt());
        // Of a robot that turns on the spot the way says too little.
        if !knows || !planned.on_its_feet || speed <= turning {
            self.window = Window::default();
            return 0.0;
        }
        let along = Vector3::new(wanted.x, wanted.y, 0.0) / speed;
        self.window.add(speed, along.dot(&sensed.get()), sensed.variance(&along), dt);
        self.window.stuck()
    }

    /// The velocity of the body in its own axes by its legs, m/s.
    fn by_legs(&mut self, planned: &Planned, dt: f64) -> Vector3<f64> {
        let now = planned.footprint_from_body;
        let before = self.footprint_from_body.replace(now).unwrap_or(now);
        let [x, y, turn] = planned.twist;
        let at = now.translation.vector;
        let moves = (at - before.translation.vector) / dt;
        now.inverse_transform_vector(&(Vector3::new(x - turn * at.y, y + turn * at.x, 0.0) + moves))
    }
}

/// Sums over a part of the window: time, planned way, way made, and variance of the velocity.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    seconds: f64,
    way: f64,
    made: f64,
    variance: f64,
}

/// What has been of late: parts of even length, the last one still growing.
#[derive(Clone, Debug, Default)]
struct Window {
    parts: [Part; PARTS],
    used: usize,
}

impl Window {
    fn add(&mut self, speed: f64, made: f64, variance: f64, dt: f64) {
        // Half a tick less, so that rounding costs none.
        if self.used == 0 || self.parts[0].seconds > WINDOW_S / PARTS as f64 - 0.5 * dt {
            self.parts.rotate_right(1);
            self.parts[0] = Part::default();
            self.used = (self.used + 1).min(PARTS + 1);
        }
        let part = &mut self.parts[0];
        part.seconds += dt;
        part.way += speed * dt;
        part.made += made * dt;
        part.variance += variance * dt;
    }

    /// By how many deviations it falls short of the plan in the last of the time, if a robot is stuck.
    fn stuck(&self) -> f64 {
        let (all, last) = (sum(&self.parts), sum(&self.parts[..LAST]));
        let is_full = self.used > PARTS && all.way > SLOWEST_M_S * all.seconds;
        let is_stuck = is_full && all.made < BLOCKED_FRACTION * all.way && last.made < BLOCKED_LAST * last.way;
        let deviation = (last.variance * last.seconds).sqrt();
        if is_stuck { (last.way - last.made) / deviation.max(f64::MIN_POSITIVE) } else { 0.0 }
    }
}

fn sum(parts: &[Part]) -> Part {
    parts.iter().fold(Part::default(), |sum, part| Part {
        seconds: sum.seconds + part.seconds,
        way: sum.way + part.way,
        made: sum.made + part.made,
        variance: sum.variance + part.variance,
    })
}
