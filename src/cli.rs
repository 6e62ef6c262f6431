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
