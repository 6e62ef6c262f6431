//! The player: a walking engine that plays motions while it stands.

mod down;
mod requests;
mod tick;

use super::check::{holds, stands};
use super::job::Job;
use super::kinds::Motion;
use super::transition::{self, NoLegToSpare, Solved, Stage};
use crate::engine::Engine;
use crate::state::pose::{Home, Target};
use crate::state::tick::{GaitState, Input, Tick};
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use std::sync::Arc;

/// An engine and the motion job over it.
///
/// A motion starts and ends with the robot standing at [`Engine::home`]: a sitting robot stands up first, a walking one
/// stops and puts its feet back under it. The way from there to the motion's start, and from wherever it ends or is
/// broken off, is put in. Like the engine it allocates nothing in a tick and always gives an answer.
#[derive(Clone, Debug)]
pub struct Player {
    engine: Engine,
    job: Job,
    home: Home,
    phase: Phase,
    /// Where the robot is in `phase`, and its joint angles there.
    now: Target,
    angles: [LegAngles; MAX_LEGS],
    /// Part of the motion's own speed.
    pace: f64,
    cancelled: bool,
    sit_when_home: bool,
    pack_when_home: bool,
    dropped: Option<Dropped>,
    /// The engine has been asked to put the feet of a body at another height back to where they rest.
    sent_home: bool,
    tick: Tick,
}

/// Why a motion that was asked for is not played, or not to its end, though nobody has asked for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// The robot stands so that it cannot put its feet in place without tipping over.
    NoLegToSpare,
    /// The robot was driven on before the motion began.
    Driven,
    /// A leg could not get where the motion goes.
    NoWayOn,
}

impl Dropped {
    /// The reason in words.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::NoLegToSpare => "the robot cannot put its feet in place without tipping over; sit and stand up again",
            Self::Driven => "the robot was driven before the motion began; release the stick first",
            Self::NoWayOn => "a leg could not follow the motion; the robot returned to standing",
        }
    }
}

#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "copied within the tick, where nothing may be allocated")]
enum Phase {
    /// The engine moves the robot.
    Idle,
    /// On the way from wherever the engine left the feet to home.
    Settling(Option<Stage>),
    /// On the way from home to the motion's start.
    Entering(Option<Stage>),
    Running,
    /// Back to the start of a motion of joints that has no other safe way home.
    Rewinding {
        time: f64,
    },
    /// On the way home.
    Leaving(Option<Stage>),
}

const MAX_DT_S: f64 = 0.1;

impl Player {
    /// A player of motions on `engine`.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        let home = engine.home();
        let (tick, angles) = (*engine.last(), engine.last().angles);
        Self {
            job: Job::default(),
            phase: Phase::Idle,
            now: Target::Feet(home.pose),
            pace: 0.0,
            cancelled: false,
            sit_when_home: false,
            pack_when_home: false,
            dropped: None,
            sent_home: false,
            engine,
            home,
            angles,
            tick,
        }
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The engine, for its settings. What moves the robot goes through the player.
    pub fn engine_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// The job.
    #[must_use]
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The last tick.
    #[must_use]
    pub fn last(&self) -> &Tick {
        if self.is_playing() { &self.tick } else { self.engine.last() }
    }

    /// Whether a motion was dropped since this was asked last, and why.
    pub fn take_dropped(&mut self) -> Option<Dropped> {
        std::mem::take(&mut self.dropped)
    }

    /// Whether a motion moves the robot, and not the engine.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        !matches!(self.phase, Phase::Idle)
    }

    /// Whether what the job runs has begun: it is on the way from home to its start, or further.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        matches!(self.phase, Phase::Entering(_) | Phase::Running | Phase::Rewinding { .. })
    }

    /// Whether what has begun is being broken off.
    #[must_use]
    pub fn breaks_off(&self) -> bool {
        self.cancelled || matches!(self.phase, Phase::Rewinding { .. })
    }

    /// Moves on by `dt` seconds. A twist breaks off what is played.
    pub fn step(&mut self, input: &Input, dt: f64) -> &Tick {
        let dt = if dt.is_finite() { dt.clamp(0.0, MAX_DT_S) } else { 0.0 };
        let driven = input.twist.is_command();
        if driven && self.job.is_busy() {
            if matches!(self.phase, Phase::Idle | Phase::Settling(_)) {
                self.drop_motions(Dropped::Driven);
            }
            self.cancel();
        }
        if matches!(self.phase, Phase::Idle) && self.job.is_busy() && !driven {
            self.begin();
        }
        match self.phase {
            Phase::Idle => {
                self.engine.step(input, dt);
                return self.engine.last();
            }
            // The engine stands meanwhile, and sees when the driver lets go of the stick.
            Phase::Entering(_) | Phase::Running | Phase::Leaving(_) if !driven => {
                self.engine.step(&Input::default(), dt);
            }
            _ => {}
        }
        self.play_on(dt);
        self.last()
    }

    /// Starts to play once the engine stands.
    fn begin(&mut self) {
        match self.engine.present_state() {
            GaitState::Sitting => self.engine.stand(),
            GaitState::Standing if self.engine.is_at_another_height() => {
                if std::mem::replace(&mut self.sent_home, true) {
                    self.sent_home = false;
                    self.drop_motions(Dropped::NoLegToSpare);
                } else {
                    self.engine.go_home();
                }
            }
            GaitState::Standing => {
                self.sent_home = false;
                self.tick = *self.engine.last();
                self.angles = self.tick.angles;
                self.home = self.engine.home();
                let mut pose = self.home.pose;
                (pose.offset, pose.feet) = (self.engine.offset(), self.tick.feet);
                self.now = Target::Feet(pose);
                self.phase = Phase::Settling(None);
                (self.pace, self.cancelled) = (1.0, false);
                self.choose();
            }
            _ => {}
        }
    }

    /// Leaves the motion where it is.
    fn turn_home(&mut self) {
        (self.pace, self.cancelled) = (1.0, false);
        if self.sit_when_home && self.come_down() {
            self.job.cancel();
            return;
        }
        let entering = matches!(self.phase, Phase::Entering(_));
        if self.job.running().is_some_and(Motion::is_of_joints) && !entering && !self.is_straight_home_safe() {
            self.phase = Phase::Rewinding { time: self.job.time() };
            return;
        }
        self.job.finish();
        self.phase = Phase::Leaving(None);
        self.choose();
    }

    /// Whether the robot stands on its feet all along the straight way home through joint space.
    fn is_straight_home_safe(&mut self) -> bool {
        let robot = Arc::clone(self.engine.robot());
        let way = Stage::of_joints(&robot, &self.angles, &self.home.angles);
        holds(&robot, &self.engine.plant.masses, &self.home, &way)
    }

    /// Chooses what comes next where a phase or a stage is over.
    fn choose(&mut self) {
        let between = match self.phase {
            Phase::Settling(stage) | Phase::Leaving(stage) => done(stage),
            _ => false,
        };
        if self.sit_when_home && between && self.come_down() {
            return;
        }
        let home = Target::Feet(self.home.pose);
        match self.phase {
            Phase::Settling(stage) if done(stage) => match self.next_stage(&home) {
                Ok(Some(stage)) => self.phase = Phase::Settling(Some(stage)),
                Ok(None) => self.arrive(),
                Err(NoLegToSpare) => self.give_back(),
            },
            Phase::Entering(stage) if done(stage) => {
                let start = self.job.running().map_or(self.now, |motion| motion.target(0.0));
                match self.next_stage(&start) {
                    Ok(Some(stage)) => self.phase = Phase::Entering(Some(stage)),
                    // `check` has gone this way and found legs to spare.
                    Ok(None) | Err(NoLegToSpare) => (self.phase, self.pace) = (Phase::Running, 0.0),
                }
            }
            Phase::Rewinding { time } if time <= 0.0 => {
                self.job.finish();
                self.phase = Phase::Leaving(None);
                self.choose();
            }
            Phase::Leaving(stage) if done(stage) => match self.next_stage(&home) {
                Ok(Some(stage)) => self.phase = Phase::Leaving(Some(stage)),
                Ok(None) => self.arrive(),
                Err(NoLegToSpare) => self.give_back(),
            },
            _ => {}
        }
    }

    /// Gives a robot that cannot put its feet in place, all of which are on the ground, back to the engine as it is.
    fn give_back(&mut self) {
        self.drop_motions(Dropped::NoLegToSpare);
        if let Target::Feet(pose) = self.now {
            self.engine.settle(&pose, &self.angles);
        }
        self.rest();
    }

    /// Drops what is played and what waits.
    fn drop_motions(&mut self, why: Dropped) {
        if self.job.is_busy() {
            self.dropped = Some(why);
        }
        self.job.cancel();
    }

    /// At home: the next motion, or back to the engine.
    fn arrive(&mut self) {
        self.now = Target::Feet(self.home.pose);
        self.engine.settle(&self.home.pose, &self.home.angles);
        if self.job.is_busy() {
            (self.phase, self.pace) = (Phase::Entering(None), 1.0);
            self.choose();
            return;
        }
        self.rest();
    }

    fn rest(&mut self) {
        (self.phase, self.cancelled) = (Phase::Idle, false);
        if std::mem::take(&mut self.sit_when_home) {
            self.engine.sit();
            if std::mem::take(&mut self.pack_when_home) {
                self.engine.pack();
            }
        }
    }

    /// The next stage on the way from where the robot is to `goal`, if it is not there.
    fn next_stage(&mut self, goal: &Target) -> Result<Option<Stage>, NoLegToSpare> {
        let robot = Arc::clone(self.engine.robot());
        let (Target::Feet(now), Target::Feet(goal)) = (self.now, *goal) else {
            let to = if let Target::Joints(angles) = goal { *angles } else { self.home.angles };
            let far = self.angles.iter().zip(&to).any(|(from, to)| from.distance_squared(to) > 1e-18);
            return Ok(far.then(|| Stage::of_joints(&robot, &self.angles, &to)));
        };
        let to = transition::next(&now, &goal, self.home.step_height, |pose| {
            let angles = pose.solve(&robot, self.home.height, &self.angles);
            angles.is_ok_and(|angles| stands(&self.engine.plant.masses, &self.home, pose, &angles))
        })?;
        Ok(to.map(|to| match to.solve(&robot, self.home.height, &self.angles) {
            Ok(angles) => Stage::of_feet(
                &robot,
                &self.home,
                Solved { pose: now, angles: &self.angles },
                Solved { pose: to, angles: &angles },
            ),
            Err(_) => Stage::of_joints(&robot, &self.angles, &self.home.angles),
        }))
    }
}

fn done(stage: Option<Stage>) -> bool {
    stage.is_none_or(|stage| stage.is_done())
}
