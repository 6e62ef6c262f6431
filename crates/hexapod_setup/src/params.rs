//! Parameters every node has, and reading checked parameters.

use crate::files::Files;
use hexapod_config::ros_params::{ParamSpec, ParamValue, Params};
use hexapod_config::{ConfigError, Document};

/// The nodes that `hexapod.yaml` holds parameters of.
pub const NODES: [&str; 4] = [crate::planner::NODE, "servo_driver", "state_publisher", "web_teleop"];

/// The parameters of every node.
#[must_use]
pub fn common() -> Vec<ParamSpec> {
    vec![
        ParamSpec::new("use_sim_time", false, "Take the time from /clock").read_only(),
        ParamSpec::new("config", "", "Folder of your configuration files; empty: ~/.config/hexapod over /etc/hexapod")
            .read_only(),
        ParamSpec::new("urdf", "", "File of the robot's description; empty: the shipped one").read_only(),
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

/// What is wrong with a parameter that is well formed and in range: at its line in `hexapod.yaml` where it was set there.
#[must_use]
pub fn wrong(node: &str, params: &Params, name: &str, reason: impl Into<String>, help: &str) -> ConfigError {
    let files = Files::find(&text(params, "config"), &text(params, "urdf"));
    let document = files.and_then(|files| files.in_config("hexapod.yaml").read_on());
    let section = format!("{node}.ros__parameters");
    let written = |document: &Document| {
        let entry = document.entries(&section).into_iter().find(|entry| entry.key == name);
        entry.and_then(|entry| entry.scalar).map(|scalar| scalar.to_string())
    };
    let value = params.get(name).map(|value| value.as_str().map_or(value.to_string(), str::to_owned));
    match document {
        Ok(document) if value.is_some() && written(&document) == value => {
            document.error_at(&format!("{section}.{name}"), reason, help)
        }
        _ => ConfigError::whole_file(node, format!("parameter `{name}`: {}", reason.into()), help),
    }
}
