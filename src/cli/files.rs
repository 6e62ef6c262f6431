//! What most commands take: which files to read, where the servos are, and what the robot stands on.

use crate::kits::KITS;
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command, Error};
use servo_driver::buses;
use std::ffi::OsStr;
use std::path::Path;

/// Which files to read.
#[derive(Clone, Debug, Default, Args)]
pub struct FileArgs {
    /// Folder of your own hexapod.yaml, servos.yaml and so on, each with only what differs from the shipped one
    /// [default: ~/.config/hexapod, over /etc/hexapod]
    #[arg(long, value_name = "DIR", default_value = "", hide_default_value = true)]
    pub config: String,
    /// Description of the robot: URDF, xacro, or Denavit-Hartenberg parameters (.yaml) [default: the shipped one]
    #[arg(long, value_name = "FILE", default_value = "", hide_default_value = true)]
    pub urdf: String,
}

/// A word as a shell takes it for one.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+~:=".contains(c);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// An option as it is typed behind a command; nothing where it has no value.
pub(super) fn typed(name: &str, value: &str) -> String {
    if value.is_empty() { String::new() } else { format!(" {name} {}", shell_word(value)) }
}

impl FileArgs {
    /// These options, for a command to type.
    pub fn typed(&self) -> String {
        typed("--config", &self.config) + &typed("--urdf", &self.urdf)
    }

    /// What is read where it is given.
    pub fn given(&self) -> [&Path; 2] {
        [Path::new(&self.config), Path::new(&self.urdf)]
    }
}

/// Which files to read and where the servos are.
#[derive(Clone, Debug, Default, Args)]
pub struct BusArgs {
    /// Which files to read.
    #[command(flatten)]
    pub files: FileArgs,
    /// Where the servos are [default: as hexapod.yaml says]
    #[arg(long, value_parser = known_buses())]
    pub bus: Option<String>,
    /// Set a parameter of a node, as in gait_planner.step_height:=0.02, or of every node that has it
    #[arg(short = 'p', long = "param", value_name = "[NODE.]NAME:=VALUE")]
    pub params: Vec<String>,
}

impl BusArgs {
    /// These options, for a command to type.
    pub fn typed(&self) -> String {
        let bus = typed("--bus", self.bus.as_deref().unwrap_or_default());
        let params = self.params.iter().map(|param| typed("-p", param));
        bus + &self.files.typed() + &params.collect::<String>()
    }
}

fn known_buses() -> PossibleValuesParser {
    PossibleValuesParser::new(buses().map(|(name, about)| PossibleValue::new(name).help(about)))
}

pub(super) fn kits() -> PossibleValuesParser {
    PossibleValuesParser::new(KITS.iter().map(|kit| PossibleValue::new(kit.name).aliases(kit.also).help(kit.title)))
}

/// Takes the name of a terrain that the simulator knows, a picture of one, or nothing.
#[derive(Clone)]
pub(super) struct TerrainParser;

impl TypedValueParser for TerrainParser {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, text: &OsStr) -> Result<String, Error> {
        StringValueParser::new().try_map(terrain).parse_ref(command, arg, text)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue>>> {
        Some(Box::new(simulator::TERRAINS.iter().map(PossibleValue::new)))
    }
}

fn terrain(text: String) -> Result<String, String> {
    let known = text.is_empty() || simulator::TERRAINS.contains(&text.as_str()) || simulator::is_picture(&text);
    let names = || simulator::TERRAINS.join(", ");
    if known { Ok(text) } else { Err(format!("known are {}, and PNG files of heights", names())) }
}
