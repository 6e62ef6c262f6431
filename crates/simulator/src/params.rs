//! What `simulator` can be set to.

use crate::disturbances;
use hexapod_config::ros_params::ParamSpec;
use hexapod_setup::{frames, params::common};

/// The node's name.
pub const NAME: &str = "simulator";

/// The node's parameters.
#[must_use]
pub fn specs() -> Vec<ParamSpec> {
    let mut specs = common();
    specs.extend(frames::specs());
    specs.extend([
        ParamSpec::new("terrain", "flat", "What the robot stands on: flat, ramp, steps, stairs, rubble, stepfield, gaps, stones, or a PNG of heights")
            .path(".png")
            .read_only(),
        ParamSpec::new(
            "terrain_size",
            0.0,
            "Height of a step, of the highest stone, a ramp's end or a PNG's white, width of a gap, m; below 0 a ramp and steps lead down; 0: the usual one",
        )
        .range(-1.0, 1.0)
        .read_only(),
        ParamSpec::new("terrain_cell", 0.02, "Distance of a PNG's points, m").range(0.001, 1.0).read_only(),
        ParamSpec::new("seed", 1, "Seed of stones and of the sensors' noise").range(0.0, 4294967295.0).read_only(),
        ParamSpec::new("rate", 100.0, "Messages on imu/data, foot_switches, odom_true and joint_states_true, Hz")
            .range(1.0, 200.0)
            .read_only(),
        ParamSpec::new("speed", 1.0, "How many times as fast as real time, as far as the machine can")
            .range(0.01, 100.0),
        ParamSpec::new("lockstep", false, "Whether the physics wait for joint_commands of each period"),
        ParamSpec::new("world_frame", "world", "Frame in which odom_true and the terrain are published").read_only(),
        ParamSpec::new("odom_frame", "", "Frame of the odometry; empty: state_publisher's").read_only(),
        ParamSpec::new("publish_tf", true, "Whether /tf_static has odom_frame in world_frame, where the robot started")
            .read_only(),
    ]);
    specs.extend(disturbances::specs());
    specs
}
