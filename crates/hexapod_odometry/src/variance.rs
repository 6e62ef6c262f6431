//! How far the estimate is to be trusted: diagonals of nav_msgs' covariances, in the order x, y, z, roll, pitch, yaw.
//!
//! Servos that sag and feet that slip make every step too short or too long by much the same part, so errors grow in
//! proportion to the way walked and to the angle turned, not with their square root. Time adds nothing: a robot that stands
//! does not drift. Slopes are another matter: the ground is taken as level, so on a ramp the height is wrong by the slope
//! times how far from its start the robot is, and no longer so once it is back. The figures are fitted to drives in physics
//! so that 95 % of the errors or more are within twice the standard deviation on each ground and with each servo: more are
//! on easier ones (`docs/odometry.md`).

use crate::estimate::Estimate;
use crate::guide::Guided;
use nalgebra::Vector3;
use std::time::Duration;

/// Variance of x and y at the start (m^2), per square metre of way, and per square radian turned.
const PLACE: [f64; 3] = [3e-5, 2.2e-2, 4e-6];
/// The same of yaw (rad^2), and of the height (m^2) on level ground.
const YAW: [f64; 3] = [8e-5, 1.2e-2, 1.7e-2];
const HEIGHT: [f64; 3] = [6e-5, 2e-4, 0.0];
/// What the height's grows by per square metre from where the robot started: two deviations are a rise of 15.5 cm for each
/// metre. A robot that walks straight up the steepest ramp of the drives, 15 cm, stays within them however far it goes; drives
/// that wander would be content with half.
const RISE: f64 = 6e-3;
/// The same of roll and pitch (rad^2), up to what the slope of the ground may be, 0.1 rad. A body that walks onto a ramp
/// has its whole slope within a length of its own.
const TILT: [f64; 3] = [1.2e-5, 3.6e-2, 0.0];
const SLOPE_RAD2: f64 = 0.01;
/// Variance of roll and pitch by an accelerometer (rad^2), 2.3 degrees in two deviations: its bias, how it is mounted, and servos
/// that sag, which lean the body on ground that is level. The height is off by as much for each metre.
const UPRIGHT_RAD2: f64 = 4e-4;
/// By so much a gyroscope turns that has shown its bias at rest, rad/s, as that changes; and its scale is off by such a part.
const STEERED_RAD_S: f64 = 1e-3;
const STEERED_SCALE: f64 = 0.01;
/// Variance of roll and pitch of a body that its servos do not carry (rad^2): lying on the ground, on a stand or in a hand.
const LYING_RAD2: f64 = 0.0625;

/// Variances of the velocity at rest, m^2/s^2 and rad^2/s^2, in nav_msgs' order, and what each grows by with the speed.
const REST: [f64; 6] = [1e-4, 1e-4, 3e-4, 1e-2, 1e-2, 1e-3];
const PER_SPEED: [f64; 6] = [8e-3, 8e-3, 1.2e-2, 0.34, 0.34, 9e-2];
/// How many times more they grow with the speed where feet slip, for each time that those of the pose do.
const PER_SLIP: f64 = 1.0;
/// How far feet are from the middle of a body that turns, m.
const FOOT_M: f64 = 0.25;

/// A robot that is carried moves and turns this fast, m/s and rad/s, and not less than by this much, m and rad; its velocity
/// is as little known.
const CARRIED_SPEED: f64 = 1.0;
const CARRIED_LEAST: f64 = 1.0;
/// A robot is said to be blocked this long after it has met what blocks it, s.
const NOTICED_S: f64 = 2.5;

/// A robot whose feet have stepped unseen may have walked as fast as this meanwhile, m/s and rad/s, and by a step, m and rad.
const UNSEEN_M_S: f64 = 0.2;
const UNSEEN_RAD_S: f64 = 1.0;
const STEP_M: f64 = 0.05;
const STEP_RAD: f64 = 0.2;

/// A body that turns on feet that slip is off by so much for each rad, m.
const TURNING_M: f64 = 0.05;
/// A shove takes the body up to so many times as far as an accelerometer has it.
const SHOVED: f64 = 2.0;
/// It turns the body too slowly for the sensor's noise, rad for each metre.
const SHOVED_TURN: f64 = 0.15;
/// What variances grow by with the square of what an inertial sensor has the body do otherwise: that is 1.1 of two
/// deviations.
const PER_UNSEEN: f64 = 0.25;

/// So many certain feet are as good as more.
const ENOUGH_FEET: f64 = 3.0;
/// Greatest factor on a variance, with no foot on the ground.
const MOST_DOUBT: f64 = 100.0;

/// Factor on the variances of what moves while the feet on the ground have this sum of certainties.
pub(crate) fn doubt(support: f64) -> f64 {
    (ENOUGH_FEET / support).clamp(1.0, MOST_DOUBT)
}

/// Way and turn that count as doubtful where a robot that walks so has been blocked of late.
pub(crate) fn of_late(linear: &Vector3<f64>, angular: &Vector3<f64>) -> (f64, f64) {
    let doubt = MOST_DOUBT.sqrt() * NOTICED_S;
    (doubt * linear.xy().norm(), doubt * angular.z.abs())
}

/// Way and turn that count as doubtful where feet have stepped unseen in this time: two deviations of x, y and yaw are the
/// farthest that the robot may have got.
pub(crate) fn in_pause(time: Duration) -> (f64, f64) {
    let seconds = time.as_secs_f64();
    let way = 0.5 * (STEP_M + UNSEEN_M_S * seconds) / PLACE[1].sqrt();
    (way, 0.5 * (STEP_RAD + UNSEEN_RAD_S * seconds) / YAW[2].sqrt())
}

/// Way that counts as doubtful where feet slip, of a step and a turn.
pub(crate) fn way_of_feet(step: f64, turn: f64) -> f64 {
    step + TURNING_M * turn
}

impl Estimate {
    /// Variances of the pose: x, y, z (m^2), roll, pitch, yaw (rad^2). They grow with the way walked and the angle turned,
    /// the more the less certain the feet were, and that of z with the distance from the start. Where a body is that its
    /// servos do not carry, nobody measures: its height may be off by as much as is
    /// [said](crate::Odometry::set_body_uncertainty), which is two deviations, and it may lean.
    #[must_use]
    pub fn pose_variance(&self) -> [f64; 6] {
        let grown = |[start, way, turn]: [f64; 3], slipped: f64| {
            let distance = self.uncertainty_weighted_distance + slipped;
            let turned = self.uncertainty_weighted_rotation;
            start + way * distance * distance + turn * turned * turned
        };
        let lies = if self.astray > 0.0 { LYING_RAD2 } else { 0.0 };
        let unseen = |what: f64| PER_UNSEEN * what * what;
        // Feet that have turned the body otherwise have slipped as far.
        let (shoved, slipped) = (unseen(SHOVED * self.unseen.shoved), unseen(TURNING_M * self.unseen.turned));
        let leans = if self.guided.is_upright { UPRIGHT_RAD2 } else { grown(TILT, 0.0).min(SLOPE_RAD2) };
        let (place, tilt) = (grown(PLACE, self.unseen.slipped) + shoved + slipped, leans + lies);
        let guided = UPRIGHT_RAD2 * self.guided.way * self.guided.way;
        let rise = RISE * self.guided.without.norm_squared() + guided;
        let height = grown(HEIGHT, 0.0) + rise + unseen(self.unseen.heaved) + 0.25 * self.astray * self.astray;
        // Squares of a deviation that nobody has measured.
        let far = if self.carried_s > 0.0 { CARRIED_LEAST + CARRIED_SPEED * self.carried_s } else { 0.0 };
        let [start, way, turn] = YAW;
        let Guided { steered_s, steered_turn, unsteered_way, unsteered_turn, .. } = self.guided;
        let by_feet = start + way * unsteered_way * unsteered_way + turn * unsteered_turn * unsteered_turn;
        let steered =
            [STEERED_RAD_S * steered_s, STEERED_SCALE * steered_turn].map(|off| off * off).iter().sum::<f64>();
        let yaw = by_feet + steered + unseen(self.unseen.strayed) + unseen(SHOVED_TURN * self.unseen.shoved);
        let (off_place, held) = (far * far, if self.carried { LYING_RAD2 + CARRIED_LEAST } else { 0.0 });
        [place + off_place, place + off_place, height + off_place, tilt + held, tilt + held, yaw + off_place]
    }

    /// Variances of the velocity, in the same order: they grow with the speed, the more where feet slip, and while fewer than
    /// three certain feet are on the ground.
    #[must_use]
    pub fn twist_variance(&self) -> [f64; 6] {
        let (speed, doubt) = (self.speed() * (1.0 + PER_SLIP * self.unseen.slip_growth), doubt(self.support));
        let carried = if self.carried { CARRIED_SPEED * CARRIED_SPEED } else { 0.0 };
        let unseen = |axis: usize| if axis < 3 { UNSEEN_M_S } else { UNSEEN_RAD_S };
        let starts = |axis: usize| if self.starting { unseen(axis) * unseen(axis) } else { 0.0 };
        std::array::from_fn(|axis| (REST[axis] + PER_SPEED[axis] * speed) * doubt + carried + starts(axis))
    }

    /// About how fast the ground moves below the feet, m/s.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.linear.xy().norm() + FOOT_M * self.angular.z.abs()
    }
}

#[cfg(test)]
mod tests {
    use crate::Odometry;
    use nalgebra::Vector3;
    use std::time::Duration;

    #[test]
    fn when_something_carries_the_robot_expect_that_it_is_not_known_where_it_is_from_then_on() {
        let mut odometry = Odometry::new(3);
        let feet = [(0.2, 0.15), (-0.2, 0.15), (0.0, -0.2)].map(|(a, b)| Vector3::new(a, b, -0.1));
        let mut at = |carried: bool, tenths: u64| {
            odometry.mishaps().carry(carried);
            *odometry.update(Duration::from_millis(100 * tenths), &feet, Some(&[true; 3])).unwrap()
        };
        let (before, held, longer, after) = (at(false, 1), at(true, 2), at(true, 30), at(false, 31));
        assert!(before.pose_variance().iter().all(|variance| *variance < 0.01), "{:?}", before.pose_variance());
        for unknown in [held, longer] {
            assert!(unknown.pose_variance().iter().chain(&unknown.twist_variance()).all(|variance| *variance >= 1.0));
        }
        assert!(longer.pose_variance()[0] > 9.0 && after.pose_variance()[0] > 9.0 && after.pose_variance()[5] > 9.0);
        assert!(after.twist_variance()[0] < 0.1 && after.pose_variance()[3] < 0.1, "its feet bear it again");
    }

    #[test]
    fn when_a_robot_that_walks_is_blocked_expect_the_way_of_late_doubted_once() {
        let mut odometry = Odometry::new(3);
        let mut at = |tick: u64| {
            let feet =
                [(0.2, 0.15), (-0.2, 0.15), (0.0, -0.2)].map(|(a, b)| Vector3::new(a - 0.001 * tick as f64, b, -0.1));
            if tick == 100 {
                odometry.mishaps().block();
            }
            let estimate = odometry.update(Duration::from_millis(10 * tick), &feet, Some(&[true; 3])).unwrap();
            estimate.pose_variance()[0].sqrt()
        };
        let deviations: Vec<f64> = (0..103).map(&mut at).collect();
        assert!(deviations[100] > deviations[99] + 0.25, "{:?}", &deviations[98..]);
        assert!(deviations[102] < deviations[100] + 0.001, "{:?}", &deviations[98..]);
    }

    #[test]
    fn when_feet_step_unseen_expect_the_way_meanwhile_doubted_and_the_velocity_unknown_until_it_is_seen() {
        let mut odometry = Odometry::new(3);
        let mut at = |ms: u64, aside: f64| {
            let feet = [(0.2, 0.15), (-0.2, 0.15), (0.0, -0.2)].map(|(a, b)| Vector3::new(a, b * (1.0 + aside), -0.1));
            *odometry.update(Duration::from_millis(ms), &feet, Some(&[true; 3])).unwrap()
        };
        assert!(at(0, 0.0).starting);
        let before = (1..20).map(|tick| at(10 * tick, 0.0)).last().unwrap();
        assert!(before.twist_variance()[0] < 0.001 && !before.starting);
        let (deviation, yaw) = (|it: &crate::Estimate| it.pose_variance()[0].sqrt(), before.pose_variance()[5]);
        // A second without a word, and feet elsewhere than before: it may have walked at 0.15 m/s all along.
        let after = at(1190, 0.2);
        assert!(after.restarted && 2.0 * deviation(&after) > 0.2 && 2.0 * deviation(&before) < 0.02, "{after:?}");
        assert!(after.pose_variance()[5] > yaw + 0.25);
        assert!(2.0 * after.twist_variance()[0].sqrt() > 0.2, "it may still walk: {:?}", after.twist_variance());
        let later = (1..6).map(|tick| at(1190 + 10 * tick, 0.2)).last().unwrap();
        assert!(later.twist_variance()[0] < 0.001 && (deviation(&later) - deviation(&after)).abs() < 1e-9);
        // Feet that jump within a tick have stepped unseen, too.
        let jumped = at(1250, 0.9);
        assert!(jumped.restarted && deviation(&jumped) > deviation(&later) + 0.02, "{jumped:?}");
    }

    #[test]
    fn when_a_robot_goes_to_and_fro_expect_the_slope_to_count_by_how_far_off_it_is_and_servos_by_all_the_way() {
        let mut odometry = Odometry::new(3);
        let mut variances = |places: &[f64]| {
            let mut last = [0.0; 6];
            for (tick, x) in places.iter().enumerate() {
                let feet = [(0.2, 0.15), (-0.2, 0.15), (0.0, -0.2)].map(|(a, b)| Vector3::new(a - x, b, -0.1));
                let time = Duration::from_millis(10 * tick as u64);
                last = odometry.update(time, &feet, Some(&[true; 3])).unwrap().pose_variance();
            }
            last
        };
        let [start, away, back, again] = [&[0.0][..], &[0.0, 0.5], &[0.5, 0.0], &[0.0, 0.5]].map(&mut variances);
        assert!(away[2].sqrt() > 0.07 * 0.5, "{}", away[2]);
        assert!(start[2] < back[2] && back[2] < 0.25 * away[2], "{} {} {}", start[2], away[2], back[2]);
        assert!(away[2] < again[2] && again[2] < 1.5 * away[2], "{} {}", away[2], again[2]);
        assert!(away[0] < back[0] && back[0] < again[0]);
    }
}
