//! Whether the ROS 2 in use has control_msgs, which is what `follow_joint_trajectory` is made of.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(control_msgs)");
    r2r_common::print_cargo_watches();
    if r2r_common::get_wanted_messages().iter().any(|message| message.name == "FollowJointTrajectory") {
        println!("cargo::rustc-cfg=control_msgs");
    }
}
