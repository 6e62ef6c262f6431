//! `state_publisher` as a process of its own.

fn main() -> std::process::ExitCode {
    hexapod::nodes::state_publisher()
}
