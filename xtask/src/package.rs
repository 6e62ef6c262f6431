//! `cargo xtask package`: a Debian package of the robot for the ROS 2 in use, by cargo-deb (Cargo.toml,
//! `package.metadata.deb`). What it holds beside files of the repository is made here: units that source nothing, man
//! pages from `--help`, and the nodes as links to the one executable.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cargo::{PACKAGE, cargo, release_dir, run};
use crate::layout::Layout;
use crate::man;
use crate::page;
use crate::process::read;
use crate::ros::Ros;
use crate::setup::Scope;

const NODES: [&str; 5] = ["gait_planner", "joystick", "servo_driver", "state_publisher", "web_teleop"];
const UNITS: [&str; 2] = ["hexapod.service", "hexapod-guard.service"];
/// The shell that sources ROS 2 in the units: the package's executable finds its libraries by itself.
const SOURCED: &str = "/bin/bash -c '. /opt/ros/jazzy/setup.bash && . /opt/hexapod/setup.bash && exec hexapod ";

/// Builds everything, and the package from it.
pub fn package(layout: &Layout) -> Result<()> {
    if read(Command::new("cargo-deb").arg("--version")).is_err() {
        bail!("cargo-deb is not installed: cargo install --locked cargo-deb");
    }
    let ros = Ros::ensure_beside(layout, Scope::Run, || page::try_build(layout))?;
    run(&mut ros.build_executables(layout)).context("cannot build the executables")?;
    // The folder that `package.metadata.deb` names.
    let stage = layout.root().join("target/package");
    if stage.exists() {
        fs::remove_dir_all(&stage).with_context(|| format!("cannot empty {}", stage.display()))?;
    }
    fill(layout.root(), &stage, &release_dir()?.join(PACKAGE))?;
    let mut command = cargo(layout);
    command.args(["deb", "--no-build", "--no-dbgsym", "--strip", "-p", PACKAGE]);
    ros.apply(&mut command);
    if let Some(distribution) = std::env::var_os("ROS_DISTRO").filter(|name| name != "jazzy") {
        command.arg("--variant").arg(distribution);
    }
    run(&mut command)
}

/// Writes what the package holds beside files of the repository.
fn fill(root: &Path, stage: &Path, program: &Path) -> Result<()> {
    for folder in ["nodes", "bin", "units", "man"] {
        fs::create_dir_all(stage.join(folder))?;
    }
    for node in NODES {
        symlink(PACKAGE, stage.join("nodes").join(node))?;
    }
    symlink(format!("../lib/hexapod/{PACKAGE}"), stage.join("bin").join(PACKAGE))?;
    fs::write(stage.join("marker"), "")?;
    for unit in UNITS {
        let text = fs::read_to_string(root.join("deploy").join(unit))?;
        fs::write(stage.join("units").join(unit), installed(&text)?)?;
    }
    man::write(program, &stage.join("man"))
}

/// A unit of the repository as it is where the package put the executable.
fn installed(unit: &str) -> Result<String> {
    let mut lines = Vec::new();
    for line in
        unit.lines().filter(|line| !line.starts_with("Environment=PATH=") && !line.contains("sourced as in a shell"))
    {
        lines.push(match line.split_once(SOURCED) {
            Some((key, command)) => {
                let command = command.strip_suffix('\'').context("a command of a unit does not end")?;
                let command = command.replace("--bus i2c", "--bus ${HEXAPOD_BUS}");
                let more = if command.starts_with("run ") { " $HEXAPOD_ARGS" } else { "" };
                format!("{key}/usr/bin/hexapod {command}{more}")
            }
            None => line.to_owned(),
        });
        if line == "[Service]" {
            lines.push("Environment=HEXAPOD_BUS=i2c\nEnvironmentFile=-/etc/default/hexapod".into());
        }
    }
    let text = lines.join("\n") + "\n";
    if text.contains("/opt/") {
        bail!("a unit names a folder that the package has not");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_units_are_packed_expect_the_installed_executable_and_nothing_sourced() {
        for unit in UNITS {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy").join(unit);
            let text = installed(&fs::read_to_string(path).unwrap()).unwrap();
            assert!(text.contains("\nExecStart=/usr/bin/hexapod ") && text.contains("--bus ${HEXAPOD_BUS}"), "{text}");
            assert!(!text.contains("bash") && text.contains("\nUser=hexapod\n"), "{text}");
            assert_eq!(text.matches("$HEXAPOD_ARGS\n").count(), usize::from(unit == "hexapod.service"), "{text}");
        }
        assert!(installed("ExecStart=/opt/elsewhere/hexapod\n").is_err());
    }
}
