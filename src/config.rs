//! `hexapod config`: which values of the configuration are the owner's, and where they stand.

use crate::cli::{ConfigArgs, ConfigCommand};
use crate::exit::Failure;
use crate::parameters::{node_specs, stray_line};
use hexapod_config::ros_params::paths;
use hexapod_config::{Document, Leaf};
use hexapod_setup::{CONFIG_FILES, Files};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Longer values are cut, so that a row stays one line.
const LONGEST_VALUE: usize = 48;

/// Shows the configuration, or copies a file of it.
///
/// # Errors
/// A file is not plain YAML; a copy would overwrite a file, or there is no such file.
pub fn config(arguments: &ConfigArgs) -> Result<(), Failure> {
    match &arguments.what {
        None => show(&Files::find(&arguments.config, "")?, arguments.all),
        Some(ConfigCommand::Copy { name }) => copy(&arguments.config, name),
    }
}

fn show(files: &Files, all: bool) -> Result<(), Failure> {
    let mut parts = vec![folders(files)];
    for name in CONFIG_FILES {
        let rows = rows(files, name, all)?;
        if !rows.is_empty() {
            parts.push(format!("{name}\n{}", table(&rows)));
        }
    }
    if parts.len() == 1 {
        parts.push("all values are as shipped; `hexapod config copy NAME` puts a file to edit into your folder".into());
    }
    parts.extend(files.strays().iter().map(|stray| format!("note: {}", stray_line(stray))));
    // Whoever reads it may have seen enough.
    let _ = writeln!(io::stdout(), "{}", parts.join("\n\n"));
    Ok(())
}

/// The layers, the lowest first.
fn folders(files: &Files) -> String {
    let mut lines: Vec<String> =
        files.shipped_folder().iter().map(|folder| format!("shipped  {}", folder.display())).collect();
    for folder in files.owner_folders() {
        let there = CONFIG_FILES.into_iter().filter(|name| folder.join(name).exists()).collect::<Vec<_>>().join(", ");
        let there = if there.is_empty() { "no file".into() } else { there };
        lines.push(format!("over it  {}: {there}", folder.display()));
    }
    lines.join("\n")
}

/// A value in the table: its key, what it is, and where it stands.
type Row = [String; 3];

/// The values of a file that are the owner's, or all of them.
fn rows(files: &Files, name: &str, all: bool) -> Result<Vec<Row>, Failure> {
    let file = files.in_config(name);
    if !file.exists() {
        return Ok(vec![]);
    }
    let shipped = match files.shipped_folder().map(|folder| folder.join(name)) {
        Some(path) if path.exists() => Document::read(path)?.leaves(),
        _ => vec![],
    };
    let shipped: BTreeMap<&str, &str> = shipped.iter().map(|leaf| (leaf.path.as_str(), leaf.value.as_str())).collect();
    let document = file.read()?;
    let mut leaves = document.leaves();
    if all && name == "hexapod.yaml" {
        leaves = effective(&document, leaves);
    }
    let own = |leaf: &&Leaf| shipped.get(leaf.path.as_str()) != Some(&leaf.value.as_str());
    let mut rows: Vec<Row> = leaves.iter().filter(|leaf| all || own(leaf)).map(|leaf| row(leaf, &shipped)).collect();
    let gone = shipped.iter().filter(|(path, _)| !leaves.iter().any(|leaf| leaf.path.starts_with(**path)));
    rows.extend(gone.map(|(path, value)| [(*path).into(), format!("none (shipped: {})", cut(value)), "".into()]));
    Ok(rows)
}

/// The parameters as the nodes take them: of one that several sections give, as `/**` does, the value that counts.
fn effective(document: &Document, leaves: Vec<Leaf>) -> Vec<Leaf> {
    let taken = node_specs().map(|(node, specs)| {
        paths(document, node, &specs)
            .into_iter()
            .map(move |(name, path)| (format!("{node}.ros__parameters.{name}"), path))
    });
    let taken: BTreeMap<String, String> = taken.into_iter().flatten().collect();
    let at = |path: &String| leaves.iter().find(|leaf| leaf.path == *path);
    let counting = |leaf: &Leaf| {
        let counts = taken.get(&leaf.path).and_then(at).unwrap_or(leaf);
        Leaf { path: leaf.path.clone(), ..counts.clone() }
    };
    leaves.iter().map(counting).collect()
}

fn row(leaf: &Leaf, shipped: &BTreeMap<&str, &str>) -> Row {
    let value = match shipped.get(leaf.path.as_str()) {
        Some(other) if **other != leaf.value => format!("{} (shipped: {})", cut(&leaf.value), cut(other)),
        _ => cut(&leaf.value),
    };
    [leaf.path.clone(), value, format!("{}:{}", leaf.file, leaf.line)]
}

fn cut(value: &str) -> String {
    let short: String = value.chars().take(LONGEST_VALUE).collect();
    if short.len() < value.len() { format!("{short}...") } else { short }
}

fn table(rows: &[Row]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let (key, value) = (width(0), width(1));
    let line = |[a, b, c]: &Row| format!("  {a:<key$}  {b:<value$}  {c}").trim_end().to_owned();
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Copies a shipped file into the owner's folder.
/// What the shipped files say of themselves, and the owner's do not.
const OF_THE_BUILD: &str = "Each build overwrites this file.";

fn copy(config: &str, name: &str) -> Result<(), Failure> {
    if !CONFIG_FILES.contains(&name) {
        return Err(Failure::Words(format!("there is no file {name}; there are {}", CONFIG_FILES.join(", "))));
    }
    if !config.is_empty() {
        fs::create_dir_all(config).map_err(|error| failed(Path::new(config), &error))?;
    }
    let files = Files::find(config, "")?;
    let folder = files.owner_folder()?;
    let shipped = files.shipped_folder().map(|shipped| shipped.join(name)).unwrap_or_default();
    let text = fs::read_to_string(&shipped).map_err(|error| failed(&shipped, &error))?;
    let text = text.replace(OF_THE_BUILD, "A copy of the shipped file, over which it counts.");
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let target = folder.join(name);
    let file = OpenOptions::new().write(true).create_new(true).open(&target);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| failed(&target, &error))?;
    println!(
        "{}\nkeep what you change in it and delete the rest, which then follows the shipped file",
        target.display()
    );
    Ok(())
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::Words(format!("{} is there already; it stays as it is. Move it away first", path.display()))
        }
        _ => Failure::Words(format!("{}: {error}", path.display())),
    }
}
