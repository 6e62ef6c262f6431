//! `motions.yaml`.

use crate::files::ConfigFile;
use hexapod_config::{ConfigError, Document};
use hexapod_gait::Engine;
use hexapod_gait::motion::{LegClearance, Motion, MotionSpec, check};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Motions by name, laid out for a robot and checked against it.
#[derive(Clone, Debug, Default)]
pub struct Motions {
    by_name: BTreeMap<String, Entry>,
    clearance: LegClearance,
}

#[derive(Clone, Debug)]
struct Entry {
    about: String,
    motion: Result<Arc<Motion>, ConfigError>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    leg_clearance: Option<f64>,
    motions: BTreeMap<String, MotionSpec>,
}

impl Motions {
    /// Reads a file of motions and tries them all. One that the robot of the engine cannot play is kept with the reason:
    /// what six legs do well may tip over four, and those still walk.
    ///
    /// # Errors
    /// File, line and key of the first motion that is not well written.
    pub fn read(file: impl Into<ConfigFile>, engine: &Engine) -> Result<Self, ConfigError> {
        let document = file.into().read()?;
        let file: File = document.deserialize()?;
        let clearance = leg_clearance(&document, file.leg_clearance)?;
        let (robot, home) = (engine.robot(), engine.home());
        let mut by_name = BTreeMap::new();
        for (name, spec) in file.motions {
            if name.trim().is_empty() {
                let message = "a motion needs a name: the empty one asks for the end of a motion";
                return Err(document.error_at("motions", message, "give it one, such as `wave`"));
            }
            let at = format!("motions.{name}");
            let motion = spec.build(robot, &home).map_err(|error| {
                let key = if error.key.is_empty() { at.clone() } else { format!("{at}.{}", error.key) };
                document.error_at(&key, error.message, error.help)
            })?;
            let refused = |reason: String| document.error_at(&at, reason, "");
            let motion = if engine.lacks_legs() {
                Err(refused("a motion moves all legs, and some are switched off".into()))
            } else {
                let checked = check(robot, &home, &motion, clearance);
                checked.map(|()| Arc::new(motion)).map_err(|why| refused(why.to_string()))
            };
            by_name.insert(name, Entry { about: spec.about, motion });
        }
        Ok(Self { by_name, clearance })
    }

    /// What is kept between two legs.
    #[must_use]
    pub fn leg_clearance(&self) -> LegClearance {
        self.clearance
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
                Err(format!("no motion is called {shown:?}; there are {known}"))
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

fn leg_clearance(document: &Document, given: Option<f64>) -> Result<LegClearance, ConfigError> {
    let Some(metres) = given else { return Ok(LegClearance::default()) };
    LegClearance::try_new(metres).ok_or_else(|| {
        let message = format!("{metres} is not a distance that can be kept between legs");
        document.error_at("leg_clearance", message, format!("give metres from 0.0 to {}", LegClearance::GREATEST_M))
    })
}
