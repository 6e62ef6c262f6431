//! Whatever happens to a file: no panic, and an error's line exists.

use std::collections::BTreeMap;

use hexapod_config::ros_params::{ParamSpec, load_ros_params, parse_override};
use hexapod_config::{Document, Source};
use proptest::prelude::*;
use serde::Deserialize;

const PARAMS: &str = include_str!("../../../config/hexapod.yaml");
const MIXED: &str = "a: {b: [1, 2.5, -.5e3], 'c d': \"x\\n\\u00e9\"}\nlist:\n- name: é\n  text: |\n    two\n    lines\n- >-\n  folded\n? key\n: value\n# end\n";
/// What YAML has a meaning for, plus some of what it has not.
const SPICE: [&str; 44] = [
    "\t", "\n", "\r\n", "\r", " ", "  ", ":", ": ", "- ", "? ", "[", "]", "{", "}", ",", "#", " #", "&a ", "*a", "!",
    "!!str ", "|", ">", "'", "\"", "\\", "%", "@", "`", "---", "...", "<<: ", ".nan", "1e999", "0x", "010", "~",
    "\u{0}", "\u{feff}", "\u{85}", "\u{2028}", "é", "🤖", "\u{ffff}",
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Mixed {
    a: BTreeMap<String, serde_yaml::Value>,
    list: Vec<BTreeMap<String, String>>,
    key: f64,
}

#[derive(Debug, Clone)]
enum Edit {
    Insert(usize, &'static str),
    Delete(usize, usize),
    Repeat(usize, usize),
    Truncate(usize),
    Any(usize, char),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        4 => (any::<usize>(), prop::sample::select(SPICE.to_vec())).prop_map(|(at, what)| Edit::Insert(at, what)),
        2 => (any::<usize>(), 1..20_usize).prop_map(|(at, count)| Edit::Delete(at, count)),
        1 => (any::<usize>(), 1..60_usize).prop_map(|(at, count)| Edit::Repeat(at, count)),
        1 => any::<usize>().prop_map(Edit::Truncate),
        1 => (any::<usize>(), any::<char>()).prop_map(|(at, what)| Edit::Any(at, what)),
    ]
}

fn mutate(text: &str, edits: &[Edit]) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for edit in edits {
        let place = |at: usize| at % (text.len() + 1);
        match *edit {
            Edit::Insert(at, what) => {
                let at = place(at);
                text.splice(at..at, what.chars());
            }
            Edit::Delete(at, count) => {
                let at = place(at);
                text.drain(at..(at + count).min(text.len()));
            }
            Edit::Repeat(at, count) => {
                let at = place(at);
                let copy = text[at..(at + count).min(text.len())].to_vec();
                text.splice(at..at, copy);
            }
            Edit::Truncate(at) => text.truncate(place(at).max(text.len() / 2)),
            Edit::Any(at, what) => {
                let at = place(at);
                text.insert(at, what);
            }
        }
    }
    text.into_iter().collect()
}

fn specs() -> Vec<ParamSpec> {
    let names = ["rate", "step_height", "body_height", "cmd_vel_timeout"];
    let mut specs: Vec<_> = names.iter().map(|name| ParamSpec::new(name, 1.0, "").range(0.0, 1000.0)).collect();
    specs.extend(["gait", "config", "urdf"].iter().map(|name| ParamSpec::new(name, "", "")));
    specs
}

/// Everything the crate does with a text.
fn exercise(text: &str) -> Result<(), TestCaseError> {
    let lines = text.matches('\n').count() + 1;
    let sound = |error: hexapod_config::ConfigError| {
        let said = format!("{error:#}");
        let line = error.line().unwrap_or(0);
        prop_assert!((1..=lines).contains(&line), "{} of {}: {}", line, lines, said);
        prop_assert!(!said.contains('\n'));
        let drawn = error.drawn();
        prop_assert!(drawn.lines().count() <= 3 && !drawn.replace('\n', "").chars().any(char::is_control), "{}", drawn);
        Ok(())
    };
    let document = match Document::parse(Source::new("mutated.yaml", text)) {
        Ok(document) => document,
        Err(error) => return sound(error),
    };
    if let Err(error) = document.deserialize::<Mixed>() {
        sound(error)?;
    }
    if let Err(error) = load_ros_params(&document, "gait_planner", &specs()) {
        sound(error)?;
    }
    sound(document.error_at("list[1].name", "wrong", ""))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_parameters_are_mutated_expect_no_panic(edits in prop::collection::vec(edit(), 1..6)) {
        exercise(&mutate(PARAMS, &edits))?;
    }

    #[test]
    fn when_mixed_yaml_is_mutated_expect_no_panic(edits in prop::collection::vec(edit(), 1..12)) {
        exercise(&mutate(MIXED, &edits))?;
    }

    #[test]
    fn when_text_is_random_expect_no_panic(words in prop::collection::vec(prop::sample::select(SPICE.to_vec()), 0..40)) {
        exercise(&words.concat())?;
    }

    #[test]
    fn when_bytes_are_random_expect_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        match Source::from_bytes("random.yaml", bytes) {
            Ok(source) => exercise(&source.text)?,
            Err(error) => prop_assert!(error.line().is_some()),
        }
    }

    #[test]
    fn when_overrides_are_random_expect_no_panic(text in "[a-z./]{0,8}(:=)?\\PC{0,12}") {
        if let Err(reason) = parse_override(&text) {
            prop_assert!(!reason.is_empty());
        }
    }
}
