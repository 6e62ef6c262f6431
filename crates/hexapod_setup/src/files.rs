//! Where the robot's files are: the shipped ones, and over them the owner's.

use crate::config_file::{ConfigFile, is_there};
use hexapod_config::ConfigError;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The configuration files, each of which may stand in several folders.
pub const CONFIG_FILES: [&str; 7] =
    ["hexapod.yaml", "robot.yaml", "servos.yaml", "gaits.yaml", "motions.yaml", JOYSTICK_FILE, "sim.yaml"];
/// The parameters of a gamepad's nodes.
pub const JOYSTICK_FILE: &str = "joystick.yaml";
/// The description of the shipped robot, below the share folder.
const SHIPPED_ROBOT: &str = "urdf/hexapod.urdf";
/// The folder for all users of this machine; its variable of the environment moves it.
const SYSTEM: (&str, &str) = ("HEXAPOD_SYSTEM_CONFIG", "/etc/hexapod");

/// The folders of the configuration files and the file of the robot's description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// The folder of the shipped files; none where they are not near the executable.
    shipped: Option<PathBuf>,
    /// The owner's folders: what stands in a later one counts over an earlier one, and over the shipped files.
    owner: Vec<PathBuf>,
    /// Whether the owner's one folder was given, rather than found.
    given: bool,
    /// The URDF.
    pub urdf: PathBuf,
}

impl Files {
    /// The shipped files, beside the executable in an installed package (`lib/hexapod/x` and `share/hexapod`) or in the
    /// source tree it was built in, and over them the owner's: those in the folder `config` alone, where one is given;
    /// else those in `/etc/hexapod` and over them those in `~/.config/hexapod` (`XDG_CONFIG_HOME`). The description is
    /// `urdf`, or the shipped one where that is empty.
    ///
    /// # Errors
    /// `config` is no folder; the shipped files are needed and nowhere near the executable; says where they were looked
    /// for.
    pub fn find(config: &str, urdf: &str) -> Result<Self, ConfigError> {
        let given = !config.is_empty();
        let owner = if given { vec![existing_folder(config)?] } else { owner_folders() };
        Self::over_shipped(owner, given, urdf)
    }

    /// The shipped files and nothing of an owner's, for tests: whatever the machine's user has set up.
    ///
    /// # Errors
    /// The shipped files are nowhere near the executable.
    pub fn shipped_alone() -> Result<Self, ConfigError> {
        Self::over_shipped(vec![], false, "")
    }

    /// The files of one folder and nothing else.
    #[must_use]
    pub fn of_folder(config: impl Into<PathBuf>, urdf: impl Into<PathBuf>) -> Self {
        Self { shipped: None, owner: vec![config.into()], given: true, urdf: urdf.into() }
    }

    fn over_shipped(owner: Vec<PathBuf>, given: bool, urdf: &str) -> Result<Self, ConfigError> {
        let share = share_folder();
        let found = share.as_ref().ok().map(|share| share.join("config"));
        // A folder may be given that is the shipped one: that alone, then.
        let is_shipped = |folder: &PathBuf| found.as_ref().is_some_and(|found| same(folder, found));
        let owner: Vec<PathBuf> = owner.into_iter().filter(|folder| !is_shipped(folder)).collect();
        let urdf = match (urdf, share) {
            ("", share) => share?.join(SHIPPED_ROBOT),
            (_, Err(error)) if owner.is_empty() || !given => return Err(error),
            (urdf, _) => urdf.into(),
        };
        Ok(Self { shipped: found, owner, given, urdf })
    }

    /// A shipped file, by its path below the package's share folder, if it is to be found.
    #[must_use]
    pub fn shipped(path: &str) -> Option<PathBuf> {
        share_folder().ok().map(|share| share.join(path)).filter(|file| file.is_file())
    }

    /// Whether the robot is the shipped one, or nothing is known of that.
    #[must_use]
    pub fn has_shipped_robot(&self) -> bool {
        Self::shipped(SHIPPED_ROBOT).is_none_or(|shipped| same(&shipped, &self.urdf))
    }

    /// A configuration file in all its layers.
    #[must_use]
    pub fn in_config(&self, name: &str) -> ConfigFile {
        let folders: Vec<&PathBuf> = self.shipped.iter().chain(&self.owner).collect();
        let mut layers: Vec<PathBuf> = folders.iter().map(|folder| folder.join(name)).collect();
        let lowest = layers.first().cloned();
        layers.retain(|path| is_there(path));
        if layers.is_empty() {
            layers.extend(lowest);
        }
        let shipped = self.shipped.as_deref();
        let is_shipped = shipped.is_some_and(|folder| layers.first().is_some_and(|lowest| lowest.starts_with(folder)));
        ConfigFile::of_layers(layers, is_shipped)
    }

    /// The folder of the shipped files, the lowest layer.
    #[must_use]
    pub fn shipped_folder(&self) -> Option<&Path> {
        self.shipped.as_deref()
    }

    /// Whether a file is the owner's, and not shipped.
    #[must_use]
    pub fn is_own(&self, file: &str) -> bool {
        self.owner.iter().any(|folder| Path::new(file).starts_with(folder))
    }

    /// The owner's folders, whether they exist or not, the lowest layer first.
    #[must_use]
    pub fn owner_folders(&self) -> &[PathBuf] {
        &self.owner
    }

    /// Where the owner would write a configuration file.
    #[must_use]
    pub fn to_write(&self, name: &str) -> PathBuf {
        self.owner_folder().map_or_else(|_| self.in_config(name).path().into(), |folder| folder.join(name))
    }

    /// The folder the owner writes to: the topmost layer.
    ///
    /// # Errors
    /// It would be the shipped one, which is overwritten by each installation, or there is no home folder.
    pub fn owner_folder(&self) -> Result<&Path, ConfigError> {
        if let Some(folder) = self.owner.last().filter(|_| self.given || user_folder().is_some()) {
            return Ok(folder);
        }
        let shipped = self.shipped.as_deref().unwrap_or(Path::new("config")).display().to_string();
        let (message, help) = if self.given {
            (
                "this is the folder of the shipped files: the next build overwrites them",
                "leave out --config, or give a folder of your own",
            )
        } else {
            (
                "there is no folder of yours: neither XDG_CONFIG_HOME nor HOME is set",
                "set HOME, or give a folder with --config",
            )
        };
        Err(ConfigError::whole_file(&shipped, message, help))
    }

    /// The folder that was given, to give it on to another process; none where the owner's folders were found.
    #[must_use]
    pub fn given_folder(&self) -> Option<&Path> {
        self.owner.last().or(self.shipped.as_ref()).filter(|_| self.given).map(PathBuf::as_path)
    }

    /// The owner's files that are there, in the order in which they count.
    #[must_use]
    pub fn owner_files(&self) -> Vec<PathBuf> {
        let files = self.owner.iter().flat_map(|folder| CONFIG_FILES.map(|name| folder.join(name)));
        files.filter(|file| is_there(file)).collect()
    }

    /// Which of the owner's files are in use, for the log.
    #[must_use]
    pub fn reported(&self) -> String {
        let listed = |paths: &[PathBuf]| paths.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", ");
        match (self.owner_files().as_slice(), self.owner.as_slice()) {
            ([], []) => "configuration: as shipped".into(),
            ([], folders) => format!("configuration: as shipped; no file of yours in {}", listed(folders)),
            (files, _) => format!("configuration: as shipped, with {}", listed(files)),
        }
    }

    /// Files in the owner's folders that nobody reads, such as a misspelt `servo.yaml`.
    #[must_use]
    pub fn strays(&self) -> Vec<PathBuf> {
        let known = |path: &PathBuf| path.file_name().and_then(OsStr::to_str).is_some_and(is_known);
        let mut strays = self.owners_with(&["yaml", "yml"]);
        strays.retain(|path| !known(path));
        strays
    }

    /// Fails if the shipped robot would walk with the files of another one, whose description lies beside them and is not named.
    ///
    /// # Errors
    /// Where it lies, and how it is named.
    pub fn check_named(&self) -> Result<(), ConfigError> {
        let forgotten = self.owners_with(&["urdf", "xacro"]).into_iter().next();
        let Some(forgotten) = forgotten.filter(|_| self.has_shipped_robot()) else { return Ok(()) };
        let name = forgotten.file_name().unwrap_or_default().to_string_lossy();
        let message = format!("`{name}` lies beside it, and no `urdf` names it: the shipped robot would walk");
        let help = format!(
            "write `/**: {{ros__parameters: {{urdf: {name}}}}}`, or take it elsewhere if it is the shipped robot that is meant"
        );
        let file = forgotten.with_file_name("hexapod.yaml").display().to_string();
        Err(ConfigError::whole_file(&file, message, help))
    }

    /// The files in the owner's folders with one of these endings, in order.
    fn owners_with(&self, endings: &[&str]) -> Vec<PathBuf> {
        let ends = |path: &PathBuf| path.extension().is_some_and(|end| endings.iter().any(|ending| end == *ending));
        let entries = self.owner.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(ends).collect();
        files.sort();
        files
    }
}

/// Files that may stand in an owner's folder.
fn is_known(name: &str) -> bool {
    CONFIG_FILES.contains(&name)
}

fn existing_folder(config: &str) -> Result<PathBuf, ConfigError> {
    let folder = PathBuf::from(config);
    if folder.is_dir() {
        return Ok(folder);
    }
    let help = "give the folder in which your hexapod.yaml, servos.yaml and so on are";
    let message = if folder.exists() { "this is a file, not a folder" } else { "there is no such folder" };
    Err(ConfigError::whole_file(config, message, help))
}

fn owner_folders() -> Vec<PathBuf> {
    let system = env::var_os(SYSTEM.0).filter(|folder| !folder.is_empty()).unwrap_or_else(|| SYSTEM.1.into());
    [Some(system.into()), user_folder()].into_iter().flatten().collect()
}

/// XDG Base Directory Specification: a relative path in `XDG_CONFIG_HOME` does not count.
fn user_folder() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(folder.join("hexapod"))
}

fn same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// The source tree that this was built in.
fn built_from() -> Option<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(Path::to_path_buf)
}

/// The folder that holds the shipped `config`, `launch` and `urdf`.
fn share_folder() -> Result<PathBuf, ConfigError> {
    let executable = env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_default();
    let installed = executable.parent().map(|folder| folder.join("../../share/hexapod"));
    let sources = executable.ancestors().skip(1).map(Path::to_path_buf);
    let here = env::current_dir().ok();
    // For `cargo install --path .`, which installs executables alone. A browser has no folders.
    let built_from = if cfg!(target_arch = "wasm32") { None } else { built_from() };
    let tried: Vec<PathBuf> = installed.into_iter().chain(sources).chain(here).chain(built_from).collect();
    let found =
        tried.iter().find(|folder| folder.join("config/hexapod.yaml").is_file() && folder.join("urdf").is_dir());
    found.map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.clone())).ok_or_else(|| {
        let help = "give the folder with --config and the robot with --urdf (parameters `config` and `urdf`)";
        let nearest = tried.first().map(|path| path.display().to_string()).unwrap_or_default();
        ConfigError::whole_file("config/hexapod.yaml", format!("not found near the executable, nor in {nearest}"), help)
    })
}
