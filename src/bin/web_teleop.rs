//! `web_teleop`: the page that drives the robot, served by a process of its own.

use hexapod::standalone::{self, About};
use std::process::ExitCode;

fn main() -> ExitCode {
    let does = "Serves a page that shows the robot and drives it, to browsers and phones.";
    let about = About { name: web_teleop::NAME, does, files: &["hexapod.yaml"] };
    standalone::main(&about, web_teleop::specs(), web_teleop::Setup::load, web_teleop::run)
}
