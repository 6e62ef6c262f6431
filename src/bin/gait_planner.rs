//! `gait_planner` as a process of its own.

fn main() -> std::process::ExitCode {
    hexapod::nodes::gait_planner()
}
