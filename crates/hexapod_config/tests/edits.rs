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
