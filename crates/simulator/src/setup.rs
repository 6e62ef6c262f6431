//! From parameters to a robot in physics that nobody steps yet.

use crate::disturbances::{Disturbances, Misfortunes, Unfit};
use crate::ground;
use crate::params::NAME;
use crate::plant::Plant;
use hexapod_config::ConfigError;
use hexapod_config::ros_params::Params;
use hexapod_kinematics::LegAngles;
use hexapod_servo::calibration::Motor;
use hexapod_servo::{ServoConfig, SimulatedBus};
use hexapod_setup::params::{check_urdf, number, switch, text, wrong};
use hexapod_setup::{Description, Files, Frames, motors};
use hexapod_sim::{Assembly, BuildError, Config, FootSwitches, Ground, Imu, NamedServo, PointSensor, Terrain, World};
use nalgebra::Isometry3;

/// All the node needs, read and checked.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Where the description was read.
    urdf: String,
    pub(crate) description: Description,
    /// The robot's parts, or why it cannot be simulated.
    assembly: Result<Assembly, BuildError>,
    pub(crate) config: Config,
    pub(crate) terrain: Terrain,
    pub(crate) seed: u64,
    pub(crate) terrain_name: String,
    pub(crate) frames: Frames,
    pub(crate) world_frame: String,
    /// Where rviz finds the ground from the robot; none where somebody else says.
    pub(crate) odom_frame: Option<String>,
    pub(crate) rate_hz: f64,
    /// How many times as fast as real time.
    pub(crate) speed: f64,
    /// Whether the physics wait for the planner.
    pub(crate) lockstep: bool,
    pub(crate) disturbances: Disturbances,
    misfortunes: Misfortunes,
    /// Where the legs are at the start; as in the description's zero, where nobody says.
    pub(crate) angles: Vec<LegAngles>,
    /// Whether its body hangs where it is.
    is_hung_up: bool,
}

impl Setup {
    /// The seed of the ground and of noise.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Reads the robot's description and `sim.yaml`. Opens nothing.
    ///
    /// # Errors
    /// File, line and key of what does not hold.
    pub fn load(params: &Params) -> Result<Self, ConfigError> {
        let files = Files::find(&text(params, "config"), &text(params, "urdf"))?;
        check_urdf(NAME, params)?;
        Self::read(params, &files).map_err(|error| files.explained(error))
    }

    fn read(params: &Params, files: &Files) -> Result<Self, ConfigError> {
        let description = Description::read(files)?;
        let motors = motors(&files.in_config("servos.yaml"), &description.robot).into_iter();
        let named = motors.map(|(joint, Motor { kind, stall_torque_nm, no_load_speed_rad_s, .. })| NamedServo {
            joint,
            kind,
            stall_torque_nm,
            no_load_speed_rad_s,
        });
        let named: Vec<_> = named.collect();
        let mut config = Config::read_for(&files.in_config("sim.yaml").read()?, &description.robot, &named)?;
        let assembly = Assembly::new(&description.robot);
        if let Ok(assembly) = &assembly {
            fit_switches(&mut config, assembly.mass());
        }
        let frames = Frames::new(description.robot.model(), NAME, params)?;
        check_world_frame(params, &frames, &description)?;
        Ok(Self {
            urdf: files.urdf.display().to_string(),
            frames,
            terrain: ground::terrain(params)?,
            seed: ground::seed(params),
            terrain_name: text(params, "terrain"),
            world_frame: text(params, "world_frame"),
            odom_frame: switch(params, "publish_tf").then(|| text(params, "odom_frame")),
            rate_hz: number(params, "rate"),
            speed: number(params, "speed"),
            lockstep: switch(params, "lockstep"),
            disturbances: Disturbances::read(params, &description.robot)
                .map_err(|Unfit { name, reason, help }| wrong(NAME, params, name, reason, &help))?,
            misfortunes: Misfortunes::at_start(params, description.robot.clone()),
            angles: Vec::new(),
            is_hung_up: false,
            assembly,
            description,
            config,
        })
    }

    /// The same, if its robot can be simulated: one that walks need not weigh anything.
    ///
    /// # Errors
    /// The description, and what it lacks.
    pub fn with_mass(self) -> Result<Self, ConfigError> {
        match &self.assembly {
            Ok(_) => Ok(self),
            Err(why) => Err(ConfigError::whole_file(&self.urdf, "it cannot be simulated", why.to_string())),
        }
    }

    /// The same with the legs where a planner has them at the start, and the terrain ahead of them.
    #[must_use]
    pub fn from_angles(self, angles: &[LegAngles]) -> Self {
        let feet = self.description.robot.legs().iter().zip(angles);
        let front_m = feet.map(|(leg, angles)| leg.foot_in_body(angles).x).fold(0.0, f64::max);
        Self { angles: angles.to_vec(), terrain: self.terrain.before(front_m), ..self }
    }

    /// The same with its body hung up, so that no foot touches anything.
    #[must_use]
    pub fn hung_up(self) -> Self {
        Self { is_hung_up: true, ..self }
    }

    /// What is to be known of it beside what its description lacks.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.config.notes
    }

    /// What the robot stands on, by its name.
    #[must_use]
    pub fn terrain_name(&self) -> &str {
        &self.terrain_name
    }

    /// What is done to it from the start on, to be changed while it walks.
    #[must_use]
    pub fn misfortunes(&self) -> Misfortunes {
        self.misfortunes.clone()
    }

    /// The switches under its feet, open.
    #[must_use]
    pub fn switches(&self) -> FootSwitches {
        FootSwitches::new(self.config.switches, self.description.robot.legs().len())
    }

    /// The IMU on its body, in a world of the robot.
    #[must_use]
    pub fn imu(&self, world: &World) -> Imu {
        Imu::new(self.config.imu, self.config.imu_link, world, self.seed)
    }

    /// The camera and the lidar on its body, as far as they are on, in a world of the robot.
    #[must_use]
    pub fn point_sensors(&self, world: &World) -> Vec<PointSensor> {
        self.config.point_sensors(world, self.seed)
    }

    /// The link that the IMU is on.
    #[must_use]
    pub fn imu_link(&self) -> &str {
        self.link(self.config.imu_link)
    }

    /// The name of a link; without one that of the base.
    #[must_use]
    pub fn link(&self, link: Option<usize>) -> &str {
        let model = self.description.robot.model();
        link.and_then(|link| model.links().get(link)).map_or(model.base_link(), |link| link.name())
    }

    /// The robot on the ground, wired to the boards of `servos`.
    ///
    /// # Errors
    /// What of the robot cannot be simulated.
    pub fn plant(&self, servos: ServoConfig, boards: SimulatedBus) -> Result<Plant, BuildError> {
        let robot = (&*self.description.robot, self.assembly.clone()?);
        let hangs = self.is_hung_up.then(|| Isometry3::translation(0.0, 0.0, HUNG_M));
        let mut plant =
            Plant::new(robot, &self.angles, (&self.ground(), hangs), &self.config, (&servos, boards), self.seed)?;
        plant.disturb(self.disturbances.clone());
        Ok(plant)
    }

    /// What it stands on.
    pub(crate) fn ground(&self) -> Ground {
        Ground { terrain: self.terrain.clone(), surface: self.config.surface, patches: Vec::new() }
    }
}

/// Gives the feet of a robot of this mass, kg, switches that it closes, and notes that.
fn fit_switches(config: &mut Config, mass: f64) {
    let switches = config.switches.for_weight(mass * config.engine.gravity);
    if switches != config.switches {
        config.notes.push(format!(
            "feet of a robot of {mass:.2} kg hardly press with {} N (sensors.foot_switches in sim.yaml): in physics their \
             switches close at {:.2} N and open at {:.2} N",
            config.switches.press, switches.press, switches.release
        ));
        config.switches = switches;
    }
}

/// A body hangs so high, m: higher than legs are long.
const HUNG_M: f64 = 2.0;

/// The world is a frame of its own: tf has one above each other, and none above itself.
fn check_world_frame(params: &Params, frames: &Frames, description: &Description) -> Result<(), ConfigError> {
    let (world, odom) = (text(params, "world_frame"), text(params, "odom_frame"));
    let is = |frame: &str| frames.name(frame) == frames.name(&world);
    let of_robot = frames.name(&world) == frames.base();
    let taken = if is(&odom) && switch(params, "publish_tf") {
        "the odometry"
    } else if of_robot || description.robot.model().links().iter().any(|link| is(link.name())) {
        "the robot"
    } else {
        return Ok(());
    };
    let reason = format!("{world:?} is a frame of {taken}");
    Err(wrong(NAME, params, "world_frame", reason, "give it a name of its own, as in world"))
}
