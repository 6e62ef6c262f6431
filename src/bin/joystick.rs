//! `joystick`: a joystick's buttons, in a process of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    hexapod::standalone::main(joystick::NAME, joystick::specs(), joystick::Setup::load, joystick::run)
}
