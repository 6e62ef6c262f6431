//! `joystick`: a joystick's buttons, in a process of its own.

use hexapod::standalone::{self, About};
use std::process::ExitCode;

fn main() -> ExitCode {
    let does = "Turns a joystick's buttons into calls of the robot's services.";
    let about = About { name: joystick::NAME, does, files: &["joystick.yaml"] };
    standalone::main(&about, joystick::specs(), joystick::Setup::load, joystick::run)
}
