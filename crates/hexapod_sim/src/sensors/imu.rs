//! An IMU: gyroscope, accelerometer, and the orientation that is worked out of the two.

use super::moment::Moment;
use crate::engine::World;
use crate::random::Random;
use hexapod_dynamics::ImuSample;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// What an IMU adds to the truth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImuModel {
    /// White noise of the gyroscope, rad/s per root of a hertz.
    pub gyro_noise: f64,
    /// Standard deviation of its bias, which stays as it is, rad/s.
    pub gyro_bias: f64,
    /// White noise of the accelerometer, m/s² per root of a hertz.
    pub accelerometer_noise: f64,
    /// Standard deviation of its bias, m/s².
    pub accelerometer_bias: f64,
    /// Standard deviation of the noise of the orientation, rad, about each axis.
    pub orientation_noise: f64,
}

/// What an IMU tells, as `sensor_msgs/Imu` has it. Covariances are row by row about x, y and z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImuReading {
    /// From the world's axes (z up) to those of the IMU. Its yaw drifts, since nothing shows the IMU where north is.
    pub orientation: UnitQuaternion<f64>,
    /// rad², of `orientation`.
    pub orientation_covariance: [f64; 9],
    /// Mean over the time since the reading before, in the IMU's axes, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// (rad/s)².
    pub angular_velocity_covariance: [f64; 9],
    /// Specific force, mean over the same time, in the IMU's axes, m/s²: one at rest reads 9.8 upwards.
    pub linear_acceleration: Vector3<f64>,
    /// (m/s²)².
    pub linear_acceleration_covariance: [f64; 9],
}

impl ImuReading {
    /// The same as whoever works out which way is up takes it; `frame` is the link that carries the IMU, empty for the body.
    pub fn sample<'a>(&self, frame: &'a str) -> ImuSample<'a> {
        let linear_acceleration = Some(self.linear_acceleration);
        ImuSample { frame, angular_velocity: self.angular_velocity, linear_acceleration }
    }
}

/// An IMU on a link of the robot.
#[derive(Clone, Debug)]
pub struct Imu {
    model: ImuModel,
    /// The part that carries it, and its pose there.
    part: usize,
    part_from_imu: Isometry3<f64>,
    random: Random,
    gyro_bias: Vector3<f64>,
    accelerometer_bias: Vector3<f64>,
    start_s: f64,
    last: Moment,
}

impl Imu {
    /// One on a link (an index of the robot's model), or on the base where there is no such link. Bias and noise follow
    /// from the seed. It is switched on now: the first reading is of the time from now on.
    pub fn new(model: ImuModel, link: Option<usize>, world: &World, seed: u64) -> Self {
        let mut random = Random(seed);
        let mut bias = |deviation: f64| deviation * normal(&mut random);
        let (gyro_bias, accelerometer_bias) = (bias(model.gyro_bias), bias(model.accelerometer_bias));
        let seat = link.and_then(|link| world.assembly().links.get(link).copied().flatten());
        let (part, part_from_imu) = seat.unwrap_or((0, Isometry3::identity()));
        let last = Moment::now(world, part, &part_from_imu);
        Self { model, part, part_from_imu, random, gyro_bias, accelerometer_bias, start_s: last.time_s, last }
    }

    /// What it tells now. Call it at the rate of the sensor; between two calls the world has stepped at least once.
    pub fn read(&mut self, world: &World) -> ImuReading {
        let now = Moment::now(world, self.part, &self.part_from_imu);
        let last = self.last.or_put(world, self.part, &self.part_from_imu);
        let since_s = (now.time_s - last.time_s).max(world.settings().step_s);
        let turned = (last.orientation.inverse() * now.orientation).scaled_axis();
        let gravity = *world.gravity();
        let mean = (now.velocity - last.velocity) / since_s - gravity;
        let halfway = last.orientation * UnitQuaternion::from_scaled_axis(0.5 * turned);
        self.last = now;
        let bandwidth = since_s.sqrt().recip();
        let [gyro, accelerometer] =
            [self.model.gyro_noise, self.model.accelerometer_noise].map(|noise| noise * bandwidth);
        let angular_velocity = turned / since_s + self.gyro_bias + gyro * normal(&mut self.random);
        let linear_acceleration =
            halfway.inverse() * mean + self.accelerometer_bias + accelerometer * normal(&mut self.random);
        let running_s = now.time_s - self.start_s;
        ImuReading {
            orientation: self.orientation(&now, gravity.norm(), running_s),
            orientation_covariance: self.orientation_covariance(gravity.norm(), running_s),
            angular_velocity,
            angular_velocity_covariance: diagonal([squared_sum(gyro, self.model.gyro_bias); 3]),
            linear_acceleration,
            linear_acceleration_covariance: diagonal([squared_sum(accelerometer, self.model.accelerometer_bias); 3]),
        }
    }

    /// The accelerometer's bias leans it, the gyroscope's turns it on and on.
    fn orientation(&mut self, now: &Moment, gravity: f64, running_s: f64) -> UnitQuaternion<f64> {
        let lean = self.accelerometer_bias / gravity.max(f64::MIN_POSITIVE);
        let noise = self.model.orientation_noise * normal(&mut self.random);
        let yaw = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), self.gyro_bias.z * running_s);
        let leans = if gravity > 0.0 { Vector3::new(lean.y, -lean.x, 0.0) } else { Vector3::zeros() };
        yaw * now.orientation * UnitQuaternion::from_scaled_axis(leans + noise)
    }

    fn orientation_covariance(&self, gravity: f64, running_s: f64) -> [f64; 9] {
        let ImuModel { orientation_noise, accelerometer_bias, gyro_bias, .. } = self.model;
        let lean = if gravity > 0.0 { accelerometer_bias / gravity } else { 0.0 };
        let leans = squared_sum(orientation_noise, lean);
        diagonal([leans, leans, squared_sum(orientation_noise, gyro_bias * running_s)])
    }
}

fn normal(random: &mut Random) -> Vector3<f64> {
    Vector3::from_fn(|_, _| random.normal())
}

fn squared_sum(a: f64, b: f64) -> f64 {
    a * a + b * b
}

fn diagonal([x, y, z]: [f64; 3]) -> [f64; 9] {
    [x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z]
}
