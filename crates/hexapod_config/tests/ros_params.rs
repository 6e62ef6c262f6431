//! ROS 2 parameter files, overrides and single values.
#![allow(clippy::expect_used)] // in the helper of the tables, which is a test in all but name

use hexapod_config::ros_params::{
    ParamSpec, ParamValue, Params, check_known_nodes, check_named, load_ros_params, parse_override,
};
use hexapod_config::{ConfigError, Document, Source};

const NODES: [&str; 3] = ["gait_planner", "servo_driver", "state_publisher"];

fn planner() -> Vec<ParamSpec> {
    vec![
        ParamSpec::new("rate", 100.0, "Ticks of the control loop, Hz").range(10.0, 1000.0).read_only(),
        ParamSpec::new("gait", "tripod", "Gait to start with"),
        ParamSpec::new("stamped_cmd_vel", false, "TwistStamped instead of Twist"),
        ParamSpec::new("config", "", "Folder of gaits.yaml"),
        ParamSpec::new("mode", "walk", "What to do").choices(&["walk", "stand"]),
        ParamSpec::new("retries", 2, "Attempts").range(0.0, 5.0),
        ParamSpec::new("limits.linear", 0.15, "Greatest speed, m/s").range(0.0, 1.0),
        ParamSpec::new("limits.angular", 0.8, "Greatest turn rate, rad/s").range(0.0, 4.0),
        ParamSpec {
            default: ParamValue::DoubleArray(vec![0.0; 3]),
            ..ParamSpec::new("offset", 0.0, "Offset, m").range(-1.0, 1.0)
        },
    ]
}

fn load_for(node: &str, yaml: &str) -> Result<Params, ConfigError> {
    let document = Document::parse(Source::new("hexapod.yaml", yaml))?;
    check_known_nodes(&document, &NODES)?;
    load_ros_params(&document, node, &planner())
}

fn load(yaml: &str) -> Result<Params, ConfigError> {
    load_for("gait_planner", yaml)
}

/// The same, with the two first lines that every file has.
fn load_below(params: &str) -> Result<Params, ConfigError> {
    load(&below(params))
}

fn below(params: &str) -> String {
    format!("gait_planner:\n  ros__parameters:\n    {}\n", params.replace('\n', "\n    "))
}

#[track_caller]
fn check(yaml: &str, line: usize, key: &str, words: &[&str]) {
    let error = load(yaml).expect_err("a bad file was accepted");
    let said = format!("{error:#}");
    assert_eq!((error.line(), error.key().unwrap_or_default()), (Some(line), key), "{said}");
    for word in words {
        assert!(said.contains(word), "{word:?} is not in: {said}");
    }
}

/// A fault in the third line or below, under `gait_planner.ros__parameters`.
#[track_caller]
fn check_below(params: &str, line: usize, name: &str, words: &[&str]) {
    check(&below(params), line + 2, &format!("gait_planner.ros__parameters.{name}"), words);
}

#[test]
fn when_nothing_is_given_expect_defaults() {
    for yaml in ["gait_planner:\n  ros__parameters: {}\n", "gait_planner:\n  ros__parameters:\n    # rate: 5\n"] {
        let params = load(yaml).unwrap();
        assert_eq!(params.len(), planner().len());
        assert_eq!(params["rate"], ParamValue::Double(100.0));
    }
}

#[test]
fn when_values_are_good_expect_declared_types() {
    let params =
        load_below("rate: 50\nlimits: {linear: 0}\nlimits.angular: 1\noffset: [0, 0.5, 1]\nmode: stand").unwrap();
    assert_eq!(params["rate"], ParamValue::Double(50.0));
    assert_eq!(params["limits.linear"], ParamValue::Double(0.0));
    assert_eq!(params["limits.angular"], ParamValue::Double(1.0));
    assert_eq!(params["offset"], ParamValue::DoubleArray(vec![0.0, 0.5, 1.0]));
    assert_eq!(params["mode"].as_str(), Some("stand"));
    assert_eq!(load_below("offset: []").unwrap()["offset"], ParamValue::DoubleArray(Vec::new()));
}

#[test]
fn when_a_file_names_a_file_expect_it_beside_that_one_and_other_texts_as_they_are() {
    let specs = [ParamSpec::new("urdf", "", "").path(""), ParamSpec::new("terrain", "flat", "").path(".png")];
    let text = |name: &str, value: &str| {
        let yaml = format!("/**:\n  ros__parameters:\n    {name}: {value}\n");
        let document = Document::parse(Source::new("/robot/config/hexapod.yaml", yaml)).unwrap();
        load_ros_params(&document, "simulator", &specs).unwrap()[name].as_str().unwrap().to_owned()
    };
    for (name, value, expected) in [
        ("urdf", "robot.urdf", "/robot/config/robot.urdf"),
        ("urdf", "../robot.urdf", "/robot/config/../robot.urdf"),
        ("urdf", "/else/robot.urdf", "/else/robot.urdf"),
        ("urdf", "~/robot.urdf", "~/robot.urdf"),
        ("urdf", "package://robot/robot.urdf", "package://robot/robot.urdf"),
        ("urdf", "''", ""),
        ("terrain", "ground/hills.PNG", "/robot/config/ground/hills.PNG"),
        ("terrain", "rubble", "rubble"),
    ] {
        assert_eq!(text(name, value), expected, "{name}: {value}");
    }
}

#[test]
fn when_sections_overlap_expect_the_most_specific() {
    let section = |name: &str, rate: u32| format!("{name}:\n  ros__parameters: {{rate: {rate}}}\n");
    let yaml = section("gait_planner", 30) + &section("/**/gait_planner", 20) + &section("/**", 10);
    assert_eq!(load(&yaml).unwrap()["rate"], ParamValue::Double(20.0), "equally specific: the later one");
    assert_eq!(load_for("servo_driver", &yaml).unwrap()["rate"], ParamValue::Double(10.0));
    let yaml = section("/robot/gait_planner", 40) + &section("gait_planner", 30);
    assert_eq!(load_for("/robot/gait_planner", &yaml).unwrap()["rate"], ParamValue::Double(40.0));
    assert_eq!(load_for("/other/gait_planner", &yaml).unwrap()["rate"], ParamValue::Double(30.0));
}

#[test]
fn when_a_section_is_wrong_expect_its_line() {
    check("gait_planer:\n  ros__parameters: {}\n", 1, "gait_planer", &["unknown node", "did you mean `gait_planner`?"]);
    check("# x\n/a/walker:\n  ros__parameters: {}\n", 2, "/a/walker", &["unknown node `walker`", "servo_driver"]);
    check("gait_planner:\n  rate: 5\n", 1, "gait_planner", &["`ros__parameters` is missing"]);
    check("gait_planner:\n", 1, "gait_planner", &["`ros__parameters` is missing"]);
    check("gait_planner: 5\n", 1, "gait_planner", &["`ros__parameters` is missing"]);
    check("gait_planner:\n  ros_parameters:\n    rate: 5\n", 2, "gait_planner.ros_parameters", &["two underscores"]);
    check(
        "gait_planner:\n  ros__parameters: {}\n  rate: 5\n",
        3,
        "gait_planner.rate",
        &["not below `ros__parameters:`"],
    );
    check(
        "gait_planner:\n  ros__parameters: [1]\n",
        2,
        "gait_planner.ros__parameters",
        &["expected a mapping, found a list"],
    );
    check("servo_driver:\n  rate: 5\n", 1, "servo_driver", &["`ros__parameters` is missing"]);
    check("rate\n", 1, "", &["expected a mapping", "gait_planner"]);
    check("- rate\n", 1, "", &["expected a mapping, found a list"]);
    check(
        "/**:\n  ros__parameters:\n    rte: 5\n",
        3,
        "/**.ros__parameters.rte",
        &["did you mean `rate`?", "every node"],
    );
}

#[test]
fn when_a_parameter_is_wrong_expect_its_line() {
    check_below("gait: tripod\nrat: 5", 2, "rat", &["gait_planner has no parameter `rat`", "did you mean `rate`?"]);
    check_below("limits:\n  linar: 5", 2, "limits.linar", &["`limits.linar`", "did you mean `limits.linear`?"]);
    check_below("rate: fast", 1, "rate", &["expected a number", "\"fast\"", "from 10 to 1000"]);
    check_below("rate: '50'", 1, "rate", &["expected a number", "\"50\""]);
    check_below("rate: 5000", 1, "rate", &["5000.0 is out of range", "from 10 to 1000", "by default 100.0"]);
    check_below("rate: .nan", 1, "rate", &["finite"]);
    check_below("rate: -.inf", 1, "rate", &["finite"]);
    check_below("rate:", 1, "rate", &["no value"]);
    check_below("rate: {hz: 5}", 1, "rate", &["found a mapping"]);
    check_below("rate: [5]", 1, "rate", &["expected a number, found a list of whole numbers"]);
    check_below("limits: 5", 1, "limits", &["no parameter `limits`"]);
    check_below("retries: 1.0", 1, "retries", &["expected a whole number"]);
    check_below("retries: 9", 1, "retries", &["9 is out of range", "0 to 5"]);
    check_below("gait: 5", 1, "gait", &["expected text, found the number 5"]);
    check_below("gait: ''", 1, "gait", &["empty"]);
    check_below("gait: \"a\\0b\"", 1, "gait", &["control characters"]);
    check_below("mode: stnad", 1, "mode", &["\"stnad\" is not known", "did you mean `stand`?", "walk"]);
    check_below("stamped_cmd_vel: yes", 1, "stamped_cmd_vel", &["expected true or false", "yes"]);
    check_below("stamped_cmd_vel: 1", 1, "stamped_cmd_vel", &["expected true or false"]);
    check_below("offset: [0, 7]", 1, "offset", &["7.0 is out of range"]);
    check_below("offset: [0, a]", 1, "offset", &["one type"]);
    check_below("limits: {linear: 1}\nlimits.linear: 1", 2, "limits.linear", &["given twice"]);
    check_below("rate: 50\nrate: 60", 2, "rate", &["given twice"]);
}

#[test]
fn when_overrides_are_good_expect_typed_values() {
    let cases: [(&str, &str, &str, ParamValue); 9] = [
        ("gait_planner.rate:=50", "gait_planner", "rate", ParamValue::Integer(50)),
        ("gait_planner.rate:=5e1", "gait_planner", "rate", ParamValue::Double(50.0)),
        ("/robot/gait_planner.limits.linear:=0.1", "/robot/gait_planner", "limits.linear", ParamValue::Double(0.1)),
        ("servo_driver.bus:=i2c", "servo_driver", "bus", "i2c".into()),
        ("servo_driver.bus:=\"5\"", "servo_driver", "bus", "5".into()),
        ("a.b:=", "a", "b", "".into()),
        ("a.b:=true", "a", "b", ParamValue::Bool(true)),
        ("a.b:=[1, 2.5]", "a", "b", ParamValue::DoubleArray(vec![1.0, 2.5])),
        ("a.urdf:=/home/me/my robot.urdf", "a", "urdf", "/home/me/my robot.urdf".into()),
    ];
    for (text, node, name, value) in cases {
        assert_eq!(parse_override(text), Ok((Some(node.into()), name.into(), value)), "{text}");
    }
    assert_eq!(parse_override("rate:=50"), Ok((None, "rate".into(), ParamValue::Integer(50))));
}

#[test]
fn when_overrides_are_bad_expect_reason() {
    let cases = [
        ("gait_planner.rate=50", "NODE.NAME:=VALUE"),
        (":=50", "such as gait_planner.rate:=100"),
        (".rate:=50", "such as"),
        ("gait planner.rate:=50", "such as"),
        ("gait_planner.:=50", "such as"),
        ("gait_planner.a..b:=50", "such as"),
        ("a.b:=.nan", "finite"),
        ("a.b:=~", "no value"),
        ("a.b:=# x", "quote"),
        ("a.b:={c: 1}", "a mapping"),
        ("a.b:=x: y", "a mapping"),
        ("a.b:=[1", "not valid YAML"),
        ("a.b:=&x 1", "anchors"),
        ("", "NODE.NAME:=VALUE"),
    ];
    for (text, words) in cases {
        let reason = parse_override(text).unwrap_err();
        assert!(reason.contains(words), "{text}: {reason}");
    }
}

#[test]
fn when_values_are_set_while_running_expect_the_same_rules() {
    let specs = planner();
    let (spec, value) = check_named(&specs, "rate", &ParamValue::Integer(20)).unwrap();
    assert_eq!((spec.name, spec.read_only, value), ("rate", true, ParamValue::Double(20.0)));
    // `ros2 param set` takes [] for a list of true or false, whatever the parameter.
    for empty in [ParamValue::BoolArray(vec![]), ParamValue::IntegerArray(vec![]), ParamValue::StringArray(vec![])] {
        assert_eq!(check_named(&specs, "offset", &empty).map(|(_, value)| value), Ok(ParamValue::DoubleArray(vec![])));
    }
    for (name, value, words) in [
        ("rat", ParamValue::Double(1.0), "did you mean `rate`?"),
        ("rate", ParamValue::Double(f64::NAN), "not a finite number"),
        ("rate", ParamValue::Double(f64::INFINITY), "not a finite number"),
        ("rate", ParamValue::Bool(true), "expected a number, found `true`"),
        ("offset", ParamValue::DoubleArray(vec![0.0, f64::NAN]), "not a finite number"),
        ("gait", "  ".into(), "empty"),
    ] {
        let reason = check_named(&specs, name, &value).unwrap_err();
        assert!(reason.contains(words), "{name}: {reason}");
    }
}

#[test]
fn when_an_entry_of_a_list_is_not_finite_expect_it_named_and_no_word_of_its_type() {
    let offset = || ParamSpec::new("offset", ParamValue::DoubleArray(vec![0.0; 3]), "Offset, m");
    let rate = || ParamSpec::new("rate", 50.0, "Rate, Hz");
    let reported = |text: &str, spec: ParamSpec| match parse_override(text) {
        Err(why) => why,
        Ok((_, _, value)) => spec.check(&value).unwrap_err(),
    };
    for (text, entry) in [
        ("offset:=[0, nan, 0]", "entry 2 of the list, nan, is not a finite number"),
        ("offset:=[0.0, 1.0, -inf]", "entry 3 of the list, -inf, is not a finite number"),
        ("offset:=[NaN, nan, nan]", "entry 1 of the list, NaN, is not a finite number"),
    ] {
        let why = reported(text, offset());
        assert!(why.contains(entry) && !why.contains("type") && !why.contains("texts"), "{why}");
    }
    assert!(reported("rate:=nan", rate()).starts_with("nan is not a finite number: `rate` takes a number"));
    assert!(reported("rate:=fast", rate()).contains("found the text"));
    let given = ParamValue::DoubleArray(vec![0.0, f64::NAN, 0.0]);
    assert!(offset().check(&given).is_err_and(|why| why.starts_with("entry 2 of the list, NaN, is not a finite")));
}
