//! Whether the robot is where its plan has it, as the planner's node watches for it, and what is said of that.

use crate::given_up::FewNotes;
use gait_planner::ConditionResponse;
use gait_planner::command::FeltBy;
use gait_planner::life::Moment;
use hexapod_dynamics::{Condition, ImuReader, ImuSample};
use hexapod_gait::{Engine, Tick, Twist};
use hexapod_kinematics::{MAX_LEGS, Model};
use std::time::Duration;

/// How many changes are reported; beyond, that there were more.
const MOST: u32 = 8;

/// A watch over a robot with an IMU and with switches under its feet, whether its gait goes by them or not.
pub struct Monitor {
    imu: ImuReader,
    response: ConditionResponse,
    has_stopped: bool,
    doubts_switches: bool,
    /// Nothing moves the robot before a command of zero.
    latched: bool,
    notes: FewNotes,
}

impl Monitor {
    pub fn new(engine: &Engine) -> Self {
        let (imu, response) = (ImuReader::default(), ConditionResponse::new(engine));
        let notes = FewNotes::default();
        Self { imu, response, has_stopped: false, doubts_switches: false, latched: false, notes }
    }

    /// Takes what the IMU reports.
    pub fn sense(&mut self, model: &Model, sample: &ImuSample<'_>, now: Duration) {
        // A sample that is not believed for levelling shows a fall all the same.
        let _ = self.imu.take(model, sample, now);
        if let Some(reported) = self.imu.take_inertial() {
            self.response.sense(&reported, Moment::real(now));
        }
    }

    /// Takes what the feet feel.
    pub fn feel(&mut self, contacts: [Option<bool>; MAX_LEGS], now: Duration) {
        self.response.feel(FeltBy::Switches, contacts, Moment::real(now));
    }

    /// What is left of a twist that is wanted for the next `dt` seconds. Whoever drove a robot that was lifted has to let go before
    /// that counts again.
    pub fn allowed(&mut self, wanted: Twist, dt: f64) -> Twist {
        self.latched = self.response.bars() || self.latched && !wanted.is_zero();
        self.response.allowed(if self.latched { Twist::ZERO } else { wanted }, dt)
    }

    /// Looks at what was done in the tick of `dt` seconds that ended at `now`; what it has come to, if that is something else than
    /// before.
    pub fn look(&mut self, tick: &Tick, now: Duration, dt: f64) -> Option<Condition> {
        self.response.look(tick, &Moment::real(now), dt)
    }

    /// What to say at `seconds` from the start, if that is something else than before.
    pub fn note(&mut self, change: Option<Condition>, seconds: f64) -> Option<String> {
        let had_stopped = std::mem::replace(&mut self.has_stopped, self.response.has_stopped());
        let doubted = std::mem::replace(&mut self.doubts_switches, self.response.doubts_switches());
        let what = match change {
            _ if self.doubts_switches && !doubted => {
                "no foot has felt the ground for seconds: it may hang in the air; no foot switch is believed"
            }
            _ if self.has_stopped && !had_stopped => {
                "it has stopped as blocked: its IMU showed no progress for seconds; it goes on once it is driven another way, or released"
            }
            Some(Condition::Lifted) => "it is lifted: its legs are held, and it walks on after a command of zero",
            _ => return None,
        };
        self.notes.admit(MOST, format!("at {seconds:.2} s {what}"), "it was lifted or blocked after that, too")
    }
}
