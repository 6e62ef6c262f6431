//! Which ROS 2 is used: the one that is sourced, or the one in `.ros`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::Result;

use crate::bindings;
use crate::cargo::{PACKAGE, cargo};
use crate::env::Variables;
use crate::layout::Layout;
use crate::process::find_program;
use crate::setup::{self, Scope};

/// A ROS 2 that programs can be built and run with.
#[derive(Debug)]
pub enum Ros {
    /// Sourced in the user's shell; used as it is.
    Sourced {
        /// Its ROS_DISTRO.
        distro: String,
    },
    /// Made in `.ros`.
    Ours {
        /// Its environment.
        variables: Variables,
        /// Its interpreter.
        python: PathBuf,
    },
}

impl Ros {
    /// The ROS 2 to use, set up as far as `scope` asks, and meanwhile `work`: installing waits for the network, building
    /// for the processor.
    pub fn ensure_beside(layout: &Layout, scope: Scope, work: impl FnOnce() + Send) -> Result<Self> {
        if in_shell(layout).is_none() {
            setup::check(layout)?;
        }
        thread::scope(|threads| {
            threads.spawn(work);
            Self::ensure(layout, scope)
        })
    }

    /// The ROS 2 to use, set up as far as `scope` asks.
    pub fn ensure(layout: &Layout, scope: Scope) -> Result<Self> {
        if let Some(distro) = in_shell(layout) {
            bindings::refresh(layout, &bindings::sourced())?;
            return Ok(Self::Sourced { distro });
        }
        let key = setup::ensure(layout, scope)?;
        bindings::refresh(layout, &key)?;
        Ok(Self::Ours { variables: Variables::of(layout)?, python: layout.python() })
    }

    /// Gives `command` this ROS 2.
    pub fn apply(&self, command: &mut Command) {
        if let Self::Ours { variables, .. } = self {
            variables.apply(command);
        }
    }

    /// The command that builds all executables. One and the same everywhere: other packages or features on the command
    /// line would compile r2r once more.
    pub fn build_executables(&self, layout: &Layout) -> Command {
        let mut command = cargo_in(layout, Some(self));
        command.args(["build", "--release", "--bins", "-p", PACKAGE]);
        command
    }

    /// The interpreter that has rclpy.
    pub fn python(&self) -> PathBuf {
        match self {
            Self::Sourced { .. } => {
                let path = std::env::var("PATH").unwrap_or_default();
                find_program("python3", &path, Path::new("/nonexistent")).unwrap_or_else(|| "python3".into())
            }
            Self::Ours { python, .. } => python.clone(),
        }
    }

    /// What a shell evaluates to have this ROS 2.
    pub fn exports(&self) -> String {
        match self {
            Self::Sourced { distro } => format!("# ROS 2 {distro} is sourced in this shell and used as it is\n"),
            Self::Ours { variables, .. } => variables.exports(),
        }
    }
}

/// A cargo command in the workspace, with the environment of `ros`.
pub fn cargo_in(layout: &Layout, ros: Option<&Ros>) -> Command {
    let mut command = cargo(layout);
    if let Some(ros) = ros {
        ros.apply(&mut command);
    }
    command
}

/// Executables are built in the release profile, and so is, for one build of all, what is tested beside them. Without ROS 2
/// there are none: the dev profile, with debug assertions.
pub fn profile(ros: Option<&Ros>) -> &'static [&'static str] {
    if ros.is_some() { &["--release"] } else { &[] }
}

/// The distribution of the ROS 2 that this shell has sourced.
fn in_shell(layout: &Layout) -> Option<String> {
    let variable = |name| std::env::var(name).unwrap_or_default();
    sourced(&variable("ROS_DISTRO"), &variable("AMENT_PREFIX_PATH"), &layout.ros())
}

/// The distribution of a sourced ROS 2 that is not our own.
fn sourced(distro: &str, prefixes: &str, ours: &Path) -> Option<String> {
    let prefixes: Vec<_> = prefixes.split(':').filter(|prefix| !prefix.is_empty()).map(Path::new).collect();
    let is_ours = prefixes.iter().any(|prefix| prefix.starts_with(ours));
    let has_rcl = prefixes.iter().any(|prefix| has_rcl(&prefix.join("lib")));
    (!distro.is_empty() && has_rcl && !is_ours).then(|| distro.to_owned())
}

/// Debian's own packages put libraries into a folder named by the architecture.
fn has_rcl(lib: &Path) -> bool {
    let multiarch = format!("{}-linux-gnu", std::env::consts::ARCH);
    lib.join("librcl.so").exists() || lib.join(multiarch).join("librcl.so").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_ros_is_sourced_expect_it_unless_incomplete_or_ours() {
        let folder = std::env::temp_dir().join(format!("xtask_ros_{}", std::process::id()));
        std::fs::create_dir_all(folder.join("lib")).unwrap();
        std::fs::write(folder.join("lib/librcl.so"), "").unwrap();
        let prefixes = format!("/nonexistent:{}", folder.display());
        assert_eq!(sourced("jazzy", &prefixes, Path::new("/w/.ros")), Some("jazzy".to_owned()));
        assert_eq!(sourced("", &prefixes, Path::new("/w/.ros")), None);
        assert_eq!(sourced("jazzy", "/nonexistent", Path::new("/w/.ros")), None);
        assert_eq!(sourced("jazzy", &prefixes, &folder), None);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
