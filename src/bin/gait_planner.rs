//! `gait_planner` as a process of its own.

fn main() {
    hexapod::nodes::gait_planner()
}
