//! A stretch of the path, and the way the body goes along it.

use crate::plane::limits::LimitedBy;
use crate::plane::twist::{Displacement, Twist};
use crate::state::State;
use crate::state::rates::BodyRates;

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
    /// How fast they come down: likewise.
    pub lower: f64,
}

impl Pace {
    pub(crate) const FULL: Self = Self { body: 1.0, swing: 1.0, offset: 1.0, draw_in: 0.0, lower: 0.0 };

    pub(crate) fn slower(self, factor: f64) -> Self {
        Self { body: self.body * factor, offset: self.offset * factor, ..self }
    }

    /// The body slower by this factor, the swings as fast as they were.
    pub(crate) fn body_slower(self, factor: f64) -> Self {
        Self { swing: self.swing / factor, ..self.slower(factor) }
    }
}

/// How the robot is advanced along a segment: at which rates its body moves over its feet, and how fast all goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Advance {
    pub rates: BodyRates,
    pub pace: Pace,
}

/// A stretch of time in which nothing begins or ends, and the robot at its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub ns: u64,
    pub advance: Advance,
    pub by: LimitedBy,
    pub end: State,
}

impl Segment {
    /// Of `ns` from `start` on, at its rates and at full pace, its end not yet worked out.
    #[inline(always)]
    pub(crate) fn from(start: &State, ns: u64) -> Self {
        Self { ns, advance: Advance { rates: start.rates, pace: Pace::FULL }, by: LimitedBy::Nothing, end: *start }
    }

    /// Makes it the same in its place: a state is large, and is not copied more than it must be.
    #[inline]
    pub(crate) fn begin(&mut self, start: &State, ns: u64) {
        (self.ns, self.advance.rates, self.advance.pace) = (ns, start.rates, Pace::FULL);
        (self.by, self.end) = (LimitedBy::Nothing, *start);
    }

    /// The body's mean twist over the first `ns` of a segment that starts at `start`.
    pub(crate) fn mean_twist(&self, start: &State, ns: u64) -> Twist {
        start.twist_after(ns as f64 / 2.0).scaled(self.advance.pace.body)
    }
}

/// The path segment by segment: the last one, at whose end the robot has come to rest or goes on from, and the one that it
/// is in, if any. They take turns in two places, so that the end of one is the start of the next without being copied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    places: [Segment; 2],
    /// The first place holds the last segment, the second the present one; or the other way round.
    is_turned: bool,
    is_under_way: bool,
}

impl Route {
    /// Of a robot that is there, in no segment.
    pub(crate) fn at(start: &State) -> Self {
        Self { places: [Segment::from(start, 0); 2], is_turned: false, is_under_way: false }
    }

    /// Where the present segment starts, or where the robot is.
    #[inline]
    pub(crate) fn start(&self) -> &State {
        let [first, second] = &self.places;
        if self.is_turned { &second.end } else { &first.end }
    }

    pub(crate) fn start_mut(&mut self) -> &mut State {
        self.both().0
    }

    /// The segment that the robot is in.
    #[inline]
    pub(crate) fn segment(&self) -> Option<&Segment> {
        let [first, second] = &self.places;
        self.is_under_way.then_some(if self.is_turned { first } else { second })
    }

    /// Sets out on a segment from the start: both, to be worked out.
    #[inline]
    pub(crate) fn set_out(&mut self) -> (&mut State, &mut Segment) {
        self.is_under_way = true;
        self.both()
    }

    /// Arrives at the end of the present segment.
    #[inline]
    pub(crate) fn arrive(&mut self) {
        self.is_turned ^= self.is_under_way;
        self.is_under_way = false;
    }

    /// Gives up the present segment.
    pub(crate) fn turn_back(&mut self) {
        self.is_under_way = false;
    }

    #[inline]
    fn both(&mut self) -> (&mut State, &mut Segment) {
        let [first, second] = &mut self.places;
        if self.is_turned { (&mut second.end, first) } else { (&mut first.end, second) }
    }
}

/// The way the body has gone in a tick, piece by piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Travel {
    motion: Displacement,
    /// The first piece, if it starts with its segment: its twist and time, s. Mostly the only one, of which no more is
    /// asked.
    first: Option<(Twist, f64)>,
    /// The one twist of all pieces so far, if it is one.
    twist: Option<Twist>,
    ns: u64,
    pub by: LimitedBy,
}

impl Travel {
    pub(crate) fn none() -> Self {
        Self { motion: Displacement::identity(), first: None, twist: None, ns: 0, by: LimitedBy::Nothing }
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
