//! Whether the composed nodes hand messages over directly. The middleware must then leave its own endpoints unmatched,
//! which Fast DDS reads from a profile that only its environment can name: the process starts itself anew with it.

use hexapod_setup::Files;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Set by [`switch_on`] for the process it starts.
const SWITCH: &str = "HEXAPOD_LOCAL_TOPICS";
/// Where Fast DDS looks for profiles, under its older and its newer name.
const PROFILES: [&str; 2] = ["FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"];

/// Whether the nodes of this process hand messages over directly.
#[must_use]
pub fn is_on() -> bool {
    std::env::var_os(SWITCH).is_some()
}

/// Starts this process anew with the profile, unless it has it, or the user's environment or arguments ask for
/// something that only the middleware can do. Returns where it goes on as it is.
pub fn switch_on() {
    if is_on() || !middleware_is_ours() || renames_topics() {
        return;
    }
    let Some(profile) = Files::shipped("config/fastdds_composed.xml") else { return };
    let Ok(executable) = std::env::current_exe() else { return };
    let mut command = Command::new(executable);
    command.args(std::env::args_os().skip(1)).env(SWITCH, "1").envs(PROFILES.map(|name| (name, &profile)));
    // One heap for all threads: they allocate little, and each heap of its own costs resident memory.
    command.env("MALLOC_ARENA_MAX", "1");
    let error = command.exec();
    tracing::warn!("messages go through the middleware: {error}");
}

/// Fast DDS, with no profile of the user's.
fn middleware_is_ours() -> bool {
    let fast = std::env::var("RMW_IMPLEMENTATION").map_or(true, |name| name == "rmw_fastrtps_cpp" || name.is_empty());
    fast && PROFILES.iter().all(|name| std::env::var_os(name).is_none())
}

/// Whether an argument of rcl renames anything but the namespace.
fn renames_topics() -> bool {
    let arguments: Vec<String> = std::env::args().skip_while(|argument| argument != "--ros-args").collect();
    let rules = arguments.windows(2).filter(|pair| matches!(pair[0].as_str(), "-r" | "--remap"));
    rules.into_iter().any(|pair| !pair[1].starts_with("__ns:="))
}
