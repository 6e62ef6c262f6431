//! Bad files: each must give line, key and words that help, and soon.
#![allow(clippy::expect_used)] // in the helper of the tables, which is a test in all but name

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hexapod_config::{ConfigError, Document, MAX_BYTES, Source};
use serde::Deserialize;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Robot {
    body_height: f64,
    #[serde(default)]
    mass: Option<f32>,
    #[serde(default)]
    enabled: bool,
    #[serde(default)]
    gait: Gait,
    #[serde(default)]
    offset: Option<[f64; 3]>,
    #[serde(default)]
    servos: BTreeMap<String, Servo>,
    #[serde(default)]
    boards: BTreeMap<u8, Board>,
    #[serde(default)]
    legs: Vec<Leg>,
    #[serde(default)]
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Step {
    Rest,
    Pause(f64),
    Walk { distance: f64, speed: Option<f64> },
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Gait {
    #[default]
    Tripod,
    Wave,
    Ripple,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Servo {
    channel: u8,
    #[serde(default)]
    offset_rad: f64,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Board {
    frequency_hz: f64,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Leg {
    name: String,
}

fn load(yaml: &str) -> Result<Robot, ConfigError> {
    Document::parse(Source::new("robot.yaml", yaml))?.deserialize()
}

/// The least time that some work takes, of several tries where it is long: a busy machine holds one up, not all.
fn least_time(bound: Duration, mut work: impl FnMut()) -> Duration {
    let mut least = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        work();
        least = least.min(start.elapsed());
        if least < bound {
            break;
        }
    }
    least
}

/// `words` must all be in the message or the help.
#[track_caller]
fn check(yaml: &str, line: usize, key: &str, words: &[&str]) {
    let error = load(yaml).expect_err("a bad file was accepted");
    let bound = Duration::from_secs(1);
    let took = least_time(bound, || drop(load(yaml)));
    assert!(took < bound, "took {took:?}");
    let said = format!("{error:#}");
    assert_eq!(error.line(), Some(line), "{said}");
    assert_eq!(error.key().unwrap_or_default(), key, "{said}");
    for word in words {
        assert!(said.contains(word), "{word:?} is not in: {said}");
    }
    assert!(said.starts_with(&format!("robot.yaml:{line}:")), "{said}");
    assert!(!said.contains('\n') && said.len() < 2000, "{said}");
}

#[test]
fn when_file_is_good_expect_values() {
    let yaml =
        "body_height: 1\nmass: 2.5\ngait: wave\nservos: {coxa: {channel: 0x0a}}\nboards: {0x40: {frequency_hz: 50}}\n";
    let robot = load(yaml).unwrap();
    assert_eq!(robot.body_height, 1.0);
    assert_eq!(robot.servos["coxa"].channel, 10);
    assert_eq!(robot.boards[&64].frequency_hz, 50.0);
    assert_eq!(robot.gait, Gait::Wave);
}

#[test]
fn when_syntax_is_bad_expect_line() {
    check("", 1, "", &["empty"]);
    check("   \n\n", 1, "", &["empty"]);
    check("# one\n# two\n", 1, "", &["only comments"]);
    check("---\n", 1, "", &["empty"]);
    check("~\n", 1, "", &["empty"]);
    check("body_height: 1\nservos:\n\tcoxa: {channel: 1}\n", 3, "", &["tab", "spaces"]);
    check("servos:\n  coxa:\n  \tchannel: 1\n", 3, "", &["tab"]);
    check("body_height: 1\n\tmass: 1\n", 2, "", &["tab"]);
    check("body_height: \"\\q\"\n", 1, "", &["not valid YAML", "backslash"]);
    check("body_height: ]\n", 1, "", &["not valid YAML", "brackets"]);
    check("a:1\nb: 2\n", 2, "", &["continues", "colon"]);
    check("servos:\n  a\n", 2, "servos", &["expected a mapping", "\"a\""]);
    check("body_height: [1, 2\n", 1, "", &["not valid YAML", "bracket"]);
    check("body_height: 1\nservos: {coxa: {channel: 1}\n", 2, "", &["not valid YAML"]);
    check("body_height: \"1\n", 1, "", &["not valid YAML", "close the quote"]);
    check("body_height: 1\n  mass: 2\n", 2, "body_height", &["continues", "indentation"]);
    check("body_height: 1\n mass\n", 2, "body_height", &["continues", "colon"]);
    check("a:\n  b: x\n   c\n", 3, "a.b", &["continues", "colon"]);
    check("a: b: c\n", 1, "", &["not valid YAML"]);
    check("a: 1\nb: @x\n", 2, "", &["not valid YAML"]);
    check("a: 1\u{0}\n", 1, "", &["control character", "U+0000"]);
    check("a: 1\rb: 2\r", 1, "", &["control character", "U+000D"]);
    check("body_height: 1\n---\nbody_height: 2\n", 2, "", &["second YAML document"]);
}

#[test]
fn when_yaml_is_too_clever_expect_refusal() {
    check("a: &x 1\nb: *x\n", 1, "a", &["anchors", "not supported"]);
    check("a: 1\nb: *x\n", 2, "b", &["aliases", "not supported"]);
    check("a: 1\nc:\n  - &y {d: 1}\n", 3, "c[0]", &["anchors"]);
    check("a: !!str 1\n", 1, "a", &["tags"]);
    check("a: !Robot {b: 1}\n", 1, "a", &["tags"]);
    check("a:\n  <<: {b: 1}\n", 2, "a", &["merge keys"]);
    check("[a, b]: 1\n", 1, "", &["single word"]);
    check("? {a: 1}\n: 2\n", 1, "", &["single word"]);
    check("a: {{ template }}\n", 1, "a", &["single word", "quote"]);
    let bomb: String =
        (1..10).map(|n| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 10].join(","))).collect();
    check(&format!("a0: &a0 lol\n{bomb}"), 1, "a0", &["anchors"]);
}

#[test]
fn when_a_key_is_given_twice_expect_both_lines() {
    check("body_height: 1\nmass: 2\nbody_height: 3\n", 3, "body_height", &["twice", "line 1"]);
    check("servos:\n  a: {channel: 1}\n  a: {channel: 2}\n", 3, "servos.a", &["twice", "line 2"]);
    check("legs:\n- {name: a}\n- {name: b, \"name\": c}\n", 3, "legs[1].name", &["twice"]);
}

#[test]
fn when_numbers_are_not_numbers_expect_key() {
    for word in [".nan", ".NaN", ".inf", "-.inf", "+.INF"] {
        check(&format!("mass: 1\nbody_height: {word}\n"), 2, "body_height", &["finite", word]);
    }
    check("body_height: 1e999\n", 1, "body_height", &["64 bit"]);
    check("boards:\n  1: {frequency_hz: 99999999999999999999}\n", 2, "boards.1.frequency_hz", &["64 bit"]);
    check("servos: {a: {channel: 010}}\n", 1, "servos.a.channel", &["octal", "write 10"]);
    check("body_height: nan\n", 1, "body_height", &["expected a number", "nan"]);
    check("body_height: \"1\"\n", 1, "body_height", &["expected a number", "without quotes"]);
    check("body_height: 9cm\n", 1, "body_height", &["expected a number", "9cm", "unit"]);
    check("body_height: 0,09\n", 1, "body_height", &["expected a number", "with a point"]);
    check("{body_height: 0,95}\n", 1, "95", &["with a point"]);
    check("body_height:\nmass: 1\n", 1, "body_height", &["expected a number", "nothing"]);
    check("body_height: true\n", 1, "body_height", &["expected a number", "true"]);
}

#[test]
fn when_a_key_is_misspelt_expect_suggestion() {
    check("body_hieght: 1\n", 1, "body_hieght", &["unknown key", "did you mean `body_height`?"]);
    check("body_height: 1\nservos:\n  a:\n    chanel: 1\n", 4, "servos.a.chanel", &["did you mean `channel`?"]);
    check("body_height: 1\nzzz: 1\n", 2, "zzz", &["unknown key", "known names", "mass"]);
    check("body_height: 1\ngait: tripd\n", 2, "gait", &["did you mean `tripod`?", "wave"]);
    check("body_height: 1\ngait: fast\n", 2, "gait", &["not one of", "tripod"]);
    check("body_height: 1\nlegs:\n- name: a\n- nam: b\n", 4, "legs[1].nam", &["did you mean `name`?"]);
    check("mass: 1\n", 1, "body_height", &["missing", "add `body_height"]);
    check("body_height: 1\nservos:\n  a: {offset_rad: 1}\n", 3, "servos.a.channel", &["missing", "under `servos.a`"]);
}

#[test]
fn when_types_are_wrong_expect_key() {
    check("body_height: 1\nservos: 3\n", 2, "servos", &["expected a mapping", "the number 3"]);
    check("body_height: 1\nlegs: left\n", 2, "legs", &["expected a list", "left"]);
    check("body_height: 1\nlegs: {a: 1}\n", 2, "legs", &["expected a list", "a mapping"]);
    check("body_height: [1]\n", 1, "body_height", &["expected a number", "a list"]);
    check("body_height: 1\nenabled: yes\n", 2, "enabled", &["expected true or false", "yes"]);
    check("body_height: 1\nlegs: [{name: 5}]\n", 2, "legs[0].name", &["expected text", "quotes"]);
    check("body_height: 1\nservos: {a: {channel: 300}}\n", 2, "servos.a.channel", &["from 0 to 255", "300"]);
    check("body_height: 1\nservos: {a: {channel: -1}}\n", 2, "servos.a.channel", &["from 0 to 255", "-1"]);
    check("body_height: 1\nservos: {a: {channel: 1.5}}\n", 2, "servos.a.channel", &["whole number", "1.5"]);
    check("body_height: 1\noffset: [1, 2]\n", 2, "offset", &["3 values"]);
    check("body_height: 1\nboards: {1: {frequency_hz: 5}, x: {frequency_hz: 5}}\n", 2, "boards.x", &["whole number"]);
    check("- 1\n- 2\n", 1, "", &["expected a mapping", "a list"]);
    check("just words\n", 1, "", &["expected a mapping", "just words"]);
}

#[test]
fn when_nested_without_end_expect_refusal_without_overflow() {
    let deep = 100_000;
    check(&"[".repeat(deep), 1, "", &["32 levels"]);
    check(&"{a: ".repeat(deep), 1, "", &["32 levels"]);
    check(&"- ".repeat(deep), 1, &"[0]".repeat(32), &["32 levels"]);
    check(&format!("a: {}{}", "[".repeat(deep), "]".repeat(deep)), 1, "", &["32 levels"]);
    check(&"[ ".repeat(33), 1, &"[0]".repeat(32), &["32 levels"]);
    let staircase: String = (0..1000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    check(&staircase, 33, &vec!["a"; 32].join("."), &["32 levels"]);
    let error = load(&"? ".repeat(deep)).unwrap_err();
    assert_eq!(error.line(), Some(1));
}

#[test]
fn when_lines_end_in_crlf_or_start_with_bom_expect_right_lines() {
    let crlf = "body_height: 1\r\nservos:\r\n  a:\r\n    channel: 1\r\n";
    assert_eq!(load(crlf).unwrap().servos["a"].channel, 1);
    check(&crlf.replace("channel", "chanel"), 4, "servos.a.chanel", &["channel"]);
    assert_eq!(load("\u{feff}body_height: 2\n").unwrap().body_height, 2.0);
    let error = load("\u{feff}body_hight: 2\n").unwrap_err();
    assert_eq!(error.location().map(|at| (at.line, at.column, at.offset)), Some((1, 1, 0)));
}

#[test]
fn when_text_is_not_ascii_expect_column_in_characters() {
    let error = load("# Größe\nbody_height: 1\nlegs: [{name: 'ü'}, {nome: 1}]  # é\n").unwrap_err();
    assert_eq!(error.location().map(|at| (at.line, at.column)), Some((3, 22)));
}

#[test]
fn when_bytes_are_not_utf8_expect_line() {
    let error = Source::from_bytes("robot.yaml", b"a: 1\nb: \xff\xfe\nc: 2\n".to_vec()).unwrap_err();
    assert_eq!((error.line(), error.location().map(|at| at.column)), (Some(2), Some(4)));
    assert!(error.to_string().contains("0xff is not UTF-8"), "{error}");
    let error = Source::from_bytes("robot.yaml", b"\xff\xfea\0:\0".to_vec()).unwrap_err();
    assert!(error.remedy().contains("UTF-16"), "{error:#}");
}

#[test]
fn when_file_cannot_be_read_expect_its_path() {
    let error = Source::read("no/such/file.yaml").unwrap_err();
    assert_eq!(error.to_string(), "no/such/file.yaml: no such file");
    assert_eq!((error.line(), error.key()), (None, None));
    let error = Source::read(env!("CARGO_MANIFEST_DIR")).unwrap_err();
    assert!(error.to_string().contains("directory"), "{error}");
}

#[test]
fn when_a_file_never_ends_expect_it_refused_at_once() {
    let error = Source::read("/dev/zero").unwrap_err();
    assert_eq!((error.message(), error.remedy()), ("this is a device, not a file", "give the path of a file"));
    let pipe = std::env::temp_dir().join(format!("hexapod_config_pipe_{}", std::process::id()));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let read = Source::read(&pipe);
    std::fs::remove_file(pipe).unwrap();
    assert_eq!(read.unwrap_err().message(), "this is a named pipe, not a file");
    assert_eq!(Source::read("/dev/null").unwrap().text, "");
}

#[test]
fn when_file_is_large_expect_bounded_time() {
    let error = Source::from_bytes("robot.yaml", vec![b'a'; MAX_BYTES + 1]).unwrap_err();
    assert!(error.to_string().contains("1 MiB"), "{error}");
    let error = Document::parse(Source::new("robot.yaml", "a".repeat(MAX_BYTES + 1))).unwrap_err();
    assert!(error.to_string().contains("1 MiB"), "{error}");

    check(&format!("[{}]", "1,".repeat(500_000)), 1, "[19999]", &["more than 20000 values"]);

    let mut flat = String::new();
    let mut flow = String::from("{");
    for index in 0..15_000 {
        flat.push_str(&format!("k{index}: ü{index}\n"));
        flow.push_str(&format!("k{index}: ü, "));
    }
    flow.push('}');
    for text in [flat, flow, format!("[{}]", "1,".repeat(15_000)), format!("a: {}", "x".repeat(1_000_000))] {
        let bound = Duration::from_secs(5);
        let took = least_time(bound, || {
            let document = Document::parse(Source::new("large.yaml", text.as_str())).unwrap();
            assert!(document.deserialize::<Robot>().is_err());
        });
        assert!(took < bound, "took {took:?}");
    }
}

#[test]
fn when_variants_have_contents_expect_a_mapping_of_one_key() {
    let yaml =
        "body_height: 1\nsteps:\n- rest\n- pause: 2\n- walk: {distance: 1}\n- walk:\n    distance: 2\n    speed: 1\n";
    let expected = vec![
        Step::Rest,
        Step::Pause(2.0),
        Step::Walk { distance: 1.0, speed: None },
        Step::Walk { distance: 2.0, speed: Some(1.0) },
    ];
    assert_eq!(load(yaml).unwrap().steps, expected);
    check(&yaml.replace("walk:\n", "wlk:\n"), 6, "steps[3].wlk", &["`wlk` is not one of", "did you mean `walk`?"]);
    check(&yaml.replace("speed", "sped"), 8, "steps[3].walk.sped", &["did you mean `speed`?"]);
    check(&yaml.replace("distance: 2", "distance: far"), 7, "steps[3].walk.distance", &["expected a number"]);
    check(&yaml.replace("{distance: 1}", "{speed: 1}"), 5, "steps[2].walk.distance", &["missing"]);
    check(&yaml.replace("rest", "rst"), 3, "steps[0]", &["did you mean `rest`?"]);
    check(&yaml.replace("- rest", "- 5"), 3, "steps[0]", &["the number 5"]);
    check(&yaml.replace("pause: 2", "pause: [2]"), 4, "steps[1].pause", &["expected a number"]);
    check(&yaml.replace("pause: 2", "pause:"), 4, "steps[1].pause", &["expected a number", "nothing"]);
    check(&yaml.replace("pause: 2", "{pause: 2, rest: 1}"), 4, "steps[1]", &["one key"]);
}
