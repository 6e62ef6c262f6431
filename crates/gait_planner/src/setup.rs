//! All that is read and checked before the node starts.

use crate::params;
use hexapod_config::ros_params::Params;
use hexapod_config::{ConfigError, Faults};
use hexapod_gait::{Demand, Engine, Settings, Stance};
use hexapod_setup::params::{number, switch, text, wrong};
use hexapod_setup::{Description, Files, Frames, Gaits, Motions};
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
    /// The topic that tells what feet feel, if it is to be used.
    pub contacts: Option<&'static str>,
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
        let description = Description::read(&files).map_err(|error| with_what_needs_no_robot(error, &files))?;
        let mut faults = Faults::default();
        let frames = faults.note(Frames::new(description.robot.model(), crate::NAME, params));
        let gaits = faults.note(Gaits::read(files.in_config("gaits.yaml"), &description.robot));
        let engine = faults.note(stance(params, &description)).and_then(|(settings, stance)| {
            let gaits = gaits.as_ref()?;
            faults.note(engine(params, &description, gaits, settings, stance))
        });
        let motions_file = files.in_config("motions.yaml");
        let motions = match &engine {
            Some((engine, ..)) => faults.note(Motions::read(&motions_file, engine)),
            None => {
                faults.note(Motions::check_alone(&motions_file));
                None
            }
        };
        let read = frames.zip(gaits).zip(engine).zip(motions);
        let (((frames, gaits), (engine, gait_name, remark)), motions) = faults.or(read)?;
        let greatest = engine.stance().spec().step_height;
        let lift = params::lift_beyond(number(params, "step_height"), greatest);
        let lifts = gaits.iter().filter_map(|(name, gait)| {
            let beyond = params::lift_beyond(gait.step_height()?, greatest)?;
            Some(format!("gait {name:?}: {beyond}"))
        });
        let model = description.robot.model().notes().iter().cloned();
        let notes = remark.into_iter().chain(lift).chain(lifts).chain(model).collect();
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
            contacts: params::contacts_topic(params),
            frames,
            params: params.clone(),
        })
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

fn stance(params: &Params, description: &Description) -> Result<(Settings, Stance), ConfigError> {
    let unfit = |error: hexapod_gait::StanceError| wrong(crate::NAME, params, "body_height", error.to_string(), "");
    params::settings(params, &description.robot).map_err(unfit)
}

/// The engine with the gait to start with, that gait's name, and a remark where it is not the one asked for.
fn engine(
    params: &Params,
    description: &Description,
    gaits: &Gaits,
    settings: Settings,
    stance: Stance,
) -> Result<(Engine, String, Option<String>), ConfigError> {
    let legs: Vec<&str> = description.robot.legs().iter().map(|leg| leg.name()).collect();
    let legs = format!("the legs are {}", legs.join(", "));
    let wrong = |name: &str, reason: String| {
        let help = if name == "disabled_legs" { legs.as_str() } else { "" };
        wrong(crate::NAME, params, name, reason, help)
    };
    let asked = params::gait_name(params);
    let (name, gait, remark) = gaits.starting(&asked).map_err(|reason| wrong("gait", reason))?;
    let engine = Engine::with_stance(Arc::clone(&description.robot), gait, settings, stance)
        .without_legs(params::disabled_legs(params).iter().map(String::as_str))
        .map_err(|error| wrong("disabled_legs", error.to_string()))?
        .with_packed_pose(description.packed.as_deref())
        .map_err(|error| wrong("config", error.to_string()))?;
    Ok((engine, name, remark))
}
