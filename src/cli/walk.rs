//! What can be walked without ROS.

use super::files::{FileArgs, TerrainParser};
use clap::{Args, ValueEnum};

/// What is said of a list of commands.
macro_rules! commands_help {
    () => {
        "Commands are lines of 4, 5 or 10 numbers:
  seconds,vx,vy,wz                        when, and the twist: m/s, m/s, rad/s
  seconds,vx,vy,wz,z                      and how much higher the body is, m
  seconds,vx,vy,wz,x,y,z,roll,pitch,yaw   and the body's pose over its feet: m, rad
Each counts until the next, the last ends the walk. A first line may name the columns: then they may be fewer and in another
order, 0 is meant where there is none, and a unit may follow, as in seconds,vx (m/s),pitch (rad). The body goes by up to \
0.06 m along each axis and turns by up to 0.35 rad. Lines that begin with # are skipped."
    };
}

/// What to walk, and where to write it.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = commands_help!())]
pub struct TraceArgs {
    /// Which files to read.
    #[command(flatten)]
    pub files: FileArgs,
    /// Lines of seconds,vx,vy,wz, and for the body z or x,y,z,roll,pitch,yaw (see below)
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
    /// Lines of seconds,vx,vy,wz, and for the body z or x,y,z,roll,pitch,yaw; and of misfortunes, as in 3.0,push (see below)
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "merge",
        default_value = "-",
        hide_default_value = true
    )]
    pub commands: std::path::PathBuf,
    /// What the robot walks on: one of these, or a PNG of heights [default: as hexapod.yaml says]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true, value_parser = TerrainParser)]
    pub terrain: String,
    /// A gait of gaits.yaml [default: the one of hexapod.yaml]
    #[arg(long, value_name = "NAME")]
    pub gait: Option<String>,
    /// Set a parameter of a node, as in gait_planner.step_height:=0.02 or simulator.seed:=7
    #[arg(short = 'p', long = "param", value_name = "[NODE.]NAME:=VALUE")]
    pub params: Vec<String>,
    /// How the robot is when time begins
    #[arg(long, value_enum, default_value_t)]
    pub start: Start,
    /// The robot sees the ground, with the depth camera of sim.yaml, and chooses its footholds there
    #[arg(long)]
    pub see: bool,
    /// More columns for the table, as in joints,torques
    #[arg(long, value_enum, value_delimiter = ',')]
    pub columns: Vec<Column>,
    /// Walk with each of these values of a parameter, on all cores, as in gait_planner.step_height=0.02,0.03; give it again for
    /// each combination with another. The table has a line for each walk
    #[arg(long, value_name = "[NODE.]NAME=A,B,C")]
    pub sweep: Vec<String>,
    /// Walk with so many seeds of ground and noise, from 1 on
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub seeds: u64,
    /// Of a sweep, only every Nth walk, from the Ith on: for several computers
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Walk nothing, and join the tables of a sweep's shards
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["sweep", "seeds", "shard", "commands", "columns"])]
    pub merge: Vec<std::path::PathBuf>,
    /// The table to write; - is the standard output
    #[arg(long, value_name = "FILE", default_value = "run.csv")]
    pub out: std::path::PathBuf,
}

/// Columns of the table beside the usual ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Column {
    /// Angles of the joints, rad
    Joints,
    /// Torques of the servos at them, N m
    Torques,
    /// Force of the ground on each foot, N, in the world's axes
    Forces,
    /// Which feet are planned on the ground
    Contacts,
    /// Where the body is by odometry, from the planned feet and the IMU if the planner listens to one, m and rad
    Odometry,
    /// The twist of the list, m/s and rad/s
    Commanded,
}

/// How a robot begins its walk in physics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Start {
    /// It lies on its legs, its servos without pulses, and stands up
    Sitting,
    /// It stands, its servos on
    #[default]
    Standing,
    /// Its body hangs where it is, its legs as in standing, and no foot touches anything
    Hanging,
}

const SIM_HELP: &str = concat!(
    commands_help!(),
    "

Misfortunes stand among the commands, with the time of that list, and stay until they are changed:
  3.0,push:=[0.0, 5.0, 0.0]               a push of 5 N to the left, for push_seconds (0.2)
  3.0,push                                a push as push_force and push_seconds say
  4.0,limp:=left_front                    a leg or joint without torque; limp:= mends it
  4.0,jammed:=left_front_tibia            one that stays where it is
  5.0,payload:=0.5                        a mass on the body, kg
  6.0,slippery_patches:=[0.5, 0.0, 0.2, 0.1]  x, y, radius (m) and friction of each place
They are parameters of the node simulator, and -p simulator.payload:=0.5 sets one for the whole walk.

The table has a line for each tick of the planner: seconds since the start, the planner's state, \
where the body is by the twists that the planner walked (x_planned, y_planned in m, yaw_planned in rad) and where it truly is \
(x, y, z in m, roll, pitch, yaw in rad), how far it leans from the vertical (lean, rad), how far a foot has slid over the \
ground, on average over all (slip, m), what the servos have done at the joints (work, J) and taken \
from the supply (energy, J), the voltage at them (volts), and how often the robot has fallen: \
leaned by more than 45 degrees, or lain on its body, without being commanded to (falls), how high the ground \
is below the body (ground, m), and what happened as the tick began: a new command, or a misfortune (event). What came of it as \
a whole, from the first command on, is said at the end."
);
