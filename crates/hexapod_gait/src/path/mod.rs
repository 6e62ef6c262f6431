//! From one decision to the next: where everything is at a later moment, and how fast the joints can take it there.

pub(crate) mod barred;
pub(crate) mod descent;
pub(crate) mod retreat;

use crate::gait::Gait;
use crate::gait::posture::BodyOffset;
use crate::path::descent::sink;
use crate::plane::grid::GRID_NS;
use crate::plane::limits::LimitedBy;
use crate::plane::twist::{Displacement, Twist};
use crate::plant::Plant;
use crate::state::State;
use crate::state::allowance::BATCH_IK;
use crate::state::ground::Ground;
use crate::state::mode::Mode;
use crate::state::segment::{Pace, Segment};
use crate::state::walk::Foot;
use hexapod_kinematics::{Effort, MAX_LEG_JOINTS};
use nalgebra::Vector2;

/// Part of a joint's greatest velocity that is used.
const VELOCITY_PART: f64 = 0.96;
/// Below this part of the greatest velocity over a whole segment, none of its moments exceeds it.
const SURE_PART: f64 = 0.75;
/// How near to an end of its range a joint may come between two points of the grid, rad.
const NEAR_EDGE_RAD: f64 = 0.03;
const ATTEMPTS: usize = 7;
/// So often the body alone is slowed for a foot that could not go on.
const BODY_ATTEMPTS: usize = 2;
/// Part of a cycle in which all feet are to be down in a stop.
const STOP_PART: f64 = 0.9;
/// How much slower the body gets from one point of the grid to the next for feet that would else come down late in a stop.
const STOP_HARDER: f64 = 0.8;
/// After so many attempts it is not a swing that is too fast.
const SWING_ATTEMPTS: usize = 4;
/// Swings are not slowed further than this before the body is.
const LEAST_SWING_PACE: f64 = 0.2;
/// Parts of its pace below which a segment is not made longer.
const LEAST_STRETCHED: f64 = 1e-6;
/// How fast feet in the air come in that could not go on where they were going.
const DRAW_IN_M_S: f64 = 0.1;

/// Why a segment cannot be gone as planned.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Blocked {
    /// A joint would need this many times its greatest velocity.
    TooFast(f64),
    OutOfReach,
    /// That has not been found out: the effort is spent.
    Unknown,
}

/// The path of a robot that walks a gait.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    pub plant: &'a Plant,
    pub gait: &'a Gait,
}

impl Path<'_> {
    /// The robot `ns` after `start`, its joints not yet solved. Always from the start of the segment, never from a
    /// moment within it, so that it makes no difference which moments are looked at.
    pub(crate) fn at(&self, start: &State, ns: u64, pace: Pace) -> State {
        let mut state = *start;
        self.go_on(&mut state, start, ns, pace);
        state
    }

    /// Takes `state`, which is as `start`, on by `ns`: a state is large, and is not copied more than it must be.
    fn go_on(&self, state: &mut State, start: &State, ns: u64, pace: Pace) {
        let real = ns as f64 * 1e-9;
        let time = real * pace.body;
        state.ns += ns;
        state.swing_pace = pace.swing.min(1.0);
        state.offset = start.offset.moved(&start.offset_rate, real * pace.offset);
        state.sway += start.sway_rate * (real * pace.body);
        match &mut state.mode {
            Mode::Sitting | Mode::Found | Mode::Standing => {}
            Mode::Sequencing(sequence) => {
                sequence.part.advance(time);
                let part = sequence.part.part();
                let ends = sequence.from.iter().zip(sequence.to.iter());
                let angles = state.angles.iter_mut().skip(sequence.leg).take(1).flat_map(|leg| leg.iter_mut());
                for (angle, (from, to)) in angles.zip(ends) {
                    // Rounding must not carry it beyond a limit at either end.
                    *angle = (from + (to - from) * part).max(from.min(*to)).min(from.max(*to));
                }
            }
            Mode::Rising(profile) | Mode::Lowering(profile) => {
                profile.advance(time);
                state.height = profile.value();
            }
            Mode::Sinking(profile) => {
                let before = profile.part();
                profile.advance(time);
                state.height = profile.value();
                let part = if before < 1.0 { (profile.part() - before) / (1.0 - before) } else { 1.0 };
                sink(self.plant, state, part);
            }
            Mode::Walking | Mode::Stopping(_) => {
                let mean = start.twist_after(ns as f64 / 2.0);
                let motion = if mean.is_zero() { Displacement::identity() } else { mean.motion(time) };
                let (twist, aim) = (start.twist_after(ns as f64), start.aim_after(ns as f64));
                let reach = start.walk.nominal.reach_with(self.gait);
                let lean = start.sway + start.offset.translation.xy();
                let draw_in = DRAW_IN_M_S * real * pace.draw_in;
                let rise = start.level_rate * (real * pace.offset);
                let ground = Ground { motion, rise, twist, aim, reach, time: time * pace.swing, draw_in, lean };
                state.walk.advance(self.gait, &ground);
                state.height += start.height_rate * (real * pace.offset);
            }
        }
    }

    /// The robot `elapsed_ns` after `start`, within a segment.
    pub(crate) fn within(&self, start: &State, segment: &Segment, elapsed_ns: u64, effort: &mut Effort) -> State {
        let mut state = self.at(start, elapsed_ns, segment.pace);
        if self.solve(start, &mut state, effort).is_none() {
            // Both ends are within reach: only rounding at its very edge, or a spent effort, can bring one here.
            let part = elapsed_ns as f64 / segment.ns as f64;
            for ((angles, from), to) in state.angles.iter_mut().zip(&start.angles).zip(&segment.end.angles) {
                for ((angle, from), to) in angles.iter_mut().zip(from.iter()).zip(to.iter()) {
                    *angle = from + (to - from) * part;
                }
            }
        }
        state
    }

    /// Takes a segment, which is still at its `start`, on to its end as fast as the joints can; else says what bars it. A
    /// sway that would take a foot out of its reach is given up. A segment is large, and is not handed about.
    pub(crate) fn go(&self, start: &mut State, segment: &mut Segment, effort: &mut Effort) -> Result<(), Blocked> {
        let ns = segment.ns;
        let resting = start.offset_rate.is_zero() && start.sway_rate == Vector2::zeros();
        if resting && matches!(start.mode, Mode::Sitting | Mode::Found | Mode::Standing) {
            segment.end.ns += ns;
            return Ok(());
        }
        let attempts = if start.mode == Mode::Standing { 3 } else { ATTEMPTS };
        let mut last = Blocked::Unknown;
        for attempt in 0..attempts {
            if attempt > 0 {
                segment.end = *start;
            }
            let Segment { pace, by, end, .. } = &mut *segment;
            self.go_on(end, start, ns, *pace);
            let Err(blocked) = self.reachable(start, end, ns, *pace, effort) else {
                if self.plant.batch_ik.is_none() {
                    self.stretch(start, segment, effort);
                }
                return Ok(());
            };
            last = blocked;
            match blocked {
                Blocked::TooFast(ratio) => {
                    *by = (*by).max(LimitedBy::JointVelocity);
                    *pace = slow_enough(start, *pace, ratio, attempt);
                }
                Blocked::OutOfReach if start.level_rate != 0.0 => start.level_rate = 0.0,
                Blocked::OutOfReach if start.sway_rate != Vector2::zeros() => start.sway_rate = Vector2::zeros(),
                Blocked::OutOfReach => {
                    *by = LimitedBy::Kinematics;
                    *pace = less_far(start, *pace, attempt);
                }
                Blocked::Unknown => break,
            }
        }
        Err(last)
    }

    /// A segment up to an event that is slowed comes short of it, and the next one again. Where each leg is solved by
    /// itself, which takes long, it goes on to the event at its pace, or to the next point of the grid.
    fn stretch(&self, start: &State, segment: &mut Segment, effort: &mut Effort) {
        let left = GRID_NS - start.ns % GRID_NS;
        let part = segment.pace.body * segment.pace.swing;
        if !start.mode.steps() || segment.ns >= left || part <= LEAST_STRETCHED || part >= 1.0 {
            return;
        }
        let ns = ((segment.ns as f64 / part) as u64).min(left);
        let mut end = self.at(start, ns, segment.pace);
        if self.reachable(start, &mut end, ns, segment.pace, effort).is_ok() {
            (segment.ns, segment.end) = (ns, end);
        }
    }

    /// Makes it the segment in which the robot holds its pose, because there is no time to find out how it could go on.
    pub(crate) fn hold(&self, start: &mut State, segment: &mut Segment) {
        (start.height_rate, start.level_rate, start.offset_rate) = (0.0, 0.0, BodyOffset::default());
        self.stay(start, segment);
        segment.by = LimitedBy::Planning;
    }

    /// Makes it the segment in which nothing moves, because there is no way on.
    pub(crate) fn stay(&self, start: &State, segment: &mut Segment) {
        (segment.pace, segment.by) = (Pace::FULL.slower(0.0), LimitedBy::Kinematics);
        segment.end = self.at(start, segment.ns, segment.pace);
    }

    /// Solves the joints at the end of a segment, and tells whether they get there in time.
    pub(crate) fn reachable(
        &self,
        start: &State,
        end: &mut State,
        ns: u64,
        pace: Pace,
        effort: &mut Effort,
    ) -> Result<(), Blocked> {
        self.reach(start, end, effort)?;
        let seconds = ns as f64 * 1e-9;
        let ratio = self.velocity_ratio(start, end, seconds);
        if ratio > VELOCITY_PART {
            return Err(Blocked::TooFast(ratio / VELOCITY_PART));
        }
        // The mean of the whole may hide what one moment of it needs, and at the edge of their reach, to which only an
        // offset takes them, feet may go out of it and in again.
        if ratio > SURE_PART || self.is_near_edge(end) {
            let mut half = self.at(start, ns / 2, pace);
            self.reach(start, &mut half, effort)?;
            let worst = self.moment_ratio([start, &half, end], seconds);
            if worst > VELOCITY_PART {
                return Err(Blocked::TooFast(worst / VELOCITY_PART));
            }
        }
        Ok(())
    }

    /// Solves the joints, or says why not.
    fn reach(&self, start: &State, state: &mut State, effort: &mut Effort) -> Result<(), Blocked> {
        let obstacle = |effort: &Effort| if effort.is_spent() { Blocked::Unknown } else { Blocked::OutOfReach };
        self.solve(start, state, effort).ok_or_else(|| obstacle(effort))
    }

    fn is_near_edge(&self, state: &State) -> bool {
        let legs = state.angles.iter().enumerate().take(self.plant.legs().len());
        !state.offset.is_zero()
            && legs.into_iter().any(|(leg, angles)| self.plant.stance.is_near_end(leg, angles, NEAR_EDGE_RAD))
    }

    /// The greatest part of a joint's greatest velocity that is needed from one pose to another.
    fn velocity_ratio(&self, from: &State, to: &State, seconds: f64) -> f64 {
        // Joint by joint of all legs, in vectors; joints that a leg does not have do not move.
        let mut worst = [0.0; MAX_LEG_JOINTS];
        for ((greatest, from), to) in
            self.plant.greatest_rad_s.iter().zip(&from.angles).zip(&to.angles).take(self.plant.legs().len())
        {
            let joints = greatest.padded().iter().zip(from.padded().iter().zip(to.padded()));
            for (worst, (greatest, (from, to))) in worst.iter_mut().zip(joints) {
                let part = (to - from).abs() / (greatest * seconds + 1e-9);
                *worst = if part > *worst { part } else { *worst };
            }
        }
        worst.into_iter().fold(0.0, f64::max)
    }

    /// The greatest part of a joint's greatest velocity that is needed at a moment of a stretch of time, from the poses
    /// at its start, middle and end: velocities that change evenly are greatest at one of the ends.
    fn moment_ratio(&self, [start, middle, end]: [&State; 3], seconds: f64) -> f64 {
        let mut worst: f64 = 0.0;
        let poses = start.angles.iter().zip(&middle.angles).zip(&end.angles);
        for (leg, ((start, middle), end)) in self.plant.robot.legs().iter().zip(poses) {
            let poses = start.iter().zip(middle.iter()).zip(end.iter());
            for (joint, ((start, middle), end)) in leg.joints().iter().zip(poses) {
                let (first, second) = (2.0 * (middle - start), 2.0 * (end - middle));
                let ends = (1.5 * first - 0.5 * second).abs().max((1.5 * second - 0.5 * first).abs());
                worst = worst.max(ends / (joint.limits().velocity * seconds + 1e-9));
            }
        }
        worst
    }

    /// Joint angles for the feet as they are, those of `start` being near; none where a foot is out of reach.
    fn solve(&self, start: &State, state: &mut State, effort: &mut Effort) -> Option<()> {
        if matches!(state.mode, Mode::Sequencing(_) | Mode::Sitting | Mode::Found | Mode::Sinking(_)) {
            return Some(());
        }
        let body_from_footprint = state.footprint_from_body().inverse();
        if let Some(batch) = &self.plant.batch_ik {
            let walk = &state.walk;
            let at = |leg: usize| walk.foot(leg).position();
            let is_missing = |leg: usize| *walk.foot(leg) == Foot::Missing;
            let found = &mut state.angles;
            if !effort.take(BATCH_IK) {
                return None;
            }
            return batch.solve(&body_from_footprint, at, is_missing, found).then_some(());
        }
        let legs = state.angles.iter_mut().zip(&start.angles).zip(state.walk.feet());
        for (index, ((angles, seed), foot)) in legs.enumerate().filter(|(_, (_, foot))| **foot != Foot::Missing) {
            let in_body = body_from_footprint.transform_point(&foot.position().into()).coords;
            *angles = self.plant.inverse(index, &in_body, seed, effort)?;
        }
        Some(())
    }
}

/// The pace to try next where a joint would need `ratio` times its greatest velocity.
fn slow_enough(start: &State, pace: Pace, ratio: f64, attempt: usize) -> Pace {
    let swing = (pace.swing * 0.98 / ratio).max(LEAST_SWING_PACE);
    let swings = !start.walk.all_planted();
    if swings && attempt == 0 && is_behind(start, pace.body * swing) {
        pace.body_slower(STOP_HARDER)
    } else if swings && pace.swing > LEAST_SWING_PACE && attempt < SWING_ATTEMPTS {
        Pace { swing, ..pace }
    } else {
        pace.slower(0.95 / ratio)
    }
}

/// The pace to try next where a foot would get out of reach.
fn less_far(start: &State, pace: Pace, attempt: usize) -> Pace {
    if start.mode == Mode::Standing {
        pace.slower(0.25)
    } else if attempt < BODY_ATTEMPTS && !start.walk.all_planted() {
        // A foot that has just been lifted still goes back with the ground: its swing takes it in again.
        pace.body_slower(0.25)
    } else if attempt == BODY_ATTEMPTS {
        Pace::FULL.slower(0.25)
    } else {
        pace.slower(0.5)
    }
}

/// Whether a robot that stops would have feet in the air for longer than a cycle because its body still moves, with
/// swings that are at this pace now. They get faster later: it is the quickest part of a swing that is slowed.
fn is_behind(start: &State, pace: f64) -> bool {
    let Mode::Stopping(stop) = start.mode else { return false };
    let since = (start.ns - stop.since_ns) as f64 * 1e-9;
    start.twist[0] != Twist::ZERO
        && since + start.walk.time_in_the_air() / (0.5 + 0.5 * pace) > STOP_PART * start.walk.cycle
}

#[cfg(test)]
mod tests;
