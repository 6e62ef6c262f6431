//! Values changed in a text whose comments and layout stay.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use hexapod_config::{Document, Edit, Source};

const TEXT: &str = "# top\nservos:\n  coxa:       # first\n    board: 0\n    channel: 3  # plug\n    points:\n      - { angle: -0.5, pulse: 1000.0 }   # left\n      - { angle: 0.5, pulse: 2000 }\n  femur: { board: 1, channel: 4, max: 2100 }\n";

fn edit(path: &str, value: &str, after: &str) -> Edit {
    Edit { path: path.into(), value: value.into(), after: after.into() }
}

fn edited(edits: &[Edit]) -> String {
    Document::parse(Source::new("t.yaml", TEXT)).unwrap().edited(edits).unwrap()
}

#[test]
fn when_values_change_expect_all_else_as_it_was() {
    let text = edited(&[edit("servos.femur.max", "2050.5", ""), edit("servos.coxa.points[0].pulse", "987.0", "")]);
    assert_eq!(text, TEXT.replace("2100", "2050.5").replace("1000.0", "987.0"));
    assert_eq!(edited(&[]), TEXT);
}

#[test]
fn when_a_key_is_missing_expect_it_put_in_the_way_its_neighbours_are_written() {
    let text = edited(&[
        edit("servos.coxa.direction", "-1", "servos.coxa.channel"),
        edit("servos.femur.direction", "-1", "servos.femur.channel"),
    ]);
    assert!(text.contains("    channel: 3  # plug\n    direction: -1\n    points:"), "{text}");
    assert!(text.contains("{ board: 1, channel: 4, direction: -1, max: 2100 }"), "{text}");
}

#[test]
fn when_there_is_no_value_to_change_expect_an_error_with_its_line() {
    let document = Document::parse(Source::new("t.yaml", TEXT)).unwrap();
    let error = document.edited(&[edit("servos.coxa.points", "1", "servos.tibia.channel")]).unwrap_err();
    assert!(error.to_string().contains("t.yaml"), "{error}");
}

#[test]
fn when_an_entry_is_written_anew_expect_its_lines_replaced_or_the_first_put_in() {
    let lines = |indent: usize| format!("{0}new:\n{0}  a: 1\n", " ".repeat(indent));
    let cases = [
        ("servos:\n  new: {a: 0}  # old\n  b: 1\n", "servos:\n  new:\n    a: 1\n  b: 1\n"),
        ("servos:\n  b: 1\n  new:\n    x: [1,\n      2]\n# end\n", "servos:\n  b: 1\n  new:\n    a: 1\n# end\n"),
        ("servos:  # mine\n    b: 1\n", "servos:  # mine\n    new:\n      a: 1\n    b: 1\n"),
        ("servos:\ntiming: {x: 1}\n", "servos:\n  new:\n    a: 1\ntiming: {x: 1}\n"),
        ("timing: 1\nservos:", "timing: 1\nservos:\n  new:\n    a: 1\n"),
        ("servos:\n  new:\n  b: 1\n", "servos:\n  new:\n    a: 1\n  b: 1\n"),
    ];
    for (text, expected) in cases {
        let document = Document::parse(Source::new("t.yaml", text)).unwrap();
        assert_eq!(document.with_entry("servos", "new", lines).unwrap(), expected, "{text}");
    }
    for text in ["servos: {b: 1, new: 2}\n", "servos: {}\n", "servos: {new: {a: 0}}\n"] {
        let document = Document::parse(Source::new("t.yaml", text)).unwrap();
        let error = document.with_entry("servos", "new", lines).unwrap_err().to_string();
        assert!(error.contains("t.yaml:1") && error.contains("braces"), "{error}");
    }
}
