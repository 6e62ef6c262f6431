//! From the tree into Rust types, with serde's messages turned into ours.

use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment, Track};
use serde_yaml::with::singleton_map_recursive;

use crate::document::Document;
use crate::error::{ConfigError, Faults};
use crate::suggest;
use crate::tree::{Lookup, NodeId, Step, Voids, push_step};

impl Document {
    /// The whole file as a value of type `T`, which should be `#[serde(deny_unknown_fields)]` so that a misspelt key
    /// is an error and not a default.
    ///
    /// # Errors
    /// Unknown, missing and ill-typed keys, at their line; all of them.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        let mut faults = Faults::default();
        let value = self.deserialize_on(&mut faults);
        faults.or(value)
    }

    /// As [`deserialize`](Self::deserialize), of what holds in the file: the rest is noted and left out. None where too
    /// little is left.
    pub fn deserialize_on<T: DeserializeOwned>(&self, faults: &mut Faults) -> Option<T> {
        deserialize(self, self.tree().root, faults)
    }

    /// What stands at a path such as `servos.left_front_coxa` or `legs[2]`, as a value of type `T`.
    ///
    /// # Errors
    /// As [`deserialize`](Self::deserialize), and when there is nothing at this path.
    pub fn deserialize_at<T: DeserializeOwned>(&self, path: &str) -> Result<T, ConfigError> {
        match self.tree().find(path) {
            Lookup::Exact(node) => {
                let mut faults = Faults::default();
                let value = deserialize(self, node, &mut faults);
                faults.or(value)
            }
            Lookup::Parent(parent) => Err(self.missing(parent, path)),
        }
    }

    fn missing(&self, parent: NodeId, path: &str) -> ConfigError {
        let last = path.rsplit('.').next().unwrap_or(path);
        let help = suggest::hint(last, self.tree().pairs(parent).iter().map(|pair| pair.key.as_str()));
        self.error_at(path, "this key is missing", help)
    }
}

/// What holds below a node as a value of type `T`. Each fault is noted and its place passed over; what is missing only
/// because of that is not reported.
fn deserialize<T: DeserializeOwned>(document: &Document, node: NodeId, faults: &mut Faults) -> Option<T> {
    let tree = document.tree();
    let mut void = tree.void.clone();
    document.fault().into_iter().for_each(|fault| faults.add(fault.clone()));
    // Nodes below which something is passed over.
    let mut lacking: Voids = void.iter().filter_map(|id| tree.parent(*id)).map(|(parent, _)| parent).collect();
    for _ in 0..MOST_FAULTS {
        let fault = match attempt(document, node, &void) {
            Ok(value) => return Some(value),
            Err(fault) => fault,
        };
        if !(fault.is_missing && lacking.contains(&fault.culprit)) {
            faults.add(fault.error);
        }
        let (parent, _) = tree.parent(fault.culprit).filter(|_| fault.culprit != node)?;
        if !void.insert(fault.culprit) {
            return None;
        }
        lacking.insert(parent);
    }
    None
}

/// Faults that are reported of one file.
const MOST_FAULTS: usize = 32;

/// A fault, and the node without which the rest may hold.
struct Located {
    error: ConfigError,
    culprit: NodeId,
    is_missing: bool,
}

fn attempt<T: DeserializeOwned>(document: &Document, node: NodeId, void: &Voids) -> Result<T, Located> {
    let value = document.tree().value(node, void);
    let mut track = Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&value, &mut track);
    // Tags being refused, an enum's variant with contents is a mapping of one key.
    singleton_map_recursive::deserialize(tracked).map_err(|error: serde_yaml::Error| {
        let reached = walk(document, node, &track.path(), void);
        located(document, &reached, &error.to_string())
    })
}

/// How far serde's path leads in the tree, and how that is written from the top of the file.
struct Reached {
    node: NodeId,
    path: String,
}

fn walk(document: &Document, from: NodeId, path: &Path, void: &Voids) -> Reached {
    let tree = document.tree();
    let mut reached = Reached { node: from, path: tree.path_to(from) };
    for segment in path.iter() {
        let step = match segment {
            Segment::Seq { index } => Step::Index(*index),
            Segment::Map { key } => Step::Key(key.clone()),
            Segment::Enum { variant } => Step::Key(variant.clone()),
            Segment::Unknown => continue,
        };
        let step = tree.step_with(reached.node, step, void);
        if let Some(child) = tree.child(reached.node, &step) {
            push_step(&mut reached.path, &step);
            reached.node = child;
        }
    }
    reached
}

fn located(document: &Document, reached: &Reached, serde_message: &str) -> Located {
    let Reached { node, path } = reached;
    let at = |culprit: NodeId, error: ConfigError| Located { error: error.of_form(), culprit, is_missing: false };
    match Fault::read(serde_message) {
        Fault::UnknownField { name, expected } => {
            let (node, path) = child_or_self(document, reached, &name);
            let help = suggest::hint(&name, expected.iter().map(String::as_str));
            at(node, document.error_at_key(node, &path, format!("unknown key `{name}`"), help))
        }
        Fault::UnknownVariant { name, expected } => {
            let help = suggest::hint(&name, expected.iter().map(String::as_str));
            let listed = suggest::list(expected.iter().map(String::as_str)).unwrap_or_default();
            at(*node, document.error_at_value(*node, path, format!("`{name}` is not one of {listed}"), help))
        }
        Fault::MissingField { name } => {
            let mut missing = path.clone();
            push_step(&mut missing, &Step::Key(name.clone()));
            let parent = if path.is_empty() { "at the top of the file".into() } else { format!("under `{path}`") };
            let error = match document.tree().taken_by(*node, &name) {
                Some(null) => {
                    let message = "this key is needed, and null takes it away".to_owned();
                    document.error_at_value(
                        null,
                        &missing,
                        message,
                        format!("give `{name}` a value, or take this line out"),
                    )
                }
                None => {
                    let message = "this key is missing".to_owned();
                    document.error_at_value(*node, &missing, message, format!("add `{name}: ...` {parent}"))
                }
            };
            Located { error, culprit: *node, is_missing: true }
        }
        Fault::Mismatch { found, expected } => {
            let message = format!("expected {expected}, found {found}");
            // serde's path ends at the mapping when a key, not a value, is of the wrong type.
            match document.tree().pairs(*node).iter().find(|pair| pair.key_scalar.describe() == found) {
                Some(pair) => {
                    let mut path = path.clone();
                    push_step(&mut path, &Step::Key(pair.key.clone()));
                    let help = help_for(&path, &found, &expected);
                    at(pair.value, document.error_at_key(pair.value, &path, message, help))
                }
                None => {
                    let help = help_for(path, &found, &expected);
                    at(*node, document.error_at_value(*node, path, message, help))
                }
            }
        }
        Fault::Other { message, help } => at(*node, document.error_at_value(*node, path, message, help.into())),
    }
}

/// serde's path ends at the unknown key or at the mapping that holds it, depending on the type.
fn child_or_self(document: &Document, reached: &Reached, name: &str) -> (NodeId, String) {
    let step = Step::Key(name.to_owned());
    match document.tree().child(reached.node, &step) {
        Some(child) => {
            let mut path = reached.path.clone();
            push_step(&mut path, &step);
            (child, path)
        }
        None => (reached.node, reached.path.clone()),
    }
}

/// What serde's message says.
#[derive(Debug, PartialEq)]
enum Fault {
    UnknownField { name: String, expected: Vec<String> },
    UnknownVariant { name: String, expected: Vec<String> },
    MissingField { name: String },
    Mismatch { found: String, expected: String },
    Other { message: String, help: &'static str },
}

impl Fault {
    fn read(message: &str) -> Self {
        if let Some((name, expected)) = message.strip_prefix("unknown field `").and_then(name_and_list) {
            return Self::UnknownField { name, expected };
        }
        if let Some((name, expected)) = message.strip_prefix("unknown variant `").and_then(name_and_list) {
            return Self::UnknownVariant { name, expected };
        }
        if let Some(name) = message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next()) {
            return Self::MissingField { name: name.to_owned() };
        }
        let mismatch = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
        if let Some((found, expected)) = mismatch.and_then(|rest| rest.rsplit_once(", expected ")) {
            return Self::Mismatch { found: plain_found(found), expected: plain_expected(expected) };
        }
        if let Some((found, expected)) =
            message.strip_prefix("invalid length ").and_then(|rest| rest.split_once(", expected "))
        {
            let message = format!("expected {}, found {found} of them", plain_expected(expected));
            return Self::Other { message, help: "give exactly as many values as expected" };
        }
        Self::Other { message: message.to_owned(), help: "" }
    }
}

/// From ``x`, expected one of `a`, `b``: `x` and `a`, `b`.
fn name_and_list(rest: &str) -> Option<(String, Vec<String>)> {
    let (name, expected) = rest.rsplit_once("`, expected ").or_else(|| rest.rsplit_once("`, there are no "))?;
    let expected = expected.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    Some((name.to_owned(), expected))
}

fn plain_found(found: &str) -> String {
    if let Some(text) = found.strip_prefix("string ") {
        return format!("the text {text}");
    }
    if let Some(number) = found.strip_prefix("integer ").or_else(|| found.strip_prefix("floating point ")) {
        return format!("the number {}", number.trim_matches('`'));
    }
    match found {
        "map" => "a mapping".into(),
        "sequence" => "a list".into(),
        "unit value" => "nothing".into(),
        _ => found.strip_prefix("boolean ").unwrap_or(found).to_owned(),
    }
}

fn plain_expected(expected: &str) -> String {
    let whole = match expected {
        "u8" => Some((0, i128::from(u8::MAX))),
        "u16" => Some((0, i128::from(u16::MAX))),
        "u32" => Some((0, i128::from(u32::MAX))),
        "i8" => Some((i128::from(i8::MIN), i128::from(i8::MAX))),
        "i16" => Some((i128::from(i16::MIN), i128::from(i16::MAX))),
        "i32" => Some((i128::from(i32::MIN), i128::from(i32::MAX))),
        _ => None,
    };
    if let Some((low, high)) = whole {
        return format!("a whole number from {low} to {high}");
    }
    match expected {
        "f32" | "f64" => "a number".into(),
        "u64" | "usize" | "u128" => "a whole number, not negative".into(),
        "i64" | "isize" | "i128" => "a whole number".into(),
        "a boolean" => "true or false".into(),
        "a string" | "string" | "a borrowed string" => "text".into(),
        "a sequence" => "a list".into(),
        "a map" => "a mapping".into(),
        "unit" => "nothing".into(),
        "field identifier" => "the name of a key".into(),
        "map with a single key" => "a mapping of one key".into(),
        "unit variant" => "a name without anything below it".into(),
        _ if expected.starts_with("struct ") => "a mapping".into(),
        _ if expected.starts_with("enum ") => "a name, or a mapping of one key".into(),
        _ => expected
            .strip_prefix("an array of length ")
            .map_or(expected.to_owned(), |n| format!("a list of {n} values")),
    }
}

/// How to write as text what YAML takes for something else, such as the name `1`.
fn in_quotes(found: &str) -> String {
    match found.strip_prefix("the number ") {
        Some(number) => format!("write \"{number}\": without quotes YAML takes it for a number"),
        None => "put it in quotes".into(),
    }
}

/// Whether a text is a number but for its comma.
fn has_decimal_comma(found: &str) -> bool {
    let text = found.strip_prefix("the text ").map(|text| text.trim_matches('"'));
    let point = text.filter(|text| text.matches(',').count() == 1).map(|text| text.replace(',', "."));
    point.is_some_and(|number| number.parse::<f64>().is_ok())
}

fn help_for(path: &str, found: &str, expected: &str) -> String {
    let quoted = found.starts_with("the text ");
    let key = path.rsplit('.').next().filter(|key| !key.ends_with(']')).unwrap_or("");
    let nothing = found == "nothing";
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match expected {
        // As in `{trim_rad: 0,05}`.
        "the name of a key" if is_digits(key) => "a comma ends a value here: write decimals with a point, as in 0.05",
        "true or false" => "write true or false, without quotes",
        "a mapping of one key" => "give exactly one key, with its contents below it",
        "a mapping" if key.is_empty() => "write {key: value, ...} here",
        "a mapping" => return format!("write `{key}: {{key: value, ...}}`, or `key: value` lines indented below it"),
        "a list" if key.is_empty() => "write a list such as [1, 2, 3]",
        "a list" => return format!("write `{key}: [..., ...]`, or lines indented below it that begin with `- `"),
        "text" => return in_quotes(found),
        _ if expected.contains("number") && has_decimal_comma(found) => "write decimals with a point, as in 0.05",
        _ if expected.contains("number") && quoted => "write a number without quotes or unit",
        _ if expected.contains("number") && nothing => "write a number after the colon, or take the line out",
        _ => "",
    }
    .to_owned()
}
