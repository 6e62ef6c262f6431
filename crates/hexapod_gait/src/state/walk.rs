//! The legs' steps: planted feet stay with the ground, feet in the air are carried to where they are wanted.

use crate::gait::Gait;
use crate::gait::phase::fraction;
use crate::gait::swing::{SwingPoint, follow_part};
use crate::plane::reach::Reach;
use crate::plane::twist::{Displacement, Twist};
use crate::plant::nominal::NominalStance;
use crate::state::ground::Ground;
use hexapod_kinematics::MAX_LEGS;
use nalgebra::{Vector2, Vector3};

/// One foot, in the footprint frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Foot {
    /// On the ground, not moving over it.
    Planted { at: Vector3<f64> },
    /// In the air between two points of the ground, which move under the body as the ground does.
    Swinging {
        lift_off: Vector3<f64>,
        touch_down: Vector2<f64>,
        progress: f64,
        seconds: f64,
        height: f64,
        /// Its switch has been open, or has said nothing, since it was lifted: one that is stuck is not believed.
        left_ground: bool,
        at: Vector3<f64>,
    },
    /// At the end of its swing without having met the ground: it goes on down.
    Probing { at: Vector3<f64> },
    /// Switched off: held up out of the way.
    Missing,
}

impl Foot {
    pub(crate) fn position(&self) -> Vector3<f64> {
        match self {
            Self::Planted { at } | Self::Swinging { at, .. } | Self::Probing { at } => *at,
            Self::Missing => Vector3::zeros(),
        }
    }

    pub(crate) fn is_planted(&self) -> bool {
        matches!(self, Self::Planted { .. })
    }

    fn is_in_the_air(&self) -> bool {
        matches!(self, Self::Swinging { .. } | Self::Probing { .. })
    }
}

/// The feet and the phase that says when they are lifted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub phase: f64,
    /// Seconds a cycle takes now.
    pub cycle: f64,
    /// The phase stands still: the next foot may not be lifted yet.
    pub waiting: bool,
    pub feet: [Foot; MAX_LEGS],
    /// Where they rest.
    pub nominal: NominalStance,
    count: usize,
}

/// Events nearer together than this are one, s.
pub(crate) const EVENT_S: f64 = 1e-7;
/// How fast a foot goes on down that has not met the ground, m/s, and how far, m.
const PROBE_SPEED_M_S: f64 = 0.04;
const PROBE_DEPTH_M: f64 = 0.02;
/// How high above where it should stand a foot may feel the ground, m: higher, its switch says what cannot be.
const EARLY_HEIGHT_M: f64 = 0.02;

/// What a foot is lifted for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The twist now, and the one expected when the foot is down.
    pub twist: Twist,
    pub aim: Twist,
    /// m.
    pub height: f64,
    /// How far from rest the foot may be put down.
    pub reach: Reach,
}

impl Walk {
    pub(crate) fn at_rest(nominal: NominalStance, cycle: f64) -> Self {
        let mut feet = [Foot::Planted { at: Vector3::zeros() }; MAX_LEGS];
        for (foot, at) in feet.iter_mut().zip(nominal.rest()) {
            *foot = Foot::Planted { at: Vector3::new(at.x, at.y, 0.0) };
        }
        Self { phase: 0.0, cycle, waiting: false, feet, nominal, count: nominal.rest().len() }
    }

    /// On all feet, at these places.
    pub(crate) fn standing(at: &[Vector3<f64>; MAX_LEGS], nominal: NominalStance, cycle: f64) -> Self {
        let feet = at.map(|at| Foot::Planted { at: Vector3::new(at.x, at.y, 0.0) });
        Self { feet, ..Self::at_rest(nominal, cycle) }
    }

    pub(crate) fn feet(&self) -> &[Foot] {
        self.feet.get(..self.count).unwrap_or(&self.feet)
    }

    /// One foot; a leg that the robot does not have has none.
    pub(crate) fn foot(&self, leg: usize) -> &Foot {
        self.feet().get(leg).unwrap_or(&Foot::Missing)
    }

    pub(crate) fn all_planted(&self) -> bool {
        !self.feet().iter().any(Foot::is_in_the_air)
    }

    /// The mean height of the feet on the ground, m; zero if there is none.
    pub(crate) fn mean_height(&self) -> f64 {
        let planted = self.feet().iter().filter(|foot| foot.is_planted());
        let (sum, count) = planted.fold((0.0, 0.0), |(sum, count), foot| (sum + foot.position().z, count + 1.0));
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// The phase of leg `leg` in its own cycle, which starts at touch-down.
    pub(crate) fn own_phase(&self, gait: &Gait, leg: usize) -> f64 {
        fraction(self.phase + gait.offset(leg))
    }

    /// Seconds until leg `leg` is lifted.
    pub(crate) fn time_to_lift(&self, gait: &Gait, leg: usize) -> f64 {
        fraction(gait.lift_off_phase(leg) - self.phase) * self.cycle
    }

    /// Whether this is the moment to lift leg `leg`.
    pub(crate) fn is_due(&self, gait: &Gait, leg: usize) -> bool {
        let left = self.time_to_lift(gait, leg);
        self.foot(leg).is_planted() && left.min(self.cycle - left) < EVENT_S
    }

    /// The longest time until a foot in the air is down.
    pub(crate) fn time_in_the_air(&self) -> f64 {
        let left = |foot: &Foot| match foot {
            Foot::Swinging { progress, seconds, .. } => (1.0 - progress) * seconds,
            _ => 0.0,
        };
        self.feet().iter().map(left).fold(0.0, f64::max)
    }

    /// Seconds until the next foot is lifted or put down.
    pub(crate) fn time_to_event(&self, gait: &Gait) -> f64 {
        let mut least = f64::INFINITY;
        for (leg, foot) in self.feet().iter().enumerate() {
            let time = match foot {
                Foot::Swinging { progress, seconds, .. } => (1.0 - progress) * seconds,
                Foot::Planted { .. } if !self.waiting => self.time_to_lift(gait, leg),
                _ => f64::INFINITY,
            };
            // An event of this moment has been dealt with.
            if time > EVENT_S / 2.0 {
                least = least.min(time);
            }
        }
        least
    }

    /// Puts down the feet whose swing is over, and those that feel the ground before.
    pub(crate) fn put_down(&mut self, sensed: &[Option<bool>; MAX_LEGS]) {
        for (foot, sensed) in self.feet.iter_mut().take(self.count).zip(sensed) {
            *foot = match *foot {
                Foot::Swinging { progress, left_ground: true, at, .. }
                    if progress > 0.5 && *sensed == Some(true) && at.z <= EARLY_HEIGHT_M =>
                {
                    Foot::Planted { at }
                }
                Foot::Swinging { progress, seconds, touch_down, .. } if (1.0 - progress) * seconds <= EVENT_S => {
                    let at = Vector3::new(touch_down.x, touch_down.y, 0.0);
                    if *sensed == Some(false) { Foot::Probing { at } } else { Foot::Planted { at } }
                }
                Foot::Probing { at } if *sensed != Some(false) || at.z <= -PROBE_DEPTH_M => Foot::Planted { at },
                Foot::Swinging { lift_off, touch_down, progress, seconds, height, left_ground, at } => {
                    let left_ground = left_ground || *sensed != Some(true);
                    Foot::Swinging { lift_off, touch_down, progress, seconds, height, left_ground, at }
                }
                other => other,
            };
        }
    }

    /// Lifts a foot.
    pub(crate) fn lift(&mut self, gait: &Gait, leg: usize, Step { twist, aim, height, reach }: Step) {
        if let Foot::Planted { at } = *self.foot(leg) {
            let seconds = gait.swing_part() * self.cycle;
            let place = reach.place(self.nominal.place(leg), &self.ahead(gait, aim));
            let touch_down = twist.motion(seconds).apply(place);
            if let Some(foot) = self.feet.get_mut(leg) {
                let (progress, left_ground) = (0.0, false);
                *foot = Foot::Swinging { lift_off: at, touch_down, progress, seconds, height, left_ground, at };
            }
        }
    }

    /// Sets the phase for a walk with `twist`: one at which a foot is about to be lifted, once those in the air are
    /// down, chosen so that no foot is carried far back before its turn. On the spot the feet farthest from their
    /// places go first.
    pub(crate) fn start(&mut self, gait: &Gait, twist: Twist) {
        self.waiting = false;
        let mut best = (f64::NEG_INFINITY, self.phase);
        for leader in (0..self.count).filter(|&leg| self.foot(leg).is_planted()) {
            let phase = self.phase_before_lift(gait, leader);
            let fit = if twist.is_zero() {
                self.distance_of_group(gait, leader)
            } else {
                -Self { phase, ..*self }.farthest_at_lift(gait, twist)
            };
            if fit > best.0 + 1e-9 {
                best = (fit, phase);
            }
        }
        self.phase = best.1;
    }

    /// The phase just before a leg is lifted, with time for the feet in the air to come down but none for another
    /// leg's turn to come first.
    fn phase_before_lift(&self, gait: &Gait, leg: usize) -> f64 {
        let next = gait.lift_off_phase(leg);
        let clear = (0..self.count)
            .map(|other| fraction(next - gait.lift_off_phase(other)))
            .filter(|&apart| apart > 1e-9 && apart < 1.0 - 1e-9)
            .fold(1.0, f64::min);
        fraction(next - (self.time_in_the_air() / self.cycle).min(0.99 * clear))
    }

    /// How far from its resting place a planted foot gets before it is lifted.
    fn farthest_at_lift(&self, gait: &Gait, twist: Twist) -> f64 {
        let feet = self.feet().iter().zip(self.nominal.rest()).enumerate();
        let farthest = |(leg, (foot, rest)): (usize, (&Foot, &Vector2<f64>))| match foot {
            Foot::Planted { at } => {
                (at.xy() - rest - twist.velocity_at(*rest) * self.time_to_lift(gait, leg)).norm_squared()
            }
            _ => 0.0,
        };
        feet.map(farthest).fold(0.0, f64::max).sqrt()
    }

    /// How far the planted feet that are lifted together with one are from their places, in sum.
    fn distance_of_group(&self, gait: &Gait, leader: usize) -> f64 {
        let phase = gait.lift_off_phase(leader);
        let feet = self.feet().iter().zip(self.nominal.rest()).enumerate();
        let distance = |(leg, (foot, rest)): (usize, (&Foot, &Vector2<f64>))| {
            let apart = fraction(gait.lift_off_phase(leg) - phase);
            let counts = foot.is_planted() && apart.min(1.0 - apart) < 1e-9;
            if counts { (foot.position().xy() - rest).norm() } else { 0.0 }
        };
        feet.map(distance).sum()
    }

    /// The body's motion over half a stance.
    fn ahead(&self, gait: &Gait, aim: Twist) -> Displacement {
        aim.motion(0.5 * gait.duty_factor() * self.cycle)
    }

    /// Moves phase and feet on.
    pub(crate) fn advance(&mut self, gait: &Gait, ground: &Ground) {
        if !self.waiting {
            self.phase = fraction(self.phase + ground.time / self.cycle);
        }
        let ahead = self.ahead(gait, ground.aim);
        // Feet that were lifted together go on alike.
        let mut last: Option<Course> = None;
        for (foot, &rest) in self.feet.iter_mut().take(self.count).zip(self.nominal.rest()) {
            *foot = match *foot {
                Foot::Planted { at } => Foot::Planted { at: ground.carried(at) },
                Foot::Probing { at } => {
                    let down = Vector3::new(0.0, 0.0, PROBE_SPEED_M_S * ground.time);
                    let at = ground.carried(at) - down;
                    let flat = ground.drawn_in(at.xy(), rest);
                    Foot::Probing { at: Vector3::new(flat.x, flat.y, at.z) }
                }
                Foot::Swinging { lift_off, touch_down, progress, seconds, height, left_ground, .. } => {
                    let course = match last {
                        Some(course) if (course.before, course.seconds) == (progress, seconds) => course,
                        _ => Course::new(gait, ground, progress, seconds),
                    };
                    last = Some(course);
                    let lift_off = ground.carried(lift_off);
                    let lift_off = ground.drawn_in(lift_off.xy(), rest).push(lift_off.z);
                    let touch_down = ground.motion.apply_inverse(touch_down);
                    let place = ground.reach.place(rest, &ahead);
                    let wanted = course.onward.apply(place);
                    let touch_down = touch_down + (wanted - touch_down) * course.follow;
                    let touch_down = ground.drawn_in(touch_down, rest);
                    let flat = lift_off.xy() + (touch_down - lift_off.xy()) * course.at.travel;
                    let at = flat.push(course.at.height(height, lift_off.z));
                    let progress = course.now;
                    Foot::Swinging { lift_off, touch_down, progress, seconds, height, left_ground, at }
                }
                Foot::Missing => Foot::Missing,
            };
        }
    }
}

/// How a swing goes on, whichever foot's it is.
#[derive(Clone, Copy)]
struct Course {
    before: f64,
    now: f64,
    seconds: f64,
    /// The body's motion until the foot is down.
    onward: Displacement,
    /// Part of the way the touch-down point goes towards where it is wanted.
    follow: f64,
    at: SwingPoint,
}

impl Course {
    fn new(gait: &Gait, ground: &Ground, before: f64, seconds: f64) -> Self {
        let now = (before + ground.time / seconds).min(1.0);
        Self {
            before,
            now,
            seconds,
            onward: ground.twist.motion((1.0 - now) * seconds),
            follow: follow_part(before, now),
            at: gait.swing_at(now, seconds),
        }
    }
}

#[cfg(test)]
mod tests;
