//! Whether a robot is where its plan has it: fallen, lifted, blocked, or none of these.
//!
//! An IMU tells of falls and obstacles, feet that feel the ground tell of a lift. What a configuration has no sensor for is
//! never reported. All is compared with the plan, and with what the sensors said while the robot stood: an IMU that had
//! the robot upright then and has it upside down now tells of a fall; one that never had it upright is mounted wrongly,
//! and tells nothing.

mod attitude;
mod inputs;
mod lift;
mod progress;

use attitude::Attitude;
use hexapod_kinematics::MAX_LEGS;
use hexapod_kinematics::math::atan2;
pub use inputs::{Inertial, Planned};
use lift::Lift;
use progress::Progress;

/// A body that leans this much more than planned, rad, has fallen. Walks over the roughest ground and the steepest ramps lean
/// by half of it.
const FALLEN_RAD: f64 = std::f64::consts::FRAC_PI_4;
/// For how long it has to lean so, s.
const FALLEN_S: f64 = 0.1;
/// An IMU is mounted as it says if it has the robot as upright as planned, to within this angle, rad, for so long, s.
const UPRIGHT_RAD: f64 = std::f64::consts::FRAC_PI_6;
const UPRIGHT_S: f64 = 1.0;
/// A robot that is to stand still does so after this time, s.
const SETTLES_S: f64 = 0.3;

/// Whether the robot is where its plan has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Condition {
    /// Nothing says otherwise.
    #[default]
    Ok,
    /// It lies on its back or side, or leans far more than planned.
    Fallen,
    /// No foot feels the ground.
    Lifted,
    /// It walks and does not get on.
    Blocked,
}

impl Condition {
    /// The word for it in diagnostics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Fallen => "fallen",
            Self::Lifted => "lifted",
            Self::Blocked => "blocked",
        }
    }
}

/// Follows a robot and tells its condition.
#[derive(Clone, Debug)]
pub struct ConditionWatch {
    attitude: Option<Attitude>,
    /// For how long the robot has been commanded to be still, and for how long it has been upright, s.
    still_s: f64,
    upright_s: f64,
    /// The IMU has had the robot upright.
    stood: bool,
    leans_s: f64,
    lift: Lift,
    progress: Progress,
    condition: Condition,
}

impl ConditionWatch {
    /// A watch over a robot whose feet are about this far from its middle, m.
    #[must_use]
    pub fn new(radius_m: f64) -> Self {
        Self {
            attitude: None,
            still_s: 0.0,
            upright_s: 0.0,
            stood: false,
            leans_s: 0.0,
            lift: Lift::default(),
            progress: Progress::new(radius_m),
            condition: Condition::Ok,
        }
    }

    /// Takes what the IMU tells.
    pub fn sense(&mut self, reported: &Inertial) {
        let is_still = self.still_s > SETTLES_S;
        let moved = match (&mut self.attitude, reported.since_s) {
            (Some(attitude), Some(since_s)) => attitude.follow(reported, since_s, is_still),
            (attitude, _) => {
                *attitude = Some(Attitude::new(reported));
                return self.progress.forget();
            }
        };
        self.progress.sense(&moved, reported.since_s.unwrap_or_default());
    }

    /// The IMU has fallen silent: from now on it tells nothing.
    pub fn unsense(&mut self) {
        self.attitude = None;
        self.progress.forget();
    }

    /// Takes `dt` seconds of what the robot is commanded to do and what its feet feel. A condition lasts until it is
    /// over by itself (lifted, blocked) or by [`Self::recover`].
    pub fn step(&mut self, planned: &Planned, feet: &[Option<bool>; MAX_LEGS], dt: f64) -> Condition {
        self.still_s = if planned.moves { 0.0 } else { self.still_s + dt };
        self.stand(planned, dt);
        let lifted = self.lift.step(planned, feet, dt);
        let stuck = self.progress.step(planned, self.attitude.is_some() && !lifted, dt);
        let fallen = self.leans(planned, dt);
        self.condition = match self.condition {
            Condition::Fallen => Condition::Fallen,
            _ if fallen => Condition::Fallen,
            _ if lifted => Condition::Lifted,
            _ if stuck => Condition::Blocked,
            _ => Condition::Ok,
        };
        self.condition
    }

    /// The condition now.
    #[must_use]
    pub fn condition(&self) -> Condition {
        self.condition
    }

    /// Somebody has set the robot right, or says that it is: it is looked at anew. Feet are not believed before they have felt
    /// the ground again.
    pub fn recover(&mut self) {
        (self.leans_s, self.condition) = (0.0, Condition::Ok);
        self.lift = Lift::default();
        self.progress.forget();
    }

    /// Whether the robot has been as upright as planned for a second.
    #[must_use]
    pub fn is_upright(&self) -> bool {
        self.upright_s > UPRIGHT_S
    }

    /// Whether feet tell, and none of them has felt the ground since the robot stands on them.
    #[must_use]
    pub fn doubts_feet(&self) -> bool {
        self.lift.doubts()
    }

    /// Learns whether the IMU is mounted as it says.
    fn stand(&mut self, planned: &Planned, dt: f64) {
        let upright = self.lean(planned).is_some_and(|lean| lean < UPRIGHT_RAD);
        self.upright_s = if upright { self.upright_s + dt } else { 0.0 };
        self.stood |= self.upright_s > UPRIGHT_S;
    }

    fn leans(&mut self, planned: &Planned, dt: f64) -> bool {
        let leans = self.stood && self.lean(planned).is_some_and(|lean| lean > FALLEN_RAD);
        self.leans_s = if leans { self.leans_s + dt } else { 0.0 };
        self.leans_s > FALLEN_S
    }

    /// How much more the body leans than planned, rad.
    fn lean(&self, planned: &Planned) -> Option<f64> {
        let up = self.attitude.as_ref()?.up();
        Some(atan2(up.cross(&planned.up).norm(), up.dot(&planned.up)))
    }
}

#[cfg(test)]
mod tests;
