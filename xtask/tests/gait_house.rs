//! What the README of `hexapod_gait` says of its house: one twist goes through the files in order, and back to none.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::layers::rust_files;
use std::collections::BTreeMap;
use std::path::Path;

const CRATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/hexapod_gait");
/// Where the stages are called.
const PLANNER: &str = "plan/mod.rs";
/// Most files in one folder of its tests.
const MOST_FILES: usize = 12;

/// The stations of a twist: a file, and the functions of it that are named.
fn stations(readme: &str) -> Vec<(String, Vec<String>)> {
    let walk = readme.split_once("### One twist, file by file").unwrap().1.split("\n###").next().unwrap();
    let items = walk.split("\n").fold(Vec::<String>::new(), |mut items, line| {
        match line.split_once(". `") {
            Some((number, rest)) if number.parse::<usize>().is_ok() => items.push(format!("`{rest}")),
            _ => items.iter_mut().last().into_iter().for_each(|item| item.push_str(line)),
        }
        items
    });
    let quoted = |item: &str| item.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let functions = |names: &[String]| names.iter().filter(|name| !name.contains('/')).cloned().collect();
    items.iter().map(|item| quoted(item)).map(|names| (names[0].clone(), functions(&names[1..]))).collect()
}

fn source(file: &str) -> String {
    std::fs::read_to_string(Path::new(CRATE).join("src").join(file)).unwrap()
}

/// Where `code` calls a function first.
fn first_call(code: &str, function: &str) -> Option<usize> {
    let calls = |(at, _): &(usize, &str)| {
        let before = code[..*at].chars().next_back().unwrap_or(' ');
        !(before.is_alphanumeric() || before == '_' || code[..*at].ends_with("fn "))
    };
    code.match_indices(&format!("{function}(")).find(calls).map(|(at, _)| at)
}

#[test]
fn when_a_twist_is_followed_expect_each_function_in_its_file_and_no_file_twice() {
    let stations = stations(&std::fs::read_to_string(Path::new(CRATE).join("README.md")).unwrap());
    assert!(stations.len() > 15, "{stations:?}");
    for (index, (file, functions)) in stations.iter().enumerate() {
        assert!(stations[..index].iter().all(|(before, _)| before != file), "{file} is come back to");
        let code = source(file);
        assert!(!functions.is_empty(), "{file}");
        for function in functions {
            assert!(code.contains(&format!("fn {function}(")), "{file} has no function {function}");
        }
    }
}

#[test]
fn when_the_planner_is_read_from_top_to_bottom_expect_the_stages_called_in_the_order_of_the_readme() {
    let stations = stations(&std::fs::read_to_string(Path::new(CRATE).join("README.md")).unwrap());
    let planner = source(PLANNER);
    let planner = planner.split_once("impl Planner").unwrap().1;
    let stages = stations.iter().filter(|(file, _)| file.starts_with("plan/") && file != PLANNER);
    let calls: Vec<_> = stages
        .flat_map(|(file, functions)| functions.iter().map(move |function| (file, function)))
        .map(|(file, function)| (first_call(planner, function), format!("{file}: {function}")))
        .collect();
    for pair in calls.windows(2) {
        assert!(pair[0].0.is_some(), "{} is not called by the planner", pair[0].1);
        assert!(pair[0].0 < pair[1].0, "{} is called after {}", pair[0].1, pair[1].1);
    }
}

#[test]
fn when_tests_are_added_expect_folders_of_at_most_a_dozen_files() {
    let mut counts = BTreeMap::<_, usize>::new();
    for file in rust_files(&Path::new(CRATE).join("tests")) {
        *counts.entry(file.parent().unwrap().to_owned()).or_default() += 1;
    }
    assert!(counts.len() > 3 && counts.values().all(|&count| count <= MOST_FILES), "{counts:?}");
}
