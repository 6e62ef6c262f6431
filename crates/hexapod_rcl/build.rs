//! Says which packages of messages are missing, before bindings without them fail to compile.

use std::collections::BTreeSet;
use std::process::ExitCode;

/// Those of package.xml, but for the one that is used only where it is installed (`gait_planner/build.rs`).
const NEEDED: [&str; 14] = [
    "action_msgs",
    "builtin_interfaces",
    "diagnostic_msgs",
    "geometry_msgs",
    "nav_msgs",
    "rcl_interfaces",
    "rosgraph_msgs",
    "sensor_msgs",
    "std_msgs",
    "std_srvs",
    "tf2_msgs",
    "trajectory_msgs",
    "unique_identifier_msgs",
    "visualization_msgs",
];

fn main() -> ExitCode {
    r2r_common::print_cargo_watches();
    let found: BTreeSet<String> = r2r_common::get_wanted_messages().into_iter().map(|message| message.module).collect();
    let missing: Vec<&str> = NEEDED.into_iter().filter(|name| !found.contains(*name)).collect();
    if missing.is_empty() {
        return ExitCode::SUCCESS;
    }
    let distribution = std::env::var("ROS_DISTRO").unwrap_or_else(|_| "jazzy".into());
    let packages: Vec<String> =
        missing.iter().map(|name| format!("ros-{distribution}-{}", name.replace('_', "-"))).collect();
    let (missing, packages) = (missing.join(", "), packages.join(" "));
    println!("cargo::error=the ROS 2 environment lacks {missing}: sudo apt-get install {packages}");
    ExitCode::FAILURE
}
