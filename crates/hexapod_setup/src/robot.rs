//! The robot's description.

use crate::meshes;
use hexapod_config::{ConfigError, Source};
use hexapod_kinematics::{LegOptions, Robot};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A checked robot and the text it was read from.
#[derive(Clone, Debug)]
pub struct Description {
    /// The robot.
    pub robot: Arc<Robot>,
    /// The URDF, as it is published on `robot_description`.
    pub urdf: String,
}

impl Description {
    /// Reads and checks a URDF.
    ///
    /// # Errors
    /// The file cannot be read, or does not describe a robot that can walk: line, element, why, what would be right.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        // The nodes of a composed process all ask for the same file, and checking a robot takes some milliseconds.
        static READ: Mutex<BTreeMap<PathBuf, Description>> = Mutex::new(BTreeMap::new());
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(path) {
            return Ok(known.clone());
        }
        let description = Self::read_anew(path)?;
        read.insert(path.into(), description.clone());
        Ok(description)
    }

    fn read_anew(path: &Path) -> Result<Self, ConfigError> {
        let source = Source::read(path)?;
        let mut mesh = |address: &str| meshes::read(address, path);
        match Robot::from_urdf_and_meshes(&source.text, &LegOptions::default(), &mut mesh) {
            Ok(robot) => Ok(Self { robot: Arc::new(robot), urdf: source.text }),
            Err(error) => {
                let key = [error.element(), error.attribute().unwrap_or_default()].join(" ");
                let line = error.line().map_or(1, |line| line as usize);
                Err(ConfigError::on_line(&source, line, key.trim(), error.what(), error.expected()))
            }
        }
    }
}
