//! colcon reads what cargo says of this workspace as one line, and drops lines of 64 KiB and more unless it writes to a
//! terminal (colcon-core, `asyncio.StreamReader`): `colcon build` then ends with "Expecting value: line 1 column 1".

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use std::path::Path;
use std::process::Command;

/// Below 64 KiB by what a longer path than this one may add.
const MOST_BYTES: usize = 62_000;
const WHERE_PEOPLE_BUILD: &str = "/home/ubuntu/hexapod_ws/src/hexapod";

#[test]
fn when_colcon_asks_cargo_about_the_workspace_expect_a_line_that_it_reads() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let said = Command::new(env!("CARGO")).args(arguments).current_dir(&root).output().unwrap();
    let line = String::from_utf8(said.stdout).unwrap().replace(root.to_str().unwrap(), WHERE_PEOPLE_BUILD);
    let most =
        format!("{} bytes; fewer test executables (`autotests = false`, tests/all.rs) make it shorter", line.len());
    assert!(line.starts_with('{') && line.len() < MOST_BYTES, "{most}");
}

#[test]
fn when_the_build_looks_for_packages_of_messages_expect_those_of_package_xml() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let (package, build) = (read("package.xml"), read("crates/hexapod_rcl/build.rs"));
    let depends = package.split("<depend>").skip(1).filter_map(|rest| rest.split_once("</depend>"));
    let is_messages = |name: &&str| ["_msgs", "_srvs", "_interfaces"].iter().any(|end| name.ends_with(end));
    let declared: Vec<&str> = depends.map(|(name, _)| name).filter(is_messages).collect();
    let looked_for: Vec<&str> = build.split('"').filter(is_messages).collect();
    assert_eq!(looked_for, declared);
}
