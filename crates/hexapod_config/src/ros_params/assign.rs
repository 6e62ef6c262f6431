//! `NODE.NAME:=VALUE` of the command line.

use super::value::ParamValue;
use crate::document::Document;
use crate::error::printable;
use crate::scalar::Scalar;
use crate::source::Source;

/// Reads `NODE.NAME:=VALUE`, or `NAME:=VALUE` for every node that has the parameter, into node, name and value. The value
/// is typed as in a file: `1.5` is a double, `on` a text, `[1, 2]` a list; nothing after `:=` is the empty text.
///
/// ```
/// use hexapod_config::ros_params::{ParamValue, parse_override};
///
/// let (node, name, value) = parse_override("gait_planner.step_height:=0.05").unwrap();
/// assert_eq!((node.as_deref(), name.as_str(), value), (Some("gait_planner"), "step_height", ParamValue::Double(0.05)));
/// assert_eq!(parse_override("gait:=ripple").unwrap().0, None);
/// assert!(parse_override("step_height=0.05").unwrap_err().contains("NODE.NAME:=VALUE"));
/// ```
///
/// # Errors
/// A sentence for the user that quotes the text.
pub fn parse_override(text: &str) -> Result<(Option<String>, String, ParamValue), String> {
    let refuse = |what: &str| format!("`{}`: {what}", printable(text));
    let (target, value) = text.split_once(":=").ok_or_else(|| refuse("expected NODE.NAME:=VALUE or NAME:=VALUE"))?;
    let target = target.trim();
    let (node, name) = target.split_once('.').map_or((None, target), |(node, name)| (Some(node), name));
    if !node.is_none_or(|node| is_name(node, '/')) || !is_name(name, '.') {
        return Err(refuse("expected NODE.NAME or NAME before `:=`, such as gait_planner.rate:=100"));
    }
    let value = parse_value(value.trim()).map_err(|what| refuse(&what))?;
    Ok((node.map(str::to_owned), name.to_owned(), value))
}

fn is_name(name: &str, separator: char) -> bool {
    let words = name.strip_prefix('/').filter(|_| separator == '/').unwrap_or(name);
    words.split(separator).all(|word| {
        !word.is_empty() && word.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
    })
}

fn parse_value(text: &str) -> Result<ParamValue, String> {
    if text.is_empty() {
        return Ok(ParamValue::String(String::new()));
    }
    if text.starts_with('#') {
        return Err("quote a value that starts with `#`".into());
    }
    if matches!(Scalar::from_plain(text), Ok(Scalar::Null)) {
        return Err("this has no value".into());
    }
    let quote = "; quote the value if text is meant";
    let document = Document::parse(Source::new("value", text)).map_err(|error| match error.remedy() {
        "" => format!("{}{quote}", error.message()),
        remedy => format!("{} ({remedy})", error.message()),
    })?;
    let tree = document.tree();
    ParamValue::from_node(tree, tree.root).map_err(|message| format!("{message}{quote}"))
}
