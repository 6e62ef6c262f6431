//! Odometry beside the truth.

use super::course::{Course, Driver};
use super::fit::Errors;
use super::mishaps::{Fate, Mishap};
use super::shipped::{config, robot};
use super::{Rig, TICK_S};
use hexapod_dynamics::ImuReader;
use hexapod_gait::Input;
use hexapod_odometry::{Estimate, Odometry};
use hexapod_sim::Imu;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use std::time::Duration;

/// How often the two are compared, in ticks.
const EVERY: usize = 50;

/// How long a robot stands before it is driven, s: meanwhile its gyroscope shows its bias.
pub const STANDS_S: f64 = 2.5;

/// Odometry and truth at a moment of a drive.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// What odometry says.
    pub estimate: Estimate,
    /// Its errors of place (m) and attitude (rad) since the start: x, y, z, roll, pitch, yaw, in the odom frame.
    pub pose: [f64; 6],
    /// Its errors of the velocity, in the body's axes: m/s, rad/s.
    pub twist: [f64; 6],
}

/// The same moment with an IMU, and without.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub with_imu: Sample,
    pub without: Sample,
}

/// Drives for some seconds.
pub fn drive(course: &Course, seconds: f64) -> Vec<Pair> {
    drive_with(course, None, seconds)
}

/// The same with a mishap.
pub fn drive_with(course: &Course, mishap: Option<Mishap>, seconds: f64) -> Vec<Pair> {
    let mut fate = mishap.map(|mishap| Fate::new(mishap, course.seed));
    let mut rig = Rig::standing(&course.setting());
    let mut driver = Driver::new(course);
    let mut both = Both::new(&rig, course.seed);
    let (mut samples, mut truth) = (Vec::new(), Vec::new());
    let world_from_odom = origin(&rig.base());
    for _ in 0..(STANDS_S / TICK_S) as usize {
        rig.tick(&Input::default());
        both.take(&rig);
    }
    for tick in 0..(seconds / TICK_S) as usize {
        let input = driver.input(&mut rig.engine);
        fate.iter_mut().for_each(|fate| fate.befall(&mut rig, tick));
        rig.tick(&input);
        let true_pose = world_from_odom.inverse() * rig.base();
        truth.push(true_pose);
        if fate.as_mut().is_some_and(|fate| !fate.tell(&rig, &mut both.with_imu, tick)) {
            both.imu.tell(&rig, &mut both.with_imu);
            continue;
        }
        let [with_imu, without] = both.take(&rig);
        if tick % EVERY == EVERY - 1 {
            // Odometry's velocity is a mean over 50 ms.
            let twist = velocity(&truth[tick - 5], &true_pose, 5.0 * TICK_S);
            let [with_imu, without] = [with_imu, without].map(|estimate| sample(&estimate, &true_pose, &twist));
            samples.push(Pair { with_imu, without });
        }
    }
    samples
}

/// Odometry with an IMU, and without.
struct Both {
    with_imu: Odometry,
    without: Odometry,
    imu: Sensed,
}

impl Both {
    fn new(rig: &Rig, seed: u64) -> Self {
        let odometry = Odometry::new(rig.engine.legs().len());
        Self { with_imu: odometry.clone(), without: odometry, imu: Sensed::new(rig, seed) }
    }

    /// Goes on to now.
    fn take(&mut self, rig: &Rig) -> [Estimate; 2] {
        let (now, feet, contacts) = (rig.now(), rig.feet(), rig.contacts());
        self.imu.tell(rig, &mut self.with_imu);
        [&mut self.with_imu, &mut self.without].map(|odometry| {
            odometry.set_foot_heights(rig.feet_above_ground(&odometry.up_in_body()));
            *odometry.update(now, &feet, Some(&contacts[..feet.len()])).unwrap()
        })
    }
}

/// The robot's IMU, as `state_publisher` reads it.
pub struct Sensed {
    imu: Imu,
    reader: ImuReader,
}

impl Sensed {
    pub fn new(rig: &Rig, seed: u64) -> Self {
        Self { imu: Imu::new(config("").imu, None, rig.simulator.world(), seed), reader: ImuReader::default() }
    }

    /// Tells odometry what the IMU reads.
    pub fn tell(&mut self, rig: &Rig, odometry: &mut Odometry) {
        let world = rig.simulator.world();
        let now = Duration::from_secs_f64(world.time_s());
        if self.reader.take(robot().model(), &self.imu.read(world).sample(""), now).is_err() {
            return;
        }
        odometry.sense_imu(&mut self.reader, now);
    }
}

/// The odom frame of a robot that starts here: below the body, level, on the ground.
fn origin(base: &Isometry3<f64>) -> Isometry3<f64> {
    let yaw = base.rotation.euler_angles().2;
    let at = Vector3::new(base.translation.x, base.translation.y, 0.0);
    Isometry3::from_parts(at.into(), UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw))
}

/// The mean velocity between two poses, in the axes of the body in between.
fn velocity(from: &Isometry3<f64>, to: &Isometry3<f64>, seconds: f64) -> [Vector3<f64>; 2] {
    let turn = (from.rotation.inverse() * to.rotation).scaled_axis();
    let middle = from.rotation * UnitQuaternion::from_scaled_axis(turn / 2.0);
    [middle.inverse() * (to.translation.vector - from.translation.vector) / seconds, turn / seconds]
}

fn sample(estimate: &Estimate, truth: &Isometry3<f64>, twist: &[Vector3<f64>; 2]) -> Sample {
    let shift = estimate.odom_from_body.translation.vector - truth.translation.vector;
    let turn = (estimate.odom_from_body.rotation * truth.rotation.inverse()).scaled_axis();
    let (linear, angular) = (estimate.linear - twist[0], estimate.angular - twist[1]);
    let six = |a: Vector3<f64>, b: Vector3<f64>| [a.x, a.y, a.z, b.x, b.y, b.z];
    Sample { estimate: *estimate, pose: six(shift, turn), twist: six(linear, angular) }
}

/// A figure of the estimate that has a variance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    Place,
    Height,
    Tilt,
    Yaw,
    Speed,
    Climb,
    Sway,
    Turn,
}

impl Figure {
    pub const ALL: [Self; 8] =
        [Self::Place, Self::Height, Self::Tilt, Self::Yaw, Self::Speed, Self::Climb, Self::Sway, Self::Turn];

    pub fn words(self) -> &'static str {
        match self {
            Self::Place => "x, y",
            Self::Height => "z",
            Self::Tilt => "roll, pitch",
            Self::Yaw => "yaw",
            Self::Speed => "velocity along x, y",
            Self::Climb => "velocity along z",
            Self::Sway => "turning about x, y",
            Self::Turn => "turning about z",
        }
    }

    /// What the variance grows with.
    pub fn grows_with(self) -> &'static [&'static str] {
        match self {
            Self::Height => &["way^2", "distance^2"],
            _ if self.is_of_pose() => &["way^2", "turn^2"],
            _ => &["speed"],
        }
    }

    /// Whether it is a length.
    pub fn is_of_place(self) -> bool {
        matches!(self, Self::Place | Self::Height)
    }

    /// Whether it is no velocity.
    pub fn is_of_pose(self) -> bool {
        matches!(self, Self::Place | Self::Height | Self::Tilt | Self::Yaw)
    }

    /// Places in nav_msgs' order.
    fn axes(self) -> &'static [usize] {
        match self {
            Self::Place | Self::Speed => &[0, 1],
            Self::Height | Self::Climb => &[2],
            Self::Tilt | Self::Sway => &[3, 4],
            Self::Yaw | Self::Turn => &[5],
        }
    }

    /// Its errors, and what they may grow with.
    pub fn errors(self, samples: &[Sample]) -> Errors<3> {
        let each = samples.iter().flat_map(|sample| self.axes().iter().map(move |&axis| (sample, axis)));
        Errors::new(each.map(|(sample, axis)| {
            let Estimate { travelled, turned, odom_from_body, .. } = sample.estimate;
            let other = match self {
                Self::Height => odom_from_body.translation.vector.xy().norm(),
                _ => turned,
            };
            if self.is_of_pose() {
                ([1.0, travelled.powi(2), other.powi(2)], sample.pose[axis])
            } else {
                ([1.0, sample.estimate.speed(), 0.0], sample.twist[axis])
            }
        }))
    }

    /// Squares of the errors in parts of the variance that the estimate gives, rising.
    fn parts(self, samples: &[Sample]) -> Vec<f64> {
        let of = |sample: &Sample| {
            let estimate = &sample.estimate;
            let (variance, errors) = if self.is_of_pose() {
                (estimate.pose_variance(), sample.pose)
            } else {
                (estimate.twist_variance(), sample.twist)
            };
            self.axes().iter().map(move |&axis| errors[axis].powi(2) / variance[axis])
        };
        let mut parts: Vec<f64> = samples.iter().flat_map(of).collect();
        parts.sort_by(f64::total_cmp);
        parts
    }

    /// The fraction of the errors that is within twice the standard deviation that the estimate gives.
    pub fn covered(self, samples: &[Sample]) -> f64 {
        self.within(2.0, samples)
    }

    /// The greatest of these errors of the pose in 95 of 100.
    pub fn error(self, samples: &[Sample]) -> f64 {
        let of = |sample: &Sample| self.axes().iter().map(|&axis| sample.pose[axis].powi(2)).sum::<f64>().sqrt();
        let mut errors: Vec<f64> = samples.iter().map(of).collect();
        errors.sort_by(f64::total_cmp);
        errors.get((0.95 * errors.len() as f64) as usize).copied().unwrap_or(f64::NAN)
    }

    /// The part that is within so many standard deviations.
    pub fn within(self, deviations: f64, samples: &[Sample]) -> f64 {
        let parts = self.parts(samples);
        parts.partition_point(|part| *part <= deviations * deviations) as f64 / parts.len() as f64
    }

    /// How far the part that is [covered](Self::covered) may be from that of endlessly many drives: its standard error. The
    /// errors of one drive go together, so that it counts as one.
    pub fn covered_error(self, drives: &[Vec<Sample>]) -> f64 {
        let (count, each) = (drives.len() as f64, drives.iter().map(|samples| self.covered(samples)));
        let mean = each.clone().sum::<f64>() / count;
        let squares: f64 = each.map(|covered| (covered - mean).powi(2)).sum();
        (squares / (count - 1.0).max(1.0) / count).sqrt()
    }

    /// By how much variances would have to be greater for 95 of 100 errors to be within twice the standard deviation.
    pub fn factor(self, samples: &[Sample]) -> f64 {
        let parts = self.parts(samples);
        parts[(0.95 * parts.len() as f64) as usize] / 4.0
    }
}
