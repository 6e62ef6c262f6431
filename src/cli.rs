//! What a user types.

use clap::{Args, Parser, Subcommand, ValueEnum};

/// A walking-robot control stack on ROS 2.
#[derive(Debug, Parser)]
#[command(
    name = "hexapod",
    version,
    after_help = "What follows --ros-args goes to ROS, as for every ROS 2 executable."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run all nodes in this process.
    Run(RunArgs),
    /// Show a running robot in the terminal and drive it with keys.
    Drive(FileArgs),
    /// Run the robot on simulated servos, show it and drive it; without a terminal, walk a short tour.
    Demo(FileArgs),
    /// Load and check all files, and show the robot they describe.
    Check(FileArgs),
    /// Draw what the robot does, as SVG.
    #[command(subcommand)]
    Plot(PlotCommand),
    /// Walk a list of commands without ROS or servos, and write the joint angles of every tick as CSV.
    Trace(TraceArgs),
}

/// What to walk, and where to write it.
#[derive(Clone, Debug, Default, Args)]
pub struct TraceArgs {
    /// Which files to read.
    #[command(flatten)]
    pub files: FileArgs,
    /// Lines of seconds,vx,vy,wz; each counts until the next, the last ends the trace.
    #[arg(long, value_name = "FILE")]
    pub commands: std::path::PathBuf,
    /// A gait of gaits.yaml [default: the one of hexapod.yaml]
    #[arg(long, value_name = "NAME")]
    pub gait: Option<String>,
    /// A motion of motions.yaml to play first.
    #[arg(long, value_name = "NAME")]
    pub motion: Option<String>,
    /// The file to write.
    #[arg(long, value_name = "FILE", default_value = "trace.csv")]
    pub out: std::path::PathBuf,
}

/// What to draw.
#[derive(Debug, Subcommand)]
pub enum PlotCommand {
    /// One cycle of a gait: footfalls, paths of the feet, joint angles, stability margin.
    Gait(PlotGaitArgs),
}

/// Which gait to draw, and where to.
#[derive(Clone, Debug, Default, Args)]
pub struct PlotGaitArgs {
    /// Which files to read.
    #[command(flatten)]
    pub files: FileArgs,
    /// A gait of gaits.yaml [default: the one of hexapod.yaml]
    #[arg(long, value_name = "NAME")]
    pub gait: Option<String>,
    /// The file to write.
    #[arg(long, value_name = "FILE", default_value = "gait.svg")]
    pub out: std::path::PathBuf,
}

/// Which files to read.
#[derive(Clone, Debug, Default, Args)]
pub struct FileArgs {
    /// Folder of hexapod.yaml, gaits.yaml, motions.yaml and servos.yaml [default: the shipped one]
    #[arg(long, value_name = "DIR", default_value = "", hide_default_value = true)]
    pub config: String,
    /// Description of the robot [default: the shipped one]
    #[arg(long, value_name = "FILE", default_value = "", hide_default_value = true)]
    pub urdf: String,
}

/// How to run.
#[derive(Clone, Debug, Default, Args)]
pub struct RunArgs {
    /// Which files to read.
    #[command(flatten)]
    pub files: FileArgs,
    /// Where the servos are [default: as hexapod.yaml says]
    #[arg(long)]
    pub bus: Option<Bus>,
    /// Set a parameter, as in gait_planner.step_height:=0.02
    #[arg(short = 'p', long = "param", value_name = "NODE.NAME:=VALUE")]
    pub params: Vec<String>,
    /// End in order when standard input is closed: whoever started this process has gone.
    #[arg(long, hide = true)]
    pub attached: bool,
}

/// Where the servos are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Bus {
    /// Two boards in memory.
    Simulated,
    /// The boards on /dev/i2c-N.
    I2c,
}

impl Bus {
    /// The value of the parameter `bus`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Simulated => "simulated",
            Self::I2c => "i2c",
        }
    }
}

/// This process's arguments up to `--ros-args`; the rest is for ROS.
pub fn own_arguments() -> impl Iterator<Item = String> {
    std::env::args().take_while(|argument| argument != "--ros-args")
}
