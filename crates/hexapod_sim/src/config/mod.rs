//! `sim.yaml`: the figures of servos, supply, sensors and ground.

mod file;
mod named;
mod ranges;

pub use named::NamedServo;

use crate::engine::{Settings, World};
use crate::ground::Surface;
use crate::sensors::{CameraModel, ImuModel, LidarModel, PointSensor, SwitchModel};
use crate::servo::{Battery, ServoModel, Servos};
use file::{Camera, File, Kind, Lidar};
use hexapod_config::ros_params::hint_for;
use hexapod_config::{ConfigError, Document, Faults};
use hexapod_kinematics::{Leg, Robot};
use nalgebra::{UnitQuaternion, Vector3};
use ranges::check;

/// What `sim.yaml` says, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Steps of the engine.
    pub engine: Settings,
    /// Which servo each joint has.
    pub servos: Servos,
    /// What they are fed from.
    pub battery: Battery,
    /// What feet feel of the ground.
    pub surface: Surface,
    /// What the IMU adds to the truth.
    pub imu: ImuModel,
    /// The link that carries the IMU, an index of the robot's model; none where the robot has no such link.
    pub imu_link: Option<usize>,
    /// When foot switches close and open.
    pub switches: SwitchModel,
    /// The depth camera.
    pub camera: CameraModel,
    /// The link that carries it; none where the robot has no such link.
    pub camera_link: Option<usize>,
    /// The lidar.
    pub lidar: LidarModel,
    /// The link that carries it; none where the robot has no such link.
    pub lidar_link: Option<usize>,
    /// What is to be known of it.
    pub notes: Vec<String>,
}

impl Config {
    /// What a file, or its layers, say for a robot.
    ///
    /// # Errors
    /// Line and key of all that does not hold, and what would be right.
    pub fn read(document: &Document, robot: &Robot) -> Result<Self, ConfigError> {
        Self::read_for(document, robot, &[])
    }

    /// The same for joints with servos of a kind: where no owner's layer says anything under `servos`, a kind that is described
    /// here is the motor of its joints, and one whose torque and speed are known is a common servo of these.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_for(document: &Document, robot: &Robot, named: &[NamedServo]) -> Result<Self, ConfigError> {
        let mut faults = Faults::default();
        let file: Option<File> = document.deserialize_on(&mut faults);
        let config = file.and_then(|file| {
            check_figures(document, &file, &mut faults);
            let servos = servos(document, &file, robot, &mut faults)?;
            let is_own = |key: &String| document.layer(&format!("servos.{key}")).is_some_and(|layer| layer > 0);
            let named = if file.servos.keys().any(is_own) { &[] } else { named };
            let (servos, notes) = file.fitted(servos, named);
            let sensors = &file.sensors;
            let seats = [
                ("sensors.imu.link", sensors.imu.link.as_str(), USUAL_IMU_LINK),
                ("sensors.camera.link", &sensors.camera.link, USUAL_CAMERA_LINK),
                ("sensors.lidar.link", &sensors.lidar.link, USUAL_LIDAR_LINK),
            ];
            let [imu_link, camera_link, lidar_link] = seats.map(|seat| link(document, seat, robot, &mut faults));
            Some(Self { imu_link, camera_link, lidar_link, notes, ..Self::of(&file, servos) }.mounted())
        });
        faults.or(config)
    }

    /// Sensors whose links the robot does not have are where they usually are on its base.
    fn mounted(mut self) -> Self {
        if self.camera_link.is_none() {
            let leaning = UnitQuaternion::from_euler_angles(0.0, USUAL_CAMERA_DOWN_RAD, 0.0);
            self.camera.at = USUAL_CAMERA_AT_M + leaning * self.camera.at;
            self.camera.down_rad += USUAL_CAMERA_DOWN_RAD;
        }
        if self.lidar_link.is_none() {
            self.lidar.at += USUAL_LIDAR_AT_M;
        }
        self
    }

    /// The sensors of points that are on, in a world of the robot.
    #[must_use]
    pub fn point_sensors(&self, world: &World, seed: u64) -> Vec<PointSensor> {
        let all = [(self.camera.sensor(), self.camera_link), (self.lidar.sensor(), self.lidar_link)];
        let are_on = all.into_iter().filter(|(model, _)| model.rate_hz > 0.0);
        are_on.map(|(model, link)| PointSensor::new(model, link, world, seed)).collect()
    }

    fn of(File { engine, supply, sensors, ground, .. }: &File, servos: Servos) -> Self {
        Self {
            engine: Settings {
                step_s: engine.step_s,
                substeps: engine.substeps as usize,
                sweeps: engine.sweeps as usize,
                ..Settings::default()
            },
            servos,
            battery: Battery {
                open_v: supply.open_v,
                resistance: supply.resistance_ohm,
                greatest_current: supply.greatest_current_a,
                reset_v: supply.reset_v,
                reset_s: supply.reset_s,
                capacity_ah: supply.capacity_ah,
            },
            surface: Surface { friction: ground.friction, stiffness: ground.stiffness_n_m },
            imu: ImuModel {
                gyro_noise: sensors.imu.gyro_noise_rad_s,
                gyro_bias: sensors.imu.gyro_bias_rad_s,
                accelerometer_noise: sensors.imu.accelerometer_noise_m_s2,
                accelerometer_bias: sensors.imu.accelerometer_bias_m_s2,
                orientation_noise: sensors.imu.orientation_noise_rad,
            },
            imu_link: None,
            switches: SwitchModel { press: sensors.foot_switches.press_n, release: sensors.foot_switches.release_n },
            camera: sensors.camera.model(),
            camera_link: None,
            lidar: sensors.lidar.model(),
            lidar_link: None,
            notes: Vec::new(),
        }
    }
}

/// The key of `servos` that stands for every joint.
const ALL: &str = "all";

fn check_figures(document: &Document, file: &File, faults: &mut Faults) {
    check(document, "engine", &file.engine.figures(), faults);
    for (name, kind) in &file.kinds {
        let at = format!("kinds.{name}");
        check(document, &at, &kind.figures(), faults);
        if let Some(missing) = kind.missing() {
            faults.add(document.error_at(&at, missing, "give it from the data sheet, or as an estimate"));
        }
    }
    let supply = &file.supply;
    check(document, "supply", &supply.figures(), faults);
    if supply.reset_v >= supply.open_v {
        let message =
            format!("the boards would never start: {} V is not below open_v, {} V", supply.reset_v, supply.open_v);
        faults.add(document.error_at("supply.reset_v", message, "a PCA9685 works from 2.3 V"));
    }
    check(document, "sensors.imu", &file.sensors.imu.figures(), faults);
    let switches = &file.sensors.foot_switches;
    check(document, "sensors.foot_switches", &switches.figures(), faults);
    if switches.release_n > switches.press_n {
        let message = format!("{} N is more than press_n, {} N", switches.release_n, switches.press_n);
        let help = "a switch that closes at a force opens at a smaller one";
        faults.add(document.error_at("sensors.foot_switches.release_n", message, help));
    }
    let (camera, lidar) = (&file.sensors.camera, &file.sensors.lidar);
    check(document, "sensors.camera", &camera.figures(), faults);
    check(document, "sensors.lidar", &lidar.figures(), faults);
    let ranges = [("camera", camera.nearest_m, camera.farthest_m), ("lidar", lidar.nearest_m, lidar.farthest_m)];
    for (sensor, nearest_m, farthest_m) in ranges.into_iter().filter(|(_, nearest, farthest)| nearest >= farthest) {
        let message = format!("it would see nothing: {nearest_m} m is not below farthest_m, {farthest_m} m");
        faults.add(document.error_at(&format!("sensors.{sensor}.nearest_m"), message, "give a smaller one"));
    }
    check(document, "ground", &file.ground.figures(), faults);
}

/// Links that a robot need not have: without one of this name the sensor is on the base.
const USUAL_IMU_LINK: &str = "imu_link";
const USUAL_CAMERA_LINK: &str = "depth_camera_link";
/// Where a camera is that has no link: on the base, m and rad, as that link is on the shipped robot.
const USUAL_CAMERA_AT_M: Vector3<f64> = Vector3::new(0.1, 0.0, 0.08);
const USUAL_CAMERA_DOWN_RAD: f64 = 0.75;
/// The same of a lidar.
const USUAL_LIDAR_AT_M: Vector3<f64> = Vector3::new(0.0, 0.0, 0.12);
const USUAL_LIDAR_LINK: &str = "lidar_link";

/// The link that carries a sensor, which a key names; any but the usual one is to be there, and fixed to the body: what a
/// sensor reports is taken to be measured from a fixed place.
fn link(
    document: &Document,
    (key, name, usual): (&str, &str, &str),
    robot: &Robot,
    faults: &mut Faults,
) -> Option<usize> {
    let (model, link) = (robot.model(), robot.model().link_index(name));
    if link.is_none() && name != usual {
        let links: Vec<&str> = model.links().iter().map(|link| link.name()).collect();
        let message = format!("the robot has no link `{name}` to carry the sensor");
        faults.add(document.error_at(key, message, hint_for(name, &links)));
    }
    if link.is_some_and(|link| model.fixed_in_base(link).is_none()) {
        let message = format!("`{name}` moves against the body, and the sensor with it");
        faults.add(document.error_at(key, message, "name a link that is fixed to the body"));
    }
    link
}

impl Camera {
    fn model(&self) -> CameraModel {
        CameraModel {
            at: Vector3::new(self.x_m, self.y_m, self.z_m),
            down_rad: self.down_rad,
            columns: self.columns as usize,
            rows: self.rows as usize,
            width_rad: self.width_rad,
            height_rad: self.height_rad,
            nearest_m: self.nearest_m,
            farthest_m: self.farthest_m,
            noise_m: self.noise_m,
            rate_hz: self.rate_hz,
        }
    }
}

impl Lidar {
    fn model(&self) -> LidarModel {
        LidarModel {
            at: Vector3::new(self.x_m, self.y_m, self.z_m),
            down_rad: self.down_rad,
            channels: self.channels as usize,
            lowest_rad: self.lowest_rad,
            highest_rad: self.highest_rad,
            columns: self.columns as usize,
            nearest_m: self.nearest_m,
            farthest_m: self.farthest_m,
            noise_m: self.noise_m,
            rate_hz: self.rate_hz,
        }
    }
}

/// Which servo each joint has; none where that is not said.
fn servos(document: &Document, file: &File, robot: &Robot, faults: &mut Faults) -> Option<Servos> {
    let joints: Vec<&str> = robot.legs().iter().flat_map(Leg::joints).map(|joint| joint.name()).collect();
    let kinds: Vec<&str> = file.kinds.keys().map(String::as_str).collect();
    let mut model = |ending: &str, kind: &str| {
        let found = file.kinds.get(kind).map(Kind::model);
        if found.is_none() {
            let message = format!("no kind is called `{kind}`");
            faults.add(document.error_at(&format!("servos.{ending}"), message, hint_for(kind, &kinds)));
        }
        found
    };
    let named = |(ending, kind): (&String, &String)| Some((ending.clone(), model(ending, kind)?));
    let named: Vec<(String, ServoModel)> = file.servos.iter().filter_map(named).collect();
    for ending in file.servos.keys().filter(|ending| *ending != ALL) {
        check_ending(document, ending, &joints, faults);
    }
    if !file.servos.contains_key(ALL) {
        let message = "no kind is given for joints of which nothing else is said";
        faults.add(document.error_at("servos", message, "write `all: perfect`, or another one of `kinds`"));
    }
    let all = named.iter().find(|(ending, _)| ending == ALL)?.1;
    let others = named.iter().filter(|(ending, _)| ending != ALL);
    Some(others.fold(Servos::all(all), |servos, (ending, model)| servos.with(ending, *model)))
}

fn check_ending(document: &Document, ending: &str, joints: &[&str], faults: &mut Faults) {
    if joints.iter().any(|joint| Servos::fits(ending, joint)) {
        return;
    }
    let mut endings: Vec<&str> = joints.iter().filter_map(|joint| Some(joint.rsplit_once('_')?.1)).collect();
    endings.sort_unstable();
    endings.dedup();
    let message = format!("no joint's name ends in `{ending}` as a word; `all` stands for every joint");
    faults.add(document.error_at(&format!("servos.{ending}"), message, hint_for(ending, &endings)));
}
