//! The bindings that r2r generates from the messages of the ROS 2 it is built with.

use anyhow::{Context, Result};

use crate::cargo::cargo;
use crate::layout::{Layout, target_dir};
use crate::stamp::{self, Key};

/// Crates that keep bindings generated from the messages they were built with.
const BINDINGS: [&str; 4] = ["r2r_msg_gen", "r2r_rcl", "r2r_actions", "r2r"];

/// Drops the bindings when the messages they were made from changed: r2r itself looks at the environment's paths
/// only, which stay the same.
pub fn refresh(layout: &Layout, environment: &Key) -> Result<()> {
    let stamp = target_dir()?.join(".ros_environment");
    if stamp::matches(&stamp, environment) {
        return Ok(());
    }
    let mut command = cargo(layout);
    command.arg("clean").args(["--quiet"]).args(BINDINGS.iter().flat_map(|name| ["-p", name]));
    // It fails where r2r is no dependency (yet); then there is nothing to drop.
    let _ = command.output().context("cannot start cargo")?;
    stamp::write(&stamp, environment)
}
