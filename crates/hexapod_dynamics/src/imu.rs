//! An IMU: how the body moves, and which way is up.

use crate::base::{BaseMotion, STANDARD_GRAVITY};
use crate::condition::Inertial;
use hexapod_kinematics::Model;
use hexapod_kinematics::math::exp;
use nalgebra::{Isometry3, Rotation3, Vector3};
use std::time::Duration;

/// What an IMU reported this long ago no longer counts: the body is taken to be level and at rest.
const FRESH: Duration = Duration::from_millis(200);
/// Time constant with which gravity's direction, which turns as the gyroscope says, follows the accelerometer, s
/// (complementary filter: Mahony, Hamel and Pflimlin 2008).
pub const GRAVITY_S: f64 = 0.5;
/// The same of the angular acceleration.
const TURNING_S: f64 = 0.03;
/// Of a frame that is none, so many characters are reported.
const MOST_SHOWN: usize = 64;
/// More than any body of a robot bears: rad/s and m/s².
const MOST_RAD_S: f64 = 100.0;
const MOST_M_S2: f64 = 500.0;

/// What an IMU tells at a time, in the axes of its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImuSample<'a> {
    /// A link fixed to the body, after the prefix of a namespace if there is one; empty: the body itself.
    pub frame: &'a str,
    /// rad/s.
    pub angular_velocity: Vector3<f64>,
    /// Specific force, m/s²: 9.8 upwards at rest. None without an accelerometer.
    pub linear_acceleration: Option<Vector3<f64>>,
}

impl<'a> ImuSample<'a> {
    /// One of its parts: the frame, rad/s, and m/s², which is none without an accelerometer.
    #[must_use]
    pub fn of((frame, turn, force): (&'a str, [f64; 3], Option<[f64; 3]>)) -> Self {
        Self { frame, angular_velocity: turn.into(), linear_acceleration: force.map(Vector3::from) }
    }
}

/// Why a sample of the IMU is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImuRefused {
    /// A number, of this vector.
    #[error("the IMU's {0} is not a finite number, or more than any robot bears")]
    Number(&'static str),
    /// Its frame.
    #[error("the IMU is in frame {0:?}, which is not a link fixed to the body: set the IMU's frame_id")]
    Frame(String),
    /// No accelerometer.
    #[error("the IMU has no linear acceleration (its covariance begins with -1)")]
    NoAcceleration,
    /// Another unit.
    #[error("the IMU looks as if it were in g, not m/s^2: it reads {0:.2} for gravity; multiply it by 9.81")]
    InG(f64),
    /// Gravity is missing.
    #[error("the IMU reads no gravity ({0:.2} m/s^2): it is taken off, or nothing is measured")]
    NoGravity(f64),
    /// A length that gravity has not.
    #[error("the IMU reads {0:.1} m/s^2 for gravity, which is 9.8")]
    Length(f64),
    /// Mounted otherwise than stated.
    #[error("the IMU has the robot on its side ({0:.1} m/s^2 upwards, 9.8 if it stands): turn the IMU's link")]
    OnItsSide(f64),
    /// The other way up.
    #[error(
        "the IMU has the robot upside down ({0:.1} m/s^2 upwards, 9.8 if it stands): turn the IMU's link or its sign"
    )]
    UpsideDown(f64),
}

/// By how much the length of gravity may be off, as a part of it, and what still reads as none, m/s².
const GRAVITY_FRACTION: f64 = 0.25;
const NO_GRAVITY_M_S2: f64 = 0.5;

/// An IMU that has had the robot on its feet for so long, s, is mounted as it says: what it says later is so.
const STOOD_S: f64 = 1.0;
/// A robot leans by 75 degrees at most, or it lies: the cosine of that.
const ON_ITS_SIDE: f64 = 0.26;

/// What is wrong with an IMU that on the mean reads this specific force in the body.
fn implausible(up: &Vector3<f64>) -> Result<(), ImuRefused> {
    let length = up.norm();
    let is_near = |other: f64| (length / other - 1.0).abs() < GRAVITY_FRACTION;
    if is_near(STANDARD_GRAVITY) {
        return match up.z {
            z if z > ON_ITS_SIDE * length => Ok(()),
            z if z > -ON_ITS_SIDE * length => Err(ImuRefused::OnItsSide(z)),
            z => Err(ImuRefused::UpsideDown(z)),
        };
    }
    Err(match length {
        _ if is_near(1.0) => ImuRefused::InG(length),
        _ if length < NO_GRAVITY_M_S2 => ImuRefused::NoGravity(length),
        _ => ImuRefused::Length(length),
    })
}

/// The body's motion as its IMU tells it.
#[derive(Clone, Debug, Default)]
pub struct ImuReader {
    /// The frame of the last sample, and the IMU in the body.
    frame: Option<(String, Isometry3<f64>)>,
    last: Option<(Duration, BaseMotion)>,
    /// What it reads on the mean can be gravity, for a robot on its feet.
    plausible: bool,
    /// For how long it has had the robot on its feet, s.
    stood_s: f64,
    /// What the last sample says that has not been asked for.
    inertial: Option<Inertial>,
}

impl ImuReader {
    /// The body's motion at `now`; level and at rest where no IMU speaks that can be believed.
    #[must_use]
    pub fn motion(&self, now: Duration) -> BaseMotion {
        let fresh = self.last.filter(|(received, _)| self.plausible && now.saturating_sub(*received) < FRESH);
        fresh.map_or(BaseMotion::level(), |(_, motion)| motion)
    }

    /// The direction up in the body, of any length, as reported last.
    #[must_use]
    pub fn up(&self) -> Option<Vector3<f64>> {
        self.last.filter(|_| self.plausible).map(|(_, motion)| -motion.gravity)
    }

    /// What the last sample says, once, whether or not the IMU can be believed.
    pub fn take_inertial(&mut self) -> Option<Inertial> {
        self.inertial.take()
    }

    /// Takes a sample, received at `now`. A robot on its back or side is believed of an IMU that has had it on its feet
    /// before: it has fallen.
    ///
    /// # Errors
    /// What does not hold in the sample, or what the IMU looks like if it cannot be right.
    pub fn take(&mut self, model: &Model, sample: &ImuSample<'_>, now: Duration) -> Result<(), ImuRefused> {
        let read = sample.linear_acceleration.ok_or(ImuRefused::NoAcceleration)?;
        let body_from_imu = self.body_from(model, sample.frame)?;
        let spin = body_from_imu * bounded("angular_velocity", sample.angular_velocity, MOST_RAD_S)?;
        let read = body_from_imu * bounded("linear_acceleration", read, MOST_M_S2)?;
        let before = self.last.filter(|(received, _)| now.saturating_sub(*received) < FRESH);
        let (since, last) = before.map_or((f64::INFINITY, BaseMotion::at_rest(-read)), |(received, motion)| {
            (now.saturating_sub(received).as_secs_f64(), motion)
        });
        let blend = |time_s: f64| 1.0 - exp(-since / time_s);
        let turning = if since.is_finite() && since > 0.0 {
            let rate = (spin - last.angular_velocity) / since;
            last.angular_acceleration + (rate - last.angular_acceleration) * blend(TURNING_S)
        } else {
            last.angular_acceleration
        };
        // Where the IMU is, not the origin: what turning adds there is taken off.
        let arm = body_from_imu.translation.vector;
        let at_origin = read - turning.cross(&arm) - spin.cross(&spin.cross(&arm));
        let carried = if since.is_finite() { Rotation3::new(-spin * since) * last.gravity } else { last.gravity };
        let gravity = carried + (-at_origin - carried) * blend(GRAVITY_S);
        let motion = BaseMotion {
            angular_velocity: spin,
            angular_acceleration: turning,
            acceleration: at_origin + gravity,
            gravity,
        };
        self.last = Some((now, motion));
        let since_s = Some(since).filter(|since| since.is_finite());
        self.inertial = Some(Inertial { spin, force: at_origin, since_s });
        let verdict = self.judge(implausible(&-gravity), since_s.unwrap_or_default());
        self.plausible = verdict.is_ok();
        verdict
    }

    fn judge(&mut self, verdict: Result<(), ImuRefused>, since_s: f64) -> Result<(), ImuRefused> {
        let has_stood = self.stood_s > STOOD_S;
        match verdict {
            Ok(()) => self.stood_s += since_s,
            Err(ImuRefused::OnItsSide(_) | ImuRefused::UpsideDown(_)) if has_stood => return Ok(()),
            Err(_) if !has_stood => self.stood_s = 0.0,
            Err(_) => {}
        }
        verdict
    }

    fn body_from(&mut self, model: &Model, frame: &str) -> Result<Isometry3<f64>, ImuRefused> {
        if let Some((known, pose)) = &self.frame
            && known == frame
        {
            return Ok(*pose);
        }
        let pose = if frame.is_empty() {
            Isometry3::identity()
        } else {
            let link = model.fixed_frame(frame);
            link.ok_or_else(|| ImuRefused::Frame(frame.chars().take(MOST_SHOWN).collect()))?
        };
        (self.frame, self.stood_s) = (Some((frame.to_owned(), pose)), 0.0);
        Ok(pose)
    }
}

fn bounded(what: &'static str, vector: Vector3<f64>, most: f64) -> Result<Vector3<f64>, ImuRefused> {
    if vector.iter().all(|x| x.abs() <= most) { Ok(vector) } else { Err(ImuRefused::Number(what)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_kinematics::Robot;

    fn sample(frame: &str, turn: f64, up: f64) -> ImuSample<'_> {
        reported(frame, Vector3::z() * turn, Vector3::z() * up)
    }

    fn reported(frame: &str, angular_velocity: Vector3<f64>, read: Vector3<f64>) -> ImuSample<'_> {
        ImuSample { frame, angular_velocity, linear_acceleration: Some(read) }
    }

    #[test]
    fn when_the_imu_speaks_expect_its_specific_force_and_level_rest_after_its_silence() {
        let robot = Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap();
        let (mut imu, ms) = (ImuReader::default(), Duration::from_millis);
        assert_eq!(imu.motion(ms(0)), BaseMotion::level());
        for tick in 0..100 {
            imu.take(robot.model(), &sample("robot/base_link", 0.5, 9.0), ms(10 * tick)).unwrap();
        }
        imu.take(robot.model(), &sample("", 0.5, 12.0), ms(1000)).unwrap();
        let motion = imu.motion(ms(1005));
        assert!((motion.specific_force() - Vector3::z() * 12.0).norm() < 1e-12, "{motion:?}");
        assert!((motion.angular_velocity.z, motion.angular_acceleration.z) == (0.5, 0.0));
        assert!(motion.up().z > 0.99 && (motion.gravity.z + 9.0).abs() < 0.1, "one bump is no gravity: {motion:?}");
        assert_eq!(imu.motion(ms(1300)), BaseMotion::level());
    }

    #[test]
    fn when_the_body_rolls_expect_up_to_turn_as_the_gyroscope_says_and_shaking_to_leave_it() {
        let robot = Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap();
        let (mut imu, ms) = (ImuReader::default(), Duration::from_millis);
        assert_eq!(imu.up(), None);
        imu.take(robot.model(), &sample("", 0.0, 9.8), ms(0)).unwrap();
        for tick in 1..100 {
            let shaken = reported("", Vector3::zeros(), Vector3::new(0.0, [3.0, -3.0][tick as usize % 2], 9.8));
            imu.take(robot.model(), &shaken, ms(10 * tick)).unwrap();
        }
        let still = imu.up().unwrap().normalize();
        assert!((still - Vector3::z()).norm() < 0.01, "{still}");
        // By 0.2 rad in 0.1 s, its left side up.
        for tick in 0..10 {
            let rolling = reported("", Vector3::x() * 2.0, Vector3::z() * 9.8);
            imu.take(robot.model(), &rolling, ms(1000 + 10 * tick)).unwrap();
        }
        let up = imu.up().unwrap().normalize();
        assert!((up - Vector3::new(0.0, 0.2_f64.sin(), 0.2_f64.cos())).norm() < 0.03, "{up}");
    }

    #[test]
    fn when_the_imu_cannot_be_right_expect_what_it_looks_like_and_the_body_level_until_it_is() {
        let robot = Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap();
        for (up, word) in [
            (1.0, "in g, not m/s^2"),
            (0.0, "no gravity"),
            (-9.8, "upside down"),
            (20.0, "20.0 m/s^2 for gravity"),
            (-1.0, "in g, not m/s^2"),
        ] {
            let (mut imu, ms) = (ImuReader::default(), Duration::from_millis);
            for tick in 0..200 {
                let reason = imu.take(robot.model(), &sample("", 0.3, up), ms(10 * tick)).unwrap_err().to_string();
                assert!(reason.contains(word), "{reason}");
                assert_eq!(imu.motion(ms(10 * tick)), BaseMotion::level());
            }
            let taken = (200..500).filter(|tick| imu.take(robot.model(), &sample("", 0.3, 9.8), ms(10 * tick)).is_ok());
            assert!(taken.count() > 150 && imu.motion(ms(4990)).angular_velocity.z == 0.3, "it has been mended: {up}");
        }
        let (mut imu, side) = (ImuReader::default(), reported("", Vector3::zeros(), Vector3::x() * 9.81));
        let reason = imu.take(robot.model(), &side, Duration::ZERO).unwrap_err().to_string();
        assert!(reason.contains("on its side"), "{reason}");
        // Bumps of a walk are none of it.
        let mut imu = ImuReader::default();
        for tick in 0..200 {
            let bumpy = sample("", 0.0, if tick % 20 == 10 { -30.0 } else { 11.0 });
            assert!(imu.take(robot.model(), &bumpy, Duration::from_millis(10 * tick)).is_ok());
        }
    }

    #[test]
    fn when_a_sample_does_not_hold_expect_the_reason_and_the_motion_kept() {
        let robot = Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap();
        let (mut imu, now) = (ImuReader::default(), Duration::from_secs(1));
        imu.take(robot.model(), &sample("", 0.0, 9.8), now).unwrap();
        let before = imu.motion(now);
        let none = ImuSample { linear_acceleration: None, ..sample("", 0.0, 9.8) };
        for (bad, word) in [
            (sample("", f64::NAN, 9.8), "angular_velocity"),
            (sample("", 0.0, f64::INFINITY), "linear_acceleration"),
            (sample("left_front_tibia_link", 0.0, 9.8), "left_front_tibia_link"),
            (sample("nowhere", 0.0, 9.8), "nowhere"),
            (none, "no linear acceleration"),
        ] {
            let reason = imu.take(robot.model(), &bad, now).unwrap_err().to_string();
            assert!(reason.contains(word), "{reason}");
        }
        assert_eq!(imu.motion(now), before);
    }
}
