//! Parameters every node has, and reading checked parameters.

use hexapod_config::ros_params::{ParamSpec, ParamValue, Params};

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
