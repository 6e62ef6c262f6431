//! Interface packages that PyPI lacks, built from sources of our own (`xtask/tf2_msgs`) over the wheels.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::env::Variables;
use crate::layout::Layout;
use crate::process::run_logged;
use crate::progress::Step;
use crate::stamp::{self, Key};

/// Files the overlay is made from, in `xtask/tf2_msgs`.
const SOURCES: [&str; 3] = ["CMakeLists.txt", "package.xml", "msg/TFMessage.msg"];

/// The overlay over one state of the wheels.
#[derive(Debug)]
pub struct Overlay<'a> {
    layout: &'a Layout,
    wheels: Key,
}

impl<'a> Overlay<'a> {
    /// The overlay over the wheels that `wheels` stands for.
    pub fn new(layout: &'a Layout, wheels: Key) -> Self {
        Self { layout, wheels }
    }

    /// Says what the overlay is made from, the wheels under it included.
    pub fn key(&self) -> Result<Key> {
        let source = self.source();
        SOURCES.iter().try_fold(self.wheels.clone(), |key, file| key.with_file(&source.join(file)))
    }

    /// Whether it is there and made from what is there now.
    pub fn is_built(&self) -> Result<bool> {
        Ok(stamp::matches(&self.stamp(), &self.key()?))
    }

    /// Builds it from nothing.
    pub fn build(&self, step: &Step, lock: &File) -> Result<()> {
        let (build, install) = (self.layout.ros().join("build"), self.layout.overlay());
        stamp::remove(&build)?;
        stamp::remove(&install)?;
        let configure = [
            "-DBUILD_TESTING=OFF".to_owned(),
            "-DCMAKE_BUILD_TYPE=Release".to_owned(),
            define("CMAKE_INSTALL_PREFIX", &install),
            define("Python3_EXECUTABLE", &self.layout.python()),
        ];
        let folder = |path: &Path| path.as_os_str().to_owned();
        self.cmake(step, lock, &["-S".into(), folder(&self.source()), "-B".into(), folder(&build)], &configure)?;
        self.cmake(step, lock, &["--build".into(), folder(&build)], &["--parallel".to_owned(), parallelism()])?;
        self.cmake(step, lock, &["--install".into(), folder(&build)], &[])?;
        stamp::write(&self.stamp(), &self.key()?)?;
        stamp::remove(&build)
    }

    fn cmake(&self, step: &Step, lock: &File, args: &[std::ffi::OsString], options: &[String]) -> Result<()> {
        let mut command = Command::new(self.layout.venv().join("bin/cmake"));
        command.args(args).args(options);
        Variables::of(self.layout)?.apply(&mut command);
        // Generators on the command line (Ninja, cross compilers) would not find what they expect here.
        command.env_remove("CMAKE_GENERATOR").env_remove("CMAKE_TOOLCHAIN_FILE");
        run_logged(command, lock, |line| step.note(line)).context("cannot build tf2_msgs")
    }

    fn source(&self) -> PathBuf {
        self.layout.xtask().join("tf2_msgs")
    }

    fn stamp(&self) -> PathBuf {
        self.layout.overlay().join(".stamp")
    }
}

fn define(name: &str, path: &Path) -> String {
    format!("-D{name}={}", path.display())
}

fn parallelism() -> String {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get).to_string()
}
