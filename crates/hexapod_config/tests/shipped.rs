//! The shipped parameter file is sound.

use hexapod_config::Document;
use hexapod_config::ros_params::check_known_nodes;

#[test]
fn when_shipped_parameters_are_read_expect_no_error() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/hexapod.yaml");
    let document = Document::read(path).unwrap();
    check_known_nodes(&document, &["gait_planner", "servo_driver", "state_publisher", "web_teleop", "simulator"])
        .unwrap();
    for key in ["gait_planner.ros__parameters.cmd_vel_timeout", "servo_driver.ros__parameters.bus"] {
        assert!(document.location(key).is_some(), "{key}");
    }
}
