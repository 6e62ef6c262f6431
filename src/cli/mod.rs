//! What a user types.

mod files;
mod plot;
mod walk;

use files::typed;
pub use files::{BusArgs, FileArgs, shell_word};
pub use plot::{GaitArgs, Plot, RunTableArgs, WorkspaceArgs};
pub use walk::{Column, SimArgs, Start, TraceArgs};

use clap::{Args, Parser, Subcommand};
use files::{TerrainParser, kits};

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
    /// Stop a robot, or all that the network shows; status 1 if one has not confirmed it.
    Stop(StopArgs),
    /// Run the robot on simulated servos, show it and drive it; without a terminal, walk a short tour and end.
    Demo(DemoArgs),
    /// Watch over the servo driver from a process of its own: all channels off when it dies or stands still.
    Guard(GuardArgs),
    /// Turn one joint to an angle, hold it for a while and let it go; the others get no pulse. Or centre all servos.
    Servo(ServoArgs),
    /// Find the plug, direction, stops and pulses of every servo, guided in the terminal; run it again to verify them.
    /// What is found goes into servos.yaml in your own folder, which no build overwrites.
    Calibrate(CalibrateArgs),
    /// Show which values of the configuration are your own and where they stand; copy a shipped file to edit.
    Config(ConfigArgs),
    /// Say what is missing between this computer and a walking robot, and how to get it. Only reads: no servo gets a pulse.
    Doctor(BusArgs),
    /// Load and check all files, and show the robot they describe.
    Check(CheckArgs),
    /// Write a configuration folder for a robot: robot.yaml, servos.yaml with simulated servos, hexapod.yaml.
    New(NewArgs),
    /// Draw what the files describe, as SVG.
    Plot {
        /// What to draw.
        #[command(subcommand)]
        what: Plot,
    },
    /// Find the inertial parameters and friction of the legs from a bag (MCAP) of joint states with measured efforts.
    Identify(IdentifyArgs),
    /// Walk a list of commands without ROS or servos, and write the joint angles of every tick as CSV.
    Trace(TraceArgs),
    /// Walk a list of commands in physics, and write a table of what came of it: way, slip, lean, energy, falls.
    Sim(SimArgs),
}

/// What to show of the configuration.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = CONFIG_HELP)]
pub struct ConfigArgs {
    /// What to do instead of showing it.
    #[command(subcommand)]
    pub what: Option<ConfigCommand>,
    /// Show every value, not only those that are your own
    #[arg(long)]
    pub all: bool,
    /// Folder of your files [default: ~/.config/hexapod, over /etc/hexapod]
    #[arg(long, value_name = "DIR", default_value = "", hide_default_value = true, global = true)]
    pub config: String,
}

const CONFIG_HELP: &str = "The shipped files count, and over them, key by key, those in /etc/hexapod and then those in \
~/.config/hexapod (or $XDG_CONFIG_HOME/hexapod); with --config DIR, those in DIR alone. A file of yours holds only what is \
different:

    # ~/.config/hexapod/hexapod.yaml
    gait_planner:
      ros__parameters:
        max_linear_velocity: 0.1

Lists are replaced as a whole, `key: null` takes a key away. `hexapod check` tells whether all of it holds.";

/// What to do with the configuration.
#[derive(Clone, Debug, Subcommand)]
pub enum ConfigCommand {
    /// Copy a shipped file into your folder, to edit it there; a file that is there already stays as it is.
    Copy {
        /// hexapod.yaml, robot.yaml, servos.yaml, gaits.yaml, motions.yaml, joystick.yaml or sim.yaml
        name: String,
    },
}

/// What to identify.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = IDENTIFY_HELP)]
pub struct IdentifyArgs {
    /// Which files to read.
    #[command(flatten)]
    pub files: FileArgs,
    /// A file that ends in .mcap, or the folder that `ros2 bag record -s mcap` writes.
    #[arg(value_name = "BAG")]
    pub bag: std::path::PathBuf,
    /// The topic with joint states [default: the first one with measured efforts]
    #[arg(long, value_name = "NAME")]
    pub topic: Option<String>,
    /// Only this leg.
    #[arg(long, value_name = "NAME")]
    pub leg: Option<String>,
    /// Find Coulomb and viscous friction of each joint as well.
    #[arg(long)]
    pub friction: bool,
}

const IDENTIFY_HELP: &str = "Hang the robot up, body level, feet free. Move every joint of each leg over its range for some \
minutes, fast and slowly, all joints at once, and record servo_states at 100 Hz or more meanwhile. A condition above 100 says that \
the motion was too tame.";

/// What to check.
#[derive(Clone, Debug, Default, Args)]
pub struct CheckArgs {
    /// What to check, as it is to run.
    #[command(flatten)]
    pub robot: BusArgs,
    /// Draw the legs, from above and from the side, to this SVG file.
    #[arg(long, value_name = "FILE")]
    pub picture: Option<std::path::PathBuf>,
}

/// For which robot, and where to.
#[derive(Clone, Debug, Default, Args)]
#[command(override_usage = "hexapod new [OPTIONS] <ROBOT>\n       hexapod new [OPTIONS] --kit <NAME>")]
pub struct NewArgs {
    /// Its description: URDF, xacro, or a table of Denavit-Hartenberg parameters (.yaml).
    #[arg(value_name = "ROBOT", required_unless_present = "kit")]
    pub robot: Option<std::path::PathBuf>,
    /// The robot of a kit: its description is written, too
    #[arg(long, value_name = "NAME", conflicts_with = "robot", value_parser = kits())]
    pub kit: Option<String>,
    /// The folder to write; files that are there stay as they are [default: the robot's name, here]
    #[arg(long, value_name = "DIR")]
    pub into: Option<std::path::PathBuf>,
    /// The gait of gaits.yaml to start with [default: one that keeps it on its feet at every moment]
    #[arg(long, value_name = "NAME")]
    pub gait: Option<String>,
}

/// How to run.
#[derive(Clone, Debug, Default, Args)]
pub struct RunArgs {
    /// Which robot.
    #[command(flatten)]
    pub bus: BusArgs,
    /// What the robot stands on with --bus physics: one of these, or a PNG of heights [default: as hexapod.yaml says]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true, value_parser = TerrainParser)]
    pub terrain: String,
    /// Serve a page to drive the robot from, on http://localhost:8080
    #[arg(long, num_args = 0..=1, require_equals = true, default_value_t = false, default_missing_value = "true")]
    pub web: bool,
    /// What is logged: debug, info, warn, error or fatal; of one node as in gait_planner:=debug
    #[arg(long = "log-level", value_name = "[NODE:=]LEVEL", value_parser = log_level)]
    pub log_levels: Vec<String>,
    /// End in order when standard input is closed: whoever started this process has gone.
    #[arg(long, hide = true)]
    pub attached: bool,
}

/// Which robot to show, and where.
#[derive(Clone, Debug, Default, Args)]
pub struct DemoArgs {
    /// Which files to read.
    #[command(flatten)]
    pub files: FileArgs,
    /// Let it walk in physics, on this ground: one of these, or a PNG of heights
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true, value_parser = TerrainParser)]
    pub terrain: String,
}

/// Whom to stop, and how.
#[derive(Clone, Debug, Default, Args)]
pub struct StopArgs {
    /// Namespaces of robots that have to confirm, whether they are found or not [default: the one of this process]
    #[arg(value_name = "ROBOT")]
    pub robots: Vec<String>,
    /// Every robot that is found in this ROS domain, too. One that hangs is not found: name those that must not be missed
    #[arg(long)]
    pub all: bool,
    /// Switch the servos off at once, until `enable`; a robot that stands falls. Otherwise it stops walking and stands
    #[arg(long)]
    pub emergency: bool,
}

/// How to guard.
#[derive(Clone, Debug, Default, Args)]
pub struct GuardArgs {
    /// Which boards.
    #[command(flatten)]
    pub bus: BusArgs,
    /// End when the present driver has gone: how the driver itself starts its guard.
    #[arg(long)]
    pub one_driver: bool,
    /// Switch all channels off once, and end: after driver and guard were killed together.
    #[arg(long, conflicts_with = "one_driver")]
    pub off: bool,
}

/// Which joint and where to.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct ServoArgs {
    /// What to do instead.
    #[command(subcommand)]
    pub what: Option<ServoCommand>,
    /// Name of the joint.
    #[arg(required = true)]
    pub joint: Option<String>,
    /// Its angle, in degrees.
    #[arg(required = true, allow_negative_numbers = true)]
    pub degrees: Option<f64>,
    /// Hold it for so many seconds; 0: until Ctrl-C
    #[arg(long, default_value_t = 3.0, value_parser = hold_seconds)]
    pub seconds: f64,
    /// Which boards.
    #[command(flatten)]
    pub bus: BusArgs,
}

/// How long servos are held, s.
fn hold_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
    seconds.ok_or_else(|| "give seconds, 0 or more".into())
}

/// What to do with several servos.
#[derive(Clone, Debug, Subcommand)]
pub enum ServoCommand {
    /// Turn all servos, or those of one leg, to their neutral, one after another, before the horns go on; then let them go.
    #[command(alias = "center")]
    Centre(CentreArgs),
    /// Show the servos or boards that answer on the bus that is named, else on every serial adapter and I2C bus there is; nothing moves.
    Scan(BusArgs),
    /// Give the servo that is alone on a serial bus another ID, and read it back.
    Id(IdArgs),
}

/// Which ID becomes which.
#[derive(Clone, Debug, Args)]
pub struct IdArgs {
    /// The ID that it has; servos come with 1.
    pub old: u8,
    /// The ID that it gets.
    pub new: u8,
    /// Series of a servo whose model is not known, as in servos.yaml
    #[arg(long)]
    pub series: Option<String>,
    /// Which bus.
    #[command(flatten)]
    pub bus: BusArgs,
}

/// Which servos to centre.
#[derive(Clone, Debug, Args)]
pub struct CentreArgs {
    /// Name of the leg [default: all]
    pub leg: Option<String>,
    /// Hold them for so many seconds; 0: until Ctrl-C
    #[arg(long, default_value_t = 0.0, value_parser = hold_seconds)]
    pub seconds: f64,
    /// Which boards.
    #[command(flatten)]
    pub bus: BusArgs,
}

/// How to calibrate.
#[derive(Clone, Debug, Default, Args)]
pub struct CalibrateArgs {
    /// Begin with this joint
    #[arg(long)]
    pub joint: Option<String>,
    /// Start over: forget how far an earlier calibration got
    #[arg(long)]
    pub anew: bool,
    /// Verify three angles of each joint (the default once all joints are calibrated)
    #[arg(long)]
    pub verify: bool,
    /// For practice with --bus simulated and a folder of its own: how the servos are mounted (joint: {offset_rad, reversed, plug_of, stops_rad})
    #[arg(long, value_name = "FILE")]
    pub mounting: Option<std::path::PathBuf>,
    /// Which boards.
    #[command(flatten)]
    pub bus: BusArgs,
}

impl CalibrateArgs {
    /// The options that say which servos, for a command to type.
    pub fn typed(&self) -> String {
        self.bus.typed()
            + &typed("--mounting", &self.mounting.as_ref().map(|path| path.display().to_string()).unwrap_or_default())
    }
}

fn log_level(text: &str) -> Result<String, String> {
    hexapod_ros::log::check_level(text).map(|()| text.to_owned())
}

/// This process's arguments up to `--ros-args`; the rest is for ROS.
pub fn own_arguments() -> impl Iterator<Item = String> {
    std::env::args().take_while(|argument| argument != "--ros-args")
}
