//! What the planner keeps from one point of the grid to the next.

use crate::gait::Gait;
use crate::plan::blocked::stall_timer::StallTimer;
use crate::plan::body::workspace::WorkspaceSearch;
use crate::plan::context::Context;
use crate::plan::missed::Missed;
use crate::plan::progress::Progress;
use crate::plan::rough::GroundWalked;
use crate::plane::limits::{LimitedBy, TwistLimits};
use crate::plane::ramp::Ramp;
use crate::plane::twist::Twist;
use crate::plant::Plant;
use crate::state::State;
use crate::state::foothold::Foothold;
use crate::state::mode::Mode;
use crate::state::segment::Segment;
use crate::state::tick::Input;
use crate::state::walk::Sensed;
use hexapod_kinematics::MAX_LEGS;
use nalgebra::Vector3;

/// What changes at the points of the grid only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Control {
    pub ramp: Ramp,
    /// After a stop, commands are ignored until the driver lets go.
    pub commands_latched: bool,
    /// The robot folds its legs once it sits.
    pub then_pack: bool,
    /// The robot stands and is about to walk, once its feet have room.
    pub leaving: bool,
    pub sensing: Sensing,
    pub workspace: WorkspaceSearch,
    pub roughness: GroundWalked,
    pub step_height: f64,
    pub limits: TwistLimits,
    pub stall_timer: StallTimer,
    pub progress: Progress,
    pub missed: Missed,
    /// The twist that the driver wants.
    pub wanted: Twist,
    pub gaits: Gaits,
    pub requests: Requests,
}

/// What is known of the ground under the feet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sensing {
    pub sensed: Sensed,
    /// The direction up in the body's frame, of any length.
    pub up: Option<Vector3<f64>>,
    /// Where feet are wanted on it.
    pub footholds: [Option<Foothold>; MAX_LEGS],
}

impl Sensing {
    /// What an input tells, as far as it can be.
    pub(crate) fn of(input: &Input) -> Self {
        let late = if input.contacts_late > 0.0 { input.contacts_late.min(LATEST_S) } else { 0.0 };
        Self {
            sensed: Sensed { contacts: input.contacts, late },
            up: input.up.filter(|up| up.norm() < f64::INFINITY && up.z > STANDS * up.norm()),
            footholds: input.footholds.map(|foothold| foothold.filter(Foothold::is_finite)),
        }
    }

    pub(crate) fn foothold(&self, leg: usize) -> Option<Foothold> {
        self.footholds.get(leg).copied().flatten()
    }
}

/// A body that leans by more than 60 degrees does not stand, or its IMU does not know: the cosine of that.
const STANDS: f64 = 0.5;

/// Contacts that are reported later than this, s, are taken for as late.
const LATEST_S: f64 = 0.2;

/// The gait that is walked, and the one that is to be taken up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gaits {
    pub walked: Gait,
    pub next: Option<Gait>,
    /// Since when the next one waits.
    pub since_ns: u64,
}

/// What may be set anew at any time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tuning {
    /// Lift of a swinging foot for gaits that have none of their own, m.
    pub step_height: f64,
    /// Bounds of the body's motion.
    pub limits: TwistLimits,
}

/// What is to be done at the next point of the grid.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Requests {
    pub posture: Option<Posture>,
    pub stop: bool,
    /// The stick was at rest when the stop came, or has been since.
    pub released: bool,
}

impl Gaits {
    /// Goes over to the next gait, if one waits.
    pub(crate) fn take_next(&mut self) -> Option<&Gait> {
        self.walked = self.next.take()?;
        Some(&self.walked)
    }
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

impl Control {
    /// The driver's twist, or none: while a stop holds, until the stick has been let go, and for a stick's noise.
    #[inline]
    pub(crate) fn wanted_twist(&mut self, twist: Twist) -> Twist {
        if !twist.is_command() {
            self.commands_latched = false;
            return Twist::ZERO;
        }
        if self.commands_latched { Twist::ZERO } else { twist }
    }

    /// What feet feel, and how late by the time that their swings have gone on.
    pub(crate) fn sensed(&self, now_ns: u64) -> Sensed {
        let Sensed { contacts, late } = self.sensing.sensed;
        Sensed { contacts, late: self.missed.gone_on(now_ns, late) }
    }

    /// Takes what is to be done at this point of the grid.
    pub(crate) fn take_requests(&mut self) -> Requests {
        let requests = std::mem::take(&mut self.requests);
        self.commands_latched = (self.commands_latched || requests.stop) && !requests.released;
        if requests.stop {
            self.then_pack = requests.posture == Some(Posture::Pack);
        }
        requests
    }

    /// Ends a walk that does not get on: commands are ignored until the driver lets go.
    pub(crate) fn give_up(&mut self) {
        self.commands_latched = true;
        self.progress.give_up();
    }

    /// What keeps the body of a robot that walks from the pose that is asked for.
    #[inline]
    pub(crate) fn pose_held_by(&self, mode: &Mode) -> LimitedBy {
        if matches!(mode, Mode::Walking) { self.workspace.held_by() } else { LimitedBy::Nothing }
    }

    /// What barred a walk that was given up, until the driver lets go.
    #[inline]
    pub(crate) fn gave_up(&self) -> Option<LimitedBy> {
        self.progress.gave_up.filter(|_| self.commands_latched)
    }

    /// Takes down what became of a segment that has been gone along.
    pub(crate) fn settle(&mut self, plant: &Plant, start: &State, segment: &mut Segment) {
        self.stall_timer.count(plant, start, segment);
        // Nor does a body that was held back make up for it.
        segment.end.rates = segment.end.rates.held_back(segment.advance.pace.offset);
        let pace = segment.advance.pace.body;
        self.missed.count(segment.ns, segment.end.ns, pace * segment.advance.pace.swing);
        if matches!(start.mode, Mode::Walking) {
            let Self { gaits, limits, step_height, progress, wanted, .. } = self;
            let cx = Context { plant, gait: &gaits.walked, limits, step_height: *step_height };
            progress.count(&cx, start, segment, *wanted);
        }
        if matches!(start.mode, Mode::Stopping(_)) && pace < 1.0 {
            // A body that was slowed while it stops is not sped up again.
            self.ramp.scale(pace);
            segment.end.twist = segment.end.twist.map(|twist| twist.scaled(pace));
        }
    }

    /// What stages read of it.
    #[inline]
    pub(crate) fn context<'a>(&'a self, plant: &'a Plant) -> Context<'a> {
        Context { plant, gait: &self.gaits.walked, limits: &self.limits, step_height: self.step_height }
    }

    pub(crate) fn new(gait: Gait, tuning: &Tuning) -> Self {
        Self {
            ramp: Ramp::REST,
            commands_latched: false,
            leaving: false,
            then_pack: false,
            sensing: Sensing::default(),
            workspace: WorkspaceSearch::new(),
            roughness: GroundWalked::default(),
            step_height: tuning.step_height,
            limits: tuning.limits,
            stall_timer: StallTimer::default(),
            progress: Progress::default(),
            missed: Missed::NOTHING,
            wanted: Twist::ZERO,
            gaits: Gaits { walked: gait, next: None, since_ns: 0 },
            requests: Requests::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_an_imu_has_the_body_lying_or_tells_no_direction_expect_nothing_of_it() {
        let known = |up: Vector3<f64>| Sensing::of(&Input { up: Some(up), ..Input::default() }).up;
        let leaning = Vector3::new(0.0, 0.5, 9.8);
        assert_eq!(known(leaning), Some(leaning));
        let odd = [[9.8, 0.0, 1.0], [0.0, 0.0, -9.8], [0.0; 3], [f64::NAN, 0.0, 9.8], [0.0, f64::INFINITY, 9.8]];
        assert!(odd.into_iter().all(|up| known(up.into()).is_none()));
    }
}
