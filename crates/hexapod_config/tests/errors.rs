//! How errors look, and errors that are found after parsing.
#![allow(clippy::unwrap_used)] // in helpers of tests

use hexapod_config::{Document, Faults, Location, Scalar, Source};

const SERVOS: &str =
    "# map\nservos:\n  left_front_coxa:\n    board: 0\n    channel: 16\n  legs: [{a: 1}, {a: 2}]\na.b:\n  c: 1\n";

fn servos() -> Document {
    Document::parse(Source::new("config/servos.yaml", SERVOS)).unwrap()
}

#[test]
fn when_drawn_expect_line_mark_and_help() {
    let error = servos().error_at("servos.left_front_coxa.channel", "16 is no channel", "take one from 0 to 15");
    assert_eq!(error.drawn(), "  5 |     channel: 16\n    |              ^^\n  take one from 0 to 15\n");
}

#[test]
fn when_a_line_is_long_expect_the_part_around_the_fault_drawn() {
    let text = format!("a: [{}true, 1]\n", "\"word\", ".repeat(200));
    let error = Document::parse(Source::new("long.yaml", text)).unwrap().error_at("a[200]", "wrong", "");
    let drawn = error.drawn();
    let [line, mark] = drawn.lines().collect::<Vec<_>>()[..] else { panic!("{drawn}") };
    assert!(line.chars().count() < 170 && line.contains("true, 1]"), "{line}");
    assert_eq!(line.find("true"), mark.find("^^^^"), "{drawn}");
}

#[test]
fn when_errors_are_put_together_expect_each_once_and_those_of_a_file_by_line() {
    let (document, other) = (servos(), Document::parse(Source::new("other.yaml", "a: 1\n")).unwrap());
    let late = document.error_at("a.b.c", "wrong", "");
    let all = late.clone().and(other.error_at("a", "wrong", "")).and(document.error_at("servos", "wrong", ""));
    let all = all.and(late.and(other.error_at("a", "worse", ""))).in_order();
    let reported: Vec<_> = all.each().map(|error| (error.file(), error.line(), error.message())).collect();
    let servos = "config/servos.yaml";
    let expected = [
        (servos, Some(2), "wrong"),
        (servos, Some(8), "wrong"),
        ("other.yaml", Some(1), "wrong"),
        ("other.yaml", Some(1), "worse"),
    ];
    assert_eq!(reported, expected);
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

#[test]
fn when_much_is_wrong_in_a_file_expect_all_of_it_reported_and_nothing_that_only_follows() {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only read")]
    struct Servo {
        board: u8,
        channel: u8,
        #[serde(default)]
        points: Vec<f64>,
    }
    let text = "a:\n  board: x\n  channel: .nan\n  chanel: 1\nb:\n  channel: 1\nc:\n  board: 1\n  board: 2\n  channel: -1\n\
                d:\n  board: 1\n  channel: 1\n  points: [1, .inf, x, 2, y]\n";
    let document = Document::parse_on(Source::new("servos.yaml", text)).unwrap();
    let error = document.deserialize::<std::collections::BTreeMap<String, Servo>>().err().unwrap().in_order();
    let reported: Vec<_> = error.each().map(|error| (error.line().unwrap(), error.key().unwrap().to_owned())).collect();
    let expected = [
        (2, "a.board"),
        (3, "a.channel"),
        (4, "a.chanel"),
        (5, "b.board"),
        (9, "c.board"),
        (10, "c.channel"),
        (14, "d.points[1]"),
        (14, "d.points[2]"),
        (14, "d.points[4]"),
    ];
    assert_eq!(reported, expected.map(|(line, key)| (line, key.to_owned())), "{error}");
}

#[test]
fn when_a_part_is_of_the_wrong_form_expect_nothing_reported_of_the_whole() {
    #[derive(Debug, serde::Deserialize)]
    struct Point {
        #[allow(dead_code, reason = "only its form counts")]
        us: f64,
    }
    #[derive(Debug, serde::Deserialize)]
    struct Points {
        points: Vec<Point>,
    }
    let document = Document::parse(Source::new("a.yaml", "points: [[1, 2]]\nother: 1\n")).unwrap();
    let mut faults = Faults::default();
    let read: Option<Points> = document.deserialize_on(&mut faults);
    assert!(read.unwrap().points.is_empty() && faults.has_wrong_form("points") && !faults.has_wrong_form("other"));
    faults.add(document.error_at("points", "none is given", ""));
    faults.add(document.error_at("other", "is odd", ""));
    let error = faults.into_result().unwrap_err();
    let keys: Vec<_> = error.each().map(|error| error.key().unwrap()).collect();
    assert_eq!(keys, ["points[0]", "other"], "{error}");
}
