//! Down from wherever a robot is stuck: a stop that finds no way on for its feet ends all the same.
//!
//! Feet in the air are put down one by one, the others stand still meanwhile; then the robot stands, or its body comes
//! down between its feet. Where that does not go, either, all legs turn to the sitting pose through joint space, which
//! every joint can do from everywhere: feet may then be drawn over the ground, but none is dropped and no joint jumps.

use crate::control::Barred;
use crate::engine::Engine;
use crate::joints::turn_time;
use crate::limits::LimitedBy;
use crate::mode::{Goal, Mode, Placing, Stage, Stopping, Then};
use crate::posture::BodyOffset;
use crate::ramp::Ramp;
use crate::segment::Segment;
use crate::state::State;
use crate::walk::Foot;
use nalgebra::Vector2;

/// How long a stop waits for a way on without any move, and with moves that lead nowhere, ns.
const STILL_NS: u64 = 500_000_000;
const BARRED_NS: u64 = 5_000_000_000;
/// A way down is taken for closed where it would take so many times as long as sinking does: near a singular pose the
/// body may creep for ever.
const CREEPING: f64 = 10.0;
/// Part of its pace from which on a way down does not creep.
const UNHINDERED: f64 = 0.1;
/// Parts of the way from standing to sitting above which a body that cannot come down between its feet sinks without
/// them; below it lies where it is.
const HIGH: f64 = 0.5;

impl Engine {
    /// Counts for how long a stop, or the way down, has not found a way on.
    pub(crate) fn count_barred(&mut self, start: &State, segment: &Segment) {
        let creeps = self.creeps(start, segment);
        let is_barred = segment.by >= LimitedBy::Kinematics && matches!(start.mode, Mode::Stopping(_));
        let barred = &mut self.now.control.barred;
        if !(creeps || is_barred) {
            *barred = Barred::default();
            return;
        }
        let is_still = creeps || segment.end.angles == start.angles;
        barred.still_ns = if is_still { barred.still_ns + segment.ns } else { 0 };
        barred.ns += segment.ns;
    }

    /// Whether a body comes down so slowly that its legs had better turn to the sitting pose.
    fn creeps(&self, start: &State, segment: &Segment) -> bool {
        let Mode::Lowering(glide) = start.mode else { return false };
        let pace = segment.pace.body;
        pace < UNHINDERED && glide.left() > CREEPING * self.sinking_time(start) * pace
    }

    pub(crate) fn has_no_way_on(&self) -> bool {
        let Barred { still_ns, ns } = self.now.control.barred;
        still_ns >= STILL_NS || ns >= BARRED_NS
    }

    /// Puts down a foot in the air, or else sits down or stands as the robot has come to rest.
    pub(crate) fn come_down(&mut self, start: &mut State, then: Then) -> Mode {
        self.now.control.ramp = Ramp::REST;
        self.now.control.barred = Barred::default();
        start.height_rate = 0.0;
        let in_the_air = |foot: &Foot| matches!(foot, Foot::Swinging { .. } | Foot::Probing { .. });
        match start.walk.feet().iter().position(in_the_air) {
            Some(leg) => self.put_below(start, leg, then),
            None if then == Then::Sit => self.lower_as_found(start),
            None => Mode::Stopping(Stopping::now(start.ns)),
        }
    }

    /// Brings a foot to the ground straight below it, or as far as its leg goes.
    fn put_below(&mut self, start: &State, leg: usize, then: Then) -> Mode {
        let from = start.angles_of(leg);
        let below = start.walk.foot(leg).position().xy().push(0.0);
        let in_body = start.footprint_from_body().inverse_transform_point(&below.into()).coords;
        let to = self.deciding(|engine, effort| {
            let reached = engine.plant.inverse(leg, &in_body, &from, effort);
            reached.or_else(|| Some(engine.legs().get(leg)?.approach(&in_body, &from, effort).angles))
        });
        let to = to.unwrap_or(from);
        let part = self.stage_glide(leg, &from, &to);
        Mode::Placing(Placing { leg, stage: Stage::Putting, from, to, part, placed: 0, goal: Goal::Land(then) })
    }

    /// What follows when such a foot is down.
    pub(crate) fn landed(&mut self, start: &mut State, leg: usize, then: Then) -> Mode {
        let footprint_from_body = start.footprint_from_body();
        let angles = start.angles_of(leg);
        if let (Some(solver), Some(foot)) = (self.plant.robot.legs().get(leg), start.walk.feet.get_mut(leg)) {
            let at = footprint_from_body.transform_point(&solver.foot_in_body(&angles).into()).coords;
            *foot = Foot::Planted { at };
        }
        self.come_down(start, then)
    }

    /// Ends a way down that goes no farther between the feet.
    pub(crate) fn come_to_rest(&self, start: &mut State) {
        let (sitting, standing) = (self.plant.stance.spec().sit_height, self.plant.stance.spec().height);
        if start.height - sitting <= HIGH * (standing - sitting) {
            self.lie_down(start);
            return;
        }
        start.mode = self.sinking(start);
    }

    /// Starts to turn all legs to the sitting pose.
    pub(crate) fn sinking(&self, start: &State) -> Mode {
        Mode::Sinking(self.plant.glide(start.height, self.plant.stance.spec().sit_height, self.sinking_time(start)))
    }

    fn sinking_time(&self, start: &State) -> f64 {
        let legs = self.legs().iter().zip(start.angles.iter().zip(&self.plant.sitting));
        legs.map(|(leg, (from, to))| turn_time(leg, from, to)).fold(self.plant.sit_time, f64::max)
    }

    /// Takes all legs this part of the way that is left to the sitting pose.
    pub(crate) fn sink(&self, state: &mut State, part: f64) {
        let feet = state.walk.feet.iter().take(self.legs().len());
        for ((foot, angles), sitting) in feet.zip(&mut state.angles).zip(&self.plant.sitting) {
            if *foot != Foot::Missing {
                angles.iter_mut().zip(sitting.iter()).for_each(|(angle, to)| *angle += (to - *angle) * part);
            }
        }
        (state.offset, state.sway) = (state.offset.scaled(1.0 - part), state.sway * (1.0 - part));
    }

    /// Sits with its feet where they rest.
    pub(crate) fn end_sinking(&self, start: &mut State) {
        (start.offset, start.sway) = (BodyOffset::default(), Vector2::zeros());
        for (foot, rest) in start.walk.feet.iter_mut().zip(self.plant.stance.rest()) {
            if let Foot::Planted { at } = foot {
                *at = rest.push(0.0);
            }
        }
        self.lie_down(start);
    }
}
