//! What can be walked without ROS.

use super::files::{FileArgs, terrain};
use clap::Args;

/// What to walk, and where to write it.
#[derive(Clone, Debug, Default, Args)]
pub struct TraceArgs {
    /// Which files to read.
    #[command(flatten)]
    pub files: FileArgs,
    /// Lines of seconds,vx,vy,wz or, for a body that is so much higher, seconds,vx,vy,wz,z; each counts until the next, the last ends the trace.
    #[arg(long, value_name = "FILE")]
    pub commands: std::path::PathBuf,
    /// A gait of gaits.yaml [default: the one of hexapod.yaml]
    #[arg(long, value_name = "NAME")]
    pub gait: Option<String>,
    /// A motion of motions.yaml to play first.
    #[arg(long, value_name = "NAME")]
    pub motion: Option<String>,
    /// The file to write; - is the standard output, line by line.
    #[arg(long, value_name = "FILE", default_value = "trace.csv")]
    pub out: std::path::PathBuf,
    /// Before each tick, read from the standard input what each foot feels: 1 on the ground, 0 in the air, - nothing, in
    /// the order of the legs and separated by commas; after them, where an IMU tells it, `;` and the direction up in the
    /// body, as in `1,0,-;0,0.1,1`. For simulators.
    #[arg(long)]
    pub contacts: bool,
}

/// What to walk in physics, on what, and where to write it.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = SIM_HELP)]
pub struct SimArgs {
    /// Which files to read.
    #[command(flatten)]
    pub files: FileArgs,
    /// Without a picture, as fast as the computer can; the whole stack runs, from the planner to the servos
    #[arg(long)]
    pub headless: bool,
    /// Lines of seconds,vx,vy,wz or, for a body that is so much higher, seconds,vx,vy,wz,z; each counts until the next, the last ends the walk
    #[arg(long, value_name = "FILE")]
    pub commands: std::path::PathBuf,
    /// What the robot walks on [default: as hexapod.yaml says]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true, value_parser = terrain)]
    pub terrain: String,
    /// A gait of gaits.yaml [default: the one of hexapod.yaml]
    #[arg(long, value_name = "NAME")]
    pub gait: Option<String>,
    /// Set a parameter of a node, as in gait_planner.step_height:=0.02 or simulator.seed:=7
    #[arg(short = 'p', long = "param", value_name = "[NODE.]NAME:=VALUE")]
    pub params: Vec<String>,
    /// The table to write; - is the standard output
    #[arg(long, value_name = "FILE", default_value = "run.csv")]
    pub out: std::path::PathBuf,
}

const SIM_HELP: &str = "The table has a line for each tick of the planner: seconds since the start, the planner's state, \
where the body is by the twists that the planner walked (x_planned, y_planned in m, yaw_planned in rad) and where it truly is \
(x, y, z, roll, pitch, yaw), how far it leans from the vertical (lean, rad), how far a foot has slid over the ground, on average \
over all (slip, m), what the servos have done at the joints (work, J) and taken \
from the supply (energy, J), the voltage at them (volts), and how often the robot has fallen: \
leaned by more than 45 degrees, or lain on its body, as it was not told to (falls). What came of it as a whole, from the first command on, is said at \
the end.";
