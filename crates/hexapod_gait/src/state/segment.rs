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

    /// The body's mean twist over the first `ns` of a segment that starts at `start`.
    pub(crate) fn mean_twist(&self, start: &State, ns: u64) -> Twist {
        start.twist_after(ns as f64 / 2.0).scaled(self.advance.pace.body)
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
