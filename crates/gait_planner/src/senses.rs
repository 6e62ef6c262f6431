//! What the robot feels and sees, as far as it is to be believed, on its way into a tick.

use crate::felt::Felt;
use crate::life::{Moment, is_fresh};
use crate::planned_footholds::PlannedFootholds;
use crate::remarks::Refused;
use crate::sight::{Footing, Sees};
use hexapod_dynamics::Inertial;
use hexapod_gait::{Engine, Input, Tick, Twist};
use hexapod_kinematics::MAX_LEGS;
use nalgebra::Vector3;
use std::time::Duration;

/// Feet that have reported nothing for longer feel nothing, and neither does an IMU: the gait's plan alone counts.
pub(crate) const FELT: Duration = Duration::from_millis(200);

/// What has been reported, the ground as it was seen, where that is used, and where others want feet put down.
pub(crate) struct Senses {
    pub felt: Felt,
    pub footing: Option<Footing>,
    pub planned: PlannedFootholds,
}

impl Senses {
    /// Senses that have reported nothing.
    pub fn new(engine: &Engine) -> Self {
        Self { felt: Felt::default(), footing: None, planned: PlannedFootholds::new(engine) }
    }

    /// Takes what an IMU has reported, with the direction up in the body where the gait goes by it.
    pub fn take_imu(&mut self, reported: &Inertial, up: Option<Vector3<f64>>, at: Moment) {
        let Some(up) = up else { return };
        self.felt.take_up(up, at);
        self.footing.iter_mut().for_each(|footing| footing.sense(reported, &up));
    }

    /// Time has gone back, or the robot may be carried away: what was seen of the ground does not count where it is next.
    pub fn forget_ground(&mut self) {
        self.footing.iter_mut().for_each(Footing::forget);
        self.planned.forget();
    }

    /// Whether it sees the ground.
    pub fn sees(&self) -> Sees {
        self.footing.as_ref().map_or(Sees::Unused, Footing::sees)
    }

    /// What is left of a twist that is wanted.
    pub fn allowed(&mut self, wanted: Twist, dt: f64) -> Twist {
        self.footing.as_mut().map_or(wanted, |footing| footing.allowed(wanted, dt))
    }

    /// Puts what is believed at `now` into the input of the tick after `tick`. A clock that goes back makes it void. Why a
    /// foothold was left out, if one was.
    pub fn fill(
        &mut self,
        input: &mut Input,
        (engine, tick): (&Engine, &Tick),
        now: Moment,
        goes_back: bool,
    ) -> Option<Refused> {
        if goes_back {
            self.forget_ground();
        }
        if goes_back || !self.felt.at().is_some_and(|at| is_fresh(&at, &now, FELT)) {
            self.felt.forget();
        }
        input.contacts = self.felt.believed(&tick.contacts);
        input.up = self.felt.up(|at| is_fresh(at, &now, FELT));
        if let Some(footing) = &mut self.footing {
            input.footholds = footing.footholds((engine, tick), now);
        } else {
            input.footholds = [None; MAX_LEGS];
        }
        self.planned.fill(&mut input.footholds, engine, now.at)
    }
}
