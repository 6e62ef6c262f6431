//! Finds the libraries that `src/first.rs` puts first; one that is not there is left out. Builds the C files.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for name in ["memory", "choice"] {
        println!("cargo:rerun-if-changed=src/{name}.c");
        cc::Build::new().file(format!("src/{name}.c")).warnings_into_errors(true).compile(&format!("hexapod_{name}"));
    }
    println!("cargo:rerun-if-env-changed=AMENT_PREFIX_PATH");
    println!("cargo:rustc-check-cfg=cfg(fast_dds, std_cpp, spdlog)");
    for (library, cfg) in [("libfastrtps.so", "fast_dds"), ("librcl_logging_spdlog.so", "spdlog")] {
        if let Some(folder) = ros_folder_of(library) {
            println!("cargo:rustc-cfg={cfg}");
            println!("cargo:rustc-link-search=native={}", folder.display());
        }
    }
    if linker_finds("libstdc++.so.6") {
        println!("cargo:rustc-cfg=std_cpp");
    }
}

/// The folder of ROS 2 that this library lies in.
fn ros_folder_of(library: &str) -> Option<PathBuf> {
    let prefixes = env::var_os("AMENT_PREFIX_PATH")?;
    let mut folders = env::split_paths(&prefixes).map(|prefix| prefix.join("lib"));
    folders.find(|folder| folder.join(library).exists())
}

/// Whether the system's linker knows where this library lies; a compiler that does not, prints its name alone.
fn linker_finds(library: &str) -> bool {
    let printed = Command::new("cc").arg(format!("-print-file-name={library}")).output();
    printed.is_ok_and(|printed| Path::new(&*String::from_utf8_lossy(&printed.stdout)).is_absolute())
}
