//! All that is read and checked before the node starts.

use crate::params;
use hexapod_config::ros_params::Params;
use hexapod_gait::Engine;
use hexapod_setup::params::{switch, text};
use hexapod_setup::{Description, Files, Gaits, SetupError};
use std::time::Duration;

/// A planner that is ready to run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The engine, its robot sitting.
    pub engine: Engine,
    /// All gaits that may be asked for.
    pub gaits: Gaits,
    /// Ticks per second.
    pub rate_hz: f64,
    /// Age at which a twist stops counting.
    pub timeout: Duration,
    /// Whether `cmd_vel` carries stamps.
    pub stamped: bool,
    /// The parameters it was made from.
    pub params: Params,
}

impl Setup {
    /// Reads the robot and its gaits. Nothing is opened.
    ///
    /// # Errors
    /// File, line and key of what does not hold, or the parameter that does not suit the robot.
    pub fn load(params: &Params) -> Result<Self, SetupError> {
        let files = Files::find(&text(params, "config"), &text(params, "urdf"))?;
        let description = Description::read(&files.urdf)?;
        let gaits = Gaits::read(&files.in_config("gaits.yaml"), &description.robot)?;
        let wrong = |name, reason| SetupError::Parameter { node: crate::NAME, name, reason };
        let gait = gaits.get(&params::gait_name(params)).map_err(|reason| wrong("gait", reason))?;
        let engine = Engine::new(description.robot, gait, params::settings(params))
            .map_err(|error| wrong("body_height", error.to_string()))?
            .without_legs(params::disabled_legs(params).iter().map(String::as_str))
            .map_err(|error| wrong("disabled_legs", error.to_string()))?;
        Ok(Self {
            engine,
            gaits,
            rate_hz: params::rate(params),
            timeout: Duration::from_secs_f64(params::timeout(params)),
            stamped: switch(params, "stamped_cmd_vel"),
            params: params.clone(),
        })
    }
}
