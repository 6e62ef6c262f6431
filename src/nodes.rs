//! The nodes as processes of their own. One executable may stand for all of them: `hexapod` called by a node's name is that
//! node, so an installed package holds what they share once.

use crate::standalone::{self, About};
use std::path::Path;

/// The node that a process was called by the name of, if it was.
#[must_use]
pub fn called(program: &Path) -> Option<fn() -> !> {
    match program.file_name()?.to_str()? {
        gait_planner::NAME => Some(gait_planner),
        joystick::NAME => Some(joystick),
        servo_driver::NAME => Some(servo_driver),
        state_publisher::NAME => Some(state_publisher),
        web_teleop::NAME => Some(web_teleop),
        _ => None,
    }
}

/// `gait_planner` as a process of its own.
pub fn gait_planner() -> ! {
    let does = "Walks: takes commands and gives each joint its angle.";
    let about =
        About { name: gait_planner::NAME, does, files: &["gaits.yaml", "motions.yaml", "robot.yaml", "the URDF"] };
    standalone::main(&about, gait_planner::specs(), gait_planner::Setup::load, gait_planner::run)
}

/// `joystick`: a joystick's buttons, in a process of its own.
pub fn joystick() -> ! {
    let does = "Turns a joystick's buttons into calls of the robot's services.";
    let about = About { name: joystick::NAME, does, files: &["joystick.yaml"] };
    standalone::main(&about, joystick::specs(), joystick::Setup::load, joystick::run)
}

/// `servo_driver` as a process of its own.
pub fn servo_driver() -> ! {
    let does = "Drives the servos: takes the angles of joints and gives the boards their pulses.";
    let about = About { name: servo_driver::NAME, does, files: &["servos.yaml", "robot.yaml", "the URDF"] };
    standalone::main(&about, servo_driver::specs(), servo_driver::Setup::load, servo_driver::run)
}

/// `state_publisher` as a process of its own.
pub fn state_publisher() -> ! {
    let does = "Tells where the robot is: joint states, odometry, transforms and the description.";
    let about = About { name: state_publisher::NAME, does, files: &["robot.yaml", "the URDF"] };
    standalone::main(&about, state_publisher::specs(), state_publisher::Setup::load, state_publisher::run)
}

/// `web_teleop`: the page that drives the robot, served by a process of its own.
pub fn web_teleop() -> ! {
    let does = "Serves a page that shows the robot and drives it, to browsers and phones.";
    let about = About { name: web_teleop::NAME, does, files: &["hexapod.yaml"] };
    standalone::main(&about, web_teleop::specs(), web_teleop::Setup::load, web_teleop::run)
}
