//! Which of the owner's keys may be to blame for what is wrong at a line of a shipped file.

use crate::files::{CONFIG_FILES, Files};
use hexapod_config::{ConfigError, Leaf};
use std::path::Path;

/// How many of the owner's keys are named.
const NAMED: usize = 4;

impl Files {
    /// The same faults; those at a line of a shipped file, which holds as it is shipped, with what of the owner's may have
    /// brought them about: keys with their lines, or another robot.
    #[must_use]
    pub fn explained(&self, error: ConfigError) -> ConfigError {
        self.explained_with(error, true)
    }

    /// As [`explained`](Self::explained), for `hexapod new`, which is not to be recommended to whoever runs it.
    #[must_use]
    pub fn explained_in_new(&self, error: ConfigError) -> ConfigError {
        self.explained_with(error, false)
    }

    fn explained_with(&self, error: ConfigError, names_new: bool) -> ConfigError {
        let is_shipped = |error: &ConfigError| self.is_shipped(error.file());
        if !error.each().any(is_shipped) {
            return error;
        }
        let own = self.own_keys();
        error.hinted(|error| if is_shipped(error) { self.cause(error, &own, names_new) } else { None })
    }

    fn is_shipped(&self, file: &str) -> bool {
        self.shipped_folder().is_some_and(|folder| Path::new(file).starts_with(folder)) && !self.is_own(file)
    }

    /// Every key in the owner's files, as far as those can be read.
    fn own_keys(&self) -> Vec<Leaf> {
        let leaves = CONFIG_FILES.iter().filter_map(|name| Some(self.in_config(name).read().ok()?.leaves()));
        leaves.flatten().filter(|leaf| self.is_own(&leaf.file)).collect()
    }

    fn cause(&self, error: &ConfigError, own: &[Leaf], names_new: bool) -> Option<String> {
        if own.iter().any(|leaf| error.remedy().contains(&format!("{}:{}", leaf.file, leaf.line))) {
            // It is said already.
            return None;
        }
        let name = Path::new(error.file()).file_name();
        let (same, others): (Vec<&Leaf>, Vec<&Leaf>) =
            own.iter().partition(|leaf| Path::new(&leaf.file).file_name() == name);
        let named: Vec<String> = same
            .iter()
            .chain(&others)
            .take(NAMED)
            .map(|leaf| format!("{} at {}:{}", leaf.path, leaf.file, leaf.line))
            .collect();
        let more = own.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let keys = format!("yours changes {}{more}", named.join(", "));
        let robot = format!("{} is another robot", self.urdf.display());
        let cause = match (named.is_empty(), self.has_own_robot()) {
            (true, false) => return None,
            (true, true) => robot,
            (false, false) => keys,
            (false, true) => format!("{keys}, and {robot}"),
        };
        let remedy = if named.is_empty() && names_new {
            self.new_command()
        } else {
            let own_file = self.to_write(&name.unwrap_or_default().to_string_lossy());
            format!("do not edit it; put your value in {}", own_file.display())
        };
        Some(format!("this file is shipped, and {cause}: {remedy}"))
    }

    /// Whether the robot's description is not the shipped one.
    fn has_own_robot(&self) -> bool {
        let shipped = self.shipped_folder().and_then(Path::parent).map(|share| share.join("urdf"));
        shipped.is_some_and(|folder| self.urdf.parent().is_some_and(|own| own != folder))
    }

    fn new_command(&self) -> String {
        format!("`hexapod new {}` writes files for it", self.urdf.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Description, Gaits, read_servos};
    use std::path::PathBuf;

    fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("hexapod_blame_{name}_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        files.iter().for_each(|(name, text)| std::fs::write(folder.join(name), text).unwrap());
        folder
    }

    #[test]
    fn when_the_owners_key_spoils_a_shipped_line_expect_both_named() {
        let folder = folder("plug", &[("servos.yaml", "servos:\n  left_front_coxa: {channel: 1}\n")]);
        let files = Files::find(folder.to_str().unwrap(), "").unwrap();
        let robot = Description::read(&files).unwrap().robot;
        let error = files.explained(read_servos(files.in_config("servos.yaml"), &robot).unwrap_err());
        let own = format!("servos.left_front_coxa.channel at {}:2", folder.join("servos.yaml").display());
        assert!(error.remedy().contains(&own) && error.file().contains("config/servos.yaml"), "{error:#}");
        // What stands in the owner's file needs no such word.
        let error = files.explained(files.in_config("servos.yaml").read().unwrap().error_at(
            "servos.left_front_coxa.channel",
            "no",
            "",
        ));
        assert_eq!(error.remedy(), "", "{error:#}");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn when_a_robot_lies_beside_files_that_do_not_name_it_expect_that_said_and_no_other_robot() {
        let folder = folder("unnamed", &[("hexapod.yaml", ""), ("mine.urdf", "")]);
        let files = Files::find(folder.to_str().unwrap(), "").unwrap();
        let error = Description::read(&files).unwrap_err();
        assert!(error.file().ends_with("hexapod.yaml") && error.remedy().contains("urdf: mine.urdf"), "{error:#}");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn when_another_robot_does_not_suit_a_shipped_file_expect_the_command_that_writes_one() {
        let folder = folder("robot", &[]);
        let own = folder.join("mine.urdf");
        std::fs::copy(Files::shipped("urdf/hexapod.urdf").unwrap(), &own).unwrap();
        let files = Files::find(folder.to_str().unwrap(), own.to_str().unwrap()).unwrap();
        let error =
            files.explained(files.in_config("gaits.yaml").read().unwrap().error_at("gaits.tripod", "no", "help"));
        assert!(
            error.remedy().starts_with("help; this file is shipped") && error.remedy().contains("hexapod new"),
            "{error:#}"
        );
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn when_a_gait_that_is_meant_for_the_robot_does_not_hold_it_up_expect_an_error() {
        let lag = "gaits:\n  mine: {duty_factor: 0.5, cycle_time: 0.8, lag: 0.5, side_lag: 0.0}\n";
        let folder = folder("gait", &[("gaits.yaml", lag)]);
        let files = Files::find(folder.to_str().unwrap(), "").unwrap();
        let robot = Description::read(&files).unwrap().robot;
        let error = Gaits::read(files.in_config("gaits.yaml"), &robot).unwrap_err();
        assert_eq!((error.key(), error.line()), (Some("gaits.mine"), Some(2)), "{error:#}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
