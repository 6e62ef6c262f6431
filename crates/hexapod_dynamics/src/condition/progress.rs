//! Whether a robot that walks gets on, by its IMU: the change of velocity that it feels, against the planned one.
//!
//! The difference of both is summed up to that of the velocities. It forgets with time, as the accelerometer's bias would
//! otherwise be summed up, too; so an obstacle shows when it is met, and for seconds.

use super::attitude::Moved;
use super::inputs::Planned;
use nalgebra::{Vector2, Vector3};

/// Progress is looked at over this time, s, in so many parts.
const WINDOW_S: f64 = 1.0;
const PARTS: usize = 20;
/// Fraction of the planned way below which a robot is blocked.
const BLOCKED_FRACTION: f64 = 0.45;
/// It goes to and fro by this part of the planned speed then, as its legs push against the obstacle and slip.
const JERKS_FRACTION: f64 = 0.8;
/// What an accelerometer may be wrong by, m/s: a robot that walks more slowly is not known to get on.
const CERTAIN_M_S: f64 = 0.07;
/// Time constants with which the difference of velocities is forgotten, s: of a robot that walks, and of one that stands.
const FORGET_S: f64 = 4.0;
const STILL_S: f64 = 0.3;
/// How fast what is left of it counts as bias, as a part of the square of the same.
const BIAS_FRACTION: f64 = 0.25;
/// A robot that has not got on is blocked until it has got on for so long, s: what is said does not flicker.
const GETS_ON_S: f64 = 0.5;
/// A robot whose velocity was changed by so many times the planned one has been pushed.
const PUSHED: f64 = 15.0;

#[derive(Clone, Debug)]
pub(super) struct Progress {
    radius_m: f64,
    planned: Vector2<f64>,
    /// By what the velocity is greater than planned, m/s, and by how much the acceleration is read too great, m/s².
    beyond: Vector2<f64>,
    bias: Vector2<f64>,
    window: Window,
    /// Since it has been blocked last, s.
    gets_on_s: f64,
}

impl Progress {
    pub fn new(radius_m: f64) -> Self {
        let zero = Vector2::zeros();
        Self { radius_m, planned: zero, beyond: zero, bias: zero, window: Window::default(), gets_on_s: GETS_ON_S }
    }

    /// Forgets what has been.
    pub fn forget(&mut self) {
        self.beyond = Vector2::zeros();
        (self.window, self.gets_on_s) = (Window::default(), GETS_ON_S);
    }

    pub fn sense(&mut self, moved: &Moved, seconds: f64) {
        // In axes that turn with the body a velocity changes without a force.
        let carried = moved.spin.cross(&Vector3::new(self.planned.x, self.planned.y, 0.0)) * seconds;
        self.beyond += moved.velocity.xy() - carried.xy() - self.bias * seconds;
    }

    /// Whether the robot has not got on in a second, where it `knows`.
    pub fn step(&mut self, planned: &Planned, knows: bool, dt: f64) -> bool {
        let [x, y, turn] = planned.twist;
        let wanted = Vector2::new(x, y);
        self.beyond -= wanted - self.planned;
        self.planned = wanted;
        let forget_s = if planned.moves { FORGET_S } else { STILL_S };
        self.bias += self.beyond * (BIAS_FRACTION / (forget_s * forget_s) * dt);
        self.beyond -= self.beyond * (dt / forget_s).min(1.0);
        let speed = wanted.norm();
        // About a robot that turns on the spot the accelerometer says too little.
        if !knows || !planned.on_its_feet || speed <= self.radius_m * turn.abs() {
            (self.window, self.gets_on_s) = (Window::default(), GETS_ON_S);
            return false;
        }
        if self.beyond.norm() > PUSHED * speed.max(CERTAIN_M_S) {
            self.forget();
        }
        self.window.add(speed, wanted.dot(&self.beyond) / speed, dt);
        self.gets_on_s = if self.window.is_stuck() { 0.0 } else { self.gets_on_s + dt };
        self.gets_on_s < GETS_ON_S
    }
}

/// Sums over a part of the last second: time, planned way, way beyond it, and the square of the speed beyond.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    seconds: f64,
    way: f64,
    beyond: f64,
    squares: f64,
}

/// The last second.
#[derive(Clone, Debug, Default)]
struct Window {
    parts: [Part; PARTS],
    at: usize,
    full: bool,
}

impl Window {
    fn add(&mut self, speed: f64, beyond: f64, dt: f64) {
        // Half a tick less, so that rounding costs none.
        if self.parts[self.at].seconds > WINDOW_S / PARTS as f64 - 0.5 * dt {
            self.at = (self.at + 1) % PARTS;
            self.full |= self.at == 0;
            self.parts[self.at] = Part::default();
        }
        let part = &mut self.parts[self.at];
        part.seconds += dt;
        part.way += speed * dt;
        part.beyond += beyond * dt;
        part.squares += beyond * beyond * dt;
    }

    fn is_stuck(&self) -> bool {
        let sum = |of: fn(&Part) -> f64| self.parts.iter().map(of).sum::<f64>();
        let (seconds, way) = (sum(|part| part.seconds), sum(|part| part.way));
        let (speed, beyond) = (way / seconds, sum(|part| part.beyond) / seconds);
        let jerks = (sum(|part| part.squares) / seconds - beyond * beyond).max(0.0).sqrt();
        let short = -beyond > (1.0 - BLOCKED_FRACTION) * speed && speed > CERTAIN_M_S;
        self.full && short && jerks > JERKS_FRACTION * speed
    }
}
