//! What is decided at each point of the grid: the mode, where the body goes, which feet are lifted.

pub(crate) mod body;
pub(crate) mod context;
pub(crate) mod control;
pub(crate) mod fitting;
pub(crate) mod lifting;
pub(crate) mod sequence;
pub(crate) mod stand;
pub(crate) mod twist;

use crate::gait::posture::BodyOffset;
use crate::path::Path;
use crate::path::descent::{come_to_rest, end_sinking, lie_down, lower, sit_as_found};
use crate::path::retreat::retreat;
use crate::plan::body::height::{HeightStep, end_stepping, height_step, start_stepping};
use crate::plan::body::levelling::level_rate;
use crate::plan::body::{Aim, Wanted, aim, granted_on_the_spot, nominal_to_start, shift, sway};
use crate::plan::context::Context;
use crate::plan::control::{Control, Posture, Tuning};
use crate::plan::fitting::Fit;
use crate::plan::lifting::{lift_and_put_down, pass_the_turn};
use crate::plan::sequence::centring::{feet_to_centre, is_late};
use crate::plan::sequence::landing::come_down;
use crate::plan::sequence::placing::{fold_from, next_stage, place_from, rise};
use crate::plan::stand::{Stand, balanced, stand_of};
use crate::plan::twist::bounds::{can_go_on, cycle_for, stride_factor};
use crate::plan::twist::{Cadence, TwistStep, bounded, cadence, steer};
use crate::plane::grid::GRID_NS;
use crate::plane::limits::{Limited, LimitedBy};
use crate::plane::twist::Twist;
use crate::plant::Plant;
use crate::plant::nominal::NominalStance;
use crate::state::State;
use crate::state::allowance::Allowance;
use crate::state::mode::{Goal, LegSequence, Mode, Stopping, Then};
use crate::state::segment::Segment;
use crate::state::tick::Input;
use nalgebra::Vector2;

/// Feet in the air on the mean up to which there are moments with none.
const MOSTLY_LIFTED: f64 = 0.95;

/// Plans the path of a robot, from one point of the grid to the next.
pub(crate) struct Planner<'a> {
    pub plant: &'a Plant,
    pub tuning: &'a Tuning,
    pub control: &'a mut Control,
    /// What is left until the next point of the grid of what may be worked out.
    pub allowance: &'a mut Allowance,
}

impl Planner<'_> {
    /// The next segment. `start`, from where it goes, gets all that is decided there.
    pub(crate) fn next_segment(&mut self, start: &mut State, input: &Input) -> Segment {
        let planned = self.plan(start, input);
        let mut segment = Segment::from(start, planned.unwrap_or(GRID_NS - start.ns % GRID_NS));
        match planned {
            None => self.path().hold(start, &mut segment),
            Some(_) => self.go_on(start, &mut segment),
        }
        self.control.barred.count(self.plant, start, &segment);
        if matches!(start.mode, Mode::Stopping(_)) && segment.pace.body < 1.0 {
            // A body that was slowed while it stops is not sped up again.
            self.control.ramp.scale(segment.pace.body);
            segment.end.twist = segment.end.twist.map(|twist| twist.scaled(segment.pace.body));
        }
        segment
    }

    fn path(&self) -> Path<'_> {
        Path { plant: self.plant, gait: &self.control.gaits.walked }
    }

    /// Goes along a planned segment, or on whatever way is open where that one is barred.
    fn go_on(&mut self, start: &mut State, segment: &mut Segment) {
        let path = Path { plant: self.plant, gait: &self.control.gaits.walked };
        if path.go(start, segment, &mut self.allowance.going_on).is_ok() {
            return;
        }
        (start.height_rate, start.level_rate) = (0.0, 0.0);
        if let Mode::Lowering(_) = start.mode {
            // A body that is on its way down has come far enough, or goes on without its feet.
            come_to_rest(self.plant, start);
            path.stay(start, segment);
        } else {
            retreat(&path, start, segment, self.control.leaving, &mut self.allowance.going_back);
        }
    }

    /// Decides how it goes on from `start`; for how many ns: to the next point of the grid, or until a foot is lifted or
    /// put down. `None` where that has been done too often since the last point of the grid.
    fn plan(&mut self, start: &mut State, input: &Input) -> Option<u64> {
        self.allowance.rounds = self.allowance.rounds.checked_sub(1)?;
        if start.ns.is_multiple_of(GRID_NS) {
            self.decide(start, input);
        }
        let mut ns = GRID_NS - start.ns % GRID_NS;
        if start.mode.steps() {
            let cx = self.control.context(self.plant);
            pass_the_turn(&cx, start);
            lift_and_put_down(&cx, &self.control.sensed, start);
            let event_ns = (start.walk.time_to_event(cx.gait) * 1e9).ceil();
            if event_ns < ns as f64 {
                ns = (event_ns as u64).max(1);
            }
        }
        Some(ns)
    }

    fn decide(&mut self, start: &mut State, input: &Input) {
        let fit = Fit { plant: self.plant, tuning: self.tuning };
        self.control.limits = fit.limits_for(&self.control.gaits.walked);
        self.control.sensed = input.contacts;
        self.take_requests(start);
        let wanted = self.control.wanted_twist(input.twist);
        let asked = input.body_offset.clipped();
        self.next_mode(start, wanted, asked);
        self.control.step_height = fit.lift_with(&self.control.gaits.walked);
        self.control.leaving = start.mode == Mode::Standing && !wanted.is_zero();
        let cx = self.control.context(self.plant);
        let stand = if start.mode.steps() { stand_of(&cx, start) } else { None };
        self.turn(start, wanted, stand.as_ref());
        self.move_body(start, Wanted { walks: !wanted.is_zero(), offset: asked }, stand.as_ref());
    }

    /// Decides the twist until the next point of the grid.
    fn turn(&mut self, start: &mut State, wanted: Twist, stand: Option<&Stand>) {
        if !start.mode.steps() {
            (start.twist, start.aim) = ([Twist::ZERO; 2], [Twist::ZERO; 2]);
            start.limited_by = LimitedBy::Nothing;
            return;
        }
        let Control { gaits, limits, step_height, ramp, .. } = &mut *self.control;
        let cx = Context { plant: self.plant, gait: &gaits.walked, limits, step_height: *step_height };
        let wanted = bounded(&cx, start, if start.mode == Mode::Walking { wanted } else { Twist::ZERO });
        let Cadence { cycle, mean_pace } = cadence(&cx, start, wanted.twist);
        (start.walk.cycle, start.mean_pace) = (cycle, mean_pace);
        let TwistStep { limited, aim } = steer(&cx, (ramp, gaits), start, wanted, stand);
        start.twist = [start.twist[1], limited.twist];
        start.aim = [start.aim[1], aim];
        start.limited_by = limited.by;
    }

    /// Decides how the body moves over its feet until the next point of the grid.
    fn move_body(&mut self, start: &mut State, wanted: Wanted, stand: Option<&Stand>) {
        if start.mode.is_coming_down() {
            (start.offset_rate, start.sway_rate) = (BodyOffset::default(), Vector2::zeros());
            start.level_rate = 0.0;
            return;
        }
        let effort = &mut self.allowance.deciding;
        let Control { gaits, limits, step_height, workspace, .. } = &mut *self.control;
        let cx = Context { plant: self.plant, gait: &gaits.walked, limits, step_height: *step_height };
        let Aim { offset, nominal } = aim(&cx, workspace, start, wanted, effort);
        if let Some(HeightStep { height, rate, nominal }) = nominal.and_then(|wanted| height_step(&cx, start, wanted)) {
            (start.height, start.height_rate, start.walk.nominal) = (height, rate, nominal);
        }
        if start.offset.is_near(&offset) {
            start.offset = offset;
        }
        let shift = shift(&cx, start, &offset);
        // Until a foot is lifted again, which looks at the margin.
        start.near_edge |= !shift.is_zero();
        start.level_rate = level_rate(&cx, start);
        let sway = sway(&cx, start, stand, effort);
        (start.offset_rate, start.sway_rate) = balanced(start, stand, (shift, sway));
    }

    fn take_requests(&mut self, start: &mut State) {
        let effort = &mut self.allowance.deciding;
        let requests = std::mem::take(&mut self.control.requests);
        let since_ns = start.ns;
        self.control.held = (self.control.held || requests.stop) && !requests.released;
        if requests.stop {
            self.control.then_pack = requests.posture == Some(Posture::Pack);
            if start.mode == Mode::Walking {
                start.mode = Mode::Stopping(Stopping::now(since_ns));
            }
        }
        let posture = requests.posture.map(|posture| if posture == Posture::Pack { Posture::Sit } else { posture });
        start.mode = match (posture, start.mode) {
            (Some(Posture::Stand), Mode::Sitting | Mode::Found) => place_from(self.plant, start, 0, effort),
            (Some(Posture::Sit), Mode::Found) => sit_as_found(self.plant, start),
            (Some(Posture::Stand), Mode::Lowering(_)) => rise(self.plant, start),
            (Some(Posture::Stand), Mode::Stopping(stop)) => Mode::Stopping(Stopping { then: Then::Stand, ..stop }),
            (Some(Posture::Stand), Mode::Sequencing(sequence @ LegSequence { goal: Goal::Land(_), .. })) => {
                Mode::Sequencing(LegSequence { goal: Goal::Land(Then::Stand), ..sequence })
            }
            // Legs that were folded are not in their places: each is still to have its turn.
            (Some(Posture::Stand), Mode::Sequencing(sequence @ LegSequence { goal: Goal::Pack, .. })) => {
                Mode::Sequencing(LegSequence { goal: Goal::Stand, placed: 0, ..sequence })
            }
            (Some(Posture::Stand), Mode::Sequencing(sequence)) => {
                Mode::Sequencing(LegSequence { goal: Goal::Stand, ..sequence })
            }
            (_, Mode::Sequencing(LegSequence { goal: Goal::Pack, .. })) if self.control.then_pack => start.mode,
            (Some(Posture::Sit), Mode::Sequencing(sequence @ LegSequence { goal: Goal::Land(_), .. })) => {
                Mode::Sequencing(LegSequence { goal: Goal::Land(Then::Sit), ..sequence })
            }
            (_, Mode::Sequencing(LegSequence { goal: Goal::Land(_), .. })) => start.mode,
            (_, Mode::Sequencing(sequence)) if requests.stop => {
                Mode::Sequencing(LegSequence { goal: Goal::Sit, ..sequence })
            }
            (Some(Posture::Sit), Mode::Standing) => self.step_first(start, Then::Sit),
            (Some(Posture::Sit), Mode::Stopping(stop)) => Mode::Stopping(Stopping { then: Then::Sit, ..stop }),
            (Some(Posture::GoHome), Mode::Standing) => self.step_first(start, Then::GoHome),
            (Some(Posture::Sit), Mode::Rising(_)) => lower(self.plant, start),
            (_, mode) => mode,
        };
    }

    /// Puts the feet of a robot that stands elsewhere first, where that must be.
    fn step_first(&self, start: &mut State, then: Then) -> Mode {
        start_stepping(self.plant, start);
        Mode::Stopping(Stopping { then, ..Stopping::now(start.ns) })
    }

    /// The mode that follows: because the last one is over, or because the driver wants to walk or to stop.
    fn next_mode(&mut self, start: &mut State, wanted: Twist, asked: BodyOffset) {
        let (plant, effort) = (self.plant, &mut self.allowance.deciding);
        let has_no_way_on = self.control.barred.has_no_way_on();
        match start.mode {
            Mode::Sequencing(sequence) if sequence.part.is_done() => {
                start.mode = next_stage(plant, self.control, start, sequence, effort);
            }
            Mode::Rising(profile) if profile.is_done() => start.mode = Mode::Standing,
            Mode::Lowering(profile) if profile.is_done() => lie_down(plant, start),
            Mode::Lowering(_) if has_no_way_on => come_to_rest(plant, start),
            Mode::Sinking(profile) if profile.is_done() => end_sinking(plant, start),
            Mode::Stopping(stop) if has_no_way_on => {
                start.mode = come_down(plant, self.control, start, stop.then, effort);
            }
            _ => {}
        }
        match start.mode {
            Mode::Sitting if self.control.then_pack => start.mode = fold_from(plant, self.control, start, 0, effort),
            Mode::Sitting | Mode::Found if !wanted.is_zero() => start.mode = place_from(self.plant, start, 0, effort),
            Mode::Standing => {
                self.take_next_gait(start);
                if let Some(nominal) = self.nominal_to_start(start, asked, !wanted.is_zero()) {
                    start.walk.nominal = nominal;
                    start_stepping(plant, start);
                    self.start_walk(start, wanted);
                }
            }
            Mode::Walking if wanted.is_zero() => {
                start.mode = Mode::Stopping(Stopping::now(start.ns));
            }
            Mode::Walking => self.switch_gait(start),
            Mode::Stopping(Stopping { then: Then::Stand, .. }) if !wanted.is_zero() => {
                if start.walk.all_planted() {
                    self.start_walk(start, wanted);
                }
                start.mode = Mode::Walking;
            }
            Mode::Stopping(stop) => self.finish_stop(start, stop),
            _ => {}
        }
    }

    /// The nominal stance with which a robot that stands starts to walk, where it `walks` and may. The body's pose is
    /// looked at before that, too, so that a walk need not wait for it.
    fn nominal_to_start(&mut self, start: &State, asked: BodyOffset, walks: bool) -> Option<NominalStance> {
        let effort = &mut self.allowance.deciding;
        let Control { gaits, limits, step_height, workspace, .. } = &mut *self.control;
        let cx = Context { plant: self.plant, gait: &gaits.walked, limits, step_height: *step_height };
        let granted = granted_on_the_spot(&cx, workspace, start, asked, effort);
        if walks { nominal_to_start(&cx, start, &granted, effort) } else { None }
    }

    fn start_walk(&self, start: &mut State, wanted: Twist) {
        let limited = self.control.limits.velocity(Limited::unlimited(wanted)).twist;
        start.walk.cycle = start.walk.cycle.max(self.control.gaits.walked.cycle_times()[0]);
        let factor = stride_factor(&start.walk.nominal, &self.control.gaits.walked, start.walk.cycle, limited);
        start.walk.start(&self.control.gaits.walked, limited.scaled(factor));
        start.mode = Mode::Walking;
    }

    /// Ends a stop when nothing moves any more and, before the robot sits, its feet are under it.
    fn finish_stop(&mut self, start: &mut State, stop: Stopping) {
        let at_rest = start.walk.all_planted() && start.twist == [Twist::ZERO; 2] && self.control.ramp.is_at_rest();
        let at_rest = at_rest && start.level_rate == 0.0;
        if !at_rest {
            return;
        }
        if stop.then == Then::Stand {
            end_stepping(self.plant, start);
            start.mode = Mode::Standing;
        } else if !start.offset.is_zero() {
            // The body goes back over its feet first.
        } else if let Some(centring) = self.feet_to_centre(start, stop) {
            start.mode = Mode::Stopping(Stopping { centring, ..stop });
            if !start.walk.waiting {
                start.walk.start(&self.control.gaits.walked, Twist::ZERO);
            }
        } else if start.sway.norm() < 1e-9 && start.height_rate == 0.0 {
            start.sway = Vector2::zeros();
            if stop.then == Then::Sit {
                start.mode = lower(self.plant, start);
            } else {
                end_stepping(self.plant, start);
                start.mode = Mode::Standing;
            }
        }
    }

    /// The feet that are to be put back before the robot comes down or stands, if there are any and it is not too late.
    fn feet_to_centre(&mut self, start: &State, stop: Stopping) -> Option<u32> {
        let cx = self.control.context(self.plant);
        let centring = feet_to_centre(&cx, start, stop.then, &mut self.allowance.deciding);
        (centring != 0 && !is_late(&cx, start, stop)).then_some(centring)
    }

    fn take_next_gait(&mut self, start: &mut State) {
        if let Some(gait) = self.control.gaits.next.take() {
            self.control.gaits.walked = gait;
            start.walk.cycle = gait.cycle_time();
        }
    }

    /// Goes over to the next gait once the body is slow enough for it, and the feet are where it can take them on.
    fn switch_gait(&mut self, start: &mut State) {
        let Some(next) = self.control.gaits.next else { return };
        let twist = start.twist[1];
        if stride_factor(&start.walk.nominal, &next, next.cycle_times()[0], twist) < 1.0 - 1e-9 {
            return;
        }
        // A foot in the air would be wanted elsewhere at once: where there are moments without one, those are waited for.
        let in_the_air = self.plant.legs().len() as f64 * self.control.gaits.walked.swing_part();
        if self.plant.joints.is_some() && in_the_air < MOSTLY_LIFTED && !start.walk.all_planted() {
            return;
        }
        let mut walk = start.walk;
        walk.cycle = cycle_for(&start.walk.nominal, &next, twist);
        walk.start(&next, twist);
        if can_go_on(&self.control.context(self.plant), start, (&walk, &walk.nominal), &next) {
            (self.control.gaits.walked, self.control.gaits.next) = (next, None);
            start.walk = walk;
            start.mean_pace = 1.0;
        }
    }
}

#[cfg(test)]
mod tests;
