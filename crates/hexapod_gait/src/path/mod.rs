//! From one decision to the next: where everything is at a later moment, and whether the joints can take it there.

mod joints;
mod sinking;

use crate::gait::Gait;
use crate::path::joints::{
    bridge, fast_enough, hides_a_moment, is_near_end, moment_ratio, solve_between, unsolved, velocity_ratio,
};
use crate::path::sinking::sink;
use crate::plane::twist::Displacement;
use crate::plant::Plant;
use crate::state::State;
use crate::state::body_motion::BodyMotionStep;
use crate::state::mode::Mode;
use crate::state::segment::{Advance, Segment};
use hexapod_kinematics::{IterationBudget, Look};

pub(crate) use crate::path::joints::{Blocked, greatest_turn, keep_apart, solve, solve_feet, stays_usable};

/// How fast feet in the air come in that could not go on where they were going.
const DRAW_IN_M_S: f64 = 0.1;

/// The path of a robot that walks a gait.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    pub plant: &'a Plant,
    pub gait: &'a Gait,
}

impl Path<'_> {
    /// Works out a segment, whose end is still as its `start`, as it is to be advanced along; or says what bars it. A
    /// segment is large, and is not handed about.
    pub(crate) fn go(
        &self,
        start: &State,
        segment: &mut Segment,
        budget: &mut IterationBudget,
        look: &mut Look,
    ) -> Result<(), Blocked> {
        let Segment { ns, advance, end, .. } = segment;
        self.advance(end, start, *ns, advance);
        solve(self.plant, start, end, budget).ok_or_else(|| unsolved(budget))?;
        let seconds = *ns as f64 * 1e-9;
        let ratio = velocity_ratio(self.plant, start, end, seconds);
        fast_enough(ratio)?;
        keep_apart(self.plant, start, end, look)?;
        if hides_a_moment(self.plant, end, ratio) { self.look_halfway(start, segment, budget) } else { Ok(()) }
    }

    /// Whether no moment of a segment needs more than the joints can do.
    #[inline(never)]
    fn look_halfway(&self, start: &State, segment: &Segment, budget: &mut IterationBudget) -> Result<(), Blocked> {
        let mut half = *start;
        self.advance(&mut half, start, segment.ns / 2, &segment.advance);
        solve_between(self.plant, [start, &segment.end], 0.5, &mut half, budget).ok_or_else(|| unsolved(budget))?;
        let may_leave = half.mode.joints_follow_feet() && is_near_end(self.plant, &half);
        if may_leave && !stays_usable(self.plant, [&start.angles, &half.angles, &segment.end.angles]) {
            return Err(Blocked::OutOfReach);
        }
        fast_enough(moment_ratio(self.plant, [start, &half, &segment.end], segment.ns as f64 * 1e-9))
    }

    /// The robot `ns` after `start`, its joints not yet solved. Always from the start of the segment, never from a
    /// moment within it, so that it makes no difference which moments are looked at.
    pub(crate) fn at(&self, start: &State, ns: u64, advance: &Advance) -> State {
        let mut state = *start;
        self.advance(&mut state, start, ns, advance);
        state
    }

    /// Takes `state`, which is as `start`, on by `ns`: a state is large, and is not copied more than it must be.
    fn advance(&self, state: &mut State, start: &State, ns: u64, advance: &Advance) {
        let Advance { rates, pace } = advance;
        let real = ns as f64 * 1e-9;
        let time = real * pace.body;
        state.ns += ns;
        state.swing_pace = pace.swing.min(1.0);
        state.rates = *rates;
        state.offset = start.offset.moved(&rates.offset, real * pace.offset);
        state.sway += rates.sway * (real * pace.body);
        match &mut state.mode {
            Mode::Sitting | Mode::UnplannedPose | Mode::Standing => {}
            Mode::Sequencing(sequence) => {
                sequence.profile.advance(time);
                let sequence = *sequence;
                if let Some(angles) = state.angles.get_mut(sequence.leg) {
                    sequence.turn(angles);
                }
            }
            Mode::Rising(profile) | Mode::Lowering(profile) => {
                profile.advance(time);
                state.height = profile.value();
            }
            Mode::Sinking(profile) => {
                let before = profile.fraction();
                profile.advance(time);
                state.height = profile.value();
                let fraction = if before < 1.0 { (profile.fraction() - before) / (1.0 - before) } else { 1.0 };
                sink(self.plant, state, fraction);
            }
            Mode::Walking | Mode::Stopping(_) => {
                state.walk.advance(self.gait, &self.body_motion(start, ns, advance));
                state.height += rates.height * (real * pace.offset);
                state.correction.advance(&rates.correction, real * pace.offset);
            }
        }
    }

    /// How the ground goes by within `ns`.
    fn body_motion(&self, start: &State, ns: u64, Advance { rates, pace }: &Advance) -> BodyMotionStep {
        let real = ns as f64 * 1e-9;
        let time = real * pace.body;
        let mean = start.twist_after(ns as f64 / 2.0);
        BodyMotionStep {
            motion: if mean.is_zero() { Displacement::identity() } else { mean.motion(time) },
            rise: rates.level.over(real * pace.offset),
            twist: start.twist_after(ns as f64),
            aim: start.aim_after(ns as f64),
            reach: start.walk.nominal.reach_with(self.gait),
            time: time * pace.swing,
            draw_in: DRAW_IN_M_S * real * pace.draw_in,
            lean: start.sway + start.offset.translation.xy(),
            lower: DRAW_IN_M_S * real * pace.lower,
        }
    }

    /// The robot `elapsed_ns` after `start`, within a segment.
    pub(crate) fn within(
        &self,
        start: &State,
        segment: &Segment,
        elapsed_ns: u64,
        budget: &mut IterationBudget,
    ) -> State {
        let mut state = *start;
        self.advance(&mut state, start, elapsed_ns, &segment.advance);
        let (ends, fraction) = ([start, &segment.end], elapsed_ns as f64 / segment.ns as f64);
        if solve_between(self.plant, ends, fraction, &mut state, budget).is_none() {
            // Both ends are within reach: a foot that goes along its very edge may be beyond it for a moment.
            bridge(self.plant, ends, fraction, &mut state, budget);
        }
        state
    }
}

#[cfg(test)]
mod tests;
