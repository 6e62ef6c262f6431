//! All that is read and checked before the node starts.

use crate::params;
use hexapod_config::ros_params::Params;
use hexapod_gait::{Engine, StanceError};
use hexapod_setup::params::{number, switch, text};
use hexapod_setup::{Description, Files, Frames, Gaits, Motions, SetupError};
use std::path::PathBuf;
use std::sync::Arc;
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
    /// Frames of the robot.
    pub frames: Frames,
    /// The parameters it was made from.
    pub params: Params,
}

impl Setup {
    /// Reads the robot, its gaits and its motions. Nothing is opened.
    ///
    /// # Errors
    /// File, line and key of what does not hold, or the parameter that does not suit the robot.
    pub fn load(params: &Params) -> Result<Self, SetupError> {
        let files = Files::find(&text(params, "config"), &text(params, "urdf"))?;
        let description = Description::read(&files)?;
        let frames = Frames::new(description.robot.model(), crate::NAME, params)?;
        let gaits = Gaits::read(files.in_config("gaits.yaml"), &description.robot)?;
        let wrong = |name, reason| SetupError::Parameter { node: crate::NAME, name, reason };
        let asked = params::gait_name(params);
        let (gait_name, gait, remark) = gaits.starting(&asked).map_err(|reason| wrong("gait", reason))?;
        let unfit = |error: StanceError| wrong("body_height", error.to_string());
        let (settings, stance) = params::settings(params, &description.robot).map_err(unfit)?;
        let model = description.robot.model().notes().iter().cloned();
        let greatest = settings.stance.step_height;
        let lift = params::lift_beyond(number(params, "step_height"), greatest);
        let lifts = gaits.iter().filter_map(|(name, gait)| {
            let beyond = params::lift_beyond(gait.step_height()?, greatest)?;
            Some(format!("gait {name:?}: {beyond}"))
        });
        let notes = remark.into_iter().chain(lift).chain(lifts).chain(model).collect();
        let engine = Engine::with_stance(Arc::clone(&description.robot), gait, settings, stance)
            .without_legs(params::disabled_legs(params).iter().map(String::as_str))
            .map_err(|error| wrong("disabled_legs", error.to_string()))?;
        let engine = engine
            .with_packed_pose(description.packed.as_deref())
            .map_err(|error| wrong("config", error.to_string()))?;
        let motions = Motions::read(files.in_config("motions.yaml"), &engine)?;
        for refused in motions.refused() {
            tracing::warn!("{refused}");
        }
        Ok(Self {
            // So that the control thread has nothing to work out when one is taken up.
            gaits: gaits.made_ready(|gait| engine.ready(gait)),
            engine,
            gait_name,
            robot_file: files.to_write("robot.yaml"),
            notes,
            motions,
            rate_hz: params::rate(params),
            timeout: Duration::from_secs_f64(params::timeout(params)),
            stamped: switch(params, "stamped_cmd_vel"),
            frames,
            params: params.clone(),
        })
    }
}
