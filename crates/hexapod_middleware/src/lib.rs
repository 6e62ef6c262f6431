#![doc = include_str!("../README.md")]

mod choice;
mod first;
mod log_folder;
mod memory;

pub use choice::chosen;
pub use log_folder::{log_folder, take_log_folder};

use hexapod_setup::Files;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// Where Fast DDS looks for profiles, under its older and its newer name.
const PROFILES: [&str; 2] = ["FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"];
/// How a user chooses transports.
const TRANSPORTS: &str = "FASTDDS_BUILTIN_TRANSPORTS";
/// How far away a process looks for others, under its newer and its older name (REP-2016).
const RANGE: &str = "ROS_AUTOMATIC_DISCOVERY_RANGE";
const LOCALHOST_ONLY: &str = "ROS_LOCALHOST_ONLY";
const PEERS: &str = "ROS_STATIC_PEERS";
/// Lets a profile say how endpoints keep samples and send them, which rmw_fastrtps says itself otherwise.
const FROM_PROFILE: &str = "RMW_FASTRTPS_USE_QOS_FROM_XML";

/// The distributions whose Fast DDS is of version 2. Version 3 has other names for what the profiles say, and would go
/// without them; nodes of one process then leave their topics to it.
const OF_FAST_DDS_2: [&str; 3] = ["humble", "iron", "jazzy"];

/// Settings of Fast DDS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Profile {
    Network,
    Localhost,
}

impl Profile {
    fn path(self) -> &'static str {
        match self {
            Self::Network => "config/fastdds.xml",
            Self::Localhost => "config/fastdds_localhost.xml",
        }
    }
}

/// Gives Fast DDS the robot's profile; returns whether it will listen to it.
///
/// To be called before the process has a second thread: it sets variables of the environment.
pub fn take_profile() -> bool {
    let knows_profiles = option_env!("ROS_DISTRO").is_none_or(|built_with| OF_FAST_DDS_2.contains(&built_with));
    let Some(profile) = profile(|name| env::var_os(name)).filter(|_| knows_profiles) else { return false };
    let Some(file) = Files::shipped(profile.path()) else { return false };
    for name in PROFILES {
        env::set_var(name, &file);
    }
    env::set_var(FROM_PROFILE, "1");
    if profile == Profile::Localhost {
        // The profile says it all; rmw_fastrtps would add its own transports to it.
        env::remove_var(LOCALHOST_ONLY);
        env::set_var(RANGE, "SYSTEM_DEFAULT");
    }
    true
}

/// A profile that the environment names and that is not there, with the variable that names it: Fast DDS goes without, and says
/// nothing.
#[must_use]
pub fn lost_profile() -> Option<(&'static str, PathBuf)> {
    let named = |name| Some((name, PathBuf::from(env::var_os(name).filter(|value| !value.is_empty())?)));
    PROFILES.into_iter().filter_map(named).find(|(_, file)| !file.is_file())
}

/// As [`take_profile`], for a process of several nodes: returns whether the middleware leaves topics between them to
/// themselves, so whether they must hand those messages over.
#[must_use]
pub fn take_local_topics() -> bool {
    !renames_topics(env::args()) && take_profile()
}

/// The profile that suits the environment: none where it is not Fast DDS that runs, or where the user has configured it
/// something that a profile would overrule.
fn profile(variable: impl Fn(&str) -> Option<OsString>) -> Option<Profile> {
    let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let fast = variable("RMW_IMPLEMENTATION").is_none_or(|name| name == "rmw_fastrtps_cpp" || name.is_empty());
    if !fast || set(TRANSPORTS) || PROFILES.iter().any(|name| set(name)) {
        return None;
    }
    let localhost = variable(LOCALHOST_ONLY).is_some_and(|value| value == "1")
        || variable(RANGE).is_some_and(|range| range == "LOCALHOST");
    match (localhost, set(PEERS)) {
        (false, _) => Some(Profile::Network),
        (true, false) => Some(Profile::Localhost),
        // Peers by name are known to rmw_fastrtps alone.
        (true, true) => None,
    }
}

/// Whether an argument of rcl renames anything but the namespace.
fn renames_topics(arguments: impl Iterator<Item = String>) -> bool {
    let arguments: Vec<String> = arguments.skip_while(|argument| argument != "--ros-args").collect();
    let mut rules = arguments.windows(2).filter(|pair| matches!(pair[0].as_str(), "-r" | "--remap"));
    rules.any(|pair| !pair[1].starts_with("__ns:="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_user_has_settings_of_their_own_expect_them_kept() {
        let network = Some(Profile::Network);
        let localhost = Some(Profile::Localhost);
        for (set, expected) in [
            (vec![], network),
            (vec![("RMW_IMPLEMENTATION", "rmw_fastrtps_cpp")], network),
            (vec![("RMW_IMPLEMENTATION", "")], network),
            (vec![("RMW_IMPLEMENTATION", "rmw_cyclonedds_cpp")], None),
            (vec![("FASTRTPS_DEFAULT_PROFILES_FILE", "mine.xml")], None),
            (vec![("FASTDDS_DEFAULT_PROFILES_FILE", "mine.xml")], None),
            (vec![("FASTDDS_BUILTIN_TRANSPORTS", "LARGE_DATA")], None),
            (vec![("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET"), ("ROS_STATIC_PEERS", "robot")], network),
            (vec![("ROS_AUTOMATIC_DISCOVERY_RANGE", "OFF")], network),
            (vec![("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")], localhost),
            (vec![("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST"), ("ROS_STATIC_PEERS", "")], localhost),
            (vec![("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST"), ("ROS_STATIC_PEERS", "robot")], None),
            (vec![("ROS_LOCALHOST_ONLY", "1")], localhost),
            (vec![("ROS_LOCALHOST_ONLY", "0")], network),
        ] {
            let variable = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
            assert_eq!(profile(variable), expected, "{set:?}");
        }
    }

    /// The lines of a profile without its comments.
    fn lines(profile: Profile) -> Vec<String> {
        let file = format!("{}/../../{}", env!("CARGO_MANIFEST_DIR"), profile.path());
        let text = std::fs::read_to_string(&file).expect("a shipped file");
        let end = text.find("<dds").expect("a profile");
        text[end..].lines().map(String::from).collect()
    }

    #[test]
    fn when_profiles_are_compared_expect_them_to_differ_in_discovery_alone() {
        let localhost = lines(Profile::Localhost);
        let mut own = false;
        let common = localhost.into_iter().filter(|line| {
            own |= line.contains("<metatrafficUnicastLocatorList>");
            let kept = !own && !line.contains("maxInitialPeersRange");
            own &= !line.contains("</initialPeersList>");
            kept
        });
        assert_eq!(common.collect::<Vec<_>>(), lines(Profile::Network));
    }

    #[test]
    fn when_topics_are_renamed_expect_it_seen() {
        for (arguments, renames) in [
            ("run", false),
            ("run --ros-args -p use_sim_time:=true", false),
            ("run --ros-args -r __ns:=/robot", false),
            ("run --ros-args -r cmd_vel:=joy_vel", true),
            ("run --ros-args -r __ns:=/robot --remap odom:=walked", true),
            ("run -r cmd_vel:=not_for_ros", false),
        ] {
            let arguments = arguments.split(' ').map(String::from);
            assert_eq!(renames_topics(arguments.clone()), renames, "{arguments:?}");
        }
    }
}
