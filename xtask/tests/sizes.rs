//! How long files and functions may be.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::modules::packages;

/// Most lines of a file, but for the one named, whose tests are a fifth of it.
const MOST_LINES: usize = 350;
const LONGER: &str = "crates/hexapod_wasm/src/hexapod.rs";
/// The package whose tests and examples are as short.
const WITH_ITS_TESTS: &str = "crates/hexapod_gait";
/// Most lines of a function, with its signature and its last brace.
const MOST_LINES_OF_A_FUNCTION: usize = 60;
/// Functions with how many lines each has. The text is formatted: a function ends with a brace below its first letter.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = vec![];
    for (at, line) in lines.iter().enumerate() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let Some(name) = name(line.trim_start()) else { continue };
        let ends = |line: &&str| {
            line.strip_prefix(indent)
                .is_some_and(|rest| rest == "}" || rest.ends_with([';', '}']) && !rest.starts_with(' '))
        };
        let length = lines[at..].iter().position(ends).unwrap_or(lines.len() - at - 1) + 1;
        found.push((name, length));
    }
    found
}

/// The name of the function that a line begins.
fn name(line: &str) -> Option<String> {
    let (before, after) = line.split_once("fn ")?;
    let is_qualifier = |word: &str| {
        let words = ["pub", "const", "async", "unsafe", "extern", "\"C\"", "default"];
        words.contains(&word) || word.starts_with("pub(") || word.ends_with(')')
    };
    let is_function = before.split_whitespace().all(is_qualifier) && after.contains(['(', '<']);
    is_function.then(|| after.split(['(', '<']).next().unwrap_or_default().to_owned())
}

#[test]
fn when_a_file_or_a_function_is_read_expect_it_short() {
    let mut wrong = vec![];
    for (package, files) in &packages() {
        let counts = |file: &str| file.starts_with("src/") || package == WITH_ITS_TESTS;
        for (file, text) in files.iter().filter(|(file, _)| counts(file)) {
            let file = format!("{package}/{file}");
            let lines = text.lines().count();
            if lines > MOST_LINES && file != LONGER {
                wrong.push(format!("{file} has {lines} lines"));
            }
            let long = functions(text).into_iter().filter(|(_, lines)| *lines > MOST_LINES_OF_A_FUNCTION);
            wrong.extend(long.map(|(name, lines)| format!("{file}: {name} has {lines} lines")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn when_functions_are_counted_expect_their_lines_from_the_signature_to_the_brace() {
    let text = "fn one() {}\n\nimpl A {\n    pub(crate) const fn two(\n        a: u8,\n    ) -> u8 {\n        a\n    }\n\n    \
                fn three(&self);\n}\n// a fn b()\nlet f: fn (u8);\n";
    let expected = [("one", 1), ("two", 5), ("three", 1)].map(|(name, lines)| (name.to_owned(), lines));
    assert_eq!(functions(text), expected);
}
