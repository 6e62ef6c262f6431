//! How the executables are linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // ROS brings some hundred libraries. Binding their functions as they are first called, instead of all of them
    // before `main`, takes a third off the time from exec to the first message.
    println!("cargo:rustc-link-arg-bins=-Wl,-z,lazy");
}
