//! `servo_driver` as a process of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    hexapod::standalone::main(servo_driver::NAME, servo_driver::specs(), servo_driver::Setup::load, servo_driver::run)
}
