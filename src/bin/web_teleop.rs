//! `web_teleop` as a process of its own.

fn main() -> std::process::ExitCode {
    hexapod::nodes::web_teleop()
}
