//! What is decided at each point of the grid: the mode, where the body goes, which feet are lifted.

use crate::engine::{Engine, Posture};
use crate::limits::{Limited, LimitedBy};
use crate::posture::{BodyOffset, Glide};
use crate::ramp::Ramp;
use crate::state::{Control, GRID_NS, GRID_S, Goal, Mode, Placing, State, Stopping};
use crate::steer::{Stand, short_of_edges, stoppable};
use crate::support::SupportPolygon;
use crate::tick::Input;
use crate::twist::Twist;
use crate::walk::Foot;
use nalgebra::{SVector, Vector2, Vector3};

/// Twists below these are no command: a stick's noise must not make the robot tread on the spot.
const LEAST_SPEED_M_S: f64 = 5e-4;
const LEAST_TURN_RAD_S: f64 = 2e-3;
/// The margin with which a foot may be lifted, m, and the one below which it is watched.
pub(crate) const LIFT_MARGIN_M: f64 = 0.006;
const TIGHT_M: f64 = 0.03;
/// Points of the grid from one look at all the feet's room to the next.
const LOOK_STEPS: u64 = 8;
/// How many times as fast the body goes back over its feet to sit down.
const HASTE: f64 = 2.0;
/// How fast the body sways, m/s.
const SWAY_RATE_M_S: f64 = 0.15;
/// Feet in the air on the mean up to which there are moments with none.
const MOSTLY_LIFTED: f64 = 0.95;
/// Parts of a lean that are tried where the robot needs more than its feet keep free for it.
const LEANS: [f64; 8] = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3];

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
            let event_ns = (start.walk.time_to_event(&self.now.gait) * 1e9).ceil();
            if event_ns < ns as f64 {
                ns = (event_ns as u64).max(1);
            }
        }
        ns
    }

    fn decide(&mut self, start: &mut State, input: &Input) {
        let limits = self.limits_for(&self.now.gait);
        let control = &mut self.now.control;
        (control.limits, control.step_height, control.sensed) = (limits, self.settings.step_height, input.contacts);
        self.take_requests(start);
        let wanted = wanted_twist(&mut self.now.control, input.twist);
        self.next_mode(start, wanted, input);
        let stand = if start.mode.steps() { self.stand_of(start) } else { None };
        if start.mode.steps() {
            let wanted = if start.mode == Mode::Walking { wanted } else { Twist::ZERO };
            self.steer(start, wanted, stand.as_ref());
        } else {
            (start.twist, start.aim) = ([Twist::ZERO; 2], [Twist::ZERO; 2]);
            start.limited_by = LimitedBy::Nothing;
        }
        let shift_m_s2 = self.joints.as_ref().map_or(f64::INFINITY, |joints| joints.shift_m_s2());
        self.now.control.leaving = start.mode == Mode::Standing && !wanted.is_zero();
        let target = self.offset_target(start, wanted, input.body_offset.clipped());
        if start.offset.is_near(&target) {
            start.offset = target;
        }
        // Whoever waits for a robot to sit waits to let its servos go.
        let haste = if matches!(start.mode, Mode::Stopping(Stopping { then_sit: true, .. })) { HASTE } else { 1.0 };
        let wanted = start.offset.rate_to(&start.offset.towards(target, haste * GRID_S), GRID_S);
        let (left, last) = (start.offset.rate_to(&target, 1.0), start.offset_rate);
        start.offset_rate = BodyOffset {
            translation: gentle(last.translation, wanted.translation, left.translation.norm(), shift_m_s2),
            // A foot is about as far from the body's centre as the resting feet are.
            rotation: gentle(last.rotation, wanted.rotation, left.rotation.norm(), shift_m_s2 / self.farthest_rest()),
        };
        let sway = self.sway_target(start, stand.as_ref()) - start.sway;
        let greatest = SWAY_RATE_M_S * GRID_S;
        let part = if sway.norm() > greatest { greatest / sway.norm() } else { 1.0 };
        let rate = if sway.norm() < 1e-9 { Vector2::zeros() } else { sway * (part / GRID_S) };
        let rate = short_of_edges(stand.as_ref(), rate, shift_m_s2);
        start.sway_rate = gentle(start.sway_rate, rate, sway.norm(), shift_m_s2);
        self.keep_balance(start, stand.as_ref());
    }

    fn take_requests(&mut self, start: &mut State) {
        let requests = std::mem::take(&mut self.now.requests);
        let since_ns = start.ns;
        if requests.stop {
            self.now.control.held = true;
            self.now.control.then_pack = requests.posture == Some(Posture::Pack);
            if start.mode == Mode::Walking {
                start.mode = Mode::Stopping(Stopping::now(since_ns));
            }
        }
        let posture = requests.posture.map(|posture| if posture == Posture::Pack { Posture::Sit } else { posture });
        start.mode = match (posture, start.mode) {
            (Some(Posture::Stand), Mode::Sitting) => self.place_from(start, 0),
            (Some(Posture::Stand), Mode::Lowering(_)) => self.rise(start),
            (Some(Posture::Stand), Mode::Stopping(stop)) => Mode::Stopping(Stopping { then_sit: false, ..stop }),
            (Some(Posture::Stand), Mode::Placing(placing)) => Mode::Placing(Placing { goal: Goal::Stand, ..placing }),
            (_, Mode::Placing(Placing { goal: Goal::Pack, .. })) if self.now.control.then_pack => start.mode,
            (_, Mode::Placing(placing)) if requests.stop => Mode::Placing(Placing { goal: Goal::Sit, ..placing }),
            (Some(Posture::Sit), Mode::Standing) => {
                Mode::Stopping(Stopping { then_sit: true, ..Stopping::now(since_ns) })
            }
            (Some(Posture::Sit), Mode::Stopping(stop)) => Mode::Stopping(Stopping { then_sit: true, ..stop }),
            (Some(Posture::Sit), Mode::Rising(_)) => self.lower(start),
            (_, mode) => mode,
        };
    }

    /// The mode that follows: because the last one is over, or because the driver wants to walk or to stop.
    fn next_mode(&mut self, start: &mut State, wanted: Twist, input: &Input) {
        match start.mode {
            Mode::Placing(placing) if placing.part.is_done() => start.mode = self.after_placing(start, placing),
            Mode::Rising(glide) if glide.is_done() => start.mode = Mode::Standing,
            Mode::Lowering(glide) if glide.is_done() => self.lie_down(start),
            _ => {}
        }
        match start.mode {
            Mode::Sitting if self.now.control.then_pack => start.mode = self.fold_from(start, 0),
            Mode::Sitting if !wanted.is_zero() => start.mode = self.place_from(start, 0),
            Mode::Standing => {
                self.take_next_gait(start);
                if wanted.is_zero() {
                    // So that it is known when the robot is to walk.
                    self.granted(start, input.body_offset.clipped());
                }
                if !wanted.is_zero() && self.may_start(start, input.body_offset.clipped()) {
                    self.start_walk(start, wanted);
                }
            }
            Mode::Walking if wanted.is_zero() => {
                start.mode = Mode::Stopping(Stopping::now(start.ns));
            }
            Mode::Walking => self.switch_gait(start),
            Mode::Stopping(Stopping { then_sit: false, .. }) if !wanted.is_zero() => {
                if start.walk.all_planted() {
                    self.start_walk(start, wanted);
                }
                start.mode = Mode::Walking;
            }
            Mode::Stopping(stop) => self.finish_stop(start, stop),
            _ => {}
        }
    }

    /// Whether the body is where the feet have room to walk.
    fn may_start(&mut self, start: &State, asked: BodyOffset) -> bool {
        let looks = (start.ns / GRID_NS).is_multiple_of(LOOK_STEPS);
        self.granted(start, asked).is_near(&start.offset)
            || start.offset.is_zero()
            || (looks && self.leaves_room(start, start.offset))
    }

    fn start_walk(&self, start: &mut State, wanted: Twist) {
        let limited = self.now.control.limits.velocity(Limited::unlimited(wanted)).twist;
        start.walk.cycle = start.walk.cycle.max(self.cycle_times(&self.now.gait)[0]);
        let factor = self.stride_factor(&self.now.gait, start.walk.cycle, limited);
        start.walk.start(&self.now.gait, &self.stance, limited.scaled(factor));
        start.mode = Mode::Walking;
    }

    /// Ends a stop when nothing moves any more and, before the robot sits, its feet are under it.
    fn finish_stop(&mut self, start: &mut State, stop: Stopping) {
        let at_rest = start.walk.all_planted() && start.twist == [Twist::ZERO; 2] && self.now.control.ramp.is_at_rest();
        if !at_rest {
            return;
        }
        if !stop.then_sit {
            start.mode = Mode::Standing;
        } else if !start.offset.is_zero() {
            // The body goes back over its feet first.
        } else if let centring = self.feet_in_the_way(start)
            && centring != 0
            && !self.is_late(start, stop)
        {
            start.mode = Mode::Stopping(Stopping { centring, ..stop });
            if !start.walk.waiting {
                start.walk.start(&self.now.gait, &self.stance, Twist::ZERO);
            }
        } else if start.sway.norm() < 1e-9 {
            start.sway = Vector2::zeros();
            start.mode = self.lower(start);
        }
    }

    fn take_next_gait(&mut self, start: &mut State) {
        if let Some(gait) = self.now.next_gait.take() {
            self.now.gait = gait;
            start.walk.cycle = gait.cycle_time();
        }
    }

    /// Goes over to the next gait once the body is slow enough for it, and the feet are where it can take them on.
    fn switch_gait(&mut self, start: &mut State) {
        let Some(next) = self.now.next_gait else { return };
        let twist = start.twist[1];
        if self.stride_factor(&next, self.cycle_times(&next)[0], twist) < 1.0 - 1e-9 {
            return;
        }
        // A foot in the air would be wanted elsewhere at once: where there are moments without one, those are waited for.
        let in_the_air = self.legs().len() as f64 * self.now.gait.swing_part();
        if self.joints.is_some() && in_the_air < MOSTLY_LIFTED && !start.walk.all_planted() {
            return;
        }
        let mut walk = start.walk;
        walk.cycle = self.cycle_for(&next, twist);
        walk.start(&next, &self.stance, twist);
        if self.can_go_on(start, &walk, &next) {
            (self.now.gait, self.now.next_gait) = (next, None);
            start.walk = walk;
            start.mean_pace = 1.0;
        }
    }

    /// Where the body's offset goes: where it is wanted while the robot stands; as far as the feet keep their room
    /// while it walks; to nothing when it is about to walk without that room, and for any other posture.
    fn offset_target(&mut self, start: &State, wanted: Twist, asked: BodyOffset) -> BodyOffset {
        match start.mode {
            Mode::Standing if wanted.is_zero() => asked,
            Mode::Walking => {
                let granted = self.granted(start, asked);
                if self.now.gait.auto_pose().is_none() {
                    return granted;
                }
                granted.moved(&self.now.gait.auto_pose().at(start.walk.phase), 1.0)
            }
            Mode::Stopping(Stopping { then_sit: false, .. }) => self.granted(start, asked),
            _ => BodyOffset::default(),
        }
    }

    /// Puts down feet whose swing is over and lifts those whose turn it is, if the robot stands on the rest.
    fn lift_and_put_down(&self, start: &mut State) {
        let gait = &self.now.gait;
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
                let centre = *centre.get_or_insert_with(|| self.centre(start));
                let mut margin = margin_without(start, leg, centre);
                if let Some(joints) = &self.joints {
                    margin = margin.min(margin_without(start, leg, centre + run_out(start, joints.shift_m_s2())));
                }
                start.tight = margin < TIGHT_M;
                if margin < LIFT_MARGIN_M {
                    // Its turn stays until the others are down.
                    start.walk.waiting |= !out_of_turn;
                    continue;
                }
            }
            let (twists, height) = ((start.twist_after(0.0), start.aim_after(0.0)), self.now.control.step_height);
            start.walk.lift(gait, &self.stance, leg, twists, (height, self.reach_of(gait)));
        }
    }

    /// Where the body rests and has leant as far as it can, and still the foot whose turn it is may not be lifted: gives
    /// the turn to one without which the robot stands, so that feet that stand badly get better places.
    fn pass_the_turn(&self, start: &mut State) {
        let rests = start.twist == [Twist::ZERO; 2] && start.sway_rate == Vector2::zeros();
        if !(start.walk.waiting && start.walk.all_planted() && rests) {
            return;
        }
        let centre = self.centre(start);
        let distance = |leg: usize| (start.walk.foot(leg).position().xy() - self.stance.place(leg)).norm();
        let free = (0..self.legs().len())
            .filter(|&leg| start.walk.foot(leg).is_planted() && margin_without(start, leg, centre) >= LIFT_MARGIN_M);
        if let Some(leg) = free.max_by(|&a, &b| distance(a).total_cmp(&distance(b))) {
            start.walk.phase = self.now.gait.lift_off_phase(leg);
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
        if since > start.walk.cycle * self.now.gait.duty_factor() - GRID_S {
            return false;
        }
        let at = start.walk.foot(leg).position().xy();
        let twist = start.twist[1];
        let limits = &self.now.control.limits;
        let time = Ramp::lag(limits)
            + 0.5 * (twist.speed() / limits.linear_acceleration).max(twist.wz.abs() / limits.angular_acceleration);
        let offset = at - twist.velocity_at(at) * time - self.stance.place(leg);
        self.reach_of(&self.now.gait).part(offset) > 0.98
    }

    /// Where the body leans: with its weight among the feet that stay, each counting the less the nearer it is to
    /// being lifted or put down.
    fn sway_target(&self, start: &State, stand: Option<&Stand>) -> Vector2<f64> {
        let gait = &self.now.gait;
        if let Mode::Stopping(stop) = start.mode {
            if self.is_centring(start, stop) {
                return self.lean_for_centring(start);
            }
            if start.walk.all_planted() {
                return Vector2::zeros();
            }
        }
        if gait.sway() == 0.0 || !start.mode.steps() {
            return Vector2::zeros();
        }
        let (mut sum, mut total) = (Vector2::zeros(), 0.0);
        for (leg, foot) in start.walk.feet().iter().enumerate() {
            let Foot::Planted { at } = foot else { continue };
            let own = start.walk.own_phase(gait, leg);
            let weight = own.min(gait.duty_factor() - own).clamp(0.0, SWAY_PHASE);
            sum += at.xy() * weight;
            total += weight;
        }
        if total < 1e-6 {
            return start.sway;
        }
        let centre = stand.map_or_else(|| self.centre(start), |stand| stand.centre) - start.sway;
        let lean = (sum / total - centre) * gait.sway();
        let most = gait.sway_reach() * self.stance.reach().least();
        let part = if lean.norm() > most { most / lean.norm() } else { 1.0 };
        // A robot that stands and waits for its balance may lean farther, as far as its legs reach.
        let waits = start.walk.waiting && start.walk.all_planted();
        let farther = waits && self.joints.is_none();
        lean * if farther { part.max(self.room_to_lean(start, lean)) } else { part }
    }

    /// The greatest part of a lean with which every planted foot stays within reach, where it is and, lifted, at rest.
    fn room_to_lean(&self, start: &State, lean: Vector2<f64>) -> f64 {
        let fits = |part: f64| {
            let body_from_footprint = State { sway: lean * part, ..*start }.footprint_from_body().inverse();
            let feet = start.walk.feet().iter().zip(self.stance.rest()).enumerate();
            let mut planted = feet.filter(|(_, (foot, _))| foot.is_planted());
            planted.all(|(leg, (foot, rest))| {
                [foot.position(), Vector3::new(rest.x, rest.y, self.now.control.step_height)].iter().all(|at| {
                    let in_body = body_from_footprint.transform_point(&(*at).into()).coords;
                    self.stance.inverse(leg, &self.legs()[leg], &in_body, &start.angles[leg]).is_some()
                })
            })
        };
        LEANS.into_iter().find(|&part| fits(part)).unwrap_or(0.0)
    }

    pub(crate) fn rise(&self, start: &State) -> Mode {
        Mode::Rising(self.glide(start.height, self.settings.stance.height, self.settings.stand_time))
    }

    fn glide(&self, from: f64, to: f64, seconds: f64) -> Glide {
        let least = self.joints.as_ref().map_or(0.0, |joints| joints.glide_time(to - from));
        Glide::new(from, to, seconds.max(least))
    }

    pub(crate) fn lower(&self, start: &State) -> Mode {
        Mode::Lowering(self.glide(start.height, self.settings.stance.sit_height, self.settings.sit_time))
    }
}

/// A rate at most so far from the last one, and low enough to be at rest after `left`, that its change is at most
/// `greatest` per second.
fn gentle<const N: usize>(last: SVector<f64, N>, wanted: SVector<f64, N>, left: f64, greatest: f64) -> SVector<f64, N> {
    if greatest.is_infinite() {
        return wanted;
    }
    let step = greatest * GRID_S;
    let wanted = wanted.cap_magnitude(stoppable(left, greatest));
    last + (wanted - last).cap_magnitude(step)
}

/// How far a sway goes on until it has come to rest, m, when it changes by no more than `greatest` m/s^2.
fn run_out(start: &State, greatest: f64) -> Vector2<f64> {
    start.sway_rate * (start.sway_rate.norm() / (2.0 * greatest))
}

/// Part of a cycle in which a foot takes up its share of the weight.
const SWAY_PHASE: f64 = 0.15;

/// Whether a twist is more than a stick's noise.
pub(crate) fn is_command(twist: Twist) -> bool {
    twist.is_finite() && (twist.speed() >= LEAST_SPEED_M_S || twist.wz.abs() >= LEAST_TURN_RAD_S)
}

/// The driver's twist, or none: while a stop holds, until the stick has been let go, and for a stick's noise.
fn wanted_twist(control: &mut Control, twist: Twist) -> Twist {
    if !is_command(twist) {
        control.held = false;
        return Twist::ZERO;
    }
    if control.held { Twist::ZERO } else { twist }
}

/// The margin by which the robot stands on its planted feet without one of them.
pub(crate) fn margin_without(start: &State, without: usize, centre: Vector2<f64>) -> f64 {
    let others = start.walk.feet().iter().enumerate().filter(|(leg, _)| *leg != without);
    let planted = others.filter_map(|(_, foot)| match foot {
        Foot::Planted { at } => Some(at.xy()),
        _ => None,
    });
    SupportPolygon::new(planted).margin(centre)
}
