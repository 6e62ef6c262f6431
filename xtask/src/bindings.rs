//! The bindings that r2r generates from the messages of the ROS 2 it is built with.

use std::path::Path;

use anyhow::{Context, Result};

use crate::cargo::cargo;
use crate::layout::{Layout, target_dir};
use crate::stamp::{self, Key};

/// Crates that keep bindings generated from the messages they were built with, and one that goes by which there were.
const BINDINGS: [&str; 5] = ["r2r_msg_gen", "r2r_rcl", "r2r_actions", "r2r", "gait_planner"];
/// A package of messages that is used where it is installed.
const OPTIONAL: &str = "control_msgs";

/// What the bindings to a sourced ROS 2 were made from, as far as it is likely to change.
pub fn sourced() -> Key {
    let prefixes = std::env::var("AMENT_PREFIX_PATH").unwrap_or_default();
    let has_it = prefixes.split(':').any(|prefix| Path::new(prefix).join("share").join(OPTIONAL).is_dir());
    Key::new().with(&prefixes).with([u8::from(has_it)])
}

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
