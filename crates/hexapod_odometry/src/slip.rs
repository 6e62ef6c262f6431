//! How the body moves otherwise than its feet have it, by an inertial sensor: feet that slip, meet the ground too early or hang
//! on an edge jerk it and turn it, and somebody may shove it.

use crate::estimate::Estimate;
use crate::guide::Turned;
use crate::unseen::{Inertial, Unseen};
use hexapod_kinematics::math;
use nalgebra::Vector3;

/// Time constant of the turning as it is compared, s: odometry's is a mean over 50 ms.
const SMOOTH_S: f64 = 0.025;
/// Time constant with which the difference of the velocities is forgotten, s, and that of its mean square.
const FORGET_S: f64 = 1.0;
const MEAN_S: f64 = 2.0;
/// A robot that has stood for so long, s, turns fast or not at all; and after so long it shows what the gyroscope reads at
/// rest, up to so much, rad/s, as a mean with this time constant, s.
const STANDS_S: f64 = 0.3;
const RESTS_S: f64 = 0.5;
const MOST_BIAS_RAD_S: f64 = 0.1;
const BIAS_S: f64 = 3.0;
/// A gyroscope that was looked at for so long in all, s, is believed.
const KNOWN_S: f64 = 0.5;
/// A robot that moves more slowly than this, m/s, stands.
const STANDS_M_S: f64 = 1e-4;
/// No samples are further apart than this, s.
const LONGEST_S: f64 = 0.2;

/// Differences below these are those of gaits and servos on a floor: rad/s and m/s.
const LEAST_RAD_S: f64 = 0.11;
const LEAST_M_S: f64 = 0.06;
/// What variances grow faster by, for each (rad/s)² and each (m/s)² above, and by no more than so much: then the robot does not
/// get on at all.
const PER_RAD2_S2: f64 = 800.0;
const PER_M2_S2: f64 = 10_000.0;
const MOST: f64 = 20.0;
/// Ground on which feet have slipped goes on so far, m.
const GROUND_M: f64 = 0.4;
/// A body that is so much faster than its feet, m/s, is shoved.
const SHOVED_M_S: f64 = 0.25;

/// Follows the differences.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slip {
    turning: f64,
    bias: f64,
    /// For how long the bias has been looked at in all, and for how long the robot has stood now, s.
    rested_s: f64,
    still_s: f64,
    /// Of the last estimate, m/s.
    linear: Vector3<f64>,
    /// By what the body's velocity is beyond that of its feet, m/s.
    beyond: Vector3<f64>,
    /// Mean squares of the differences.
    turning2: f64,
    beyond2: f64,
    unseen: Unseen,
}

impl Slip {
    /// Takes a sample, `since_s` seconds after the one before, with odometry's estimate of that time; none of one that does not
    /// count.
    pub(crate) fn sense(&mut self, felt: &Inertial, since_s: f64, estimate: &Estimate) -> Option<Turned> {
        let numbers = felt.spin.sum() + felt.acceleration.sum() + felt.up.sum() + since_s;
        if !(numbers.is_finite() && since_s > 0.0 && since_s <= LONGEST_S) {
            return None;
        }
        let blend = |time_s: f64| 1.0 - math::exp(-since_s / time_s);
        // Feet turn a body about what is square to the plane on which they stand, however that slopes.
        let normal = estimate.by_feet.inverse_transform_vector(&Vector3::z());
        self.turning += (felt.spin.dot(&normal) - self.turning) * blend(SMOOTH_S);
        self.still_s = if estimate.speed() < STANDS_M_S { self.still_s + since_s } else { 0.0 };
        if self.still_s > RESTS_S && self.turning.abs() < MOST_BIAS_RAD_S {
            self.rested_s += since_s;
            self.bias += (self.turning - self.bias) * blend(BIAS_S).max(since_s / self.rested_s);
        }
        let turning = estimate.angular.dot(&normal) - (self.turning - self.bias);
        self.turning2 += (turning * turning - self.turning2) * blend(MEAN_S);
        let turns = self.still_s < STANDS_S || turning.abs() > LEAST_RAD_S;
        let is_known = self.rested_s > KNOWN_S;
        if turns {
            self.unseen.turned += turning * since_s;
            self.unseen.strayed += if is_known { 0.0 } else { turning * since_s };
        }
        self.beyond += felt.acceleration * since_s - (estimate.linear - self.linear);
        self.beyond -= self.beyond * blend(FORGET_S);
        self.linear = estimate.linear;
        self.beyond2 += (self.beyond.xy().norm_squared() - self.beyond2) * blend(MEAN_S);
        let speed = self.beyond.norm();
        if speed > SHOVED_M_S {
            self.unseen.shoved += self.beyond.xy().norm() * since_s;
            self.unseen.heaved += self.beyond.z.abs() * since_s;
        }
        Some(Turned { by: turns.then(|| (felt.spin.dot(&normal) - self.bias) * since_s), is_known })
    }

    /// Goes on by a way of the feet, m, of which so much is doubtful however they stand.
    pub(crate) fn walk(&mut self, way: f64, doubtful: f64) {
        let above = |square: f64, least: f64| (square - least * least).max(0.0);
        let now = PER_RAD2_S2 * above(self.turning2, LEAST_RAD_S) + PER_M2_S2 * above(self.beyond2, LEAST_M_S);
        let growth = now.min(MOST).max(self.unseen.slip_growth * math::exp(-way / GROUND_M));
        self.unseen.slip_growth = growth;
        self.unseen.slipped += math::hypot(doubtful, growth.sqrt() * way) - doubtful;
    }

    pub(crate) fn unseen(&self) -> Unseen {
        self.unseen
    }
}
