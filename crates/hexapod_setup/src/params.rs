//! Parameters every node has, and reading checked parameters.

use crate::files::{Files, JOYSTICK_FILE};
use hexapod_config::ros_params::{ParamSpec, ParamValue, Params, load_on, paths};
use hexapod_config::{ConfigError, Document, Faults};
use std::path::Path;

pub(crate) const PLANNER: &str = "gait_planner";
/// The nodes that `hexapod.yaml` holds parameters of.
pub const NODES: [&str; 5] = [PLANNER, "servo_driver", "state_publisher", "web_teleop", "simulator"];

/// The nodes of a gamepad, of which `joystick.yaml` holds the parameters: its buttons, its driver, its sticks.
pub const JOYSTICK_NODES: [&str; 3] = ["joystick", "joy_node", "teleop_twist_joy_node"];

/// The file with the parameters of a node, and the nodes that it holds parameters of.
#[must_use]
pub fn file_of(node: &str) -> (&'static str, &'static [&'static str]) {
    if JOYSTICK_NODES.contains(&node) { (JOYSTICK_FILE, &JOYSTICK_NODES) } else { ("hexapod.yaml", &NODES) }
}

/// The parameters of every node.
#[must_use]
pub fn common() -> Vec<ParamSpec> {
    vec![
        ParamSpec::new("use_sim_time", false, "Take the time from /clock").read_only(),
        ParamSpec::new("config", "", "Folder of your configuration files; empty: ~/.config/hexapod over /etc/hexapod")
            .read_only(),
        ParamSpec::new("urdf", "", "File of the robot's description; empty: the shipped one").path("").read_only(),
    ]
}

/// A declared number. Checked parameters hold every declared name in its type, so the fallback is never used.
#[must_use]
pub fn number(params: &Params, name: &str) -> f64 {
    params.get(name).and_then(ParamValue::as_f64).unwrap_or_default()
}

/// A declared text.
#[must_use]
pub fn text(params: &Params, name: &str) -> String {
    params.get(name).and_then(ParamValue::as_str).unwrap_or_default().to_owned()
}

/// A declared switch.
#[must_use]
pub fn switch(params: &Params, name: &str) -> bool {
    params.get(name).and_then(ParamValue::as_bool).unwrap_or_default()
}

/// What is wrong with a parameter that is well formed and in range: at its line in the file where it was set there.
#[must_use]
pub fn wrong(node: &str, params: &Params, name: &str, reason: impl Into<String>, help: &str) -> ConfigError {
    match written(node, params, name) {
        Some((document, path)) => document.error_at(&path, reason, help),
        None => ConfigError::whole_file(node, format!("parameter `{name}`: {}", reason.into()), help),
    }
}

/// The file that a parameter has its value of, and its path there; none where the command line or a default gives it.
fn written(node: &str, params: &Params, name: &str) -> Option<(Document, String)> {
    let (name, value) = params.get_key_value(name)?;
    let files = Files::find(&text(params, "config"), "").ok()?;
    let document = files.in_config(file_of(node).0).read_on().ok()?;
    let spec = [ParamSpec::new(name, value.clone(), "")];
    let path = paths(&document, node, &spec).remove(name)?;
    let in_file = load_on(&document, node, &spec, &mut Faults::default());
    let is_this = in_file.get(name).is_some_and(|written| is_of(value, written));
    is_this.then_some((document, path))
}

/// Whether a value is the one that is written: a path has been laid beside the file that names it.
fn is_of(value: &ParamValue, written: &ParamValue) -> bool {
    let is_path = |written: &str| value.as_str().is_some_and(|path| Path::new(path).ends_with(written));
    value == written || written.as_str().is_some_and(is_path)
}

/// Checks that the file named by `urdf` is there, where a file of parameters names it.
///
/// # Errors
/// The line that names it, and how it is to be written.
pub fn check_urdf(node: &str, params: &Params) -> Result<(), ConfigError> {
    let urdf = text(params, "urdf");
    let path = Path::new(&urdf);
    if urdf.is_empty() || path.is_file() {
        return Ok(());
    }
    let Some((document, key)) = written(node, params, "urdf") else { return Ok(()) };
    let what = if path.is_dir() { "is a folder, not a file" } else { "is no file" };
    let reason = format!("{urdf:?} {what}");
    let help = if urdf.starts_with('~') {
        "`~` is not expanded here: give the whole path, such as /home/NAME/robot.urdf"
    } else if urdf.contains("://") || urdf.contains("$(") {
        "`package://`, `$(find ...)` and addresses are not expanded here: give the path of the file"
    } else {
        "give the path of the file, a relative one from the folder of this file (has it been moved?), or leave it out for the \
         shipped robot"
    };
    Err(document.error_at(&key, reason, help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_file_names_a_urdf_that_is_not_there_expect_its_line_and_how_it_is_written() {
        let folder = std::env::temp_dir().join(format!("hexapod_params_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let config = folder.to_str().unwrap();
        for (urdf, words) in [
            ("~/robot.urdf", "`~` is not expanded"),
            ("package://robot/robot.urdf", "not expanded"),
            ("robot.urdf", "a relative one from the folder of this file"),
            ("/", "is a folder"),
        ] {
            let yaml = format!("/**:\n  ros__parameters:\n    urdf: {urdf}\n");
            std::fs::write(folder.join("hexapod.yaml"), yaml).unwrap();
            let document = Files::of_folder(config, "").in_config("hexapod.yaml").read_on().unwrap();
            let mut params = load_on(&document, NODES[0], &common(), &mut Faults::default());
            params.insert("config", config.into());
            let error = check_urdf(NODES[0], &params).unwrap_err();
            let reported = format!("{} {}", error.message(), error.remedy());
            assert!(error.line() == Some(3) && reported.contains(words), "{reported}");
        }
        let of_command_line = Params::from_iter([("config", config.into()), ("urdf", "other.urdf".into())]);
        assert!(check_urdf(NODES[0], &of_command_line).is_ok());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
