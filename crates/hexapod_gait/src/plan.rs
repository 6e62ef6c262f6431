//! What is decided at each point of the grid: the mode, where the body goes, which feet are lifted.

use crate::control::Control;
use crate::control::Posture;
use crate::engine::Engine;
use crate::grid::{GRID_NS, GRID_S};
use crate::limits::{Limited, LimitedBy};
use crate::mode::{Goal, Mode, Placing, Stopping, Then};
use crate::ramp::Ramp;
use crate::state::State;
use crate::tick::Input;
use crate::twist::Twist;
use nalgebra::Vector2;

/// The margin with which a foot may be lifted, m, and the one below which it is watched.
pub(crate) const LIFT_MARGIN_M: f64 = 0.006;
const TIGHT_M: f64 = 0.03;
/// Feet in the air on the mean up to which there are moments with none.
const MOSTLY_LIFTED: f64 = 0.95;

impl Engine {
    /// Decides how it goes on from `start`; for how many ns: to the next point of the grid, or until a foot is lifted or
    /// put down.
    pub(crate) fn plan(&mut self, start: &mut State, input: &Input) -> u64 {
        if start.ns.is_multiple_of(GRID_NS) {
            self.decide(start, input);
        }
        let mut ns = GRID_NS - start.ns % GRID_NS;
        if start.mode.steps() {
            self.pass_the_turn(start);
            self.lift_and_put_down(start);
            let event_ns = (start.walk.time_to_event(&self.now.control.gaits.walked) * 1e9).ceil();
            if event_ns < ns as f64 {
                ns = (event_ns as u64).max(1);
            }
        }
        ns
    }

    fn decide(&mut self, start: &mut State, input: &Input) {
        let limits = self.limits_for(&self.now.control.gaits.walked);
        let control = &mut self.now.control;
        (control.limits, control.sensed) = (limits, input.contacts);
        self.take_requests(start);
        let wanted = wanted_twist(&mut self.now.control, input.twist);
        self.next_mode(start, wanted, input);
        self.now.control.step_height = self.lift_with(&self.now.control.gaits.walked);
        let stand = if start.mode.steps() { self.stand_of(start) } else { None };
        if start.mode.steps() {
            let wanted = if start.mode == Mode::Walking { wanted } else { Twist::ZERO };
            self.steer(start, wanted, stand.as_ref());
        } else {
            (start.twist, start.aim) = ([Twist::ZERO; 2], [Twist::ZERO; 2]);
            start.limited_by = LimitedBy::Nothing;
        }
        self.move_body(start, wanted, input.body_offset.clipped(), stand.as_ref());
    }

    /// Notes the driver's twist where the next step may not see it, because another one follows before: a stick that
    /// is at rest, after a stop or as it comes, has been let go.
    pub fn notice(&mut self, twist: Twist) {
        self.now.control.requests.released |= !twist.is_command();
    }

    fn take_requests(&mut self, start: &mut State) {
        let requests = std::mem::take(&mut self.now.control.requests);
        let since_ns = start.ns;
        self.now.control.held = (self.now.control.held || requests.stop) && !requests.released;
        if requests.stop {
            self.now.control.then_pack = requests.posture == Some(Posture::Pack);
            if start.mode == Mode::Walking {
                start.mode = Mode::Stopping(Stopping::now(since_ns));
            }
        }
        let posture = requests.posture.map(|posture| if posture == Posture::Pack { Posture::Sit } else { posture });
        start.mode = match (posture, start.mode) {
            (Some(Posture::Stand), Mode::Sitting | Mode::Found) => self.place_from(start, 0),
            (Some(Posture::Sit), Mode::Found) => self.sit_as_found(start),
            (Some(Posture::Stand), Mode::Lowering(_)) => self.rise(start),
            (Some(Posture::Stand), Mode::Stopping(stop)) => Mode::Stopping(Stopping { then: Then::Stand, ..stop }),
            (Some(Posture::Stand), Mode::Placing(placing @ Placing { goal: Goal::Land(_), .. })) => {
                Mode::Placing(Placing { goal: Goal::Land(Then::Stand), ..placing })
            }
            // Legs that were folded are not in their places: each is still to have its turn.
            (Some(Posture::Stand), Mode::Placing(placing @ Placing { goal: Goal::Pack, .. })) => {
                Mode::Placing(Placing { goal: Goal::Stand, placed: 0, ..placing })
            }
            (Some(Posture::Stand), Mode::Placing(placing)) => Mode::Placing(Placing { goal: Goal::Stand, ..placing }),
            (_, Mode::Placing(Placing { goal: Goal::Pack, .. })) if self.now.control.then_pack => start.mode,
            (Some(Posture::Sit), Mode::Placing(placing @ Placing { goal: Goal::Land(_), .. })) => {
                Mode::Placing(Placing { goal: Goal::Land(Then::Sit), ..placing })
            }
            (_, Mode::Placing(Placing { goal: Goal::Land(_), .. })) => start.mode,
            (_, Mode::Placing(placing)) if requests.stop => Mode::Placing(Placing { goal: Goal::Sit, ..placing }),
            (Some(Posture::Sit), Mode::Standing) => self.step_first(start, Then::Sit),
            (Some(Posture::Sit), Mode::Stopping(stop)) => Mode::Stopping(Stopping { then: Then::Sit, ..stop }),
            (Some(Posture::GoHome), Mode::Standing) => self.step_first(start, Then::GoHome),
            (Some(Posture::Sit), Mode::Rising(_)) => self.lower(start),
            (_, mode) => mode,
        };
    }

    /// Puts the feet of a robot that stands elsewhere first, where that must be.
    fn step_first(&self, start: &mut State, then: Then) -> Mode {
        self.start_stepping(start);
        Mode::Stopping(Stopping { then, ..Stopping::now(start.ns) })
    }

    /// The mode that follows: because the last one is over, or because the driver wants to walk or to stop.
    fn next_mode(&mut self, start: &mut State, wanted: Twist, input: &Input) {
        match start.mode {
            Mode::Placing(placing) if placing.part.is_done() => start.mode = self.after_placing(start, placing),
            Mode::Rising(glide) if glide.is_done() => start.mode = Mode::Standing,
            Mode::Lowering(glide) if glide.is_done() => self.lie_down(start),
            Mode::Lowering(_) if self.has_no_way_on() => self.come_to_rest(start),
            Mode::Sinking(glide) if glide.is_done() => self.end_sinking(start),
            Mode::Stopping(stop) if self.has_no_way_on() => start.mode = self.come_down(start, stop.then),
            _ => {}
        }
        match start.mode {
            Mode::Sitting if self.now.control.then_pack => start.mode = self.fold_from(start, 0),
            Mode::Sitting | Mode::Found if !wanted.is_zero() => start.mode = self.place_from(start, 0),
            Mode::Standing => {
                self.take_next_gait(start);
                if wanted.is_zero() {
                    // So that it is known when the robot is to walk.
                    self.granted_on_the_spot(start, input.body_offset.clipped());
                }
                if !wanted.is_zero() && self.may_start(start, input.body_offset.clipped()) {
                    self.start_stepping(start);
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

    fn start_walk(&self, start: &mut State, wanted: Twist) {
        let limited = self.now.control.limits.velocity(Limited::unlimited(wanted)).twist;
        start.walk.cycle = start.walk.cycle.max(self.now.control.gaits.walked.cycle_times()[0]);
        let factor =
            Self::stride_factor(&start.walk.footing, &self.now.control.gaits.walked, start.walk.cycle, limited);
        start.walk.start(&self.now.control.gaits.walked, limited.scaled(factor));
        start.mode = Mode::Walking;
    }

    /// Ends a stop when nothing moves any more and, before the robot sits, its feet are under it.
    fn finish_stop(&mut self, start: &mut State, stop: Stopping) {
        let at_rest = start.walk.all_planted() && start.twist == [Twist::ZERO; 2] && self.now.control.ramp.is_at_rest();
        if !at_rest {
            return;
        }
        if stop.then == Then::Stand {
            self.end_stepping(start);
            start.mode = Mode::Standing;
        } else if !start.offset.is_zero() {
            // The body goes back over its feet first.
        } else if let centring = self.deciding(|engine, effort| engine.feet_to_centre(start, stop.then, effort))
            && centring != 0
            && !self.is_late(start, stop)
        {
            start.mode = Mode::Stopping(Stopping { centring, ..stop });
            if !start.walk.waiting {
                start.walk.start(&self.now.control.gaits.walked, Twist::ZERO);
            }
        } else if start.sway.norm() < 1e-9 && start.height_rate == 0.0 {
            start.sway = Vector2::zeros();
            if stop.then == Then::Sit {
                start.mode = self.lower(start);
            } else {
                self.end_stepping(start);
                start.mode = Mode::Standing;
            }
        }
    }

    fn take_next_gait(&mut self, start: &mut State) {
        if let Some(gait) = self.now.control.gaits.next.take() {
            self.now.control.gaits.walked = gait;
            start.walk.cycle = gait.cycle_time();
        }
    }

    /// Goes over to the next gait once the body is slow enough for it, and the feet are where it can take them on.
    fn switch_gait(&mut self, start: &mut State) {
        let Some(next) = self.now.control.gaits.next else { return };
        let twist = start.twist[1];
        if Self::stride_factor(&start.walk.footing, &next, next.cycle_times()[0], twist) < 1.0 - 1e-9 {
            return;
        }
        // A foot in the air would be wanted elsewhere at once: where there are moments without one, those are waited for.
        let in_the_air = self.legs().len() as f64 * self.now.control.gaits.walked.swing_part();
        if self.plant.joints.is_some() && in_the_air < MOSTLY_LIFTED && !start.walk.all_planted() {
            return;
        }
        let mut walk = start.walk;
        walk.cycle = self.cycle_for(&start.walk.footing, &next, twist);
        walk.start(&next, twist);
        if self.can_go_on(start, (&walk, &walk.footing), &next) {
            (self.now.control.gaits.walked, self.now.control.gaits.next) = (next, None);
            start.walk = walk;
            start.mean_pace = 1.0;
        }
    }

    /// Puts down feet whose swing is over and lifts those whose turn it is, if the robot stands on the rest.
    fn lift_and_put_down(&self, start: &mut State) {
        let gait = &self.now.control.gaits.walked;
        let sensed = self.now.control.sensed;
        start.walk.put_down(&sensed);
        start.walk.waiting = false;
        let mut centre = None;
        for leg in 0..self.legs().len() {
            let out_of_turn = self.is_out_of_turn(start, leg);
            if !(out_of_turn || start.walk.is_due(gait, leg) && self.may_lift(start, leg)) {
                continue;
            }
            // Out of turn no other feet catch the robot, whatever the gait.
            if out_of_turn || gait.is_stable() {
                let centre = *centre.get_or_insert_with(|| start.centre(&self.plant));
                let mut margin = start.margin_without(leg, centre);
                if let Some(joints) = &self.plant.joints {
                    margin = margin.min(start.margin_without(leg, centre + run_out(start, joints.shift_m_s2())));
                }
                start.tight = margin < TIGHT_M;
                if margin < LIFT_MARGIN_M {
                    // Its turn stays until the others are down.
                    start.walk.waiting |= !out_of_turn;
                    continue;
                }
            }
            let (twists, height) = ((start.twist_after(0.0), start.aim_after(0.0)), self.now.control.step_height);
            let reach = start.walk.footing.reach_with(gait);
            start.walk.lift(gait, leg, twists, (height, reach));
        }
    }

    /// Where the body rests and has leant as far as it can, and still the foot whose turn it is may not be lifted: gives
    /// the turn to one without which the robot stands, so that feet that stand badly get better places.
    fn pass_the_turn(&self, start: &mut State) {
        let rests = start.twist == [Twist::ZERO; 2] && start.sway_rate == Vector2::zeros();
        if !(start.walk.waiting && start.walk.all_planted() && rests) {
            return;
        }
        let centre = start.centre(&self.plant);
        let distance = |leg: usize| (start.walk.foot(leg).position().xy() - start.walk.footing.place(leg)).norm();
        let free = (0..self.legs().len())
            .filter(|&leg| start.walk.foot(leg).is_planted() && start.margin_without(leg, centre) >= LIFT_MARGIN_M);
        if let Some(leg) = free.max_by(|&a, &b| distance(a).total_cmp(&distance(b))) {
            start.walk.phase = self.now.control.gaits.walked.lift_off_phase(leg);
        }
    }

    /// Whether a leg is to be lifted at all: in a stop only before it is too late to be down again within the cycle,
    /// and only if it would else be dragged out of its reach before the body rests.
    fn may_lift(&self, start: &State, leg: usize) -> bool {
        let Mode::Stopping(stop) = start.mode else { return true };
        if self.is_centring(start, stop) && stop.centring & (1 << leg) != 0 {
            return true;
        }
        let since = (start.ns - stop.since_ns) as f64 * 1e-9;
        if since > start.walk.cycle * self.now.control.gaits.walked.duty_factor() - GRID_S {
            return false;
        }
        let at = start.walk.foot(leg).position().xy();
        let twist = start.twist[1];
        let limits = &self.now.control.limits;
        let time = Ramp::lag(limits)
            + 0.5 * (twist.speed() / limits.linear_acceleration).max(twist.wz.abs() / limits.angular_acceleration);
        let offset = at - twist.velocity_at(at) * time - start.walk.footing.place(leg);
        start.walk.footing.reach_with(&self.now.control.gaits.walked).part(offset) > 0.98
    }

    pub(crate) fn rise(&self, start: &State) -> Mode {
        Mode::Rising(self.plant.glide(start.height, self.plant.stance.spec().height, self.plant.stand_time))
    }

    pub(crate) fn lower(&self, start: &State) -> Mode {
        Mode::Lowering(self.plant.glide(start.height, self.plant.stance.spec().sit_height, self.plant.sit_time))
    }
}

/// How far a sway goes on until it has come to rest, m, when it changes by no more than `greatest` m/s^2.
fn run_out(start: &State, greatest: f64) -> Vector2<f64> {
    start.sway_rate * (start.sway_rate.norm() / (2.0 * greatest))
}

/// The driver's twist, or none: while a stop holds, until the stick has been let go, and for a stick's noise.
fn wanted_twist(control: &mut Control, twist: Twist) -> Twist {
    if !twist.is_command() {
        control.held = false;
        return Twist::ZERO;
    }
    if control.held { Twist::ZERO } else { twist }
}
