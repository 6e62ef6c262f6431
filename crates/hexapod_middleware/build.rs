//! Finds Fast DDS 2 where ROS 2 is installed; without it, `src/first.rs` is left out.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=AMENT_PREFIX_PATH");
    println!("cargo:rustc-check-cfg=cfg(fast_dds)");
    let prefixes = env::var_os("AMENT_PREFIX_PATH").unwrap_or_default();
    let mut folders = env::split_paths(&prefixes).map(|prefix| prefix.join("lib"));
    if let Some(folder) = folders.find(|folder| folder.join("libfastrtps.so").exists()) {
        println!("cargo:rustc-cfg=fast_dds");
        println!("cargo:rustc-link-search=native={}", folder.display());
    }
}
