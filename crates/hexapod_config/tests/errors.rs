//! How errors look, and errors that are found after parsing.
#![allow(clippy::unwrap_used)] // in helpers of tests

use hexapod_config::{ConfigError, Document, Location, Scalar, Source};
use miette::{GraphicalReportHandler, GraphicalTheme};

const SERVOS: &str =
    "# map\nservos:\n  left_front_coxa:\n    board: 0\n    channel: 16\n  legs: [{a: 1}, {a: 2}]\na.b:\n  c: 1\n";

fn servos() -> Document {
    Document::parse(Source::new("config/servos.yaml", SERVOS)).unwrap()
}

fn drawn(error: &ConfigError) -> String {
    let mut out = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).render_report(&mut out, error).unwrap();
    out
}

#[test]
fn when_drawn_expect_source_arrow_and_help() {
    let error = servos().error_at("servos.left_front_coxa.channel", "16 is no channel", "take one from 0 to 15");
    let expected = "  \
  × config/servos.yaml:5:14: servos.left_front_coxa.channel: 16 is no channel
   ╭─[config/servos.yaml:5:14]
 4 │     board: 0
 5 │     channel: 16
   ·              ─┬
   ·               ╰── here
 6 │   legs: [{a: 1}, {a: 2}]
   ╰────
  help: take one from 0 to 15
";
    assert_eq!(drawn(&error), expected);
}

#[test]
fn when_printed_expect_one_line() {
    let error = servos().error_at("servos.left_front_coxa.channel", "16 is not a channel (0 to 15)", "take another");
    let line = "config/servos.yaml:5:14: servos.left_front_coxa.channel: 16 is not a channel (0 to 15)";
    assert_eq!(error.to_string(), line);
    assert_eq!(format!("{error:#}"), format!("{line} (take another)"));
    assert_eq!(error.file(), "config/servos.yaml");
    assert_eq!((error.message(), error.remedy()), ("16 is not a channel (0 to 15)", "take another"));
}

#[test]
fn when_key_is_absent_expect_nearest_parent() {
    let document = servos();
    for (path, line) in [
        ("servos.left_front_coxa.offset", 3),
        ("servos.right_rear_tibia.channel", 2),
        ("servos.legs[1].b", 6),
        ("servos.legs[7].a", 6),
        ("nothing", 2),
        ("", 2),
    ] {
        let error = document.error_at(path, "wrong", "");
        assert_eq!((error.line(), error.key().unwrap_or_default()), (Some(line), path));
        assert!(path.is_empty() || document.location(path).is_none(), "{path}");
    }
}

#[test]
fn when_paths_are_asked_expect_places() {
    let document = servos();
    let place = |path: &str| document.location(path).map(|Location { line, column, .. }| (line, column));
    assert_eq!(place("servos"), Some((2, 1)));
    assert_eq!(place("servos.left_front_coxa"), Some((3, 3)));
    assert_eq!(place("servos.left_front_coxa.board"), Some((4, 12)));
    assert_eq!(place("servos.legs[1].a"), Some((6, 22)));
    assert_eq!(place("a.b.c"), Some((8, 6)), "a key may hold a dot itself");
    assert_eq!(document.deserialize_at::<u8>("servos.legs[0].a").unwrap(), 1);
    let error = document.deserialize_at::<u8>("servos.left_front_coxa.chanel").unwrap_err();
    assert!(format!("{error:#}").contains("missing (did you mean `channel`?)"), "{error:#}");
}

#[test]
fn when_entries_are_listed_expect_file_order() {
    let entries = servos().entries("servos.left_front_coxa");
    let seen: Vec<_> = entries.iter().map(|entry| (entry.path.as_str(), entry.location.line, &entry.scalar)).collect();
    let (zero, sixteen) = (Some(Scalar::Integer(0)), Some(Scalar::Integer(16)));
    let expected = [("servos.left_front_coxa.board", 4, &zero), ("servos.left_front_coxa.channel", 5, &sixteen)];
    assert_eq!(seen, expected);
    assert_eq!(servos().entries("").len(), 2);
    assert!(servos().entries("servos.left_front_coxa.board").is_empty() && servos().entries("x").is_empty());
}

#[test]
fn when_text_is_hostile_expect_one_printable_line() {
    let document = Document::parse(Source::new("a\nb.yaml", "\"k\\e[2J\\n\": \"\\u0007\"\n")).unwrap();
    let error = document.deserialize::<std::collections::BTreeMap<String, bool>>().unwrap_err();
    assert!(!error.to_string().chars().any(char::is_control), "{error}");
}
