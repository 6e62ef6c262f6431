//! All that changes from one moment to the next, and the grid of time on which decisions are taken.

use crate::limits::{LimitedBy, TwistLimits};
use crate::plant::Plant;
use crate::posture::{BodyOffset, Glide};
use crate::ramp::Ramp;
use crate::room::Room;
use crate::support::SupportPolygon;
use crate::tick::GaitState;
use crate::twist::{Motion, Twist};
use crate::walk::{Foot, Walk};
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use nalgebra::{Isometry3, Vector2, Vector3};

/// Commands are taken and limits applied at multiples of this time, whatever the rate of the ticks; between them all
/// goes on in closed form. So the path does not depend on the rate.
pub(crate) const GRID_NS: u64 = 10_000_000;
/// [`GRID_NS`] in seconds.
pub(crate) const GRID_S: f64 = GRID_NS as f64 * 1e-9;

/// What the robot does. A new mode needs a line in [`Mode::state`], one in `Engine::next_mode` (when it ends) and one
/// in `Engine::at` (what moves).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    Sitting,
    /// Holding a pose that was not planned, with the body off the ground.
    Found,
    /// Bringing one leg after another to its place, through a lifted pose.
    Placing(Placing),
    Rising(Glide),
    Standing,
    Walking,
    Stopping(Stopping),
    Lowering(Glide),
    /// Down to the sitting pose through joint space, the feet wherever that takes them: where there is no other way.
    Sinking(Glide),
}

/// How a leg is brought to its place: lifted where it is, carried over, put down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placing {
    pub leg: usize,
    pub stage: Stage,
    pub from: LegAngles,
    pub to: LegAngles,
    pub part: Glide,
    /// Legs that have been placed, one bit each.
    pub placed: u32,
    pub goal: Goal,
}

/// What legs are brought to their places for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// To stand on them.
    Stand,
    /// To sit as soon as the leg in the air is down: no other is lifted.
    Sit,
    /// To fold them, one after another.
    Pack,
    /// To be on the ground again, where a stop found no way on: only those in the air.
    Land(Then),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Lifting,
    Carrying,
    Putting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopping {
    pub then: Then,
    /// The feet, one bit each, that stand where the body cannot come down between them: they are put back first.
    pub centring: u32,
    pub since_ns: u64,
}

/// What follows when a robot has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// It stands as it has come to rest.
    Stand,
    /// It puts its feet where they rest in the stance, and stands.
    GoHome,
    Sit,
}

impl Stopping {
    pub(crate) fn now(since_ns: u64) -> Self {
        Self { then: Then::Stand, centring: 0, since_ns }
    }
}

impl Mode {
    pub(crate) fn state(&self) -> GaitState {
        match self {
            Self::Sitting => GaitState::Sitting,
            Self::Standing | Self::Found => GaitState::Standing,
            Self::Walking => GaitState::Walking,
            Self::Stopping(_) => GaitState::Stopping,
            Self::Placing(_) | Self::Rising(_) | Self::Lowering(_) | Self::Sinking(_) => GaitState::Playing,
        }
    }

    /// Whether where the feet are follows from the joints: in a pose that was not planned, or on the way down through
    /// joint space.
    pub(crate) fn is_of_joints(&self) -> bool {
        *self == Self::Found || self.is_coming_down()
    }

    /// Whether the robot is on its way down through joint space.
    pub(crate) fn is_coming_down(&self) -> bool {
        matches!(self, Self::Sinking(_) | Self::Placing(Placing { goal: Goal::Land(_), .. }))
    }

    pub(crate) fn steps(&self) -> bool {
        matches!(self, Self::Walking | Self::Stopping(_))
    }
}

/// The robot at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// Time since the engine was made.
    pub ns: u64,
    pub mode: Mode,
    pub walk: Walk,
    /// Body above the ground, m: of a robot that steps, that of its footing; else that of the stance, from which the
    /// offset counts.
    pub height: f64,
    /// Its change per second, until the next point of the grid.
    pub height_rate: f64,
    pub offset: BodyOffset,
    /// Change of the offset per second, until the next point of the grid.
    pub offset_rate: BodyOffset,
    /// Shift of the body that keeps its weight over the feet that stay, m, and its change per second.
    pub sway: Vector2<f64>,
    pub sway_rate: Vector2<f64>,
    /// The twist at the last point of the grid and at the next.
    pub twist: [Twist; 2],
    /// The twist that feet in the air expect when they are down, likewise.
    pub aim: [Twist; 2],
    /// The pace of the present swings, and its mean over some steps.
    pub swing_pace: f64,
    pub mean_pace: f64,
    /// The centre of mass may come near the edge of the support: it did when a foot was lifted last, or the body has
    /// moved over its feet since.
    pub tight: bool,
    /// Legs that are folded, one bit each.
    pub packed: u32,
    pub angles: [LegAngles; MAX_LEGS],
    pub limited_by: LimitedBy,
}

/// What changes at the points of the grid only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Control {
    pub ramp: Ramp,
    /// After a stop, commands are ignored until the driver lets go.
    pub held: bool,
    /// The robot folds its legs once it sits.
    pub then_pack: bool,
    /// The robot stands and is about to walk, once its feet have room.
    pub leaving: bool,
    pub sensed: [Option<bool>; MAX_LEGS],
    pub room: Room,
    pub step_height: f64,
    pub limits: TwistLimits,
    pub barred: Barred,
}

/// For how long a stop has found no way on, ns: without any move, and at all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Barred {
    pub still_ns: u64,
    pub ns: u64,
}

impl Control {
    pub(crate) fn new(step_height: f64, limits: TwistLimits) -> Self {
        Self {
            ramp: Ramp::REST,
            held: false,
            leaving: false,
            then_pack: false,
            sensed: [None; MAX_LEGS],
            room: Room::new(),
            step_height,
            limits,
            barred: Barred::default(),
        }
    }
}

impl State {
    /// Of a robot that sits with its feet at rest, `cycle` being the seconds that its gait takes.
    pub(crate) fn sitting(plant: &Plant, cycle: f64) -> Self {
        Self {
            ns: 0,
            mode: Mode::Sitting,
            walk: Walk::at_rest(plant.stance.own_footing(), cycle),
            height: plant.stance.spec().sit_height,
            height_rate: 0.0,
            offset: BodyOffset::default(),
            offset_rate: BodyOffset::default(),
            sway: Vector2::zeros(),
            sway_rate: Vector2::zeros(),
            twist: [Twist::ZERO; 2],
            aim: [Twist::ZERO; 2],
            swing_pace: 1.0,
            mean_pace: 1.0,
            tight: false,
            packed: 0,
            angles: plant.sitting,
            limited_by: LimitedBy::Nothing,
        }
    }

    /// Feet on the ground, footprint frame.
    pub(crate) fn planted(&self) -> impl Iterator<Item = Vector2<f64>> + '_ {
        self.planted_without(MAX_LEGS)
    }

    fn planted_without(&self, without: usize) -> impl Iterator<Item = Vector2<f64>> + '_ {
        let others = self.walk.feet().iter().enumerate().filter(move |(leg, _)| *leg != without);
        others.filter_map(|(_, foot)| match foot {
            Foot::Planted { at } => Some(at.xy()),
            _ => None,
        })
    }

    /// The margin by which the robot stands on its planted feet without one of them.
    pub(crate) fn margin_without(&self, without: usize, centre: Vector2<f64>) -> f64 {
        SupportPolygon::new(self.planted_without(without)).margin(centre)
    }

    /// The centre of mass over the ground, footprint frame.
    pub(crate) fn centre(&self, plant: &Plant) -> Vector2<f64> {
        plant.centre(&self.angles, &self.footprint_from_body())
    }

    /// The angles of one leg; none of a leg that the robot does not have.
    pub(crate) fn angles_of(&self, leg: usize) -> LegAngles {
        self.angles.get(leg).copied().unwrap_or(LegAngles::zeros(0))
    }

    /// The part of the way to the next point of the grid that is over.
    fn part(&self, later_ns: f64) -> f64 {
        ((self.ns % GRID_NS) as f64 + later_ns) / GRID_NS as f64
    }

    /// The twist that feet in the air expect, `later_ns` from now.
    pub(crate) fn aim_after(&self, later_ns: f64) -> Twist {
        let [from, to] = self.aim;
        if from == to { from } else { from.towards(to, self.part(later_ns)) }
    }

    /// The twist `later_ns` from now, before the next point of the grid.
    pub(crate) fn twist_after(&self, later_ns: f64) -> Twist {
        let [from, to] = self.twist;
        if from == to { from } else { from.towards(to, self.part(later_ns)) }
    }

    /// The body's pose in the footprint frame.
    pub(crate) fn footprint_from_body(&self) -> Isometry3<f64> {
        Self::pose_at(self.height, self.offset, self.sway)
    }

    /// The same `seconds` later.
    pub(crate) fn footprint_from_body_after(&self, seconds: f64) -> Isometry3<f64> {
        let height = self.height + self.height_rate * seconds;
        Self::pose_at(height, self.offset.moved(&self.offset_rate, seconds), self.sway + self.sway_rate * seconds)
    }

    fn pose_at(height: f64, mut offset: BodyOffset, sway: Vector2<f64>) -> Isometry3<f64> {
        offset.translation += Vector3::new(sway.x, sway.y, 0.0);
        offset.footprint_from_body(height)
    }
}

/// How fast things go, in parts of what was planned. Where a joint of a leg in the air would be too fast, its swing and
/// the phase take longer and the body goes on; where that does not help, all does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub body: f64,
    /// Of the body's pace.
    pub swing: f64,
    /// The body's offset over its feet.
    pub offset: f64,
    /// How fast feet in the air come in under the body: not at all, unless they could not go on.
    pub draw_in: f64,
}

impl Pace {
    pub(crate) const FULL: Self = Self { body: 1.0, swing: 1.0, offset: 1.0, draw_in: 0.0 };

    pub(crate) fn slower(self, factor: f64) -> Self {
        Self { body: self.body * factor, offset: self.offset * factor, ..self }
    }

    /// The body slower by this factor, the swings as fast as they were.
    pub(crate) fn body_slower(self, factor: f64) -> Self {
        Self { swing: self.swing / factor, ..self.slower(factor) }
    }
}

/// A stretch of time in which nothing begins or ends, and the robot at its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub ns: u64,
    pub pace: Pace,
    pub by: LimitedBy,
    pub end: State,
}

impl Segment {
    /// The body's mean twist over the first `ns` of a segment that starts at `start`.
    pub(crate) fn mean_twist(&self, start: &State, ns: u64) -> Twist {
        start.twist_after(ns as f64 / 2.0).scaled(self.pace.body)
    }
}

/// The way the body has gone in a tick, piece by piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    motion: Motion,
    /// The first piece, if it starts with its segment: its twist and time, s. Mostly the only one, of which no more is
    /// asked.
    first: Option<(Twist, f64)>,
    /// The one twist of all pieces so far, if it is one.
    twist: Option<Twist>,
    ns: u64,
    pub by: LimitedBy,
}

impl Way {
    pub(crate) fn none() -> Self {
        Self { motion: Motion::identity(), first: None, twist: None, ns: 0, by: LimitedBy::Nothing }
    }

    /// Adds the piece of a segment from `from` to `to`, in ns of the segment.
    pub(crate) fn add(&mut self, start: &State, segment: &Segment, from: u64, to: u64) {
        let walked = segment.mean_twist(start, to);
        let steady = start.twist[0] == start.twist[1];
        let one = if steady || from == 0 { Some(walked) } else { None };
        self.by = self.by.max(segment.by).max(start.limited_by);
        if self.ns == 0 {
            self.twist = one;
        } else if self.twist != one {
            self.twist = None;
        }
        let is_first = self.ns == 0;
        self.ns += to - from;
        if is_first && from == 0 {
            self.first = Some((walked, to as f64 * 1e-9));
            return;
        }
        self.take_first();
        if steady && walked.is_zero() {
            return;
        }
        let motion = |ns: u64| segment.mean_twist(start, ns).motion(ns as f64 * 1e-9);
        let piece = if from == 0 { motion(to) } else { motion(from).inverse().then(&motion(to)) };
        self.motion = self.motion.then(&piece);
    }

    fn take_first(&mut self) {
        if let Some((twist, seconds)) = self.first.take()
            && !twist.is_zero()
        {
            self.motion = self.motion.then(&twist.motion(seconds));
        }
    }

    /// The constant twist that goes this way in the same time.
    pub(crate) fn twist(mut self) -> Twist {
        if let Some(twist) = self.twist {
            return twist;
        }
        self.take_first();
        self.motion.twist(self.ns as f64 * 1e-9)
    }
}
