//! Embeds the page, compressed, as a table of names; small files uncompressed, too, so that nothing is ever unpacked for a
//! client. It is built before, by `cargo xtask page`; without it the table is
//! empty, and the server says how to build it.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let page = root.join("page/dist");
    println!("cargo::rerun-if-changed=build.rs");
    // A path that is not there would make every build a new one.
    for folder in ["page/dist", "page"] {
        if root.join(folder).is_dir() {
            println!("cargo::rerun-if-changed={folder}");
            break;
        }
    }
    let mut names = vec![];
    if page.join("index.html").is_file() {
        files(&page, &page, &mut names)?;
    }
    names.sort();
    let mut table = String::from("static ASSETS: &[Asset] = &[\n");
    for (number, name) in names.iter().enumerate() {
        let plain = fs::read(page.join(name))?;
        let mut encoder = GzEncoder::new(vec![], Compression::best());
        encoder.write_all(&plain)?;
        let packed = encoder.finish()?;
        let is_packed = packed.len() < plain.len();
        let is_plain = !is_packed || plain.len() <= MOST_PLAIN;
        let packed = embedded(&out.join(format!("asset{number}.gz")), is_packed.then_some(&packed))?;
        let unpacked = embedded(&out.join(format!("asset{number}")), is_plain.then_some(&plain))?;
        let tag = digest(&plain);
        writeln!(
            table,
            "    Asset {{ name: {name:?}, tag: \"\\\"{tag:016x}\\\"\", packed: {packed}, plain: {unpacked} }},"
        )?;
    }
    table.push_str("];\n");
    fs::write(out.join("assets.rs"), table)?;
    definitions(&out)
}

/// Files up to this size are there without compression, too, for what takes none, such as a script; bytes.
const MOST_PLAIN: usize = 64 * 1024;

/// The expression for the bytes of a file, which are put there, or for their absence.
fn embedded(file: &Path, bytes: Option<&Vec<u8>>) -> Result<String, Box<dyn Error>> {
    let Some(bytes) = bytes else { return Ok("None".into()) };
    fs::write(file, bytes)?;
    Ok(format!("Some(include_bytes!({file:?}))"))
}

/// The files below `folder`, by their names relative to `page`.
fn files(page: &Path, folder: &Path, names: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(page, &path, names)?;
        } else if let Some(name) = path.strip_prefix(page)?.to_str() {
            names.push(name.replace('\\', "/"));
        }
    }
    Ok(())
}

/// FNV-1a: tells versions of a file apart.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Messages that are recorded.
const RECORDED: [&str; 12] = [
    "sensor_msgs/msg/JointState",
    "nav_msgs/msg/Odometry",
    "std_msgs/msg/UInt8MultiArray",
    "geometry_msgs/msg/Twist",
    "std_msgs/msg/String",
    "diagnostic_msgs/msg/DiagnosticArray",
    "rcl_interfaces/msg/Log",
    "sensor_msgs/msg/CompressedImage",
    "sensor_msgs/msg/BatteryState",
    "geometry_msgs/msg/TwistStamped",
    "tf2_msgs/msg/TFMessage",
    "visualization_msgs/msg/MarkerArray",
];

/// Writes the definitions of the messages that are recorded, each with those it is made of, as MCAP has them: a recording
/// can be read where no ROS is.
fn definitions(out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=AMENT_PREFIX_PATH");
    let prefixes: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("AMENT_PREFIX_PATH").unwrap_or_default()).collect();
    let mut table = String::from("pub(super) static DEFINITIONS: &[(&str, &str)] = &[\n");
    for name in RECORDED {
        let mut done = vec![name.to_owned()];
        let mut text = definition(&prefixes, name).unwrap_or_default();
        let mut open = parts(name, &text);
        while let Some(part) = open.pop() {
            if done.contains(&part) {
                continue;
            }
            let words = definition(&prefixes, &part).unwrap_or_default();
            open.extend(parts(&part, &words));
            write!(text, "\n{}\nMSG: {}\n{words}", "=".repeat(80), part.replace("/msg/", "/"))?;
            done.push(part);
        }
        writeln!(table, "    ({name:?}, {text:?}),")?;
    }
    table.push_str("];\n");
    fs::write(out.join("definitions.rs"), table)?;
    Ok(())
}

/// The text of a message's definition.
fn definition(prefixes: &[PathBuf], name: &str) -> Option<String> {
    prefixes.iter().find_map(|prefix| fs::read_to_string(prefix.join("share").join(format!("{name}.msg"))).ok())
}

/// The messages that a definition of the message `name` uses.
fn parts(name: &str, text: &str) -> Vec<String> {
    let own = name.split('/').next().unwrap_or_default();
    let kinds = text.lines().filter_map(|line| line.split('#').next()?.split_whitespace().next());
    let kinds = kinds.map(|kind| kind.split('[').next().unwrap_or(kind));
    let is_message = |kind: &&str| kind.chars().any(|letter| letter.is_ascii_uppercase());
    kinds
        .filter(is_message)
        .map(|kind| match kind.split_once('/') {
            Some((package, message)) => format!("{package}/msg/{message}"),
            None => format!("{own}/msg/{kind}"),
        })
        .collect()
}
