//! Sets the cfg `tf2_msgs` where r2r generates that package: not every ROS installation has it.

fn main() {
    r2r_common::print_cargo_watches();
    println!("cargo::rustc-check-cfg=cfg(tf2_msgs)");
    let messages = r2r_common::get_wanted_messages();
    if messages.iter().any(|message| message.module == "tf2_msgs" && message.name == "TFMessage") {
        println!("cargo::rustc-cfg=tf2_msgs");
    }
}
