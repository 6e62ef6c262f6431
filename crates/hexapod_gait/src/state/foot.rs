//! One foot, from step to step: on the ground, in the air, and how it comes down.

use crate::gait::swing::{OVER_PLACE, SwingPoint, SwingShape, follow_fraction};
use crate::plane::twist::Displacement;
use crate::state::body_motion::BodyMotionStep;
use crate::state::foothold::Foothold;
use nalgebra::{Vector2, Vector3};

/// One foot, in the footprint frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Foot {
    /// On the ground, not moving over it.
    Planted {
        at: Vector3<f64>,
    },
    Swinging(Swing),
    /// At the end of its swing without having met the ground: it goes on down.
    Probing(Swing),
    /// Switched off: held up out of the way.
    Missing,
}

/// A foot in the air between two points of the ground, which move under the body as the ground does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Swing {
    pub lift_off: Vector3<f64>,
    /// Its z is how high the ground is expected to be there.
    pub touch_down: Vector3<f64>,
    /// Where on the ground it is wanted, if anybody says so.
    pub foothold: Option<Foothold>,
    pub shape: SwingShape,
    pub progress: f64,
    pub seconds: f64,
    pub height: f64,
    /// Its switch has been open, or has said nothing, since it was lifted: one that is stuck is not believed.
    pub left_ground: bool,
    /// How often it may still start over where it meets an obstacle, or finds no ground.
    pub retries: u8,
    /// How far past where it would be put down it is aimed, as that is over a gap, m.
    pub past_gap: Vector2<f64>,
    pub at: Vector3<f64>,
}

/// What a foot feels, and how late it tells, s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Felt {
    pub contact: Option<bool>,
    pub late: f64,
}

/// Events nearer together than this are one, s.
pub(crate) const EVENT_S: f64 = 1e-7;
/// How fast a foot goes on down that has not met the ground, m/s, and how far, m.
const PROBE_SPEED_M_S: f64 = 0.1;
const PROBE_DEPTH_M: f64 = 0.02;
/// How high above where it should stand a foot may feel the ground, m: higher, its switch says what cannot be.
const EARLY_HEIGHT_M: f64 = 0.035;
/// How far past a place without ground a foot looks for some, m.
const PAST_GAP_M: f64 = 0.035;
/// How often a swing may start over.
pub(crate) const RETRIES: u8 = 2;

impl Foot {
    pub(crate) fn position(&self) -> Vector3<f64> {
        match self {
            Self::Planted { at } | Self::Swinging(Swing { at, .. }) | Self::Probing(Swing { at, .. }) => *at,
            Self::Missing => Vector3::zeros(),
        }
    }

    pub(crate) fn is_planted(&self) -> bool {
        matches!(self, Self::Planted { .. })
    }

    pub(crate) fn is_in_the_air(&self) -> bool {
        matches!(self, Self::Swinging(_) | Self::Probing(_))
    }

    /// Where it stands, or has stood before its swing.
    pub(crate) fn stood(&self) -> Option<Vector3<f64>> {
        match self {
            Self::Planted { at } => Some(*at),
            Self::Swinging(swing) => Some(swing.lift_off),
            _ => None,
        }
    }

    /// Whether it goes on down, as far as it may, and finds no ground.
    pub(crate) fn finds_nothing(&self, contact: Option<bool>) -> bool {
        matches!(self, Self::Probing(swing) if contact == Some(false) && swing.depth() >= PROBE_DEPTH_M)
    }

    /// Seconds until its swing is over; none of a foot that does not swing.
    pub(crate) fn swing_left(&self) -> Option<f64> {
        match self {
            Self::Swinging(swing) => Some(swing.left()),
            _ => None,
        }
    }

    /// Puts a foot down whose swing is over, or that feels the ground before. How deep it is then below the ground that
    /// it was reported late, m.
    pub(crate) fn put_down(&mut self, felt: &Felt) -> f64 {
        match self {
            Self::Swinging(swing) if swing.feels_ground(felt) => {
                let at = swing.at.xy().push(swing.height_before(felt.late));
                let depth = at.z - swing.at.z;
                *self = Self::Planted { at };
                depth
            }
            Self::Swinging(swing) if swing.left() <= EVENT_S => {
                let at = swing.touch_down;
                let probing = Self::Probing(Swing { at, ..*swing });
                *self = if felt.contact == Some(false) { probing } else { Self::Planted { at } };
                0.0
            }
            Self::Swinging(swing) => {
                swing.left_ground |= felt.contact != Some(true);
                0.0
            }
            Self::Probing(swing) if felt.contact != Some(false) || swing.depth() >= PROBE_DEPTH_M => {
                let late = PROBE_SPEED_M_S * felt.late;
                let depth = if felt.contact == Some(true) { late.min(swing.depth()).max(0.0) } else { 0.0 };
                *self = Self::Planted { at: swing.at + Vector3::new(0.0, 0.0, depth) };
                depth
            }
            _ => 0.0,
        }
    }

    /// One that goes on down from there.
    #[cfg(test)]
    pub(crate) fn probing(at: Vector3<f64>) -> Self {
        Self::Probing(Swing {
            lift_off: at,
            touch_down: at.xy().push(0.0),
            foothold: None,
            shape: SwingShape { profile: crate::gait::swing::SwingProfile::Searching, touch_down_speed: 0.0 },
            progress: 1.0,
            seconds: 0.25,
            height: 0.02,
            left_ground: true,
            retries: 0,
            past_gap: Vector2::zeros(),
            at,
        })
    }

    /// Swings on to a place farther `ahead`, once, if it has come down as far as it may and has found no ground, as over a
    /// gap. Where the body goes no way, there is no other place. Whether it does.
    pub(crate) fn step_past_gap(&mut self, contact: Option<bool>, ahead: Vector2<f64>) -> bool {
        let Self::Probing(swing) = *self else { return false };
        let may = self.finds_nothing(contact) && swing.retries > 0 && swing.past_gap == Vector2::zeros();
        let Some(ahead) = ahead.try_normalize(0.0).filter(|_| may) else { return false };
        let touch_down = swing.at.xy().push(swing.touch_down.z);
        *self = Self::Swinging(Swing { past_gap: ahead * PAST_GAP_M, touch_down, ..swing.started_over() });
        true
    }
}

impl Swing {
    /// Once more, from where it is.
    fn started_over(self) -> Self {
        Self { lift_off: self.at, progress: 0.0, left_ground: false, retries: self.retries.saturating_sub(1), ..self }
    }

    /// Where it is at a moment of its swing, as a fraction of it, if it is lifted so high: seen from the ground.
    pub(crate) fn over_ground(&self, moment: f64, height: f64) -> Vector3<f64> {
        self.place(&self.shape.at(moment, self.seconds), height)
    }

    fn place(&self, point: &SwingPoint, height: f64) -> Vector3<f64> {
        let flat = self.lift_off.xy() + (self.touch_down - self.lift_off).xy() * point.travel;
        flat.push(point.height(height, self.lift_off.z, self.touch_down.z))
    }

    /// How far below the ground it is that was expected, m.
    fn depth(&self) -> f64 {
        self.touch_down.z - self.at.z
    }

    /// Sinks on, as far as the time goes.
    pub(crate) fn probe(&mut self, rest: Vector2<f64>, step: &BodyMotionStep) {
        let at = step.carried(self.at);
        self.at = step.drawn_in(at.xy(), rest).push(at.z - PROBE_SPEED_M_S * step.time);
        if let Some(foothold) = &mut self.foothold {
            *foothold = foothold.carried(step);
            self.touch_down.z = foothold.at.z;
        }
    }

    pub(crate) fn left(&self) -> f64 {
        (1.0 - self.progress) * self.seconds
    }

    /// Whether it is on its way down and its switch, which is to be believed, has closed.
    fn feels_ground(&self, felt: &Felt) -> bool {
        self.left_ground && self.progress > 0.5 && felt.contact == Some(true) && -self.depth() <= EARLY_HEIGHT_M
    }

    /// Swings once more from where it is, and so higher, if it touches something before it is over its place, such as the
    /// riser of a step or the edge of a hole: the elevator reflex of insects (Espenschied et al. 1996). Whether it does.
    pub(crate) fn climb_over(&mut self, contact: Option<bool>) -> bool {
        let meets_obstacle = self.left_ground && self.progress < OVER_PLACE && contact == Some(true);
        let climbs = meets_obstacle && self.retries > 0;
        if climbs {
            *self = self.started_over();
        }
        climbs
    }

    /// Its height so many seconds ago, m, but no lower than it is.
    fn height_before(&self, seconds: f64) -> f64 {
        if seconds <= 0.0 {
            return self.at.z;
        }
        let before = (self.progress - seconds / self.seconds).max(0.5);
        self.shape.at(before, self.seconds).height(self.height, self.lift_off.z, self.touch_down.z).max(self.at.z)
    }

    /// Moves it on. `ahead` is the body's motion over half a stance.
    pub(crate) fn advance(&mut self, step: &BodyMotionStep, course: &Course, rest: Vector2<f64>, ahead: &Displacement) {
        let lift_off = step.carried(self.lift_off);
        self.lift_off = step.drawn_in(lift_off.xy(), rest).push(lift_off.z);
        self.foothold = self.foothold.map(|foothold| foothold.carried(step));
        let touch_down = step.motion.apply_inverse(self.touch_down.xy());
        let place = match self.foothold {
            None if self.past_gap == Vector2::zeros() => step.reach.place(rest, ahead),
            None => step.reach.nearest(rest, step.reach.place(rest, ahead) + self.past_gap),
            Some(foothold) => step.reach.nearest(rest, course.onward.apply_inverse(foothold.at.xy())),
        };
        let wanted = course.onward.apply(place);
        let touch_down = touch_down + (wanted - touch_down) * course.follow;
        let ground = self.foothold.map_or(self.touch_down.z, |foothold| foothold.at.z);
        let ground = self.touch_down.z + (ground - self.touch_down.z) * course.follow;
        self.touch_down = step.drawn_in(touch_down, rest).push(ground);
        self.height = (self.height - step.lower).max(0.0);
        self.at = self.place(&course.at, self.height);
        self.progress = course.now;
    }
}

/// How a swing goes on, whichever foot's it is.
#[derive(Clone, Copy)]
pub(crate) struct Course {
    shape: SwingShape,
    before: f64,
    now: f64,
    seconds: f64,
    /// The body's motion until the foot is down.
    onward: Displacement,
    /// Fraction of the way the touch-down point goes towards where it is wanted.
    follow: f64,
    at: SwingPoint,
}

impl Course {
    pub(crate) fn new(step: &BodyMotionStep, swing: &Swing) -> Self {
        let (before, seconds) = (swing.progress, swing.seconds);
        let now = (before + step.time / seconds).min(1.0);
        Self {
            shape: swing.shape,
            before,
            now,
            seconds,
            onward: step.twist.motion((1.0 - now) * seconds),
            follow: follow_fraction(before, now),
            at: swing.shape.at(now, seconds),
        }
    }

    /// Whether another swing goes on alike.
    pub(crate) fn is_of(&self, swing: &Swing) -> bool {
        (self.before, self.seconds) == (swing.progress, swing.seconds) && self.shape == swing.shape
    }
}
