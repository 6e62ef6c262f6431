//! `state_publisher` as a process of its own.

use hexapod::standalone::{self, About};
use std::process::ExitCode;

fn main() -> ExitCode {
    let does = "Tells where the robot is: joint states, odometry, transforms and the description.";
    let about = About { name: state_publisher::NAME, does, files: &["robot.yaml", "the URDF"] };
    standalone::main(&about, state_publisher::specs(), state_publisher::Setup::load, state_publisher::run)
}
