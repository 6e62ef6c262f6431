//! The files of a crate: arrows go one way there, too, and this test fails on a circle of files that import each other.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::layers::{Graph, reachable, rust_files};
use std::collections::BTreeMap;
use std::path::Path;

/// How many files still are in circles, by the folder of their sources: these numbers may only fall.
const CIRCLES: &[(&str, usize)] = &[
    ("crates/hexapod_calibration/src", 4),
    ("crates/hexapod_config/src", 5),
    ("crates/hexapod_odometry/src", 2),
    ("crates/hexapod_servo/src", 6),
    ("crates/hexapod_setup/src", 5),
    ("crates/hexapod_view/src", 4),
    ("xtask/src", 2),
];
/// The folders of `hexapod_gait`: a file may import from its own and from those before it.
const GAIT_FOLDERS: [&str; 9] = ["plane", "gait", "plant", "state", "path", "plan", "engine", "motion", "measure"];
/// Most files of one of its folders, and most lines of a file.
const MOST_FILES: usize = 12;
const MOST_LINES: usize = 350;

/// The modules of a crate by their path, as `plan::steps`; the root's is empty.
struct Modules {
    code: BTreeMap<String, String>,
    /// Names that a module exports for one below it: module and name -> where it is.
    exported: BTreeMap<(String, String), String>,
}

impl Modules {
    /// Of the files below `sources`, a list of paths and texts.
    fn new(sources: impl IntoIterator<Item = (String, String)>) -> Self {
        let name = |path: String| {
            let path = path.trim_end_matches(".rs").replace('/', "::");
            let path = if ["lib", "main", "mod"].contains(&path.as_str()) { String::new() } else { path };
            path.trim_end_matches("::mod").to_owned()
        };
        let mut modules = Self { code: BTreeMap::new(), exported: BTreeMap::new() };
        for (path, text) in sources {
            *modules.code.entry(name(path)).or_default() += &production(&text);
        }
        let names: Vec<String> = modules.code.keys().cloned().collect();
        for module in names {
            for path in exports(&modules.code[&module]) {
                let at = modules.resolve(&module, &path);
                modules.exported.insert((module.clone(), path.last().unwrap().clone()), at);
            }
        }
        modules
    }

    fn read(folder: &Path) -> Self {
        Self::new(rust_files(folder).into_iter().filter(|file| !file.starts_with(folder.join("bin"))).map(|file| {
            let text = std::fs::read_to_string(&file).unwrap();
            (file.strip_prefix(folder).unwrap().to_str().unwrap().to_owned(), text)
        }))
    }

    /// The module in which a path ends that is named in another.
    fn resolve(&self, from: &str, path: &[String]) -> String {
        let mut at = from.to_owned();
        for (place, part) in path.iter().enumerate() {
            at = match part.as_str() {
                "crate" => String::new(),
                "self" => at,
                "super" => at.rsplit_once("::").map_or(String::new(), |(parent, _)| parent.to_owned()),
                _ if self.code.contains_key(&join(&at, part)) => join(&at, part),
                _ if place == 0 => return from.to_owned(),
                _ => return self.exported.get(&(at.clone(), part.clone())).cloned().unwrap_or(at),
            };
        }
        at
    }

    /// Module -> the modules it names.
    fn graph(&self) -> Graph {
        let mut graph = Graph::new();
        for (module, code) in &self.code {
            let named = paths(code).into_iter().map(|path| self.resolve(module, &path));
            graph.entry(module.clone()).or_default().extend(named.filter(|named| named != module));
        }
        graph
    }
}

fn join(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") }
}

/// A file without its comments and its tests.
fn production(text: &str) -> String {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let tests = code.match_indices("mod tests {").find(|(at, _)| {
        let before = code[..*at].rsplit('\n').next().unwrap();
        before.is_empty() || before.starts_with("pub(")
    });
    code[..tests.map_or(code.len(), |(at, _)| at)].to_owned() + "\n"
}

/// Whether a statement hands on what is elsewhere, under this module's name.
fn is_export(statement: &str) -> bool {
    let statement = statement.trim_start();
    statement.starts_with("pub") && statement.split_whitespace().nth(1) == Some("use")
}

/// What a module hands on.
fn exports(code: &str) -> Vec<Vec<String>> {
    let statements = code.split(';').map(last_line_start).filter(|statement| is_export(statement));
    statements.flat_map(|statement| tree(statement.split_once("use").unwrap().1.trim_start())).collect()
}

/// From the `pub use` on with which a statement may begin.
fn last_line_start(statement: &str) -> &str {
    statement.find("pub use").or_else(|| statement.find("pub(")).map_or(statement, |start| &statement[start..])
}

/// All paths that a module names, but for what it hands on.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut found = vec![];
    for statement in code.split_inclusive(';') {
        let kept = if is_export(last_line_start(statement)) {
            &statement[..statement.len() - last_line_start(statement).len()]
        } else {
            statement
        };
        let mut before = ' ';
        for (at, first) in kept.char_indices() {
            let begins = !(before.is_alphanumeric() || before == '_' || before == ':');
            before = first;
            let word = if begins { word(&kept[at..]) } else { "" };
            if first.is_ascii_lowercase() && !word.is_empty() && kept[at + word.len()..].starts_with("::") {
                found.extend(tree(&kept[at..]));
            }
        }
    }
    found
}

/// The identifier with which a text begins.
fn word(text: &str) -> &str {
    &text[..text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())]
}

/// The paths of a tree such as `a::{b, c::d}`.
fn tree(text: &str) -> Vec<Vec<String>> {
    let word = word(text);
    let Some(after) = text[word.len()..].strip_prefix("::") else { return vec![vec![word.to_owned()]] };
    let ends = match after.strip_prefix('{') {
        None => tree(after),
        Some(inside) => branches(inside).iter().flat_map(|branch| tree(branch.trim())).collect(),
    };
    ends.into_iter().map(|end| std::iter::once(word.to_owned()).chain(end).collect()).collect()
}

/// The parts of a list up to its closing brace.
fn branches(inside: &str) -> Vec<String> {
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in inside.chars() {
        match c {
            '}' if depth == 0 => break,
            ',' if depth == 0 => parts.push(String::new()),
            _ => {
                depth += i32::from(c == '{') - i32::from(c == '}');
                parts.last_mut().unwrap().push(c);
            }
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// The modules from which a way along the arrows leads back to them.
fn in_circles(graph: &Graph) -> Vec<&String> {
    graph.keys().filter(|module| reachable(graph, module).contains(*module)).collect()
}

/// What a module in a circle names in it: those arrows are to be cut.
fn arrows_in_circle(graph: &Graph, module: &String) -> String {
    let back: Vec<_> = graph[module].iter().filter(|named| reachable(graph, named).contains(module)).collect();
    format!("\n    {module} -> {back:?}")
}

#[test]
fn when_files_of_a_crate_import_each_other_expect_no_circle_but_those_that_are_known() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let crates = std::fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let mut wrong = vec![];
    let mut checked = 0;
    for folder in crates.chain([root.join("src"), root.join("xtask/src")]).filter(|folder| folder.is_dir()) {
        let graph = Modules::read(&folder).graph();
        checked += graph.len();
        let name = folder.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        let known = CIRCLES.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count);
        let found = in_circles(&graph);
        if found.len() != known {
            let arrows: String = found.iter().map(|module| arrows_in_circle(&graph, module)).collect();
            wrong.push(format!("(\"{name}\", {}), // {known} are known:{arrows}", found.len()));
        }
    }
    assert!(checked > 300, "only {checked} files were found");
    wrong.sort();
    assert!(wrong.is_empty(), "files in circles:\n{}", wrong.join("\n"));
}

#[test]
fn when_the_gait_imports_from_a_folder_expect_it_below() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/hexapod_gait/src"));
    let graph = Modules::read(folder).graph();
    let place = |module: &str| GAIT_FOLDERS.iter().position(|folder| module.split("::").next() == Some(folder));
    for (module, named) in graph.iter().filter(|(module, _)| !module.is_empty()) {
        let here = place(module).unwrap_or_else(|| panic!("{module} is in no folder: keep this list true"));
        for other in named.iter().filter(|other| !other.is_empty()) {
            assert!(place(other).unwrap() <= here, "{module} imports {other}");
        }
    }
    let mut counts = BTreeMap::<&str, usize>::new();
    for module in graph.keys() {
        *counts.entry(module.rsplit_once("::").map_or("", |(folder, _)| folder)).or_default() += 1;
    }
    assert!(counts.values().all(|&count| count <= MOST_FILES), "{counts:?}");
    for file in rust_files(folder) {
        let lines = std::fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines", file.display());
    }
}

fn made_up(files: &[(&str, &str)]) -> Graph {
    Modules::new(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))).graph()
}

#[test]
fn when_two_files_import_each_other_expect_a_circle_of_both() {
    let graph = made_up(&[
        ("lib.rs", "mod a;\nmod b;\nmod c;\npub use b::{Other, Thing};\n"),
        ("a.rs", "use crate::{Thing, c::One};\n"),
        ("b.rs", "//! Of crate::c.\nuse super::c;\nfn f() { crate::a::g() }\n"),
        ("c.rs", "pub struct One;\n#[cfg(test)]\nmod tests {\n    use crate::a;\n}\n"),
    ]);
    assert_eq!(in_circles(&graph), ["a", "b"]);
}

#[test]
fn when_a_folder_names_what_is_in_it_and_that_names_the_folder_expect_a_circle() {
    let inner = ("plan/steps.rs", "use super::Planner;\n");
    let hands_on = [("lib.rs", "mod plan;\n"), ("plan/mod.rs", "mod steps;\npub(crate) use steps::lift;\n"), inner];
    assert!(in_circles(&made_up(&hands_on)).is_empty());
    let uses = [("lib.rs", "mod plan;\n"), ("plan/mod.rs", "mod steps;\nuse self::steps::lift;\n"), inner];
    assert_eq!(in_circles(&made_up(&uses)), ["plan", "plan::steps"]);
    let calls = [("lib.rs", "mod plan;\n"), ("plan/mod.rs", "mod steps;\nfn f() { steps::lift() }\n"), inner];
    assert_eq!(in_circles(&made_up(&calls)), ["plan", "plan::steps"]);
}
