//! `servo_driver` as a process of its own.

fn main() -> std::process::ExitCode {
    hexapod::nodes::servo_driver()
}
