//! Whether a robot that walks gets on, by its IMU: the change of velocity that it feels, against the planned one.
//!
//! The difference of both is summed up to that of the velocities, which drifts with the accelerometer's bias and with the
//! error of the attitude. So its mean over a second says little; but a robot that is blocked goes as planned most of the time,
//! and is thrown back with each step: its mean falls behind its median, in which drift cancels.

use super::attitude::Moved;
use super::inputs::Planned;
use nalgebra::{Vector2, Vector3};

/// Where the feet are further from the middle than this, m, the speeds and times below grow with the square root of it, as
/// those of like robots do (Froude).
const USUAL_RADIUS_M: f64 = 0.3;
/// Progress is looked at over this time, s, in so many parts.
const WINDOW_S: f64 = 1.0;
const PARTS: usize = 20;
/// Fraction of the planned way that a blocked robot loses.
const LOST_FRACTION: f64 = 0.5;
/// The same of one that is being thrown back.
const LOST_AT_ONCE_FRACTION: f64 = 0.75;
/// It goes to and fro by this part of the planned speed then, as its legs push against the obstacle and slip.
const JERKS_FRACTION: f64 = 0.8;
/// A robot that walks more slowly, m/s, loses too little to be distinguished from what else shakes it.
const CERTAIN_M_S: f64 = 0.04;
/// Time constant with which the difference of velocities is forgotten, s.
const FORGET_S: f64 = 4.0;
/// A robot that has not got on is blocked until it has got on for so long, s: what is said does not flicker.
const GETS_ON_S: f64 = 0.5;
/// A robot whose velocity was changed by so many times the planned one has been pushed.
const PUSHED: f64 = 15.0;
/// The planned speed from which on a push counts so, m/s.
const WALKS_M_S: f64 = 0.07;

#[derive(Clone, Debug)]
pub(super) struct Progress {
    radius_m: f64,
    /// By how much its speeds and times are greater than the usual ones.
    pace: f64,
    /// The body's planned velocity, m/s, and where it was over its feet.
    planned: Vector2<f64>,
    over_feet: Option<Vector2<f64>>,
    /// By what the velocity is greater than planned, m/s.
    beyond: Vector2<f64>,
    window: Window,
    /// Since it has been blocked last, s.
    gets_on_s: f64,
}

impl Progress {
    pub fn new(radius_m: f64) -> Self {
        let zero = Vector2::zeros();
        let pace = (radius_m / USUAL_RADIUS_M).sqrt().max(1.0);
        let (window, gets_on_s) = (Window::default(), f64::INFINITY);
        Self { radius_m, pace, planned: zero, over_feet: None, beyond: zero, window, gets_on_s }
    }

    /// Forgets what has been.
    pub fn forget(&mut self) {
        self.beyond = Vector2::zeros();
        (self.window, self.gets_on_s) = (Window::default(), f64::INFINITY);
    }

    pub fn sense(&mut self, moved: &Moved, seconds: f64) {
        // In axes that turn with the body a velocity changes without a force.
        let carried = moved.spin.cross(&Vector3::new(self.planned.x, self.planned.y, 0.0)) * seconds;
        self.beyond += moved.velocity.xy() - carried.xy();
    }

    /// Whether the robot has not got on in a second, where it `knows`.
    pub fn step(&mut self, planned: &Planned, knows: bool, dt: f64) -> bool {
        let [x, y, turn] = planned.twist;
        let wanted = Vector2::new(x, y);
        let before = self.over_feet.replace(planned.over_feet).unwrap_or(planned.over_feet);
        let sways = if dt > 0.0 { (planned.over_feet - before) / dt } else { Vector2::zeros() };
        self.beyond -= wanted + sways - self.planned;
        self.planned = wanted + sways;
        self.beyond -= self.beyond * (dt / (self.pace * FORGET_S)).min(1.0);
        let speed = wanted.norm();
        // About a robot that turns on the spot the accelerometer says too little.
        if !knows || !planned.on_its_feet || speed <= self.radius_m * turn.abs() {
            (self.window, self.gets_on_s) = (Window::default(), f64::INFINITY);
            return false;
        }
        if self.beyond.norm() > PUSHED * speed.max(self.pace * WALKS_M_S) {
            self.forget();
        }
        if wanted.dot(&self.window.way()) < 0.0 {
            // Driven back: what was in the way is not any more.
            self.window = Window::default();
        }
        self.window.add(&wanted, &self.beyond, dt, self.pace);
        self.gets_on_s = if self.window.is_stuck(self.pace) { 0.0 } else { self.gets_on_s + dt };
        self.gets_on_s < self.pace * GETS_ON_S
    }
}

/// Sums over a part of the last second: time, s, planned way and way beyond it, m.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    seconds: f64,
    way: Vector2<f64>,
    beyond: Vector2<f64>,
}

/// The last second.
#[derive(Clone, Debug, Default)]
struct Window {
    parts: [Part; PARTS],
    at: usize,
    full: bool,
}

impl Window {
    fn add(&mut self, planned: &Vector2<f64>, beyond: &Vector2<f64>, dt: f64, pace: f64) {
        // Half a tick less, so that rounding costs none.
        if self.parts[self.at].seconds > pace * WINDOW_S / PARTS as f64 - 0.5 * dt {
            self.at = (self.at + 1) % PARTS;
            self.full |= self.at == 0;
            self.parts[self.at] = Part::default();
        }
        let part = &mut self.parts[self.at];
        part.seconds += dt;
        part.way += planned * dt;
        part.beyond += beyond * dt;
    }

    /// The planned way, m.
    fn way(&self) -> Vector2<f64> {
        self.parts.iter().map(|part| part.way).sum()
    }

    fn is_stuck(&self, pace: f64) -> bool {
        let way = self.way();
        let speed = way.norm() / self.parts.iter().map(|part| part.seconds).sum::<f64>();
        if !self.full || speed < pace * CERTAIN_M_S {
            return false;
        }
        let ahead = way.normalize();
        let mut beyond = self.parts.map(|part| part.beyond.dot(&ahead) / part.seconds);
        let newest = beyond[self.at];
        let mean = beyond.iter().sum::<f64>() / PARTS as f64;
        let jerks = (beyond.iter().map(|speed| (speed - mean) * (speed - mean)).sum::<f64>() / PARTS as f64).sqrt();
        beyond.sort_unstable_by(f64::total_cmp);
        let median = beyond[PARTS / 2];
        // While it is thrown back nobody knows yet how far.
        let least = if newest > mean { LOST_FRACTION } else { LOST_AT_ONCE_FRACTION };
        median - mean > least * speed && jerks > JERKS_FRACTION * speed
    }
}
