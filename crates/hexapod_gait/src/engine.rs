//! The engine: commands in, joint angles out, one call a tick.
//!
//! Decisions are taken on a grid of time that does not depend on the ticks (`plan`); from there to the next point of
//! the grid, or to the next moment at which a foot is lifted or put down, all goes on in closed form (`path`). A tick
//! reads that path at its own time, so the path is the same at any rate.

use crate::allowance::{Allowance, WITHIN, Work};
use crate::gait::Gait;
use crate::joints::JointBound;
use crate::limits::{LimitedBy, TwistLimits};
use crate::mass::Masses;
use crate::posture::BodyOffset;
use crate::ramp::Ramp;
use crate::room::Room;
use crate::stance::{Stance, StanceError, StanceSpec};
use crate::state::{Barred, Control, GRID_NS, Mode, Segment, State, Way};
use crate::tick::{Input, Settings, Tick};
use crate::together::Together;
use crate::twist::Twist;
use crate::walk::{Foot, Walk};
use hexapod_kinematics::{Effort, Leg, LegAngles, MAX_LEGS, Robot};
use nalgebra::{Isometry3, Vector2, Vector3};
use std::sync::Arc;

/// What is to be done at the next point of the grid.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Requests {
    pub posture: Option<Posture>,
    pub stop: bool,
    /// The stick was at rest when the stop came, or has been since.
    pub released: bool,
}

impl Requests {
    /// A stop that ends in a posture.
    pub fn stop_for(posture: Posture) -> Self {
        Self { posture: Some(posture), stop: true, released: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Posture {
    Stand,
    /// With the feet where they rest in the stance.
    GoHome,
    Sit,
    Pack,
}

/// All of an engine that changes: kept to go back to, or to go on from in another engine of the same robot.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot {
    pub(crate) start: State,
    pub(crate) control: Control,
    pub(crate) segment: Option<Segment>,
    pub(crate) elapsed_ns: u64,
    pub(crate) gait: Gait,
    pub(crate) next_gait: Option<Gait>,
    /// Since when the next gait waits.
    pub(crate) next_since_ns: u64,
    pub(crate) requests: Requests,
    pub(crate) allowance: Allowance,
    pub(crate) work: Work,
    pub(crate) tick: Tick,
}

/// A robot's walking engine. Pure: the same calls give the same bits.
#[derive(Clone, Debug)]
pub struct Engine {
    pub(crate) robot: Arc<Robot>,
    pub(crate) stance: Stance,
    pub(crate) masses: Arc<Masses>,
    /// All legs solved at once, if their geometry allows.
    pub(crate) together: Option<Arc<Together>>,
    /// What the joints can do, where their accelerations are limited.
    pub(crate) joints: Option<Arc<JointBound>>,
    /// The joints' greatest velocities.
    pub(crate) greatest_rad_s: [LegAngles; MAX_LEGS],
    pub(crate) settings: Settings,
    /// Where the joints are when the robot sits with its feet at rest: bent as walking bends them.
    pub(crate) sitting: [LegAngles; MAX_LEGS],
    /// Legs that are switched off, one bit each.
    pub(crate) missing: u32,
    /// Where the joints are when the legs are folded.
    pub(crate) packed: Option<[LegAngles; MAX_LEGS]>,
    pub(crate) now: Snapshot,
}

/// How far a leg that is switched off is held above the ground, m.
const CLEAR_M: f64 = 0.01;
/// The longest time the engine takes at once, s.
const MAX_DT_S: f64 = 0.1;

impl Engine {
    /// An engine whose robot sits.
    ///
    /// # Errors
    /// The robot cannot stand as the settings ask.
    pub fn new(robot: Arc<Robot>, gait: Gait, settings: Settings) -> Result<Self, StanceError> {
        let stance = Stance::new(&robot, settings.stance)?;
        Ok(Self::with_stance(robot, gait, settings, stance))
    }

    /// The same with a stance that has been worked out for this robot, whatever the settings say of it.
    #[must_use]
    pub fn with_stance(robot: Arc<Robot>, gait: Gait, settings: Settings, stance: Stance) -> Self {
        let settings = Settings { stance: stance.spec(), ..settings };
        let mut start = State {
            ns: 0,
            mode: Mode::Sitting,
            walk: Walk::at_rest(stance.own_footing(), gait.cycle_time()),
            height: settings.stance.sit_height,
            height_rate: 0.0,
            level_rate: 0.0,
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
            angles: [LegAngles::zeros(0); MAX_LEGS],
            limited_by: LimitedBy::Nothing,
        };
        let control = Control {
            ramp: Ramp::REST,
            held: false,
            leaving: false,
            then_pack: false,
            sensed: [None; MAX_LEGS],
            room: Room::new(),
            step_height: settings.step_height,
            limits: settings.limits,
            barred: Barred::default(),
        };
        for (angles, leg) in start.angles.iter_mut().zip(robot.legs()) {
            *angles = leg.posture();
        }
        let tick = Tick::blank(start.angles);
        let requests = Requests::default();
        let now = Snapshot {
            start,
            control,
            segment: None,
            elapsed_ns: 0,
            gait,
            next_gait: None,
            next_since_ns: 0,
            requests,
            allowance: Allowance::FULL,
            work: Work::default(),
            tick,
        };
        let masses = Arc::new(Masses::of(&robot));
        let together = Together::of(&robot, &stance).map(Arc::new);
        let joints = JointBound::of(&robot, &stance).map(Arc::new);
        let mut greatest_rad_s = [LegAngles::zeros(0); MAX_LEGS];
        for (greatest, leg) in greatest_rad_s.iter_mut().zip(robot.legs()) {
            *greatest = LegAngles::from_fn(leg.joint_count(), |joint| leg.joints()[joint].limits().velocity);
        }
        let (missing, packed) = (0, None);
        let sitting = now.start.angles;
        let mut engine =
            Self { robot, stance, masses, together, joints, greatest_rad_s, settings, sitting, missing, packed, now };
        for (index, leg) in engine.robot.legs().iter().enumerate() {
            let foot = engine.now.start.walk.feet[index].position();
            let seed = engine.now.start.angles[index];
            let in_body = foot - Vector3::new(0.0, 0.0, settings.stance.sit_height);
            // `Stance::new` has made sure that every foot rests within reach at this height.
            engine.now.start.angles[index] = engine.stance.inverse(index, leg, &in_body, &seed).unwrap_or(seed);
        }
        engine.sitting = engine.now.start.angles;
        // Whatever it may have been made ready for.
        engine.now.gait = engine.timed(gait.with_needs(None));
        Self::report(&engine.robot, &mut engine.now.tick, &engine.now.start, &Way::none(), 0.0);
        engine
    }

    /// Switches legs off by name, before anything has moved: they are held up where they are out of the way and the
    /// robot walks on the others, one leg at a time.
    ///
    /// # Errors
    /// No leg has this name, or fewer than four are left.
    pub fn without_legs<'a>(mut self, names: impl Iterator<Item = &'a str>) -> Result<Self, StanceError> {
        for name in names {
            let known = self.legs().iter().position(|leg| leg.name() == name);
            let index = known.ok_or_else(|| StanceError::NoLeg(name.into()))?;
            self.missing |= 1 << index;
            self.hold_up(index);
        }
        let left = self.legs().len() - self.missing.count_ones() as usize;
        if self.missing != 0 && left < 4 {
            return Err(StanceError::LegsLeft(left));
        }
        self.now.gait = self.suited(self.now.gait.with_needs(None));
        self.now.start.walk.cycle = self.now.gait.cycle_time();
        Self::report(&self.robot, &mut self.now.tick, &self.now.start, &Way::none(), 0.0);
        Ok(self)
    }

    fn hold_up(&mut self, index: usize) {
        let rest = self.stance.rest()[index];
        let StanceSpec { height, sit_height, step_height, .. } = self.settings.stance;
        // Clear of the ground, also when the robot sits.
        let z = (step_height - height).max(CLEAR_M - sit_height);
        let leg = &self.robot.legs()[index];
        let seed = self.now.start.angles[index];
        let up = self.stance.inverse(index, leg, &Vector3::new(rest.x, rest.y, z), &seed);
        self.now.start.angles[index] = up.unwrap_or(seed);
        self.now.start.walk.feet[index] = Foot::Missing;
    }

    /// The robot's legs, in the order of every array here.
    #[must_use]
    pub fn legs(&self) -> &[Leg] {
        self.robot.legs()
    }

    /// The robot.
    #[must_use]
    pub fn robot(&self) -> &Arc<Robot> {
        &self.robot
    }

    /// Where the feet rest and how far they reach.
    #[must_use]
    pub fn stance(&self) -> &Stance {
        &self.stance
    }

    /// The resting feet in the footprint frame, m.
    #[must_use]
    pub fn rest_feet(&self) -> &[Vector2<f64>] {
        self.stance.rest()
    }

    /// Distance (m) of the centre of mass from the edge of the hull of all feet that are not switched off, each at rest;
    /// negative outside, where the robot tips over as soon as it stands.
    #[must_use]
    pub fn standing_margin(&self) -> f64 {
        let height = self.settings.stance.height;
        let stands = |leg: &usize| self.missing & (1 << leg) == 0;
        let mut angles = self.now.start.angles;
        for (index, (leg, rest)) in self.legs().iter().zip(self.rest_feet()).enumerate().filter(|(leg, _)| stands(leg))
        {
            let standing = self.stance.inverse(index, leg, &rest.push(-height), &angles[index]);
            angles[index] = standing.unwrap_or(angles[index]);
        }
        let feet = self.rest_feet().iter().enumerate().filter(|(leg, _)| stands(leg)).map(|(_, rest)| *rest);
        self.masses.margin(&angles, feet, &Isometry3::identity())
    }

    /// The gait that is walked.
    #[must_use]
    pub fn gait(&self) -> &Gait {
        &self.now.gait
    }

    /// The last tick.
    #[must_use]
    pub fn last(&self) -> &Tick {
        &self.now.tick
    }

    /// What the last tick has taken.
    #[must_use]
    pub fn work(&self) -> Work {
        self.now.work
    }

    /// All that changes, to be given to [`Self::restore`].
    #[must_use]
    pub fn save(&self) -> Snapshot {
        self.now
    }

    /// Goes on from where an engine of the same robot and settings was when it was saved.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.now = *snapshot;
    }

    /// Asks the robot to stand up, or to stop walking and stand.
    pub fn stand(&mut self) {
        self.now.requests = Requests::stop_for(Posture::Stand);
    }

    /// Asks the robot to stop if it walks, and to sit down.
    pub fn sit(&mut self) {
        self.now.requests = Requests::stop_for(Posture::Sit);
    }

    /// Asks the robot to sit down and to fold its legs; false if it has no packed pose.
    pub fn pack(&mut self) -> bool {
        if self.packed.is_some() {
            self.now.requests = Requests::stop_for(Posture::Pack);
        }
        self.packed.is_some()
    }

    /// Whether the robot has a pose to be carried in.
    #[must_use]
    pub fn can_pack(&self) -> bool {
        self.packed.is_some()
    }

    /// Whether all legs are folded.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        let all = (1_u32 << self.legs().len()) - 1;
        self.now.start.mode == Mode::Sitting && (self.now.start.packed | self.missing) == all
    }

    /// Stops the robot with all feet planted. Commands count again once the driver has let go of the stick.
    pub fn stop(&mut self) {
        self.now.requests.stop = true;
        self.now.requests.released = false;
    }

    /// Walks with another gait: at once when standing; else the body slows down as far as the other gait asks, feet
    /// in the air finish their swing, and the other gait goes on with the feet that lag most. On a robot whose joints'
    /// accelerations are limited, the gait should come from [`Self::ready`]: else that is done here.
    pub fn set_gait(&mut self, gait: Gait) {
        let gait = self.suited(gait);
        if self.now.next_gait != Some(gait) {
            self.now.next_gait = (gait != self.now.gait).then_some(gait);
            self.now.next_since_ns = self.now.start.ns + self.now.elapsed_ns;
        }
    }

    /// Sets the lift of a swinging foot for gaits that have none of their own, m, at most the one the stance was worked
    /// out for.
    pub fn set_step_height(&mut self, height: f64) {
        self.settings.step_height = height.clamp(0.0, self.settings.stance.step_height);
        self.time_gaits();
    }

    /// The lift of a swinging foot for gaits that have none of their own, m.
    #[must_use]
    pub fn step_height(&self) -> f64 {
        self.settings.step_height
    }

    /// The bounds of the body's motion.
    #[must_use]
    pub fn limits(&self) -> TwistLimits {
        self.settings.limits
    }

    /// Sets the bounds of the body's motion.
    pub fn set_limits(&mut self, limits: TwistLimits) {
        self.settings.limits = limits;
        self.time_gaits();
    }

    /// Moves on by `dt` seconds. The path never depends on what the joints can do: where one would exceed its
    /// greatest velocity, the whole robot takes the path more slowly.
    pub fn step(&mut self, input: &Input, dt: f64) -> &Tick {
        let dt = if dt.is_finite() { dt.clamp(0.0, MAX_DT_S) } else { 0.0 };
        let mut left = (dt * 1e9).round() as u64;
        let mut way = Way::none();
        self.now.work = Work::default();
        while left > 0 {
            left -= match self.now.segment {
                Some(_) => self.follow(&mut way, left),
                None => self.plan_and_follow(input, &mut way, left),
            };
        }
        match &self.now.segment {
            None => Self::report(&self.robot, &mut self.now.tick, &self.now.start, &way, dt),
            Some(segment) => {
                let mut effort = Effort::new(WITHIN);
                let within = self.within(segment, &mut effort);
                self.now.work.steps += WITHIN - effort.left();
                Self::report(&self.robot, &mut self.now.tick, &within, &way, dt);
            }
        }
        &self.now.tick
    }

    /// Goes on in the present segment, for `left` ns or to its end; how far. A state is large: it is read where it lies.
    fn follow(&mut self, way: &mut Way, left: u64) -> u64 {
        let Some(segment) = &self.now.segment else { return 0 };
        let from = self.now.elapsed_ns;
        let to = (from + left).min(segment.ns);
        way.add(&self.now.start, segment, from, to);
        if to == segment.ns {
            self.now.start = segment.end;
            (self.now.segment, self.now.elapsed_ns) = (None, 0);
        } else {
            self.now.elapsed_ns = to;
        }
        to - from
    }

    /// The same in a new segment.
    fn plan_and_follow(&mut self, input: &Input, way: &mut Way, left: u64) -> u64 {
        let mut start = self.now.start;
        if start.ns.is_multiple_of(GRID_NS) {
            self.now.allowance = Allowance::FULL;
        }
        let before = self.now.allowance;
        let planned = self.plan_round(&mut start, input);
        let mut allowance = self.now.allowance;
        let mut segment = self.segment(&mut start, planned, &mut allowance);
        self.now.allowance = allowance;
        self.now.work += allowance.since(&before);
        self.count_barred(&start, &segment);
        let ns = segment.ns;
        if matches!(start.mode, Mode::Stopping(_)) && segment.pace.body < 1.0 {
            // A body that was slowed while it stops is not sped up again.
            self.now.control.ramp.scale(segment.pace.body);
            segment.end.twist = segment.end.twist.map(|twist| twist.scaled(segment.pace.body));
        }
        let to = left.min(ns);
        way.add(&start, &segment, 0, to);
        if to == ns {
            self.now.start = segment.end;
        } else {
            (self.now.start, self.now.segment, self.now.elapsed_ns) = (start, Some(segment), to);
        }
        to
    }

    /// For how many ns the next segment is planned; none where that has been done too often since the last point of the
    /// grid.
    fn plan_round(&mut self, start: &mut State, input: &Input) -> Option<u64> {
        self.now.allowance.rounds = self.now.allowance.rounds.checked_sub(1)?;
        Some(self.plan(start, input))
    }

    /// Decides something about the robot with what is left for that until the next point of the grid.
    pub(crate) fn deciding<R>(&mut self, decide: impl FnOnce(&Self, &mut Effort) -> R) -> R {
        let mut effort = self.now.allowance.deciding;
        let decided = decide(self, &mut effort);
        self.now.allowance.deciding = effort;
        decided
    }

    pub(crate) fn report(robot: &Robot, tick: &mut Tick, state: &State, way: &Way, dt: f64) {
        let footprint_from_body = state.footprint_from_body();
        let rate = if dt > 0.0 { 1.0 / dt } else { 0.0 };
        let is_of_joints = state.mode.is_of_joints();
        for (index, leg) in robot.legs().iter().enumerate().take(MAX_LEGS) {
            let now = &state.angles[index];
            tick.velocities[index] = now.rate_from(&tick.angles[index], rate);
            let foot = &state.walk.feet[index];
            let is_packed = state.packed & (1 << index) != 0;
            tick.contacts[index] = match state.mode {
                Mode::Placing(placing) if placing.leg == index => false,
                _ => foot.is_planted() && !is_packed,
            };
            tick.feet[index] = match foot {
                _ if is_packed || *foot == Foot::Missing || is_of_joints => {
                    let in_body = leg.foot_in_body(now);
                    footprint_from_body.transform_point(&in_body.into()).coords
                }
                _ => foot.position(),
            };
        }
        tick.angles = state.angles;
        tick.footprint_from_body = footprint_from_body;
        tick.twist = way.twist();
        tick.limited_by = way.by;
        tick.phase = state.walk.phase;
        tick.state = state.mode.state();
    }

    /// The angles with which walking reaches a foot in the body frame, nearest to `seed`.
    pub(crate) fn inverse(
        &self,
        leg: usize,
        foot_in_body: &Vector3<f64>,
        seed: &LegAngles,
        effort: &mut Effort,
    ) -> Option<LegAngles> {
        self.stance.inverse_near(leg, self.legs().get(leg)?, foot_in_body, seed, effort)
    }

    /// Feet on the ground, footprint frame, of a robot in this state.
    pub(crate) fn planted(state: &State) -> impl Iterator<Item = Vector2<f64>> + '_ {
        state.walk.feet().iter().filter_map(|foot| match foot {
            Foot::Planted { at } => Some(at.xy()),
            _ => None,
        })
    }

    /// The centre of mass over the ground, footprint frame.
    pub(crate) fn centre(&self, state: &State) -> Vector2<f64> {
        let in_body = self.masses.centre(&state.angles);
        state.footprint_from_body().transform_point(&in_body.into()).coords.xy()
    }
}
