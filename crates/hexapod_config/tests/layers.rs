//! Files over one another, key by key.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use hexapod_config::ros_params::{ParamSpec, ParamValue, load_ros_params};
use hexapod_config::{Document, Source};
use serde::Deserialize;
use std::collections::BTreeMap;

const BASE: &str = "servos:\n  coxa: {board: 0, trim: 0.0}\n  femur:\n    board: 0\n    points: [1, 2, 3]\n";

/// A text over [`BASE`].
fn over(text: &str) -> Document {
    let base = Document::parse(Source::new("base.yaml", BASE)).unwrap();
    match Document::parse_layer(Source::new("mine.yaml", text)).unwrap() {
        Some(mine) => base.layered(mine),
        None => base,
    }
}

fn leaf(document: &Document, path: &str) -> Option<String> {
    let leaf = document.leaves().into_iter().find(|leaf| leaf.path == path)?;
    Some(format!("{} {}:{}", leaf.value, leaf.file, leaf.line))
}

#[test]
fn when_one_key_is_given_expect_all_others_from_below_each_with_its_file_and_line() {
    let document = over("# mine\nservos:\n  coxa:\n    trim: 0.1\n  femur: {points: [7]}\n  tibia: {board: 1}\n");
    let expected = [
        ("servos.coxa.board", "0 base.yaml:2"),
        ("servos.coxa.trim", "0.1 mine.yaml:4"),
        ("servos.femur.board", "0 base.yaml:4"),
        ("servos.femur.points", "[7] mine.yaml:5"),
        ("servos.tibia.board", "1 mine.yaml:6"),
    ];
    for (path, value) in expected {
        assert_eq!(leaf(&document, path).as_deref(), Some(value), "{path}");
    }
    assert_eq!(document.leaves().len(), expected.len());
    assert_eq!((document.layer("servos.coxa.board"), document.layer("servos.coxa")), (Some(0), Some(1)));
    let order: Vec<String> = document.entries("servos").into_iter().map(|entry| entry.key).collect();
    assert_eq!(order, ["coxa", "femur", "tibia"]);
}

#[test]
fn when_a_layer_says_nothing_expect_what_is_below() {
    for text in ["", "# only this\n", "servos:\n", "servos:\n  # coxa: {board: 3}\n", "servos:\n  coxa:\n"] {
        let document = over(text);
        assert_eq!(document.leaves().len(), 4, "{text}");
        assert_eq!(leaf(&document, "servos.coxa.board").as_deref(), Some("0 base.yaml:2"), "{text}");
    }
}

#[test]
fn when_a_key_is_null_expect_it_gone() {
    let document = over("servos:\n  femur: null\n  coxa: {trim: ~}\n");
    let paths: Vec<String> = document.leaves().into_iter().map(|leaf| leaf.path).collect();
    assert_eq!(paths, ["servos.coxa.board"]);
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "read for its errors")]
struct File {
    servos: BTreeMap<String, Servo>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "read for its errors")]
struct Servo {
    board: i64,
    trim: Option<f64>,
    points: Option<Vec<f64>>,
}

#[test]
fn when_a_key_is_wrong_expect_the_file_and_line_in_which_it_stands() {
    let cases = [
        ("\nservos: {coxa: {bord: 1}}\n", "mine.yaml:2:17: servos.coxa.bord: unknown key"),
        ("servos:\n  coxa:\n    board: x\n", "mine.yaml:3:12: servos.coxa.board: expected a whole number"),
        ("servos:\n  coxa:\n    board:\n", "mine.yaml:3:5: servos.coxa.board: expected a whole number"),
        ("servos:\n  tibia: {trim: 1.0}\n", "mine.yaml:2:3: servos.tibia.board: this key is missing"),
        ("servos:\n  femur: {points: [1, a]}\n", "mine.yaml:2:23: servos.femur.points[1]: expected a number"),
        (
            "servos:\n  coxa:\n    board: null\n",
            "mine.yaml:3:12: servos.coxa.board: this key is needed, and null takes",
        ),
        ("servos: ~\n", "mine.yaml:1:9: servos: this key is needed, and null takes"),
        ("servos: 3\n", "mine.yaml:1:9: servos: expected a mapping"),
        ("- 3\n", "mine.yaml:1:1: expected a mapping"),
    ];
    for (text, expected) in cases {
        let error = over(text).deserialize::<File>().unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text:?}: {error}");
    }
}

#[test]
fn when_a_layer_in_the_middle_takes_a_needed_key_away_expect_its_null_blamed_until_a_higher_one_gives_it() {
    let layers = |top: &str| {
        let top = Document::parse(Source::new("top.yaml", top)).unwrap();
        over("servos:\n  coxa: {board: null}\n").layered(top).deserialize::<File>()
    };
    let error = layers("servos:\n  coxa: {trim: 0.5}\n").unwrap_err().to_string();
    assert!(error.starts_with("mine.yaml:2:17: servos.coxa.board: this key is needed"), "{error}");
    assert!(layers("servos:\n  coxa: {board: 4}\n").is_ok());
}

#[test]
fn when_a_higher_layer_speaks_to_all_nodes_expect_it_to_count_over_a_lower_ones_own_section() {
    let base = "planner:\n  ros__parameters: {rate: 100.0, gait: tripod}\n";
    let mine = "/**:\n  ros__parameters: {rate: 50.0}\n";
    let layers = [base, mine].map(|text| Document::parse(Source::new("p.yaml", text)).unwrap());
    let [base, mine] = layers;
    let document = base.layered(mine);
    let specs = [ParamSpec::new("rate", 1.0, ""), ParamSpec::new("gait", "wave", "")];
    let params = load_ros_params(&document, "planner", &specs).unwrap();
    assert_eq!(params["rate"], ParamValue::Double(50.0));
    assert_eq!(params["gait"], ParamValue::from("tripod"));
}

#[test]
fn when_a_part_takes_the_place_of_another_expect_its_keys_there_with_their_file_and_line_and_errors_below_its_own() {
    let document = over("other:\n  servos:\n    tibia: {board: 3}\n").with_moved("other.servos", "servos");
    assert_eq!(leaf(&document, "servos.tibia.board").as_deref(), Some("3 mine.yaml:3"));
    assert_eq!((leaf(&document, "servos.coxa.board"), leaf(&document, "other.servos.tibia.board")), (None, None));
    assert_eq!(document.layer("servos.tibia"), Some(1));
    let error = document.error_at("servos.tibia.board", "no", "").and(document.error_at("kinds", "no", ""));
    let error = error.below("other.", |error| error.key().is_some_and(|key| key.starts_with("servos")));
    let said: Vec<_> = error.each().map(|error| (error.key(), error.line())).collect();
    assert_eq!(said[0], (Some("other.servos.tibia.board"), Some(3)));
    assert_eq!(said[1].0, Some("kinds"));
    let same = over("").with_moved("other.servos", "servos");
    assert_eq!(same.leaves().len(), 4, "there is none");
}
