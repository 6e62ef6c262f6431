//! The tests of `tests/ros`, which drive the executables with rclpy.

use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::UNIX_EPOCH;

use anyhow::{Result, bail};

use crate::cargo::{forget_xtask, release_dir};
use crate::layout::{Layout, target_dir};
use crate::process::{read, set_unless_given};
use crate::ros::Ros;

/// What draws the cases of some tests.
pub const DRAW: &str = "DRAW_SEED";
/// Others in each run, unless they are given, and the same ones when some of them run once more.
pub static DRAWN: LazyLock<String> = LazyLock::new(|| {
    let fresh = || UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_secs() % (1 << 32)).to_string();
    std::env::var(DRAW).unwrap_or_else(|_| fresh())
});

/// The tests in `tests/ros` by how many of them run at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Those that bear company: most.
    Together,
    /// Those marked `few`: much company makes them late.
    Few,
    /// Those marked `alone`: they measure what others would disturb, or take the whole machine.
    OneAtATime,
}

impl Group {
    /// What the report calls it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Together => "tests/ros",
            Self::Few => "tests/ros, few at a time",
            Self::OneAtATime => "tests/ros, one at a time",
        }
    }

    /// What pytest selects them by.
    fn marker(self) -> &'static str {
        match self {
            Self::Together => "not (few or alone)",
            Self::Few => "few",
            Self::OneAtATime => "alone",
        }
    }

    /// How pytest spreads them over processes.
    fn spread(self) -> &'static [&'static str] {
        match self {
            Self::Together => &["-n", "auto", "--dist", "worksteal"],
            Self::Few => &["-n", "3", "--dist", "worksteal"],
            Self::OneAtATime => &[],
        }
    }
}

/// Which tests of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// All of them.
    All,
    /// Those that failed last, one at a time.
    FailedLast,
}

/// The command that runs one part of them, or those of it whose names hold `filter`.
pub fn pytest(layout: &Layout, ros: &Ros, group: Group, which: Which, filter: Option<&str>) -> Result<Command> {
    let folder = layout.root().join("tests/ros");
    if !folder.is_dir() {
        bail!("{} does not exist", folder.display());
    }
    let python = ros.python();
    require_pytest(&python, ros)?;
    let mut command = Command::new(&python);
    command.current_dir(layout.root()).args(["-m", "pytest"]).arg(&folder).args(["-m", group.marker()]);
    // Most of the time tests wait for a robot that walks in real time: several at once (conftest.py says how many) take
    // a part of the time, also on two processors. A sourced ROS 2 may come without the plugin.
    if which == Which::FailedLast {
        command.args(["--last-failed", "--last-failed-no-failures", "none"]);
    } else if has_modules(&python, ros, "xdist") {
        command.args(group.spread());
    }
    command.arg("-o").arg(format!("cache_dir={}", target_dir()?.join("pytest_cache").display()));
    // What to look at first when all of them take too long.
    command.args(["--durations", "20"]);
    command.args(filter.into_iter().flat_map(|filter| ["-k", filter]));
    command.arg(if std::io::stdout().is_terminal() { "--color=yes" } else { "--color=auto" });
    start_robots(&mut command, ros)?;
    command.env(DRAW, &*DRAWN);
    // Tests of the crates have built them; cargo would build a crate by itself with other features than among all.
    command.env("HEXAPOD_EXAMPLES_DIR", release_dir()?.join("examples"));
    Ok(command)
}

fn has_modules(python: &Path, ros: &Ros, modules: &str) -> bool {
    let mut probe = Command::new(python);
    ros.apply(&mut probe);
    read(probe.args(["-c", &format!("import {modules}")])).is_ok()
}

/// A sourced ROS 2 may come without the test tools.
pub fn require_pytest(python: &Path, ros: &Ros) -> Result<()> {
    if !has_modules(python, ros, "pytest, rclpy, yaml") {
        bail!(
            "{} lacks pytest, rclpy or yaml; with ROS 2 from packages: \
             sudo apt-get install -y python3-pytest python3-pytest-timeout python3-yaml",
            python.display()
        );
    }
    Ok(())
}

/// Lets a program in Python start robots, apart from any other.
pub fn start_robots(command: &mut Command, ros: &Ros) -> Result<()> {
    ros.apply(command);
    forget_xtask(command);
    isolate(command);
    // It starts many processes of Python, each of which would compile what it imports; not beside the sources.
    command.env("HEXAPOD_BIN_DIR", release_dir()?).env("PYTHONPYCACHEPREFIX", target_dir()?.join("pycache"));
    Ok(())
}

/// Keeps tests apart from any robot on the network and from a second run on this machine.
pub fn isolate(command: &mut Command) {
    command.env("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST");
    command.env("RUST_TEST_THREADS", "1");
    // Domains above 101 run into the ports Linux hands out by itself.
    set_unless_given(command, "ROS_DOMAIN_ID", &(1 + std::process::id() % 100).to_string());
}
