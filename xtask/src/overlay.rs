//! Interface packages that PyPI lacks, built over the wheels from sources in this crate's folder.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::env::Variables;
use crate::layout::Layout;
use crate::process::run_logged;
use crate::progress::Step;
use crate::stamp::{self, Key};

/// The packages, each in a folder of its name: with its definitions, as far as nodes and tests use them.
const PACKAGES: [(&str, &[&str]); 2] = [
    ("tf2_msgs", &["msg/TFMessage.msg"]),
    (
        "control_msgs",
        &["action/FollowJointTrajectory.action", "msg/JointComponentTolerance.msg", "msg/JointTolerance.msg"],
    ),
];
/// What each package has besides.
const DESCRIPTIONS: [&str; 2] = ["CMakeLists.txt", "package.xml"];

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
        let files = PACKAGES.iter().flat_map(|(package, definitions)| {
            DESCRIPTIONS.iter().chain(*definitions).map(|file| self.source(package).join(file))
        });
        files.into_iter().try_fold(self.wheels.clone(), |key, file| key.with_file(&file))
    }

    /// Whether it is there and made from what is there now.
    pub fn is_built(&self) -> Result<bool> {
        Ok(stamp::matches(&self.stamp(), &self.key()?))
    }

    /// The names of its packages, in words.
    pub fn packages() -> String {
        PACKAGES.map(|(package, _)| package).join(" and ")
    }

    /// Builds it from nothing.
    pub fn build(&self, step: &Step, lock: &File) -> Result<()> {
        stamp::remove(&self.layout.overlay())?;
        for (package, _) in PACKAGES {
            self.build_package(package, step, lock).with_context(|| format!("cannot build {package}"))?;
        }
        stamp::write(&self.stamp(), &self.key()?)
    }

    fn build_package(&self, package: &str, step: &Step, lock: &File) -> Result<()> {
        let (build, install) = (self.layout.ros().join("build"), self.layout.overlay());
        stamp::remove(&build)?;
        let configure = [
            "-DBUILD_TESTING=OFF".to_owned(),
            "-DCMAKE_BUILD_TYPE=Release".to_owned(),
            define("CMAKE_INSTALL_PREFIX", &install),
            define("Python3_EXECUTABLE", &self.layout.python()),
        ];
        let folder = |path: &Path| path.as_os_str().to_owned();
        let source = self.source(package);
        self.cmake(step, lock, &["-S".into(), folder(&source), "-B".into(), folder(&build)], &configure)?;
        self.cmake(step, lock, &["--build".into(), folder(&build)], &["--parallel".to_owned(), parallelism()])?;
        self.cmake(step, lock, &["--install".into(), folder(&build)], &[])?;
        stamp::remove(&build)
    }

    fn cmake(&self, step: &Step, lock: &File, args: &[std::ffi::OsString], options: &[String]) -> Result<()> {
        let mut command = Command::new(self.layout.venv().join("bin/cmake"));
        command.args(args).args(options);
        Variables::of(self.layout)?.apply(&mut command);
        // Generators on the command line (Ninja, cross compilers) would not find what they expect here.
        command.env_remove("CMAKE_GENERATOR").env_remove("CMAKE_TOOLCHAIN_FILE");
        run_logged(command, lock, |line| step.note(line))
    }

    fn source(&self, package: &str) -> PathBuf {
        self.layout.xtask().join(package)
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
