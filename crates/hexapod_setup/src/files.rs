//! Where the robot's files are.

use hexapod_config::ConfigError;
use std::path::{Path, PathBuf};

/// The folder of the configuration files and the file of the robot's description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// Folder of `hexapod.yaml`, `gaits.yaml`, `motions.yaml` and `servos.yaml`.
    pub config: PathBuf,
    /// The URDF.
    pub urdf: PathBuf,
}

impl Files {
    /// The files given, and for those that are not given (or empty) the shipped ones: beside the executable in an
    /// installed package (`lib/hexapod/x` and `share/hexapod`), or in the source tree it was built in.
    ///
    /// # Errors
    /// The shipped files are needed and nowhere near the executable; says where they were looked for.
    pub fn find(config: &str, urdf: &str) -> Result<Self, ConfigError> {
        let given = |path: &str| (!path.is_empty()).then(|| PathBuf::from(path));
        let (config, urdf) = (given(config), given(urdf));
        if let (Some(config), Some(urdf)) = (&config, &urdf) {
            return Ok(Self { config: config.clone(), urdf: urdf.clone() });
        }
        let share = share_folder()?;
        Ok(Self {
            config: config.unwrap_or_else(|| share.join("config")),
            urdf: urdf.unwrap_or_else(|| share.join("urdf/hexapod.urdf")),
        })
    }

    /// A shipped file, by its path below the package's share folder, if it is to be found.
    #[must_use]
    pub fn shipped(path: &str) -> Option<PathBuf> {
        share_folder().ok().map(|share| share.join(path)).filter(|file| file.is_file())
    }

    /// A file in the configuration folder, or the shipped one where that has none. Only `robot.yaml` says nothing of
    /// other robots.
    #[must_use]
    pub fn in_config(&self, name: &str) -> PathBuf {
        let own = self.config.join(name);
        if own.exists() || name == "robot.yaml" || !self.config.is_dir() {
            return own;
        }
        Self::shipped(&format!("config/{name}")).unwrap_or(own)
    }
}

/// The folder that holds the shipped `config`, `launch` and `urdf`.
fn share_folder() -> Result<PathBuf, ConfigError> {
    let executable = std::env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_default();
    let installed = executable.parent().map(|folder| folder.join("../../share/hexapod"));
    let sources = executable.ancestors().skip(1).map(Path::to_path_buf);
    let here = std::env::current_dir().ok();
    let tried: Vec<PathBuf> = installed.into_iter().chain(sources).chain(here).collect();
    let found =
        tried.iter().find(|folder| folder.join("config/hexapod.yaml").is_file() && folder.join("urdf").is_dir());
    found.cloned().ok_or_else(|| {
        let help = "give the folder with --config and the robot with --urdf (parameters `config` and `urdf`)";
        let nearest = tried.first().map(|path| path.display().to_string()).unwrap_or_default();
        ConfigError::whole_file("config/hexapod.yaml", format!("not found near the executable, nor in {nearest}"), help)
    })
}
