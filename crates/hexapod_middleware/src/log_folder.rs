//! Where rcl writes its log files: without a folder for them it refuses to start, and a robot must start and stop all the same.

use std::env;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process;

/// Where rcl looks for the folder, by name.
const LOG_DIR: &str = "ROS_LOG_DIR";
/// Folders are tried until one is new.
const MOST_TRIES: u32 = 100;

/// Checks the folder in which rcl will write its log files, and gives it a fresh one below the system's temporary folder
/// where that one cannot be made or written; returns what to say then.
///
/// To be called before the process has a second thread: it sets a variable of the environment.
#[must_use]
pub fn take_log_folder() -> Option<String> {
    let why = log_folder().err()?;
    let Some(folder) = fresh(&env::temp_dir()) else {
        return Some(format!("{why}; nor can a folder below {}: set {LOG_DIR}", env::temp_dir().display()));
    };
    env::set_var(LOG_DIR, &folder);
    Some(format!("{why}: log files go to {}", folder.display()))
}

/// The folder in which rcl writes its log files, which is made if need be.
///
/// # Errors
/// It cannot be made or written, and why.
pub fn log_folder() -> Result<PathBuf, String> {
    let folder = folder(|name| env::var_os(name)).ok_or("HOME is not set, so there is no folder for log files")?;
    // A home is not ours to make.
    let homeless = env::var_os("HOME").map(PathBuf::from).filter(|home| folder.starts_with(home) && !home.is_dir());
    if let Some(home) = homeless {
        return Err(format!("HOME is {}, and there is no such folder", home.display()));
    }
    let written = fs::create_dir_all(&folder).and_then(|()| try_out(&folder));
    written.map_err(|error| format!("the log folder {} cannot be written ({error})", folder.display()))?;
    Ok(folder)
}

/// The folder that rcl takes.
fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || set("HOME");
    let expanded = |path: PathBuf| match path.strip_prefix("~") {
        Ok(rest) => Some(home()?.join(rest)),
        Err(_) => Some(path),
    };
    match (set(LOG_DIR), set("ROS_HOME")) {
        (Some(folder), _) => expanded(folder),
        (None, Some(ros)) => Some(expanded(ros)?.join("log")),
        (None, None) => Some(home()?.join(".ros/log")),
    }
}

/// Writes a file and takes it away: permissions alone do not tell, as of root on a read-only disk.
fn try_out(folder: &Path) -> Result<(), Error> {
    let file = folder.join(format!(".hexapod_{}", process::id()));
    OpenOptions::new().write(true).create(true).truncate(true).open(&file)?;
    fs::remove_file(file)
}

/// A folder that nobody else has made, for this user alone.
fn fresh(below: &Path) -> Option<PathBuf> {
    for number in 0..MOST_TRIES {
        let folder = below.join(format!("hexapod_log_{}_{number}", process::id()));
        match fs::DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Some(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(_) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_environment_is_read_expect_the_folder_that_rcl_takes() {
        let home = ("HOME", "/home/pi");
        for (set, expected) in [
            (&[home][..], Some("/home/pi/.ros/log")),
            (&[home, ("ROS_HOME", "/ros")], Some("/ros/log")),
            (&[home, ("ROS_HOME", "/ros"), ("ROS_LOG_DIR", "~/logs")], Some("/home/pi/logs")),
            (&[home, ("ROS_LOG_DIR", "")], Some("/home/pi/.ros/log")),
            (&[("ROS_LOG_DIR", "/var/log")], Some("/var/log")),
            (&[("ROS_LOG_DIR", "~/logs")], None),
            (&[], None),
        ] {
            let variable = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
            assert_eq!(folder(variable), expected.map(PathBuf::from), "{set:?}");
        }
    }

    #[test]
    fn when_a_folder_is_made_expect_it_new_and_writable_and_none_where_nothing_can_be_made() {
        let folders = [fresh(&env::temp_dir()), fresh(&env::temp_dir())].map(|folder| folder.expect("a folder"));
        assert_ne!(folders[0], folders[1]);
        for folder in folders {
            assert!(try_out(&folder).is_ok() && fs::read_dir(&folder).is_ok_and(|files| files.count() == 0));
            fs::remove_dir(folder).expect("empty");
        }
        assert!(fresh(Path::new("/proc")).is_none() && try_out(Path::new("/proc")).is_err());
    }
}
