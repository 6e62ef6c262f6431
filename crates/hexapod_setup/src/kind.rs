//! What a file is that was given as the robot's description and is none.

use hexapod_config::{ConfigError, Document};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// How much of a file is looked at, in bytes: the root element may follow a long licence.
const START_BYTES: u64 = 1 << 16;
/// Bytes before the facets of a binary STL mesh, and of each facet.
const STL_HEADER_BYTES: usize = 84;
const STL_FACET_BYTES: usize = 50;
/// Most descriptions of a folder that are named.
const NAMED: usize = 3;

const WANTED: &str = "give the robot's URDF (XML with the outermost element <robot>), its xacro, or a table of Denavit-Hartenberg \
                      parameters in YAML";

/// How files begin that are not text, or that no XML begins with.
const BEGINNINGS: [(&[u8], &str); 14] = [
    (b"\x89MCAP0\r\n", "a recorded bag (MCAP)"),
    (b"SQLite format 3\0", "a database (SQLite), as recorded bags are"),
    (b"#ROSBAG V", "a recorded bag of ROS 1"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"#!", "a script"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"%PDF", "a PDF"),
    (b"glTF", "a mesh (glTF)"),
    (b"solid ", "a mesh (STL)"),
    (b"{", "JSON"),
    (b"[", "JSON"),
];

/// Root elements of XML that is no description of a robot.
const ROOTS: [(&str, &str); 9] = [
    ("sdf", "an SDF model, as simulators read them"),
    ("mujoco", "a MuJoCo model"),
    ("COLLADA", "a mesh (COLLADA)"),
    ("launch", "a launch file"),
    ("package", "a package.xml"),
    ("svg", "a picture (SVG)"),
    ("html", "a web page; download the file itself (on GitHub, its \"raw\" view)"),
    ("gazebo", "an extension for Gazebo"),
    ("model", "the manifest of a simulator's model"),
];

/// Top-level keys of YAML files that are no table of Denavit-Hartenberg parameters.
const KEYS: [(&str, &str); 10] = [
    ("servos", "a servos.yaml"),
    ("boards", "a servos.yaml"),
    ("gaits", "a gaits.yaml"),
    ("motions", "a motions.yaml"),
    ("limits", "a robot.yaml, which goes beside a description"),
    ("postures", "a robot.yaml, which goes beside a description"),
    ("feet", "a robot.yaml, which goes beside a description"),
    ("forward", "a robot.yaml, which goes beside a description"),
    ("packed", "a robot.yaml, which goes beside a description"),
    ("rosbag2_bagfile_information", "the metadata of a recorded bag"),
];

/// Refuses a file, or a folder, that is something else than a description.
///
/// # Errors
/// Says what it is, and what is wanted.
pub(crate) fn check_file(path: &Path) -> Result<(), ConfigError> {
    let name = path.display().to_string();
    if path.is_dir() {
        return Err(folder(path, &name));
    }
    // Looking into a pipe would take its bytes away.
    let Some(file) = path.is_file().then(|| File::open(path).ok()).flatten() else { return Ok(()) };
    let size = file.metadata().map_or(0, |of| of.len());
    let mut start = Vec::new();
    // What cannot be read is reported by whoever reads it.
    let _ = file.take(START_BYTES).read_to_end(&mut start);
    if is_binary_stl(&start, size) { Err(other(&name, "a mesh (STL)")) } else { check_start(&name, &start) }
}

/// The same of the first bytes of a file.
///
/// # Errors
/// As [`check_file`].
pub(crate) fn check_start(name: &str, start: &[u8]) -> Result<(), ConfigError> {
    let begins = |(beginning, what): &(&[u8], &'static str)| start.starts_with(beginning).then_some(*what);
    let is_yaml = [".yaml", ".yml"].iter().any(|end| name.to_lowercase().ends_with(end));
    if let Some(what) = BEGINNINGS.iter().find_map(begins).filter(|_| !is_yaml) {
        return Err(other(name, what));
    }
    let text = String::from_utf8_lossy(start);
    if text.trim().is_empty() {
        return Err(ConfigError::whole_file(name, "the file is empty", WANTED));
    }
    if is_yaml {
        // What it is shows when it has been read.
        return Ok(());
    }
    let what = root(&text).map_or_else(|| Some(without_elements(&text)), |root| named(&ROOTS, root));
    what.map_or(Ok(()), |what| Err(other(name, what)))
}

/// Refuses YAML that is another file of the robot.
///
/// # Errors
/// As [`check_file`].
pub(crate) fn check_table(name: &str, document: &Document) -> Result<(), ConfigError> {
    let is_there = |key: &&str| document.location(key).is_some();
    let what = KEYS.iter().find(|(key, _)| is_there(key)).map(|(_, what)| *what);
    match what.filter(|_| !is_there(&"convention")) {
        Some(what) => Err(other(name, what)),
        None => Ok(()),
    }
}

fn other(name: &str, what: &str) -> ConfigError {
    ConfigError::whole_file(name, format!("this is {what}, not the description of a robot"), WANTED)
}

fn folder(path: &Path, name: &str) -> ConfigError {
    if path.join("metadata.yaml").is_file() {
        return other(name, "a recorded bag");
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let is_description = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|end| end == "urdf" || end == "xacro") && path.is_file()
    };
    let mut found: Vec<String> = entries.filter(is_description).map(|path| path.display().to_string()).collect();
    found.sort();
    found.truncate(NAMED);
    let help = if found.is_empty() { WANTED.to_owned() } else { format!("did you mean {}?", found.join(", ")) };
    ConfigError::whole_file(name, "this is a directory, not a file", help)
}

fn is_binary_stl(start: &[u8], size: u64) -> bool {
    let Some(&[a, b, c, d]) = start.get(STL_HEADER_BYTES - 4..STL_HEADER_BYTES) else { return false };
    let facets = u64::from(u32::from_le_bytes([a, b, c, d]));
    size == STL_HEADER_BYTES as u64 + facets * STL_FACET_BYTES as u64
}

fn named<'a>(table: &[(&str, &'a str)], name: &str) -> Option<&'a str> {
    table.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, what)| *what)
}

/// The name of the first element, where there is one: comments and declarations are passed over.
fn root(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.get(rest.find('<')?..)?;
        let end = if rest.starts_with("<!--") { "-->" } else { ">" };
        if !rest.starts_with("<!") && !rest.starts_with("<?") {
            let name = rest.get(1..)?;
            return name.get(..name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len()));
        }
        if rest.to_ascii_lowercase().starts_with("<!doctype html") {
            return Some("html");
        }
        rest = rest.get(rest.find(end)? + end.len()..)?;
    }
}

/// What a text without elements is: YAML where a line begins with a key.
fn without_elements(text: &str) -> &'static str {
    let key = |line: &str| {
        let (key, after) = line.split_once(':')?;
        let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-/*".contains(c));
        (is_key && (after.is_empty() || after.starts_with([' ', '\r']))).then(|| key.to_owned())
    };
    let keys: Vec<String> = text.lines().filter_map(key).collect();
    match keys.iter().find_map(|key| named(&KEYS, key)) {
        _ if keys.is_empty() => "text that is not XML",
        Some(what) if !keys.iter().any(|key| key == "convention") => what,
        _ => "YAML in a file whose name does not end in .yaml",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn reported(name: &str, bytes: &[u8]) -> Option<String> {
        check_start(name, bytes).err().map(|error| format!("{} | {}", error.message(), error.remedy()))
    }

    #[test]
    fn when_another_kind_of_file_is_given_expect_it_named_and_what_is_wanted() {
        let cases: [(&str, &[u8], &str); 12] = [
            ("a.stl", b"solid part\nfacet normal 0 0 1\n", "a mesh (STL)"),
            ("a.mcap", b"\x89MCAP0\r\n\x01", "a recorded bag"),
            ("a.db3", b"SQLite format 3\0", "a database"),
            ("a.urdf", b"# servos\nboards:\n  - {}\nservos:\n", "a servos.yaml"),
            ("a.urdf", b"limits: {all: {velocity: 3.0}}\n", "a robot.yaml"),
            ("a.urdf", b"name: t\nconvention: standard\nlegs:\n", "does not end in .yaml"),
            ("a.sdf", b"<?xml version=\"1.0\"?>\n<!-- <robot> -->\n<sdf version=\"1.7\"/>", "an SDF model"),
            ("a.urdf", b"<!DOCTYPE html>\n<html>", "a web page"),
            ("a.launch", b"<launch/>", "a launch file"),
            ("a.json", b"{\"a\": 1}", "JSON"),
            ("a.txt", b"hello there\n", "text that is not XML"),
            ("a.urdf", b" \n", "the file is empty"),
        ];
        for (name, bytes, word) in cases {
            let reported = reported(name, bytes).unwrap_or_default();
            assert!(reported.contains(word) && reported.contains("<robot>"), "{name}: {reported}");
        }
    }

    #[test]
    fn when_a_description_is_given_expect_nothing_said() {
        let licence = "<!-- ".to_owned() + &"all rights > reserved\n".repeat(50) + "-->";
        for text in ["<robot name=\"a\"/>", &format!("<?xml version=\"1.0\"?>\n{licence}\n<robot/>"), "<robots/>"] {
            assert_eq!(reported("a.urdf", text.as_bytes()), None, "{text}");
        }
        assert_eq!(reported("a.yaml", b"[]"), None, "reported when it has been read");
    }

    #[test]
    fn when_a_mesh_or_a_folder_is_given_expect_it_named_with_the_descriptions_inside() {
        let folder: PathBuf = std::env::temp_dir().join(format!("hexapod_kind_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mesh = folder.join("part.stl");
        let mut bytes = vec![0; STL_HEADER_BYTES + 2 * STL_FACET_BYTES];
        bytes[STL_HEADER_BYTES - 4] = 2;
        std::fs::write(&mesh, bytes).unwrap();
        assert!(check_file(&mesh).unwrap_err().message().contains("a mesh (STL)"));
        assert!(check_file(&folder).unwrap_err().remedy().contains("<robot>"));
        std::fs::write(folder.join("mine.urdf"), "<robot/>").unwrap();
        assert!(check_file(&folder).unwrap_err().remedy().contains("mine.urdf?"));
        std::fs::write(folder.join("metadata.yaml"), "").unwrap();
        assert!(check_file(&folder).unwrap_err().message().contains("a recorded bag"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
