//! ROS 2 parameter files and `-p` overrides, checked against what a node declares.
//!
//! A node lists its parameters as [`ParamSpec`]s. The same list checks the file at start-up, the overrides on the
//! command line and `ros2 param set` while running, so that all three refuse the same things with the same words.
//!
//! ```yaml
//! gait_planner:            # also /gait_planner, /**/gait_planner, and /** for every node
//!   ros__parameters:
//!     rate: 100.0
//!     limits: {linear: 0.15}   # the parameter `limits.linear`
//! ```
//!
//! Differences from `rcl_yaml_param_parser`, all on the safe side: a name that the node does not declare is an error,
//! in `/**` too; a whole number is accepted for a double; `yes`, `on` and the like are text and not booleans; the most
//! specific section wins wherever it stands; namespaces are written in the section's name (`/robot/gait_planner`) and
//! not as nested mappings.

mod assign;
mod file;
mod section;
mod spec;
mod value;

pub use assign::parse_override;
pub use file::{Params, check_known_nodes, load_on, load_ros_params, paths};
pub use spec::{ParamSpec, check_named, hint_for};
pub use value::ParamValue;
