//! `cargo xtask demo`: set up, build, become the demo.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result};

use crate::cargo::{PACKAGE, forget_xtask, release_dir, run};
use crate::layout::Layout;
use crate::page;
use crate::ros::Ros;
use crate::setup::Scope;

/// Returns only on failure; otherwise this process is the demo, so that signals reach it directly.
pub fn demo(layout: &Layout, args: impl Iterator<Item = OsString>) -> Result<()> {
    let ros = Ros::ensure_beside(layout, Scope::Run, || page::try_build(layout))?;
    let program = release_dir()?.join(PACKAGE);
    if !program.exists() {
        eprintln!("building; the first time takes some minutes, most of them for the ROS 2 bindings ...");
    }
    run(&mut ros.build_executables(layout)).context("cannot build the demo")?;

    let mut command = Command::new(&program);
    command.arg("demo").args(args);
    ros.apply(&mut command);
    forget_xtask(&mut command);
    Err(command.exec()).with_context(|| format!("cannot start {}", program.display()))
}
