//! `gait_planner` as a process of its own.

use hexapod::standalone::{self, About};
use std::process::ExitCode;

fn main() -> ExitCode {
    let does = "Walks: takes commands and tells each joint its angle.";
    let about =
        About { name: gait_planner::NAME, does, files: &["gaits.yaml", "motions.yaml", "robot.yaml", "the URDF"] };
    standalone::main(&about, gait_planner::specs(), gait_planner::Setup::load, gait_planner::run)
}
