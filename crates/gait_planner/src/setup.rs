//! All that is read and checked before the node starts.

use crate::command::Incoming;
use crate::core::Core;
use crate::ending::{self, Slowest};
use crate::params;
use crate::sight::Footing;
use hexapod_config::ros_params::Params;
use hexapod_config::{ConfigError, Faults};
use hexapod_gait::{Demand, Engine};
use hexapod_setup::params::{check_urdf, switch, text};
use hexapod_setup::{Description, Files, Frames, Gaits, Motions, Walker};
use std::path::PathBuf;
use std::time::Duration;

/// A planner that is ready to run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The engine, its robot sitting.
    pub engine: Engine,
    /// All gaits that may be asked for.
    pub gaits: Gaits,
    /// Name of the gait it starts with.
    pub gait_name: String,
    /// Where a packed pose would be given.
    pub robot_file: PathBuf,
    /// What the user should know: a gait chosen for the robot, what its description leaves open.
    pub notes: Vec<String>,
    /// All motions that may be asked for.
    pub motions: Motions,
    /// Ticks per second.
    pub rate_hz: f64,
    /// Age at which a twist stops counting.
    pub timeout: Duration,
    /// Whether `cmd_vel` carries stamps.
    pub stamped: bool,
    /// The topic that tells what feet feel, if it is to be used.
    pub contacts: Option<&'static str>,
    /// How late that is, s.
    pub contacts_delay_s: f64,
    /// Whether the body is kept level by its IMU.
    pub uses_imu: bool,
    /// Whether feet are put down where a depth camera or a lidar says.
    pub uses_points: bool,
    /// Frames of the robot.
    pub frames: Frames,
    /// The parameters it was made from.
    pub params: Params,
}

impl Setup {
    /// Reads the robot, its gaits and its motions. Nothing is opened.
    ///
    /// # Errors
    /// File, line and key of all that does not hold, parameters that do not suit the robot among it.
    pub fn load(params: &Params) -> Result<Self, ConfigError> {
        let files = Files::find(&text(params, "config"), &text(params, "urdf"))?;
        check_urdf(crate::NAME, params)?;
        Self::read(params, &files).map_err(|error| files.explained(error))
    }

    /// As [`load`](Self::load), of files that are found already; faults at a line of a shipped file are not
    /// [explained](Files::explained).
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn read(params: &Params, files: &Files) -> Result<Self, ConfigError> {
        let description = Description::read(files).map_err(|error| with_what_needs_no_robot(error, files))?;
        let params = &params::sized(params, &files.in_config("hexapod.yaml"), &description.robot);
        let (gaits, motions) = (files.in_config("gaits.yaml"), files.in_config("motions.yaml"));
        let mut faults = Faults::default();
        let frames = faults.note(Frames::new(description.robot.model(), crate::NAME, params));
        let walker = faults.note(Walker::read(params, &description, &gaits, &motions));
        let (frames, walker) = faults.or(frames.zip(walker))?;
        ending::check(params, &walker.engine, &walker.gaits)?;
        Ok(Self {
            engine: walker.engine,
            gaits: walker.gaits,
            gait_name: walker.gait_name,
            robot_file: files.to_write("robot.yaml"),
            notes: walker.notes,
            motions: walker.motions,
            rate_hz: params::rate(params),
            timeout: Duration::from_secs_f64(params::timeout(params)),
            stamped: switch(params, "stamped_cmd_vel"),
            contacts: params::contacts_topic(params),
            uses_imu: params::uses_imu(params),
            uses_points: params::uses_points(params),
            contacts_delay_s: params::contacts_delay(params),
            frames,
            params: params.clone(),
        })
    }

    /// The control tick, which takes its commands from `incoming`, on ground that it sees where there is a footing.
    #[must_use]
    pub(crate) fn into_core(self, incoming: Incoming, footing: Option<Footing>) -> Core {
        Core::new(self.engine, incoming, self.timeout).sensing(self.contacts_delay_s, footing)
    }

    /// On which gait it takes longest until the robot sits, and how long.
    #[must_use]
    pub fn slowest(&self) -> Slowest {
        Slowest::of(&self.engine, &self.gaits)
    }

    /// What walking at the limits, postures and motions ask of the joints.
    #[must_use]
    pub fn demand(&self) -> Demand {
        Demand::of(&self.engine, self.gaits.iter(), self.motions.iter())
    }
}

/// What is wrong with the robot, and with the files that can be checked without it.
fn with_what_needs_no_robot(error: ConfigError, files: &Files) -> ConfigError {
    let mut faults = Faults::default();
    faults.add(error.clone());
    faults.note(Gaits::check_alone(files.in_config("gaits.yaml")));
    faults.note(Motions::check_alone(files.in_config("motions.yaml")));
    faults.into_result().err().unwrap_or(error)
}
