//! `motions.yaml`.

use crate::config_file::ConfigFile;
use crate::names;
use crate::plausible::{self, LEAN_RAD, LENGTH_M, TURN_RAD};
use hexapod_config::{ConfigError, Document, Faults};
use hexapod_gait::motion::{LegClearance, Motion, MotionSpec, check};
use hexapod_gait::{Engine, size_of};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Motions by name, laid out for a robot and checked against it.
#[derive(Clone, Debug, Default)]
pub struct Motions {
    by_name: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    about: String,
    motion: Result<Arc<Motion>, ConfigError>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    leg_clearance: Option<f64>,
    motions: BTreeMap<String, MotionSpec>,
}

impl Motions {
    /// Reads a file of motions and tries them all, with what the engine keeps between two legs. One that the robot of the engine cannot play is kept with the reason:
    /// what six legs do well may tip over four, and those still walk.
    ///
    /// # Errors
    /// File, line and key of each motion that is not well written.
    pub fn read(file: impl Into<ConfigFile>, engine: &Engine) -> Result<Self, ConfigError> {
        let config: ConfigFile = file.into();
        let document = config.read_on()?;
        let mut faults = Faults::default();
        let file = File::read(&document, &mut faults).unwrap_or_default();
        faults.note(leg_clearance(&document, file.leg_clearance));
        let size = size_of(engine.robot());
        let (robot, home) = (engine.robot(), engine.home());
        let mut by_name = BTreeMap::new();
        for (name, spec) in file.motions {
            let at = format!("motions.{name}");
            // What is left of it says nothing about the whole.
            if faults.has_below(&at) {
                continue;
            }
            // What is shipped is for the shipped robot, and as much larger on a larger one.
            let spec = if config.is_own(&document, &at) { spec } else { spec.enlarged(size) };
            let built = spec.build(robot, &home).map_err(|error| {
                let key = if error.key.is_empty() { at.clone() } else { format!("{at}.{}", error.key) };
                document.error_at(&key, error.message, error.help)
            });
            let Some(motion) = faults.note(built) else { continue };
            let refused = |reason: String| document.error_at(&at, reason, "");
            let motion = if engine.lacks_legs() {
                Err(refused("a motion moves all legs, and some are switched off".into()))
            } else {
                let checked = check(robot, &home, &motion, engine.self_collision());
                checked.map(|()| Arc::new(motion)).map_err(|why| refused(why.to_string()))
            };
            by_name.insert(name, Entry { about: spec.about, motion });
        }
        faults.or(Some(Self { by_name }))
    }

    /// Checks a file of motions as far as that can be done without knowing the robot.
    ///
    /// # Errors
    /// File, line and key of what does not hold for any robot.
    pub fn check_alone(file: impl Into<ConfigFile>) -> Result<(), ConfigError> {
        let document = file.into().read_on()?;
        let mut faults = Faults::default();
        if let Some(file) = File::read(&document, &mut faults) {
            faults.note(leg_clearance(&document, file.leg_clearance));
        }
        faults.into_result()
    }

    /// The motions that can be played, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Arc<Motion>)> {
        self.by_name.iter().filter_map(|(name, entry)| Some((name.as_str(), Arc::clone(entry.motion.as_ref().ok()?))))
    }

    /// The motion of this name.
    ///
    /// # Errors
    /// No motion has it, naming those that there are; or this robot cannot play it, and why.
    pub fn get(&self, name: &str) -> Result<Arc<Motion>, String> {
        match self.by_name.get(name) {
            Some(Entry { motion: Ok(motion), .. }) => Ok(Arc::clone(motion)),
            Some(Entry { motion: Err(error), .. }) => Err(format!("this robot cannot play {name:?}: {error}")),
            None => {
                let known = self.names().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
                // A name may be anything that fits a message.
                let shown: String = name.chars().take(60).collect();
                Err(format!("there is no motion {shown:?}; there are {known}"))
            }
        }
    }

    /// Names of the motions that can be played, each with what its author says of it.
    pub fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        let fits = self.by_name.iter().filter(|(_, entry)| entry.motion.is_ok());
        fits.map(|(name, entry)| (name.as_str(), entry.about.as_str()))
    }

    /// Why motions cannot be played by this robot.
    pub fn refused(&self) -> impl Iterator<Item = &ConfigError> {
        self.by_name.values().filter_map(|entry| entry.motion.as_ref().err())
    }
}

/// The fastest steps and the longest motion that are believed, m/s, rad/s and s.
const SPEED_M_S: f64 = 3.0;
const TURN_RAD_S: f64 = 6.0;
const LONGEST_S: f64 = 1800.0;

impl File {
    /// What holds in the file: motions with a name and numbers that a robot has.
    fn read(document: &Document, faults: &mut Faults) -> Option<Self> {
        let mut file: Self = document.deserialize_on(faults)?;
        file.motions.retain(|name, spec| {
            let mut found = Faults::default();
            check_spec(document, name, spec, &mut found);
            faults.note(found.into_result()).is_some()
        });
        Some(file)
    }
}

/// Notes what is wrong with a motion on any robot.
fn check_spec(document: &Document, name: &str, spec: &MotionSpec, faults: &mut Faults) {
    names::check(document, "motions", name, faults);
    let at = format!("motions.{name}");
    let mut note = |at: &str, values: &[(&str, Option<f64>)], most| {
        plausible::check_all(document, at, values, most, faults);
    };
    note(&at, &[("total_time", spec.total_time)], (LONGEST_S, "s"));
    for (index, frame) in spec.frames.iter().enumerate() {
        let (at, body) = (format!("{at}.frames[{index}]"), frame.body);
        note(&format!("{at}.body"), &[("x", body.x), ("y", body.y), ("z", body.z)], (LENGTH_M, "m"));
        let turns = [("roll", body.roll), ("pitch", body.pitch), ("yaw", body.yaw)];
        note(&format!("{at}.body"), &turns, (LEAN_RAD, "rad"));
        for (leg, foot) in &frame.feet {
            note(&format!("{at}.feet.{leg}"), &[("x", foot.x), ("y", foot.y), ("z", foot.z)], (LENGTH_M, "m"));
        }
        for (joint, angle) in &frame.joints {
            note(&format!("{at}.joints"), &[(joint, Some(*angle))], (TURN_RAD, "rad"));
        }
    }
    if let Some(walk) = &spec.walk {
        note(&format!("{at}.walk"), &[("x", Some(walk.x)), ("y", Some(walk.y))], (SPEED_M_S, "m/s"));
        note(&format!("{at}.walk"), &[("step_height", Some(walk.step_height))], (0.5, "m"));
    }
    if let Some(turn) = &spec.turn {
        note(&format!("{at}.turn"), &[("angular_velocity", Some(turn.angular_velocity))], (TURN_RAD_S, "rad/s"));
        note(&format!("{at}.turn"), &[("step_height", Some(turn.step_height))], (0.5, "m"));
    }
}

/// What legs keep between them, as the file says: by one that is shipped so much less as the robot is smaller than the shipped
/// one. A larger robot is not built, nor are its servos set, less exactly.
///
/// # Errors
/// File, line and key of what does not hold.
pub(crate) fn leg_clearance_of(file: &ConfigFile, size: f64) -> Result<LegClearance, ConfigError> {
    let document = file.read_on()?;
    let mut faults = Faults::default();
    let given = document.deserialize_on::<File>(&mut faults).and_then(|file| file.leg_clearance);
    let clearance = leg_clearance(&document, given)?;
    let sized = LegClearance::try_new(clearance.metres() * size.min(1.0));
    Ok(sized.filter(|_| !file.is_own(&document, "leg_clearance")).unwrap_or(clearance))
}

fn leg_clearance(document: &Document, given: Option<f64>) -> Result<LegClearance, ConfigError> {
    let Some(metres) = given else { return Ok(LegClearance::default()) };
    LegClearance::try_new(metres).ok_or_else(|| {
        let message = format!("{metres} is not a distance that can be kept between legs");
        document.error_at("leg_clearance", message, format!("give metres from 0.0 to {}", LegClearance::GREATEST_M))
    })
}
