//! What the YAML parser says, in words that help.

/// The parser's words, with what usually causes them.
pub(crate) fn explain(info: &str) -> (String, &'static str) {
    let help = if info.contains("escape") {
        "in double quotes a backslash starts an escape: write it twice, or use single quotes"
    } else if info.contains("quoted scalar") {
        "close the quote"
    } else if info.contains("flow") || info.contains("bracket") || info.contains("','") {
        "check the brackets, braces and commas"
    } else if info.contains("simple key") || info.contains("mapping values") || info.contains("':'") {
        "write `key: value` with a space after the colon, and indent all keys of a mapping alike"
    } else {
        "check the indentation, colons, quotes and brackets here and in the line above"
    };
    (format!("this is not valid YAML: {info}"), help)
}
