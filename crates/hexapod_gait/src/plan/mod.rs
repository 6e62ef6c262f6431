//! What is decided at each point of the grid: the mode, the twist, how the body moves over its feet, which of them are
//! lifted. [`Planner`] goes through the stages in this order; each takes the robot as it is and returns what it decides,
//! and only the planner writes it down.

pub(crate) mod blocked;
pub(crate) mod body;
pub(crate) mod context;
pub(crate) mod control;
pub(crate) mod fitting;
pub(crate) mod lifting;
pub(crate) mod missed;
pub(crate) mod mode;
pub(crate) mod progress;
pub(crate) mod rough;
pub(crate) mod sequence;
pub(crate) mod stand;
mod swing_height;
pub(crate) mod twist;

use crate::gait::posture::BodyOffset;
use crate::path::Path;
use crate::plan::blocked::pacing::{go_as_fast_as_may_be, hold, stay};
use crate::plan::blocked::retreat::retreat;
use crate::plan::blocked::stall_timer::StallTimer;
use crate::plan::body::balance::balanced;
use crate::plan::body::correction_decay::decay_rates;
use crate::plan::body::height::{HeightStep, height_step};
use crate::plan::body::levelling::level_rate;
use crate::plan::body::shift::{ShiftTarget, greatest_shift, shift};
use crate::plan::body::{PoseRequest, body_target, grant_on_the_spot, nominal_to_start};
use crate::plan::body::{stopping::stoppable_offset, stretched::ease, sway::sway};
use crate::plan::context::Context;
use crate::plan::control::{Control, Requests, Sensing, Tuning};
use crate::plan::fitting::Fit;
use crate::plan::lifting::{LiftCache, LiftDecision, lean_settled, lift_decision, turn_passed_on};
use crate::plan::mode::{first_steps, following, requests::requested, setting_out, stopped, switching::switched};
use crate::plan::progress::Progress;
use crate::plan::sequence::descent::come_to_rest;
use crate::plan::sequence::placing::{fold_from, place_from};
use crate::plan::stand::{Stand, greatest_way, may_near_edge, stand_of};
use crate::plan::swing_height::{feel, lift};
use crate::plan::twist::{Cadence, TwistStep, bounded, cadence, steer};
use crate::plane::{grid::GRID_NS, ramp::Ramp, twist::Twist};
use crate::plant::Plant;
use crate::state::State;
use crate::state::mode::{Goal, LegSequence, Mode, Stopping, Then};
use crate::state::{allowance::Allowance, rates::BodyRates, segment::Segment, tick::Input, walk::Step};
use hexapod_kinematics::Look;
use nalgebra::Vector2;

/// Plans the path of a robot, from one point of the grid to the next.
pub(crate) struct Planner<'a> {
    pub plant: &'a Plant,
    pub tuning: &'a Tuning,
    pub control: &'a mut Control,
    /// What is left until the next point of the grid of what may be worked out.
    pub allowance: &'a mut Allowance,
    /// How near legs were to each other when that was looked at.
    pub look: &'a mut Look,
}

impl Planner<'_> {
    /// Puts the next segment in its place, which is large and not handed about. `start`, from where it goes, gets all that
    /// is decided there.
    pub(crate) fn next_segment(&mut self, start: &mut State, input: &Input, segment: &mut Segment) {
        let planned = self.plan(start, input);
        segment.begin(start, planned.unwrap_or(GRID_NS - start.ns % GRID_NS));
        match planned {
            None => hold(&self.path(), start, segment),
            Some(_) => self.go_on(start, segment),
        }
        self.control.settle(self.plant, start, segment);
    }

    /// Decides how it goes on from `start`; for how many ns: to the next point of the grid, or until a foot is lifted or
    /// put down. `None` where that has been done too often since the last point of the grid.
    fn plan(&mut self, start: &mut State, input: &Input) -> Option<u64> {
        self.allowance.rounds = self.allowance.rounds.checked_sub(1)?;
        if start.ns.is_multiple_of(GRID_NS) {
            self.decide(start, input);
        }
        let ns = GRID_NS - start.ns % GRID_NS;
        if !start.mode.steps() {
            return Some(ns);
        }
        self.lift_and_put_down(start);
        let event_ns = (start.walk.time_to_event(&self.control.gaits.walked) * 1e9).ceil();
        Some(if event_ns < ns as f64 { (event_ns as u64).max(1) } else { ns })
    }

    fn decide(&mut self, start: &mut State, input: &Input) {
        self.look_at_ground(start);
        self.fit_gait();
        self.control.sensing = Sensing::of(input);
        let requests = self.control.take_requests();
        let wanted = self.control.wanted_twist(input.twist);
        self.answer(start, requests);
        let asked = input.body_offset.clipped();
        self.control.wanted = wanted;
        self.next_mode(start, wanted, asked);
        self.control.leaving = matches!(start.mode, Mode::Standing) && !wanted.is_zero();
        if start.mode.steps() {
            start.walk.aim_at(&self.control.sensing.footholds);
        }
        let stand = self.stand(start);
        self.turn(start, wanted, stand.as_ref());
        self.move_body(start, PoseRequest { walks: !wanted.is_zero(), offset: asked }, stand.as_ref());
    }

    /// Takes down how rough the ground is, and the gait as it is walked where feet are lifted so high.
    fn look_at_ground(&mut self, start: &State) {
        let before = self.control.roughness.level;
        self.control.roughness = self.control.roughness.next(&self.plant.rough, start);
        if self.control.roughness.level != before {
            let fit = Fit::on(self.plant, self.tuning, self.control.roughness.level);
            fit.time(&mut self.control.gaits);
        }
    }

    /// Takes up the limits and the lift of the gait that is walked.
    fn fit_gait(&mut self) {
        let fit = Fit::on(self.plant, self.tuning, self.control.roughness.level);
        self.control.limits = fit.limits_for(&self.control.gaits.walked);
        self.control.step_height = fit.lift_with(&self.control.gaits.walked);
    }

    /// Turns to what is asked of the robot from outside.
    fn answer(&mut self, start: &mut State, requests: Requests) {
        let budget = &mut self.allowance.deciding;
        if let Some(next) = requested(self.plant, start, requests, self.control.then_pack, budget) {
            *start = next;
        }
    }

    /// The mode that follows: because the last one is over, or because the driver wants to walk or to stop.
    fn next_mode(&mut self, start: &mut State, wanted: Twist, asked: BodyOffset) {
        self.end_what_is_over(start);
        let budget = &mut self.allowance.deciding;
        match start.mode {
            Mode::Sitting if self.control.then_pack => match fold_from(self.plant, start, 0, budget) {
                Some(mode) => start.mode = mode,
                None => self.control.then_pack = false,
            },
            Mode::Sitting | Mode::UnplannedPose if !wanted.is_zero() => {
                *start = place_from(self.plant, start, 0, budget)
            }
            Mode::Standing => self.leave(start, wanted, asked),
            Mode::Walking if wanted.is_zero() => start.mode = Mode::Stopping(Stopping::now(start.ns)),
            Mode::Walking if self.control.progress.is_lost() => {
                self.control.give_up();
                start.mode = Mode::Stopping(Stopping::now(start.ns));
            }
            Mode::Walking => self.switch_gait(start),
            Mode::Stopping(Stopping { then: Then::Stand, .. }) if !wanted.is_zero() => {
                if start.walk.all_planted() {
                    start.walk = first_steps(&self.control.context(self.plant), start, wanted);
                }
                start.mode = Mode::Walking;
            }
            Mode::Stopping(stop) => {
                let cx = self.control.context(self.plant);
                if let Some(next) = stopped(&cx, start, &self.control.ramp, stop, budget) {
                    *start = next;
                }
            }
            _ => {}
        }
    }

    /// Turns to what follows what is over.
    fn end_what_is_over(&mut self, start: &mut State) {
        let (is_stalled, budget) = (self.control.stall_timer.expired(), &mut self.allowance.deciding);
        let Some(next) = following(self.plant, start, is_stalled, budget) else { return };
        match start.mode {
            Mode::Stopping(_) => (self.control.ramp, self.control.stall_timer) = (Ramp::REST, StallTimer::default()),
            Mode::Sequencing(LegSequence { goal: Goal::Pack, .. }) if next.mode == Mode::Sitting => {
                self.control.then_pack = false;
            }
            _ => {}
        }
        *start = next;
    }

    /// Goes over to the next gait, if one waits and may be taken up.
    fn switch_gait(&mut self, start: &mut State) {
        let Some(next) = self.control.gaits.next else { return };
        let waited = start.ns.saturating_sub(self.control.gaits.since_ns) as f64 * 1e-9;
        if let Some(walk) = switched(&self.control.context(self.plant), start, &next, waited) {
            self.control.gaits.take_next();
            self.fit_gait();
            (start.walk, start.mean_pace) = (walk, 1.0);
        }
    }

    /// Sets out from where the robot stands, where a twist is wanted and the feet have room. The body's pose is looked at
    /// before that, too, so that a walk need not wait for it.
    fn leave(&mut self, start: &mut State, wanted: Twist, asked: BodyOffset) {
        if let Some(gait) = self.control.gaits.take_next() {
            start.walk.cycle = gait.cycle_time();
            self.fit_gait();
        }
        let budget = &mut self.allowance.deciding;
        let Control { gaits, limits, step_height, workspace, .. } = &mut *self.control;
        let cx = Context { plant: self.plant, gait: &gaits.walked, limits, step_height: *step_height };
        let granted = grant_on_the_spot(&cx, workspace, start, asked, budget);
        if wanted.is_zero() {
            return;
        }
        if let Some(nominal) = nominal_to_start(&cx, start, &granted, budget) {
            *start = setting_out(&cx, start, nominal, wanted);
            self.control.progress = Progress::default();
        }
    }

    /// How a robot that steps stands, where that is near its limit.
    #[inline]
    fn stand(&self, start: &mut State) -> Option<Stand> {
        if !start.mode.steps() {
            // Looked at as soon as it steps.
            start.margin_budget_m = f64::NEG_INFINITY;
            return None;
        }
        let cx = self.control.context(self.plant);
        let stand = stand_of(&cx, start)?;
        start.margin_budget_m = stand.margin_budget_m();
        may_near_edge(&cx, start).then_some(stand)
    }

    /// Decides the twist until the next point of the grid.
    fn turn(&mut self, start: &mut State, wanted: Twist, stand: Option<&Stand>) {
        if !start.mode.steps() {
            (start.twist, start.aim) = ([Twist::ZERO; 2], [Twist::ZERO; 2]);
            start.limited_by = self.control.gave_up().unwrap_or_default();
            return;
        }
        let Control { gaits, limits, step_height, ramp, .. } = &mut *self.control;
        let cx = Context { plant: self.plant, gait: &gaits.walked, limits, step_height: *step_height };
        let wanted = bounded(&cx, start, if matches!(start.mode, Mode::Walking) { wanted } else { Twist::ZERO });
        let Cadence { cycle, mean_pace } = cadence(&cx, start, wanted.twist);
        start.walk.take_up_cycle(cycle);
        start.mean_pace = mean_pace;
        let TwistStep { limited, aim } = steer(&cx, ramp, gaits, start, wanted, stand);
        start.twist = [start.twist[1], limited.twist];
        start.aim = [start.aim[1], aim];
        start.limited_by = limited.by;
    }

    /// Decides how the body moves over its feet until the next point of the grid.
    fn move_body(&mut self, start: &mut State, wanted: PoseRequest, stand: Option<&Stand>) {
        if start.mode.is_coming_down() {
            start.rates = BodyRates { height: start.rates.height, ..BodyRates::REST };
            return;
        }
        let budget = &mut self.allowance.deciding;
        let Control { gaits, limits, step_height, workspace, sensing: Sensing { up, .. }, .. } = &mut *self.control;
        let cx = Context { plant: self.plant, gait: &gaits.walked, limits, step_height: *step_height };
        let (aim, height_rate) = (body_target(&cx, workspace, start, wanted, budget), start.rates.height);
        let mut height_left = 0.0;
        if let Some(HeightStep { height, rate, is_free, nominal }) =
            aim.nominal.and_then(|wanted| height_step(&cx, start, wanted))
        {
            height_left = if is_free { aim.height_left } else { 0.0 };
            (start.height, start.rates.height, start.walk.nominal) = (height, rate, nominal);
        }
        if start.offset.is_near(&aim.offset) && aim.auto_pose.is_none() {
            start.offset = aim.offset;
        }
        let (target, height_rates) = (aim.offset, [height_rate, start.rates.height]);
        let ease = ease(&cx, start, target, budget);
        let shift =
            shift(&cx, start, &ShiftTarget { target, ease, auto_pose: aim.auto_pose, height_rates, height_left });
        let (shift, by) = stoppable_offset(&cx, start, shift, ease, budget, self.look);
        if matches!(start.mode, Mode::Standing) {
            start.limited_by = start.limited_by.max(by);
        }
        let shifted = greatest_shift(&cx, &shift);
        (start.margin_budget_m, start.required_margin_m) =
            (start.margin_budget_m - shifted - greatest_way(&cx, start), start.required_margin_m - shifted);
        let (height, level) = (start.rates.height, level_rate(&cx, start, *up));
        let correction = decay_rates(&cx, start);
        let rates = BodyRates { height, level, correction, offset: shift, sway: sway(&cx, start, stand, budget) };
        start.rates = balanced(&cx, start, stand, rates);
        start.lean_settled = lean_settled(&cx, start);
    }

    /// Puts down feet whose swing is over and lifts those whose turn it is.
    fn lift_and_put_down(&mut self, start: &mut State) {
        let cx = self.control.context(self.plant);
        if let Some(phase) = turn_passed_on(&cx, start) {
            start.walk.phase = phase;
        }
        let sensed = self.control.sensed(start.ns);
        // In a stop feet are to be down soon.
        let walks = matches!(start.mode, Mode::Walking).then(|| start.aim_after(0.0));
        feel(&cx, start, &sensed, walks, &mut self.allowance.deciding);
        let (mut waiting, mut found) = (false, LiftCache::default());
        for leg in 0..self.plant.legs().len() {
            let Some(LiftDecision { lifts, waits, margin_budget_m, required_margin_m }) =
                lift_decision(&cx, start, leg, &mut found)
            else {
                continue;
            };
            waiting |= waits;
            start.margin_budget_m = margin_budget_m;
            if lifts {
                start.required_margin_m = required_margin_m;
                let step = Step {
                    twist: start.twist_after(0.0),
                    aim: start.aim_after(0.0),
                    height: cx.step_height,
                    highest: self.plant.stance.own_spec().step_height,
                    reach: start.walk.nominal.reach_with(cx.gait),
                    foothold: self.control.sensing.foothold(leg),
                    slope: sensed.by(leg).contact.map_or_else(Vector2::zeros, |_| start.walk.slope_ahead()),
                };
                lift(&cx, start, leg, &step, &mut self.allowance.deciding);
            }
        }
        start.walk.waiting = waiting;
    }

    /// Goes along a planned segment, or on whatever way is open where that one is blocked.
    fn go_on(&mut self, start: &mut State, segment: &mut Segment) {
        let path = Path { plant: self.plant, gait: &self.control.gaits.walked };
        if go_as_fast_as_may_be(&path, start, segment, &mut self.allowance.going_on, self.look).is_ok() {
            return;
        }
        let rates = &mut segment.advance.rates;
        *rates = BodyRates { offset: rates.offset, sway: rates.sway, ..BodyRates::REST };
        if let Mode::Lowering(_) = start.mode {
            // A body that is on its way down has come far enough, or goes on without its feet.
            *start = come_to_rest(self.plant, start);
            stay(&path, start, segment);
        } else {
            retreat(&path, start, segment, self.control.leaving, &mut self.allowance.going_back, self.look);
        }
    }

    fn path(&self) -> Path<'_> {
        Path { plant: self.plant, gait: &self.control.gaits.walked }
    }
}

#[cfg(test)]
mod tests;
