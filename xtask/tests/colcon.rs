//! What colcon reads: package.xml, and CMakeLists.txt, which calls cargo and installs.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// cmake is asked for what it would install, with empty files for executables.
#[test]
fn when_it_is_installed_expect_the_executables_the_shipped_files_and_the_marker_of_ament() {
    if Command::new("cmake").arg("--version").output().is_err() {
        return eprintln!("skipped: cmake is not on the path");
    }
    let folder = std::env::temp_dir().join(format!("hexapod-cmake-{}", std::process::id()));
    let (target, prefix) = (folder.join("target"), folder.join("install"));
    std::fs::create_dir_all(target.join("release")).unwrap();
    let sources = names(&root().join("src/bin"));
    let executables: BTreeSet<String> =
        sources.iter().map(|name| name.trim_end_matches(".rs").to_owned()).chain(["hexapod".to_owned()]).collect();
    for name in &executables {
        std::fs::write(target.join("release").join(name), "").unwrap();
    }
    let cmake = |arguments: &[&std::ffi::OsStr]| {
        let output = Command::new("cmake").args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let (root, build) = (root(), folder.join("build"));
    let definition = format!("-DTARGET_DIR={}", target.display());
    cmake(&["-S".as_ref(), root.as_ref(), "-B".as_ref(), build.as_ref(), definition.as_ref()]);
    cmake(&["--install".as_ref(), build.as_ref(), "--prefix".as_ref(), prefix.as_ref()]);

    assert_eq!(names(&prefix.join("lib/hexapod")), executables);
    let share = prefix.join("share/hexapod");
    for name in ["config", "launch", "urdf", "rviz", "foxglove"] {
        assert_eq!(names(&share.join(name)), names(&root.join(name)), "{name}");
    }
    assert!(share.join("package.xml").is_file() && share.join("hook/executables_path.dsv").is_file());
    assert!(prefix.join("share/ament_index/resource_index/packages/hexapod").is_file());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn when_the_build_looks_for_packages_of_messages_expect_those_of_package_xml() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let (package, build) = (read("package.xml"), read("crates/hexapod_rcl/build.rs"));
    let depends = package.split("<depend>").skip(1).filter_map(|rest| rest.split_once("</depend>"));
    let is_messages = |name: &&str| ["_msgs", "_srvs", "_interfaces"].iter().any(|end| name.ends_with(end));
    let is_optional = |name: &&str| *name == "control_msgs";
    let declared: Vec<&str> =
        depends.map(|(name, _)| name).filter(|name| is_messages(name) && !is_optional(name)).collect();
    let looked_for: Vec<&str> = build.split('"').filter(is_messages).collect();
    assert_eq!(looked_for, declared);
    assert!(
        package.contains("<depend>control_msgs</depend>")
            && read("crates/gait_planner/build.rs").contains("control_msgs")
    );
}
