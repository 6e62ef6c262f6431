//! What `state_publisher` can be set to, and what it needs to run.

use hexapod_config::ConfigError;
use hexapod_config::ros_params::{ParamSpec, Params};
use hexapod_setup::params::{common, number, switch, text};
use hexapod_setup::{Description, Files};

/// The node's name.
pub const NAME: &str = "state_publisher";

/// The node's parameters.
#[must_use]
pub fn specs() -> Vec<ParamSpec> {
    let mut specs = common();
    specs.extend([
        ParamSpec::new("rate", 50.0, "Messages on joint_states and odom, Hz").range(1.0, 500.0).read_only(),
        ParamSpec::new("publish_tf", true, "Send odom_frame -> base_frame on /tf"),
        ParamSpec::new("odom_frame", "odom", "Frame that the robot's way is told in").read_only(),
        ParamSpec::new("base_frame", "", "Frame of the body; empty: the root link of the description").read_only(),
    ]);
    specs
}

/// All the node needs, read and checked.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The robot.
    pub description: Description,
    /// Messages per second.
    pub rate: f64,
    /// Whether `/tf` is sent at the start.
    pub publish_tf: bool,
    /// Frame that the robot's way is told in.
    pub odom_frame: String,
    /// Frame of the body.
    pub base_frame: String,
}

impl Setup {
    /// Finds and reads the robot's description. Opens nothing else.
    ///
    /// # Errors
    /// The description is not found or does not hold: file, line, element, why.
    pub fn load(params: &Params) -> Result<Self, ConfigError> {
        let files = Files::find(&text(params, "config"), &text(params, "urdf"))?;
        let description = Description::read(&files)?;
        let named = text(params, "base_frame");
        let base_frame = if named.is_empty() { description.robot.model().base_link().to_owned() } else { named };
        Ok(Self {
            description,
            rate: number(params, "rate"),
            publish_tf: switch(params, "publish_tf"),
            odom_frame: text(params, "odom_frame"),
            base_frame,
        })
    }
}
