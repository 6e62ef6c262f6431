//! The layers of the workspace: arrows go one way, and this test fails on one that does not.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Crates that know nothing of ROS, of an executor, of a board, of the clock or of files.
const PURE: [&str; 9] = [
    "hexapod_kinematics",
    "hexapod_dynamics",
    "hexapod_gait",
    "hexapod_servo",
    "hexapod_calibration",
    "hexapod_odometry",
    "hexapod_plot",
    "hexapod_sim",
    "hexapod_terrain",
];
/// What no pure crate may reach, however far.
const NEVER_PURE: [&str; 11] = [
    "r2r",
    "r2r_rcl",
    "tokio",
    "rppal",
    "gpiocdev",
    "nix",
    "rustix",
    "signal-hook",
    "crossterm",
    "hexapod_ros",
    "hexapod_setup",
];
/// What a pure crate's own code may not name: clocks, files, threads, the environment.
const NEVER_NAMED: [&str; 7] =
    ["std::time::Instant", "SystemTime", "std::fs", "std::net", "std::env", "std::thread", "std::process"];

/// The packages of the workspace.
fn ours(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().unwrap().iter().filter(|package| package["source"].is_null())
}

pub type Graph = BTreeMap<String, BTreeSet<String>>;

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--all-features"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// Package -> the packages it is built on; dev-dependencies are left out.
fn graph(metadata: &Value) -> Graph {
    let names: BTreeMap<&str, &str> =
        metadata["packages"].as_array().unwrap().iter().map(|p| (text(&p["id"]), text(&p["name"]))).collect();
    let mut graph = Graph::new();
    for node in metadata["resolve"]["nodes"].as_array().unwrap() {
        let edges = graph.entry(names[text(&node["id"])].to_owned()).or_default();
        for dependency in node["deps"].as_array().unwrap() {
            let kinds = dependency["dep_kinds"].as_array().unwrap();
            if kinds.iter().any(|kind| kind["kind"].as_str() != Some("dev")) {
                edges.insert(names[text(&dependency["pkg"])].to_owned());
            }
        }
    }
    graph
}

pub fn reachable(graph: &Graph, from: &str) -> BTreeSet<String> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(name) = open.pop() {
        for next in graph.get(&name).into_iter().flatten() {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

#[test]
fn when_a_pure_crate_is_built_expect_no_ros_no_executor_no_board() {
    let graph = graph(&metadata());
    for name in PURE {
        assert!(graph.contains_key(name), "{name} is not in the workspace: keep this list true");
        let reached = reachable(&graph, name);
        let wrong: Vec<_> = NEVER_PURE.iter().filter(|never| reached.contains(**never)).collect();
        assert!(wrong.is_empty(), "{name} depends on {wrong:?}");
    }
}

#[test]
fn when_ros_or_rppal_is_named_expect_only_the_crates_meant_for_it() {
    let metadata = metadata();
    let graph = graph(&metadata);
    let ours: BTreeSet<_> = ours(&metadata).map(|package| text(&package["name"])).collect();
    for (dependency, expect) in [
        ("r2r", &["hexapod_rcl", "hexapod_ros"][..]),
        ("r2r_rcl", &["hexapod_rcl"]),
        ("hexapod_rcl", &["hexapod_ros"]),
        ("rppal", &["servo_driver"]),
        ("gpiocdev", &["servo_driver"]),
        ("rapier3d-f64", &["hexapod_sim"]),
        ("hexapod_sim", &["simulator"]),
        ("tokio", &["web_teleop"]),
        ("axum", &["web_teleop"]),
    ] {
        let names = |(name, on): &(&String, &BTreeSet<String>)| ours.contains(name.as_str()) && on.contains(dependency);
        let users: Vec<_> = graph.iter().filter(names).map(|(name, _)| name).collect();
        assert_eq!(users, expect, "{dependency} is named by {users:?}");
    }
}

#[test]
fn when_unsafe_code_is_looked_for_expect_it_in_hexapod_rcl_alone() {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let files = ["crates", "src", "xtask/src"].iter().flat_map(|folder| rust_files(&root.join(folder)));
    let is_unsafe = |file: &std::path::PathBuf| {
        let code = std::fs::read_to_string(file).unwrap();
        let mut code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        code.any(|line| ["unsafe {", "unsafe fn", "unsafe impl"].iter().any(|word| line.contains(word)))
    };
    let (found, allowed) = (files.filter(is_unsafe).collect::<Vec<_>>(), root.join("crates/hexapod_rcl/src"));
    assert!(!found.is_empty());
    let wrong: Vec<_> = found.iter().filter(|file| !file.starts_with(&allowed)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    // rustc counts the names that hexapod_wasm exports as unsafe.
    let others = |package: &&Value| package["name"] != "hexapod_rcl" && package["name"] != "hexapod_wasm";
    for package in ours(&metadata()).filter(others) {
        let manifest = std::fs::read_to_string(text(&package["manifest_path"])).unwrap();
        let known = ["[lints]\nworkspace = true", "\nunsafe_code = \"forbid\"\n"];
        assert!(known.iter().any(|lints| manifest.contains(lints)), "{} has lints of its own", package["name"]);
    }
}

#[test]
fn when_a_pure_crate_is_read_expect_no_clock_file_or_thread() {
    let crates = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates");
    let mut checked = 0;
    for name in PURE {
        for file in rust_files(&std::path::Path::new(crates).join(name).join("src")) {
            let code = std::fs::read_to_string(&file).unwrap();
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
            let code = code.split("#[cfg(test)]").next().unwrap();
            for never in NEVER_NAMED {
                assert!(!code.contains(never), "{} names {never}", file.display());
            }
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} files were found");
}

#[test]
fn when_a_crate_for_pins_is_named_expect_one_file() {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let files: Vec<_> = ["crates", "src"].iter().flat_map(|folder| rust_files(&root.join(folder))).collect();
    for (path, home) in
        [("rppal::", "raspberry.rs"), ("gpiocdev::", "gpio_lines.rs"), ("gpiocdev_uapi::", "gpio_lines.rs")]
    {
        let names = |file: &&std::path::PathBuf| {
            let code = std::fs::read_to_string(file).unwrap();
            code.lines().any(|line| line.contains(path) && !line.trim_start().starts_with("//"))
        };
        let found: Vec<_> = files.iter().filter(names).collect();
        assert_eq!(found.len(), 1, "{path}: {found:?}");
        assert!(found[0].ends_with(format!("crates/servo_driver/src/{home}")), "{found:?}");
    }
}

pub fn rust_files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn when_colcon_looks_for_packages_expect_only_the_root() {
    let metadata = metadata();
    for package in ours(&metadata) {
        let folder = std::path::Path::new(text(&package["manifest_path"])).parent().unwrap().to_owned();
        let ignored = folder.join("COLCON_IGNORE").is_file();
        // colcon takes every workspace member for a package, and would build r2r once for each.
        assert_eq!(ignored, text(&package["name"]) != "hexapod", "{}", folder.display());
    }
}
