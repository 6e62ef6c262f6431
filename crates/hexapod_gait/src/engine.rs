//! The engine: commands in, joint angles out, one call a tick.

use crate::gait::Gait;
use crate::limits::{self, Limited, LimitedBy, TwistLimits};
use crate::motion::{Home, Pose};
use crate::posture::{BodyOffset, Glide};
use crate::stance::{Stance, StanceError, StanceSpec, middle_angles};
use crate::tick::{GaitState, Input, Settings, Tick};
use crate::twist::Twist;
use crate::walk::{Pace, Walk};
use hexapod_kinematics::{Leg, LegAngles, MAX_LEGS, Robot};
use nalgebra::{Vector2, Vector3};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Sitting,
    /// Bringing one leg after another to its place, through a lifted pose.
    Placing {
        leg: usize,
        lifting: bool,
        from: LegAngles,
        to: LegAngles,
        part: Glide,
    },
    Rising(Glide),
    Standing,
    Walking,
    Stopping {
        then_sit: bool,
    },
    Lowering(Glide),
}

/// All that changes from tick to tick: copied to try a tick and to go back.
#[derive(Clone, Copy, Debug)]
struct State {
    mode: Mode,
    walk: Walk,
    height: f64,
    offset: BodyOffset,
    twist: Twist,
    /// The twist that shapes the swings: follows `twist` at a bounded rate, so that a foot in the air never jumps.
    path_twist: Twist,
    angles: [LegAngles; MAX_LEGS],
    /// After a stop, commands are ignored until the driver lets go.
    held: bool,
}

/// A robot's walking engine. Pure: the same calls give the same bits.
#[derive(Clone, Debug)]
pub struct Engine {
    robot: Arc<Robot>,
    stance: Stance,
    gait: Gait,
    next_gait: Option<Gait>,
    settings: Settings,
    state: State,
    tick: Tick,
}

/// Twists below these are no command: a stick's noise must not make the robot tread on the spot.
const LEAST_SPEED_M_S: f64 = 5e-4;
const LEAST_TURN_RAD_S: f64 = 2e-3;
/// Part of a joint's greatest velocity that is used.
const VELOCITY_PART: f64 = 0.98;
/// How far from its place a foot may be when the body rises on it, m.
const PLACED_M: f64 = 1e-4;
/// How far from its resting place a foot may be when the robot sits down on it, m.
const CENTRED_M: f64 = 0.006;
/// Seconds a leg takes to be lifted, and again to be put down, when it is placed.
const PLACE_TIME_S: f64 = 0.35;
/// The longest step of time the engine takes at once.
const MAX_DT_S: f64 = 0.1;

impl Engine {
    /// An engine whose robot sits.
    ///
    /// # Errors
    /// The robot cannot stand as the settings ask.
    pub fn new(robot: Arc<Robot>, gait: Gait, settings: Settings) -> Result<Self, StanceError> {
        let stance = Stance::new(&robot, settings.stance)?;
        let walk = Walk::at_rest(&stance);
        let mut state = State {
            mode: Mode::Sitting,
            walk,
            height: settings.stance.sit_height,
            offset: BodyOffset::default(),
            twist: Twist::ZERO,
            path_twist: Twist::ZERO,
            angles: [LegAngles::zeros(0); MAX_LEGS],
            held: false,
        };
        for (angles, leg) in state.angles.iter_mut().zip(robot.legs()) {
            *angles = middle_angles(leg);
        }
        let mut engine =
            Self { robot, stance, gait, next_gait: None, settings, tick: Tick::blank(state.angles), state };
        // `Stance::new` has made sure that every foot rests within reach at this height.
        let _ = engine.solve(f64::INFINITY);
        engine.report(Limited::unlimited(Twist::ZERO), 0.0);
        Ok(engine)
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

    /// The gait that is walked.
    #[must_use]
    pub fn gait(&self) -> &Gait {
        &self.gait
    }

    /// The last tick.
    #[must_use]
    pub fn last(&self) -> &Tick {
        &self.tick
    }

    /// Takes the joint angles the robot is found in, while it sits and nothing has moved it yet; true if taken.
    pub fn adopt(&mut self, angles: &[LegAngles]) -> bool {
        let legs = self.robot.legs();
        let fits = angles.len() == legs.len()
            && angles.iter().zip(legs).all(|(a, leg)| a.len() == leg.joint_count() && within_limits(a, leg));
        if !fits || self.state.mode != Mode::Sitting {
            return false;
        }
        self.state.angles[..angles.len()].copy_from_slice(angles);
        self.state.height = angles
            .iter()
            .zip(legs)
            .map(|(a, leg)| -leg.foot_in_body(a).z)
            .fold(self.settings.stance.sit_height, f64::max)
            .min(self.settings.stance.height);
        self.report(Limited::unlimited(Twist::ZERO), 0.0);
        true
    }

    /// Asks the robot to stand up, or to stop walking and stand.
    pub fn stand(&mut self) {
        self.state.held = true;
        match self.state.mode {
            Mode::Sitting => self.state.mode = self.place_from(0),
            Mode::Lowering(_) => self.state.mode = self.rise(),
            Mode::Walking | Mode::Stopping { .. } => self.state.mode = Mode::Stopping { then_sit: false },
            Mode::Placing { .. } | Mode::Rising(_) | Mode::Standing => {}
        }
    }

    /// Asks the robot to stop if it walks, and to sit down.
    pub fn sit(&mut self) {
        self.state.held = true;
        match self.state.mode {
            Mode::Walking | Mode::Stopping { .. } => self.state.mode = Mode::Stopping { then_sit: true },
            Mode::Standing => self.state.mode = Mode::Stopping { then_sit: true },
            Mode::Rising(_) => self.state.mode = self.lower(),
            Mode::Placing { .. } | Mode::Sitting | Mode::Lowering(_) => {}
        }
    }

    /// Stops the robot with all feet planted. Commands count again once the driver has let go of the stick.
    pub fn stop(&mut self) {
        self.state.held = true;
        if self.state.mode == Mode::Walking {
            self.state.mode = Mode::Stopping { then_sit: false };
        }
    }

    /// Walks with another gait: at once when standing, else after the feet have been planted.
    pub fn set_gait(&mut self, gait: Gait) {
        self.next_gait = (gait != self.gait).then_some(gait);
    }

    /// Sets the lift of a swinging foot, m, at most the one the stance was worked out for.
    pub fn set_step_height(&mut self, height: f64) {
        self.settings.step_height = height.clamp(0.0, self.settings.stance.step_height);
    }

    /// Sets the bounds of the body's motion.
    pub fn set_limits(&mut self, limits: TwistLimits) {
        self.settings.limits = limits;
    }

    /// Moves on by `dt` seconds. The path never depends on what the joints can do: where one would exceed its
    /// greatest velocity, the whole robot takes the path more slowly.
    pub fn step(&mut self, input: &Input, dt: f64) -> &Tick {
        let dt = if dt.is_finite() { dt.clamp(0.0, MAX_DT_S) } else { 0.0 };
        let before = self.state;
        let mut pace = 1.0;
        let mut by = LimitedBy::Nothing;
        for attempt in 0..ATTEMPTS {
            let mut limited = self.advance(input, dt * pace);
            if by == LimitedBy::Kinematics {
                // The body straight above its feet has the most room: it goes there while the path waits.
                self.state.offset = before.offset.towards(BodyOffset::default(), dt);
            }
            match self.solve(dt) {
                Ok(()) => {
                    limited.by = limited.by.max(by);
                    limited.twist = limited.twist.scaled(pace);
                    self.report(limited, dt);
                    return &self.tick;
                }
                Err(Obstacle::TooFast(ratio)) => {
                    by = by.max(LimitedBy::JointVelocity);
                    pace *= 0.95 / ratio;
                }
                Err(Obstacle::OutOfReach) => {
                    by = LimitedBy::Kinematics;
                    pace = if attempt + 2 < ATTEMPTS { pace * 0.5 } else { 0.0 };
                }
            }
            self.state = before;
        }
        // No way on: everything stays where it is for this tick. A body that is on its way down has come far enough.
        if let Mode::Lowering(_) = self.state.mode {
            self.state.mode = Mode::Sitting;
        }
        self.report(Limited { twist: Twist::ZERO, by: LimitedBy::Kinematics }, dt);
        &self.tick
    }

    fn advance(&mut self, input: &Input, dt: f64) -> Limited {
        let wanted = self.wanted_twist(input.twist);
        match self.state.mode {
            Mode::Sitting if !wanted.is_zero() => self.state.mode = self.place_from(0),
            Mode::Standing => {
                if let Some(gait) = self.next_gait.take() {
                    self.gait = gait;
                }
                if !wanted.is_zero() && self.leaves_room(self.state.offset) {
                    self.state.path_twist = self.state.twist;
                    self.state.walk.start(&self.gait, &self.stance, wanted);
                    self.state.mode = Mode::Walking;
                }
            }
            Mode::Walking if wanted.is_zero() || self.next_gait.is_some() => {
                self.state.mode = Mode::Stopping { then_sit: false };
            }
            Mode::Stopping { then_sit: false } if !wanted.is_zero() && self.next_gait.is_none() => {
                if self.state.walk.all_planted() {
                    self.state.path_twist = self.state.twist;
                    self.state.walk.start(&self.gait, &self.stance, wanted);
                }
                self.state.mode = Mode::Walking;
            }
            _ => {}
        }
        self.state.offset = self.next_offset(input.body_offset, wanted, dt);
        self.advance_mode(wanted, dt)
    }

    /// The body's offset goes where it is wanted while the robot stands; while it walks, as far as the feet keep
    /// their room; and back to nothing before it starts to walk without that room, and for any other posture.
    fn next_offset(&self, wanted_offset: BodyOffset, wanted: Twist, dt: f64) -> BodyOffset {
        let now = self.state.offset;
        let next = now.towards(wanted_offset.clipped(), dt);
        match self.state.mode {
            Mode::Standing if wanted.is_zero() => next,
            Mode::Walking | Mode::Stopping { then_sit: false } if next == now || self.leaves_room(next) => next,
            Mode::Walking | Mode::Stopping { then_sit: false } => now,
            _ => now.towards(BodyOffset::default(), 2.0 * dt),
        }
    }

    /// Whether every foot could go all around its circle, on the ground and lifted, with the body at this offset.
    fn leaves_room(&self, offset: BodyOffset) -> bool {
        const AROUND: [(f64, f64); 8] =
            [(1.0, 0.0), (0.7, 0.7), (0.0, 1.0), (-0.7, 0.7), (-1.0, 0.0), (-0.7, -0.7), (0.0, -1.0), (0.7, -0.7)];
        if offset == BodyOffset::default() {
            return true;
        }
        let body_from_footprint = offset.footprint_from_body(self.state.height).inverse();
        let reach = self.stance.reach();
        self.legs().iter().zip(self.stance.rest()).zip(&self.state.angles).all(|((leg, rest), seed)| {
            AROUND.iter().flat_map(|around| [(around, 0.0), (around, self.settings.step_height)]).all(|((x, y), z)| {
                let foot = Vector3::new(rest.x + reach * x, rest.y + reach * y, z);
                leg.inverse(&body_from_footprint.transform_point(&foot.into()).coords, seed).is_ok()
            })
        })
    }

    /// The driver's twist, or none: while a stop holds, until the stick has been let go, and for a stick's noise.
    fn wanted_twist(&mut self, twist: Twist) -> Twist {
        if !is_command(twist) {
            self.state.held = false;
            return Twist::ZERO;
        }
        if self.state.held { Twist::ZERO } else { twist }
    }

    fn advance_mode(&mut self, wanted: Twist, dt: f64) -> Limited {
        match self.state.mode {
            Mode::Sitting | Mode::Standing => Limited::unlimited(Twist::ZERO),
            Mode::Placing { .. } => self.advance_placing(dt),
            Mode::Rising(mut glide) => {
                glide.advance(dt);
                self.state.height = glide.value();
                self.state.mode = if glide.is_done() { Mode::Standing } else { Mode::Rising(glide) };
                Limited::unlimited(Twist::ZERO)
            }
            Mode::Lowering(mut glide) => {
                // The body is straight above its feet before it goes down.
                glide.advance(if self.state.offset == BodyOffset::default() { dt } else { 0.0 });
                self.state.height = glide.value();
                self.state.mode = if glide.is_done() { Mode::Sitting } else { Mode::Lowering(glide) };
                Limited::unlimited(Twist::ZERO)
            }
            Mode::Walking => self.advance_walking(wanted, true, dt),
            Mode::Stopping { then_sit } => {
                // Before it sits, the robot steps on the spot until its feet are under it.
                let centring = then_sit && !self.is_centred();
                if centring && !self.leaves_room(self.state.offset) {
                    return Limited::unlimited(Twist::ZERO);
                }
                if centring && self.state.walk.all_planted() {
                    self.state.walk.start(&self.gait, &self.stance, Twist::ZERO);
                }
                let limited = self.advance_walking(Twist::ZERO, centring, dt);
                if self.state.twist.is_zero() && self.state.walk.all_planted() && !centring {
                    self.state.mode = if then_sit { self.lower() } else { Mode::Standing };
                }
                limited
            }
        }
    }

    /// Whether all feet are near enough to their resting places to sit down on them.
    fn is_centred(&self) -> bool {
        self.state
            .walk
            .feet()
            .iter()
            .zip(self.stance.rest())
            .all(|(foot, rest)| (foot.position().xy() - rest).norm() < CENTRED_M)
    }

    fn advance_walking(&mut self, wanted: Twist, lifting: bool, dt: f64) -> Limited {
        let limits = self.settings.limits;
        let present = self.state.twist;
        let wanted = limits.velocity(Limited::unlimited(wanted));
        let wanted = limits::stride(&self.stance, self.gait.stance_time(), wanted);
        let ramped = limits.acceleration(present, wanted, dt);
        let planted = self.state.walk.planted(&self.gait, &self.stance, lifting);
        let limited = limits::reach(planted, self.stance.reach(), limits.linear_acceleration / 2.0, ramped);
        self.state.twist = limited.twist;
        let path = limits.acceleration(self.state.path_twist, Limited::unlimited(limited.twist), 2.0 * dt);
        self.state.path_twist = path.twist;
        let pace =
            Pace { twist: limited.twist, path_twist: path.twist, step_height: self.settings.step_height, lifting };
        self.state.walk.advance(&self.gait, &self.stance, pace, dt);
        limited
    }

    /// Starts to bring the first leg from `first` on that is not in its place there; else rises.
    fn place_from(&self, first: usize) -> Mode {
        let found = (first..self.legs().len()).find(|&leg| !self.is_placed(leg));
        let Some(leg) = found else { return self.rise() };
        let from = self.state.angles[leg];
        let to = self.angles_in_place(leg, self.settings.stance.step_height);
        Mode::Placing { leg, lifting: true, from, to, part: Glide::new(0.0, 1.0, PLACE_TIME_S) }
    }

    fn is_placed(&self, leg: usize) -> bool {
        let foot = self.legs()[leg].foot_in_body(&self.state.angles[leg]);
        let wanted = self.state.walk.feet()[leg].position();
        (foot - Vector3::new(wanted.x, wanted.y, -self.state.height)).norm() < PLACED_M
    }

    fn angles_in_place(&self, leg: usize, lift: f64) -> LegAngles {
        let wanted = self.state.walk.feet()[leg].position();
        let foot = Vector3::new(wanted.x, wanted.y, lift - self.state.height);
        self.legs()[leg].inverse_nearest(&foot, &self.state.angles[leg]).angles
    }

    fn advance_placing(&mut self, dt: f64) -> Limited {
        let Mode::Placing { leg, lifting, from, to, mut part } = self.state.mode else {
            return Limited::unlimited(Twist::ZERO);
        };
        part.advance(dt);
        for (joint, angle) in self.state.angles[leg].iter_mut().enumerate() {
            *angle = from[joint] + (to[joint] - from[joint]) * part.part();
        }
        self.state.mode = match (part.is_done(), lifting) {
            (false, _) => Mode::Placing { leg, lifting, from, to, part },
            (true, true) => {
                let down = self.angles_in_place(leg, 0.0);
                Mode::Placing { leg, lifting: false, from: to, to: down, part: Glide::new(0.0, 1.0, PLACE_TIME_S) }
            }
            (true, false) => self.place_from(leg + 1),
        };
        Limited::unlimited(Twist::ZERO)
    }

    fn rise(&self) -> Mode {
        Mode::Rising(Glide::new(self.state.height, self.settings.stance.height, self.settings.stand_time))
    }

    fn lower(&self) -> Mode {
        Mode::Lowering(Glide::new(self.state.height, self.settings.stance.sit_height, self.settings.sit_time))
    }

    /// Joint angles for the feet as they are; `dt` seconds are what the joints have to get there.
    fn solve(&mut self, dt: f64) -> Result<(), Obstacle> {
        let posed =
            matches!(self.state.mode, Mode::Placing { .. }) || (self.state.mode == Mode::Sitting && !dt.is_infinite());
        let body_from_footprint = self.state.offset.footprint_from_body(self.state.height).inverse();
        let mut worst: f64 = 0.0;
        for (index, leg) in self.robot.legs().iter().enumerate() {
            let before = self.tick.angles[index];
            let angles = if posed {
                self.state.angles[index]
            } else {
                let foot = self.state.walk.feet()[index].position();
                let in_body = body_from_footprint.transform_point(&foot.into()).coords;
                leg.inverse(&in_body, &self.state.angles[index]).map_err(|_| Obstacle::OutOfReach)?
            };
            for ((&now, &then), joint) in angles.iter().zip(before.iter()).zip(leg.joints()) {
                worst = worst.max((now - then).abs() / (joint.limits().velocity * VELOCITY_PART * dt + 1e-12));
            }
            self.state.angles[index] = angles;
        }
        if worst > 1.0 { Err(Obstacle::TooFast(worst)) } else { Ok(()) }
    }

    fn report(&mut self, limited: Limited, dt: f64) {
        let tick = &mut self.tick;
        for index in 0..self.robot.legs().len() {
            let (now, before) = (self.state.angles[index], tick.angles[index]);
            tick.velocities[index] = now;
            for (joint, velocity) in tick.velocities[index].iter_mut().enumerate() {
                *velocity = if dt > 0.0 { (now[joint] - before[joint]) / dt } else { 0.0 };
            }
            let foot = self.state.walk.feet()[index];
            tick.contacts[index] = match self.state.mode {
                Mode::Placing { leg, .. } => leg != index,
                _ => foot.is_planted(),
            };
            tick.feet[index] = foot.position();
        }
        tick.angles = self.state.angles;
        tick.footprint_from_body = self.state.offset.footprint_from_body(self.state.height);
        tick.twist = limited.twist;
        tick.limited_by = limited.by;
        tick.phase = self.state.walk.phase;
        tick.state = state_of(&self.state.mode);
    }

    /// The resting feet in the footprint frame, m.
    #[must_use]
    pub fn rest_feet(&self) -> &[Vector2<f64>] {
        self.stance.rest()
    }
}

/// What the motion player, which takes over while the engine stands, asks and leaves behind.
impl Engine {
    /// The standing pose that motions start from and end in: feet at rest, the body straight above them.
    #[must_use]
    pub fn home(&self) -> Home {
        let rest = self.stance.rest();
        let mut pose = Pose::default();
        for (leg, rest) in rest.iter().enumerate() {
            (pose.feet[leg], pose.planted[leg]) = (Vector3::new(rest.x, rest.y, 0.0), true);
        }
        let StanceSpec { height, sit_height: lowest, .. } = self.settings.stance;
        // `Stance::new` has made sure that every foot rests within reach at this height.
        let angles = pose.solve(&self.robot, height, &self.state.angles).unwrap_or(self.state.angles);
        Home { pose, angles, height, lowest, step_height: self.settings.step_height.max(LEAST_PLACING_LIFT_M) }
    }

    /// What the robot is about to do with the next tick, where [`Self::last`] says what it did.
    pub(crate) fn present_state(&self) -> GaitState {
        state_of(&self.state.mode)
    }

    /// The body's offset from its standing pose.
    pub(crate) fn offset(&self) -> BodyOffset {
        self.state.offset
    }

    /// Takes over from a player that has left the standing robot in this pose, all feet planted, at these joint angles.
    pub(crate) fn settle(&mut self, pose: &Pose, angles: &[LegAngles; MAX_LEGS]) {
        self.state.walk = Walk::standing(&pose.feet, self.legs().len());
        self.state.height = self.settings.stance.height;
        self.state.offset = pose.offset;
        self.state.angles = *angles;
        self.report(Limited::unlimited(Twist::ZERO), 0.0);
    }
}

fn state_of(mode: &Mode) -> GaitState {
    match mode {
        Mode::Sitting => GaitState::Sitting,
        Mode::Standing => GaitState::Standing,
        Mode::Walking => GaitState::Walking,
        Mode::Stopping { .. } => GaitState::Stopping,
        Mode::Placing { .. } | Mode::Rising(_) | Mode::Lowering(_) => GaitState::Playing,
    }
}

/// Whether a twist is more than a stick's noise.
pub(crate) fn is_command(twist: Twist) -> bool {
    twist.is_finite() && (twist.speed() >= LEAST_SPEED_M_S || twist.wz.abs() >= LEAST_TURN_RAD_S)
}

/// The least lift of a foot that is put in its place before a motion.
const LEAST_PLACING_LIFT_M: f64 = 0.015;

const ATTEMPTS: usize = 6;

enum Obstacle {
    /// A joint would need this many times its greatest velocity.
    TooFast(f64),
    OutOfReach,
}

fn within_limits(angles: &LegAngles, leg: &Leg) -> bool {
    angles.iter().zip(leg.joints()).all(|(angle, joint)| (joint.limits().lower..=joint.limits().upper).contains(angle))
}
