//! From parameters to a robot in physics that nobody steps yet.

use crate::params::NAME;
use crate::plant::Plant;
use hexapod_config::ConfigError;
use hexapod_config::ros_params::{ParamValue, Params};
use hexapod_kinematics::LegAngles;
use hexapod_servo::{ServoConfig, SimulatedBus};
use hexapod_setup::params::{check_urdf, number, text};
use hexapod_setup::{Description, Files, Frames};
use hexapod_sim::{Config, Ground, Terrain};

/// All the node needs, read and checked.
#[derive(Clone, Debug)]
pub struct Setup {
    pub(crate) description: Description,
    pub(crate) config: Config,
    pub(crate) terrain: Terrain,
    pub(crate) seed: u64,
    pub(crate) terrain_name: String,
    pub(crate) frames: Frames,
    pub(crate) world_frame: String,
    pub(crate) rate_hz: f64,
    /// Where the legs are at the start; as in the description's zero, where nobody says.
    pub(crate) angles: Vec<LegAngles>,
}

impl Setup {
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
        let config = Config::read(&files.in_config("sim.yaml").read()?, &description.robot)?;
        let seed = params.get("seed").and_then(ParamValue::as_i64);
        let seed = seed.and_then(|seed| u64::try_from(seed).ok()).unwrap_or_default();
        let size = Some(number(params, "terrain_size")).filter(|&size| size > 0.0);
        let terrain_name = text(params, "terrain");
        Ok(Self {
            frames: Frames::new(description.robot.model(), NAME, params)?,
            // The name is among the parameter's choices.
            terrain: Terrain::named(&terrain_name, size, seed).unwrap_or_default(),
            seed,
            terrain_name,
            world_frame: text(params, "world_frame"),
            rate_hz: number(params, "rate"),
            angles: Vec::new(),
            description,
            config,
        })
    }

    /// The same with the legs where a planner has them at the start.
    #[must_use]
    pub fn from_angles(self, angles: &[LegAngles]) -> Self {
        Self { angles: angles.to_vec(), ..self }
    }

    /// The robot on the ground, wired to the boards of `servos`.
    pub(crate) fn plant(&self, servos: ServoConfig, boards: SimulatedBus) -> Result<Plant, hexapod_sim::BuildError> {
        let robot = &self.description.robot;
        Plant::new(robot, &self.angles, &self.ground(), &self.config, (&servos, boards), self.seed)
    }

    /// What it stands on.
    pub(crate) fn ground(&self) -> Ground {
        Ground { terrain: self.terrain.clone(), surface: self.config.surface, patches: Vec::new() }
    }
}
