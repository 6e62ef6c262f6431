#![doc = include_str!("../README.md")]

use hexapod_setup::Files;
use std::env;
use std::ffi::OsString;

/// Where Fast DDS looks for profiles, under its older and its newer name.
const PROFILES: [&str; 2] = ["FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"];

/// Tells the middleware that topics between nodes of this process are none of its affair; returns whether it will
/// listen, so whether the nodes must hand those messages over themselves.
///
/// To be called before the process has a second thread: it sets variables of the environment.
#[must_use]
pub fn take_local_topics() -> bool {
    if !middleware_is_ours(|name| env::var_os(name)) || renames_topics(env::args()) {
        return false;
    }
    let Some(profile) = Files::shipped("config/fastdds_composed.xml") else { return false };
    for name in PROFILES {
        env::set_var(name, &profile);
    }
    true
}

/// Fast DDS, with no profile of the user's.
fn middleware_is_ours(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let fast = variable("RMW_IMPLEMENTATION").is_none_or(|name| name == "rmw_fastrtps_cpp" || name.is_empty());
    fast && PROFILES.iter().all(|name| variable(name).is_none())
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
        for (set, ours) in [
            (None, true),
            (Some(("RMW_IMPLEMENTATION", "rmw_fastrtps_cpp")), true),
            (Some(("RMW_IMPLEMENTATION", "")), true),
            (Some(("RMW_IMPLEMENTATION", "rmw_cyclonedds_cpp")), false),
            (Some(("FASTRTPS_DEFAULT_PROFILES_FILE", "mine.xml")), false),
            (Some(("FASTDDS_DEFAULT_PROFILES_FILE", "mine.xml")), false),
        ] {
            let variable = |name: &str| set.filter(|(known, _)| *known == name).map(|(_, value)| value.into());
            assert_eq!(middleware_is_ours(variable), ours, "{set:?}");
        }
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
