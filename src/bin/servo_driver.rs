//! `servo_driver` as a process of its own.

use hexapod::standalone::{self, About};
use std::process::ExitCode;

fn main() -> ExitCode {
    let does = "Drives the servos: takes the angles of joints and tells the boards their pulses.";
    let about = About { name: servo_driver::NAME, does, files: &["servos.yaml", "robot.yaml", "the URDF"] };
    standalone::main(&about, servo_driver::specs(), servo_driver::Setup::load, servo_driver::run)
}
