//! `web_teleop` as a process of its own.

fn main() {
    hexapod::nodes::web_teleop()
}
