//! The files of a crate: arrows go one way there, too, and this test fails on a circle of files that name each other.
//!
//! File A names file B by a `use`, by a path anywhere in its code, through what another file hands on, or by calling a
//! function that B adds to a type. A file that only declares and hands on what is below it names nothing.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

mod cases;
mod resolve;
mod tokens;
mod tree;

use crate::layers::{Graph, reachable, rust_files};
use resolve::graph;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tokens::tokens;
use tree::Tree;

/// The folders of `hexapod_gait`: a file may import from its own and from those before it.
const GAIT_FOLDERS: [&str; 9] = ["plane", "gait", "plant", "state", "path", "plan", "engine", "motion", "measure"];
/// Most files of one of its folders.
const MOST_FILES: usize = 12;
/// Folders of a package in which there are Rust files.
const FOLDERS: [&str; 4] = ["src", "tests", "examples", "benches"];

/// A package's files and their texts by their path in it.
fn read(package: &Path) -> BTreeMap<String, String> {
    let folders = FOLDERS.map(|folder| package.join(folder)).into_iter().filter(|folder| folder.is_dir());
    let files = folders.flat_map(|folder| rust_files(&folder));
    let named = |file: &Path| file.strip_prefix(package).unwrap().to_str().unwrap().to_owned();
    files.map(|file| (named(&file), std::fs::read_to_string(&file).unwrap())).collect()
}

/// Whether this is the root of a library, an executable, a test, an example or a bench.
fn is_root(file: &str) -> bool {
    match file.split('/').collect::<Vec<_>>()[..] {
        ["src", name] => ["lib.rs", "main.rs"].contains(&name),
        ["src", "bin", _] | ["src", "bin", _, "main.rs"] => true,
        ["tests" | "examples" | "benches", _] | ["tests" | "examples" | "benches", _, "main.rs"] => true,
        _ => false,
    }
}

/// What is wrong with the files of a package: those in circles, with what they name, and those of no module.
fn faults(files: &BTreeMap<String, String>) -> Vec<String> {
    let (mut reached, mut faults) = (BTreeSet::new(), vec![]);
    for root in files.keys().filter(|file| is_root(file)) {
        let tree = Tree::of(files, root);
        reached.extend(tree.modules.values().map(|module| module.file.clone()));
        reached.extend(tree.for_tests.iter().cloned());
        faults.extend(circles(&graph(&tree)));
    }
    let is_reached = |file: &String| {
        let within =
            |other: &String| file.strip_prefix(other.trim_end_matches(".rs")).is_some_and(|rest| rest.starts_with('/'));
        reached.contains(file) || reached.iter().any(within)
    };
    let lost = files.keys().filter(|file| file.starts_with("src/") && !is_reached(file));
    faults.extend(lost.map(|file| format!("{file} is in no module")));
    // `extern crate self as other;` would give the crate a name of which nothing is known here.
    let renames = |text: &String| tokens(text).windows(2).any(|pair| pair == ["extern", "crate"]);
    let renaming = files.iter().filter(|(_, text)| renames(text));
    faults.extend(renaming.map(|(file, _)| format!("{file} says `extern crate`: write `use`")));
    // A file that stands in another by its text is no module, and what it names would be seen nowhere. What a build script
    // has written, whose place is `concat!(env!("OUT_DIR"), ...)`, names no file of the package.
    let includes =
        |text: &String| tokens(text).windows(4).any(|w| w[0] == "include" && w[1] == "!" && w[3] != "concat");
    let including = files.iter().filter(|(_, text)| includes(text));
    faults.extend(including.map(|(file, _)| format!("{file} says `include!`: write `mod`")));
    faults
}

/// The files from which a way along the arrows leads back to them, and those on it that they name.
fn circles(graph: &Graph) -> Vec<String> {
    let back = |from: &String, to: &String| from == to || reachable(graph, to).contains(from);
    let named = |file| graph[file].iter().filter(|named| back(file, named)).cloned().collect::<Vec<_>>();
    graph
        .keys()
        .map(|file| (file, named(file)))
        .filter(|(_, named)| !named.is_empty())
        .map(|(file, named)| format!("{file} -> {}", named.join(", ")))
        .collect()
}

/// The packages by their folder, with their files.
pub fn packages() -> BTreeMap<String, BTreeMap<String, String>> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let crates = std::fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let all =
        crates.chain([root.to_owned(), root.join("xtask")]).filter(|package| package.join("Cargo.toml").is_file());
    all.map(|package| (package.strip_prefix(root).unwrap().to_str().unwrap().to_owned(), read(&package))).collect()
}

#[test]
fn when_files_of_a_crate_name_each_other_expect_no_circle() {
    let (mut wrong, mut checked) = (vec![], 0);
    for (name, files) in packages() {
        checked += files.len();
        wrong.extend(faults(&files).into_iter().map(|fault| format!("{name}/{fault}")));
    }
    assert!(checked > 300, "only {checked} files were found");
    assert!(wrong.is_empty(), "files in circles, with what they name:\n{}", wrong.join("\n"));
}

/// The same between what lies directly in `src`: folders, and files that are in none.
fn between_folders(files: &Graph) -> Graph {
    let place = |file: &str| Some(file.strip_prefix("src/")?.split('/').next()?.trim_end_matches(".rs").to_owned());
    let mut folders = Graph::new();
    for (file, named) in files.iter().filter(|(file, _)| !is_root(file)) {
        let Some(here) = place(file) else { continue };
        let others = named.iter().filter(|other| !is_root(other)).filter_map(|other| place(other));
        folders.entry(here.clone()).or_default().extend(others.filter(|other| *other != here));
    }
    folders
}

#[test]
fn when_folders_of_a_crate_name_each_other_expect_no_circle() {
    let mut wrong = vec![];
    for (name, files) in packages() {
        if !files.contains_key("src/lib.rs") {
            continue;
        }
        let folders = between_folders(&graph(&Tree::of(&files, "src/lib.rs")));
        wrong.extend(circles(&folders).into_iter().map(|circle| format!("{name}/{circle}")));
    }
    assert!(wrong.is_empty(), "folders in circles, with what they name:\n{}", wrong.join("\n"));
}

#[test]
fn when_the_gait_imports_from_a_folder_expect_it_below() {
    let package = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/hexapod_gait"));
    let files = read(package);
    let graph = graph(&Tree::of(&files, "src/lib.rs"));
    let folder =
        |file: &str| file.strip_prefix("src/").unwrap().split('/').next().unwrap().trim_end_matches(".rs").to_owned();
    let place = |file: &str| GAIT_FOLDERS.iter().position(|known| *known == folder(file));
    for (file, named) in graph.iter().filter(|(file, _)| *file != "src/lib.rs") {
        let here = place(file).unwrap_or_else(|| panic!("{file} is in no folder: keep this list true"));
        for other in named.iter().filter(|other| *other != "src/lib.rs") {
            assert!(place(other).unwrap() <= here, "{file} imports {other}");
        }
    }
    let mut counts = BTreeMap::<&str, usize>::new();
    for file in graph.keys() {
        *counts.entry(file.rsplit_once('/').unwrap().0).or_default() += 1;
    }
    assert!(counts.values().all(|&count| count <= MOST_FILES), "{counts:?}");
}
