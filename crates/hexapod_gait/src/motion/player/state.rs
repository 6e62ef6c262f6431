//! What a player knows, and what can be asked of it.

use crate::engine::Engine;
use crate::motion::job::Job;
use crate::motion::kinds::Motion;
use crate::motion::transition::Stage;
use crate::state::pose::{Home, Target};
use crate::state::tick::Tick;
use hexapod_kinematics::{LegAngles, MAX_LEGS};

/// An engine and the motion job over it.
///
/// A motion starts and ends with the robot standing at [`Engine::home`]: a sitting robot stands up first, a walking one
/// stops and puts its feet back under it. The way from there to the motion's start, and from wherever it ends or is
/// broken off, is put in. Like the engine it allocates nothing in a tick and always gives an answer.
#[derive(Clone, Debug)]
pub struct Player {
    pub(super) engine: Engine,
    pub(super) job: Job,
    pub(super) home: Home,
    pub(super) phase: Phase,
    /// Where the robot is in `phase`, and its joint angles there.
    pub(super) now: Target,
    pub(super) angles: [LegAngles; MAX_LEGS],
    /// Fraction of the motion's own speed.
    pub(super) pace: f64,
    pub(super) cancelled: bool,
    pub(super) sit_when_home: bool,
    pub(super) pack_when_home: bool,
    pub(super) dropped: Option<Dropped>,
    /// The engine has been asked to put the feet of a body at another height back to where they rest.
    pub(super) sent_home: bool,
    /// For how long the engine has been bringing the body straight above its feet for what waits, s.
    pub(super) straightening_s: f64,
    /// In the frame of the hips, and as it is outside.
    pub(super) tick: Tick,
    pub(super) shown: Tick,
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

/// What moves the robot, and on which part of the way.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "copied within the tick, where nothing may be allocated")]
pub(super) enum Phase {
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

impl Player {
    /// A player of motions on `engine`.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        let home = engine.own_home();
        let (tick, angles) = (*engine.own_last(), engine.last().angles);
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
            straightening_s: 0.0,
            engine,
            home,
            angles,
            tick,
            shown: tick,
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
        match self.engine.base() {
            _ if !self.is_playing() => self.engine.last(),
            Some(_) => &self.shown,
            None => &self.tick,
        }
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

    /// Where a motion has the robot, in the measure of the engine.
    pub(super) fn target(&self, motion: &Motion, time: f64) -> Target {
        motion.target_of(time, &self.home, 1.0 / self.engine.plant.size)
    }

    /// Whether what is played may have to be gone back to its start before the robot can leave it.
    pub(crate) fn may_rewind(&self) -> bool {
        self.job.running().is_some_and(Motion::is_joint_motion)
    }

    /// Drops what is played and what waits.
    pub(super) fn drop_motions(&mut self, why: Dropped) {
        if self.job.is_busy() {
            self.dropped = Some(why);
        }
        self.job.cancel();
    }
}
