//! The crates of the workspace, and which of them need a ROS 2 to be built.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::cargo::BENCH;
use crate::layout::Layout;
use crate::process::read;
use crate::ros::{Ros, cargo_in};

/// The one dependency that binds to a ROS 2 when it is compiled.
const BINDING: &str = "r2r";

/// A crate of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Whether it, or anything it depends on, is bound to ROS 2.
    pub needs_ros: bool,
}

/// All members that are built together, by name.
pub fn members(layout: &Layout, ros: Option<&Ros>) -> Result<Vec<Member>> {
    let mut command = cargo_in(layout, ros);
    let text = read(command.args(["metadata", "--format-version", "1"]))?;
    parse(&serde_json::from_str(&text).context("cannot read `cargo metadata`")?)
}

/// `-p name` for each of `members`.
pub fn selection<'a>(members: impl IntoIterator<Item = &'a Member>) -> Vec<String> {
    members.into_iter().flat_map(|member| ["-p".to_owned(), member.name.clone()]).collect()
}

fn parse(metadata: &Value) -> Result<Vec<Member>> {
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let workspace: HashSet<String> = list(metadata, "workspace_members").iter().map(word).collect();
    let dependencies: HashMap<String, Vec<String>> = list(&metadata["resolve"], "nodes")
        .iter()
        .map(|node| (word(&node["id"]), list(node, "dependencies").iter().map(word).collect()))
        .collect();
    let packages = list(metadata, "packages");
    let bindings: HashSet<String> =
        packages.iter().filter(|package| package["name"] == BINDING).map(|package| word(&package["id"])).collect();

    let mut members: Vec<_> = packages
        .iter()
        .filter(|package| package["source"].is_null())
        .map(|package| (word(&package["id"]), word(&package["name"])))
        .filter(|(id, name)| workspace.contains(id) && name != BENCH)
        .map(|(id, name)| Member { name, needs_ros: reaches(&id, &bindings, &dependencies) })
        .collect();
    anyhow::ensure!(!members.is_empty(), "`cargo metadata` names no workspace member");
    members.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(members)
}

fn reaches(from: &str, goals: &HashSet<String>, dependencies: &HashMap<String, Vec<String>>) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![from];
    while let Some(package) = open.pop() {
        if goals.contains(package) {
            return true;
        }
        if seen.insert(package) {
            open.extend(dependencies.get(package).into_iter().flatten().map(String::as_str));
        }
    }
    false
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_crate_reaches_the_binding_through_another_expect_it_to_need_ros() {
        let metadata = serde_json::json!({
            "workspace_members": ["a", "b", "c", "bench"],
            "packages": [
                {"name": "c", "id": "c"},
                {"name": "a", "id": "a"},
                {"name": "b", "id": "b"},
                {"name": "r2r", "id": "x", "source": "registry"},
                {"name": "other", "id": "y", "source": "registry"},
                {"name": BENCH, "id": "bench"},
            ],
            "resolve": {"nodes": [
                {"id": "a", "dependencies": ["b", "c"]},
                {"id": "b", "dependencies": ["x", "y"]},
                {"id": "c", "dependencies": ["y"]},
                {"id": "x", "dependencies": []},
                {"id": "y", "dependencies": ["c"]},
            ]},
        });
        let members = parse(&metadata).unwrap();
        let needs: Vec<_> = members.iter().map(|member| (member.name.as_str(), member.needs_ros)).collect();
        assert_eq!(needs, [("a", true), ("b", true), ("c", false)]);
        assert_eq!(selection(&members[1..]), ["-p", "b", "-p", "c"]);
    }

    #[test]
    fn when_the_metadata_is_empty_expect_an_error() {
        assert!(parse(&serde_json::json!({})).is_err());
    }
}
