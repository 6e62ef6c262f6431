//! `gaits.yaml`.

use hexapod_config::{ConfigError, Document};
use hexapod_gait::{Gait, GaitSpec, leg_places};
use hexapod_kinematics::Robot;
use nalgebra::Vector2;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Gaits by name, laid out for a robot's legs.
#[derive(Clone, Debug)]
pub struct Gaits {
    by_name: BTreeMap<String, Gait>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    gaits: BTreeMap<String, GaitSpec>,
}

impl Gaits {
    /// Reads and checks a file of gaits.
    ///
    /// # Errors
    /// File, line and key of the first gait that does not hold.
    pub fn read(path: &Path, robot: &Robot) -> Result<Self, ConfigError> {
        let document = Document::read(path)?;
        let file: File = document.deserialize()?;
        let places = leg_places(robot);
        let hips: Vec<Vector2<f64>> = robot.legs().iter().map(|leg| leg.hip_in_body().xy()).collect();
        let mut by_name = BTreeMap::new();
        for (name, spec) in file.gaits {
            if !spec.legs.is_empty() && !spec.legs.contains(&places.len()) {
                continue;
            }
            let gait = Gait::try_new(&spec, &places)
                .map_err(|error| document.error_at(&format!("gaits.{name}.{}", error.key), error.message, ""))?;
            // The hips stand for the feet, which rest straight out from them.
            if spec.stable && gait.least_margin(&hips, Vector2::zeros()) < -1e-6 {
                let help = "raise `duty_factor` or choose other lags; or say `stable: false` if that is meant";
                let message = "the robot would not stand on its feet at every moment of this gait";
                return Err(document.error_at(&format!("gaits.{name}"), message, help));
            }
            by_name.insert(name, gait);
        }
        if by_name.is_empty() {
            return Err(document.error_at(
                "gaits",
                "there is no gait for a robot of so many legs",
                "describe one, such as `tripod`",
            ));
        }
        Ok(Self { by_name })
    }

    /// The gait of this name.
    ///
    /// # Errors
    /// No gait has it; names those that there are.
    pub fn get(&self, name: &str) -> Result<Gait, String> {
        let known = || self.names().collect::<Vec<_>>().join(", ");
        self.by_name.get(name).copied().ok_or_else(|| format!("no gait is called {name:?}; there are {}", known()))
    }

    /// The names of all gaits.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }
}
