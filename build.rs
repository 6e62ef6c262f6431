//! How the executables are linked.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=AMENT_PREFIX_PATH");
    // ROS brings some hundred libraries. Binding their functions as they are first called, instead of all of them
    // before `main`, takes a third off the time from exec to the first message.
    println!("cargo:rustc-link-arg-bins=-Wl,-z,lazy");
    // An executable finds the libraries of the ROS 2 it was built with by itself, so `hexapod check` works in a shell
    // that has sourced nothing. RPATH instead of RUNPATH, which would not count for what those libraries load.
    println!("cargo:rustc-link-arg-bins=-Wl,--disable-new-dtags");
    for folder in ros_libraries() {
        println!("cargo:rustc-link-arg-bins=-Wl,-rpath,{}", folder.display());
    }
}

/// The folders of libraries of the ROS 2 in use, in the order in which the loader gets them.
fn ros_libraries() -> Vec<PathBuf> {
    let listed = |name: &str| env::split_paths(&env::var_os(name).unwrap_or_default()).collect::<Vec<_>>();
    let prefixes = listed("AMENT_PREFIX_PATH");
    let is_ros = |folder: &PathBuf| prefixes.iter().any(|prefix| folder.starts_with(prefix));
    let own = prefixes.iter().map(|prefix| prefix.join("lib"));
    let mut folders: Vec<PathBuf> = listed("LD_LIBRARY_PATH").into_iter().filter(is_ros).chain(own).collect();
    let mut seen = Vec::new();
    folders.retain(|folder| {
        let is_new = folder.is_dir() && !seen.contains(folder) && !holds_comma(folder.as_os_str());
        seen.push(folder.clone());
        is_new
    });
    folders
}

/// The linker takes a comma for the end of its argument.
fn holds_comma(folder: &OsStr) -> bool {
    folder.to_string_lossy().contains(',')
}
