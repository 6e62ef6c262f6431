//! `gait_planner` as a process of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    hexapod::standalone::main(gait_planner::NAME, gait_planner::specs(), gait_planner::Setup::load, gait_planner::run)
}
