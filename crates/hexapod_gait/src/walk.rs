//! The legs' steps: planted feet stay with the ground, feet in the air are carried to where they are wanted.

use crate::gait::{Gait, LegPhase, fraction};
use crate::limits::PlantedFoot;
use crate::stance::Stance;
use crate::twist::Twist;
use hexapod_kinematics::MAX_LEGS;
use nalgebra::{Vector2, Vector3};

/// One foot, in the footprint frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Foot {
    /// On the ground, not moving over it.
    Planted { at: Vector2<f64> },
    /// In the air between two points of the ground, which move under the body as the ground does.
    Swinging { lift_off: Vector2<f64>, touch_down: Vector2<f64>, progress: f64, at: Vector3<f64> },
}

impl Foot {
    pub(crate) fn position(&self) -> Vector3<f64> {
        match self {
            Self::Planted { at } => Vector3::new(at.x, at.y, 0.0),
            Self::Swinging { at, .. } => *at,
        }
    }

    pub(crate) fn is_planted(&self) -> bool {
        matches!(self, Self::Planted { .. })
    }
}

/// What a step needs to know besides the feet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub twist: Twist,
    /// The twist swings are shaped by.
    pub path_twist: Twist,
    pub step_height: f64,
    /// Whether feet may leave the ground; without it those in the air are put down and the rest stay.
    pub lifting: bool,
}

/// The feet and the phase that says when they move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub phase: f64,
    feet: [Foot; MAX_LEGS],
    count: usize,
}

/// How quickly a touch-down point follows a change of course at lift-off, in units of the swing.
const TOUCH_DOWN_GAIN: f64 = 10.0;

impl Walk {
    pub(crate) fn at_rest(stance: &Stance) -> Self {
        let mut feet = [Foot::Planted { at: Vector2::zeros() }; MAX_LEGS];
        for (foot, &at) in feet.iter_mut().zip(stance.rest()) {
            *foot = Foot::Planted { at };
        }
        Self { phase: 0.0, feet, count: stance.rest().len() }
    }

    /// On all feet, at these places.
    pub(crate) fn standing(at: &[Vector3<f64>; MAX_LEGS], count: usize) -> Self {
        Self { phase: 0.0, feet: at.map(|at| Foot::Planted { at: at.xy() }), count }
    }

    pub(crate) fn feet(&self) -> &[Foot] {
        &self.feet[..self.count]
    }

    pub(crate) fn all_planted(&self) -> bool {
        self.feet().iter().all(Foot::is_planted)
    }

    /// Planted feet with the time each has left on the ground.
    pub(crate) fn planted<'a>(
        &'a self,
        gait: &'a Gait,
        stance: &'a Stance,
        lifting: bool,
    ) -> impl Iterator<Item = PlantedFoot> + 'a {
        self.feet().iter().zip(stance.rest()).enumerate().filter_map(move |(leg, (foot, &rest))| match foot {
            Foot::Planted { at } if lifting => {
                let time_left = fraction(gait.lift_off_phase(leg) - self.phase) * gait.cycle_time();
                Some(PlantedFoot { position: *at, rest, time_left })
            }
            Foot::Planted { at } => Some(PlantedFoot { position: *at, rest, time_left: f64::INFINITY }),
            Foot::Swinging { .. } => None,
        })
    }

    /// Sets the phase so that the feet which lag most behind `twist` are lifted at once.
    pub(crate) fn start(&mut self, gait: &Gait, stance: &Stance, twist: Twist) {
        let lag = |leg: usize| {
            let rest = stance.rest()[leg];
            let at = self.feet[leg].position().xy();
            // Without a direction to lag in, the feet farthest from their places go first.
            (rest - at).dot(&twist.velocity_at(rest)) + 1e-3 * (rest - at).norm()
        };
        let group_lag = |leader: usize| {
            let phase = gait.lift_off_phase(leader);
            (0..self.count).filter(|&leg| (gait.lift_off_phase(leg) - phase).abs() < 1e-9).map(lag).sum::<f64>()
        };
        let mut leader = 0;
        for leg in 1..self.count {
            if group_lag(leg) > group_lag(leader) + 1e-9 {
                leader = leg;
            }
        }
        // A hair before lift-off, so that the next step crosses it.
        self.phase = fraction(gait.lift_off_phase(leader) - 1e-9);
    }

    /// Moves phase and feet on by `dt` seconds at a constant twist.
    pub(crate) fn advance(&mut self, gait: &Gait, stance: &Stance, pace: Pace, dt: f64) {
        let before = self.phase;
        self.phase = fraction(before + dt / gait.cycle_time());
        let ground = pace.twist.motion(dt);
        for leg in 0..self.count {
            let rest = stance.rest()[leg];
            let now = gait.leg_phase(leg, self.phase);
            let was_standing = matches!(gait.leg_phase(leg, before), LegPhase::Stance(_));
            self.feet[leg] = match (self.feet[leg], now) {
                (Foot::Planted { at }, LegPhase::Swing(s)) if pace.lifting && was_standing => {
                    let lift_off = ground.apply_inverse(at);
                    let touch_down = wanted_touch_down(gait, rest, pace.path_twist, s);
                    swing(gait, rest, pace, Ends { lift_off, touch_down }, s)
                }
                (Foot::Planted { at }, _) => Foot::Planted { at: ground.apply_inverse(at) },
                (Foot::Swinging { touch_down, .. }, LegPhase::Stance(_)) => {
                    Foot::Planted { at: ground.apply_inverse(touch_down) }
                }
                (Foot::Swinging { lift_off, touch_down, progress, .. }, LegPhase::Swing(s)) => {
                    let wanted = wanted_touch_down(gait, rest, pace.path_twist, s);
                    let touch_down = ground.apply_inverse(touch_down);
                    let followed = touch_down + (wanted - touch_down) * follow_part(progress, s);
                    let ends = Ends { lift_off: ground.apply_inverse(lift_off), touch_down: followed };
                    swing(gait, rest, pace, ends, s)
                }
            };
        }
    }
}

#[derive(Clone, Copy)]
struct Ends {
    lift_off: Vector2<f64>,
    touch_down: Vector2<f64>,
}

/// The point of the ground that will be half a stance ahead of rest when the foot comes down on it.
fn wanted_touch_down(gait: &Gait, rest: Vector2<f64>, twist: Twist, progress: f64) -> Vector2<f64> {
    let time_left = (1.0 - progress) * gait.swing_time();
    twist.motion(gait.stance_time() / 2.0 + time_left).apply(rest)
}

/// Part of the way a touch-down point goes towards where it is wanted between two moments of the swing. The rate
/// fades to nothing at touch-down, so that the foot meets the ground without moving over it.
fn follow_part(before: f64, now: f64) -> f64 {
    let left = |s: f64| (1.0 - s) * (1.0 - s) * (1.0 - s);
    1.0 - (TOUCH_DOWN_GAIN / 3.0 * (left(now) - left(before))).exp()
}

/// The foot in the air: the arc of the present twist run backwards over the ground, bent so that it starts and ends
/// at the true points.
fn swing(gait: &Gait, rest: Vector2<f64>, pace: Pace, ends: Ends, progress: f64) -> Foot {
    let profile = gait.swing();
    let travel = profile.travel(progress);
    // Where the two ends lie along the arc, in seconds of the body's motion from rest.
    let first = -gait.stance_time() / 2.0 - progress * gait.swing_time();
    let last = gait.stance_time() / 2.0 + (1.0 - progress) * gait.swing_time();
    let along = |time: f64| pace.path_twist.motion(time).apply(rest);
    let flat = along(first + (last - first) * travel)
        + (ends.lift_off - along(first)) * (1.0 - travel)
        + (ends.touch_down - along(last)) * travel;
    let at = Vector3::new(flat.x, flat.y, pace.step_height * profile.lift(progress));
    Foot::Swinging { lift_off: ends.lift_off, touch_down: ends.touch_down, progress, at }
}
