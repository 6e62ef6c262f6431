//! What an owner writes over the shipped servos.

#![allow(clippy::unwrap_used)]

use hexapod_config::ConfigError;
use hexapod_kinematics::{Leg, LegOptions, LegSpec, Robot};
use hexapod_servo::calibration::Touch;
use hexapod_setup::{
    ConfigFile, Description, Files, check_servos_alone, outranked_defaults, read_servo2040, read_servos,
    simulated_servos,
};

const SHIPPED: &str = include_str!("../../../config/servos.yaml");
const URDF: &str = include_str!("../../../urdf/hexapod.urdf");

fn read(own: &str, robot: &Robot) -> Result<(), ConfigError> {
    let file = ConfigFile::of_texts([("shipped/servos.yaml", SHIPPED), ("own/servos.yaml", own)]);
    read_servos(&file, robot).map(drop)
}

#[test]
fn when_points_are_not_those_of_a_servo_expect_what_one_usually_has() {
    let robot = Robot::from_urdf(URDF).unwrap();
    let points = |us: f64| {
        let (from, to) = (1500.0 - us, 1500.0 + us);
        format!(
            "servos:\n  left_front_femur: {{points: [{{angle_rad: -0.3, pulse_us: {from}}}, {{angle_rad: 0.3, pulse_us: {to}}}]}}\n"
        )
    };
    let error = read(&points(10.0), &robot).unwrap_err();
    assert_eq!((error.key(), error.line()), (Some("servos.left_front_femur.points"), Some(2)), "{error:#}");
    assert!(
        error.message().contains("20 us for 34.4 degrees") && error.message().contains("1000 us for 90"),
        "{error}"
    );
    read(&points(190.0), &robot).unwrap();
    let error = read(&points(400.0), &robot).unwrap_err();
    assert!(error.message().contains("800 us for 34.4 degrees"), "a range of 80 degrees on all pulses: {error}");
    let three = |middle_us: f64| {
        let [from, middle, to] = [(-1.57, 500.0), (0.0, middle_us), (1.57, 2500.0)]
            .map(|(rad, us)| format!("{{angle_rad: {rad}, pulse_us: {us}}}"));
        read(&format!("servos:\n  left_front_femur: {{points: [{from}, {middle}, {to}]}}\n"), &robot)
    };
    let error = three(2400.0).unwrap_err();
    assert!(error.message().contains("100 us for 90.0 degrees"), "{error}");
    three(1600.0).unwrap();
}

#[test]
fn when_boards_are_of_the_wrong_form_expect_the_right_one_and_no_missing_boards() {
    let error = read("boards: [0x40, 0x41]\n", &Robot::from_urdf(URDF).unwrap()).unwrap_err();
    let keys: Vec<_> = error.each().map(|error| error.key().unwrap()).collect();
    assert_eq!(keys, ["boards[0]", "boards[1]"], "{error:#}");
    assert!(error.message().contains("{address: 0x40"), "{error}");
}

#[test]
fn when_a_servo_has_no_joint_or_there_are_no_boards_expect_that_alone() {
    let robot = Robot::from_urdf(URDF).unwrap();
    for (own, key) in [
        ("servos:\n  left_front.coxa: {trim_rad: 0.1}\n", "servos.left_front.coxa"),
        ("servos:\n  left_front_coxa_link: {trim_rad: 0.1}\n", "servos.left_front_coxa_link"),
        ("boards: []\n", "boards"),
    ] {
        let error = read(own, &robot).unwrap_err();
        assert_eq!(error.each().map(|error| error.key().unwrap()).collect::<Vec<_>>(), [key], "{error:#}");
    }
}

#[test]
fn when_only_four_legs_are_listed_expect_the_servos_of_the_others_unused() {
    let legs = ["left_front", "left_rear", "right_front", "right_rear"];
    let spec = |leg: &str| LegSpec { name: leg.into(), foot_link: format!("{leg}_foot") };
    let options = LegOptions { legs: legs.map(spec).to_vec(), ..LegOptions::default() };
    let robot = Robot::from_urdf_with(URDF, &options).unwrap();
    let file = ConfigFile::of_texts([("shipped/servos.yaml", SHIPPED)]);
    assert_eq!(read_servos(&file, &robot).unwrap().servos().len(), 12);
}

#[test]
fn when_null_takes_a_servo_away_expect_its_line_on_either_bus_and_no_other_robot_made_up() {
    let robot = Robot::from_urdf(URDF).unwrap();
    let own = "servos:\n  left_front_coxa: {trim_rad: 0.1}\n  right_rear_tibia: null\n";
    for own in [own, "servos:\n\n  right_rear_tibia: null\n"] {
        let file = ConfigFile::of_texts([("shipped/servos.yaml", SHIPPED), ("own/servos.yaml", own)]);
        for error in [read_servos(&file, &robot).unwrap_err(), simulated_servos(&file, &robot).unwrap_err()] {
            assert_eq!((error.line(), error.key()), (Some(3), Some("servos.right_rear_tibia")), "{error:#}");
            assert!(error.each().count() == 1 && error.message().contains("null takes the servo"), "{error:#}");
        }
    }
}

#[test]
fn when_a_kind_tells_its_torque_expect_it_as_the_effort_unless_robot_yaml_gives_one() {
    let folder = std::env::temp_dir().join(format!("hexapod_efforts_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let effort = |name: &str, robot_yaml: &str, servos_yaml: &str| {
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("robot.yaml"), robot_yaml).unwrap();
        std::fs::write(folder.join("servos.yaml"), servos_yaml).unwrap();
        let files =
            Files::find(folder.to_str().unwrap(), concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/hexapod.urdf"));
        let robot = Description::read(&files.unwrap()).unwrap().robot;
        let joint = robot.legs()[0].joints()[1].clone();
        assert_eq!(
            robot.model().joints().iter().find(|of| of.name() == joint.name()).unwrap().limits().unwrap().effort,
            joint.limits().effort
        );
        joint.limits().effort
    };
    let mg996r = "defaults: {all: {kind: mg996r}}\n";
    assert_eq!(effort("none", "limits: {}", "servos: {}"), 1.8);
    assert_eq!(effort("kind", "limits: {}", mg996r), 0.922);
    assert_eq!(effort("both", "limits: {all: {effort: 1.2}}", mg996r), 1.2);
    assert_eq!(effort("speed", "limits: {all: {velocity: 3.0}}", mg996r), 0.922);
    std::fs::remove_dir_all(folder).unwrap();
}

/// What an owner writes of a Servo2040, and what comes of it.
fn read_2040(own: &str) -> Result<hexapod_servo::ServoConfig, ConfigError> {
    Ok(with_touch(own)?.0)
}

fn with_touch(own: &str) -> Result<(hexapod_servo::ServoConfig, Option<Touch>), ConfigError> {
    let file = ConfigFile::of_texts([("shipped/servos.yaml", SHIPPED), ("own/servos.yaml", own)]);
    read_servo2040(&file, &Robot::from_urdf(URDF).unwrap())
}

fn on_channels(change: impl Fn(usize, &str) -> String) -> String {
    let robot = Robot::from_urdf(URDF).unwrap();
    let joints = robot.legs().iter().flat_map(|leg| leg.joints()).enumerate();
    let lines = joints.map(|(channel, joint)| format!("    {}: {}\n", joint.name(), change(channel, joint.name())));
    format!("servo2040:\n  servos:\n{}", lines.collect::<String>())
}

#[test]
fn when_servos_are_on_a_servo2040_expect_its_channels_kinds_and_defaults_and_what_boards_have_left_alone() {
    let own = on_channels(|channel, _| format!("{{channel: {channel}}}"));
    let config = read_2040(&format!("defaults:\n  all: {{kind: mg996r}}\n{own}")).unwrap();
    assert_eq!((config.servos().len(), config.servos()[17].channel()), (18, 17));
    assert_eq!(config.servos()[1].speed_limit_rad_s(), 6.1, "of mg996r");
    assert_eq!(config.servos()[0].pulse_limits_us(), (980.0, 2020.0), "of a coxa, as shipped");
    let file = ConfigFile::of_texts([("shipped/servos.yaml", SHIPPED), ("own/servos.yaml", &own)]);
    let boards = read_servos(&file, &Robot::from_urdf(URDF).unwrap()).unwrap();
    assert_eq!((boards.boards().len(), boards.servos()[17].channel()), (2, 8));
    read_2040(&format!("simulated: true\n{own}")).unwrap();
}

#[test]
fn when_servos_of_a_servo2040_do_not_hold_expect_their_keys_and_lines() {
    let wrong = |own: &str, key: &str, line: Option<usize>, words: &str| {
        let error = read_2040(own).unwrap_err();
        let found = error
            .each()
            .any(|error| (error.key(), error.line()) == (Some(key), line) && error.message().contains(words));
        assert!(found, "{key}: {error:#}");
    };
    let last = on_channels(|channel, _| format!("{{channel: {}}}", if channel == 1 { 18 } else { channel }));
    wrong(&last, "servo2040.servos.left_front_femur.channel", Some(4), "the board has channels 0 to 17");
    let twice = on_channels(|channel, _| format!("{{channel: {}}}", channel.max(1)));
    wrong(&twice, "servo2040.servos.left_front_femur.channel", Some(4), "already drives `left_front_coxa`");
    let lacking = "servo2040:\n  servos:\n    left_front_coxa: {channel: 0}\n";
    wrong(lacking, "servo2040.servos", Some(2), "joint `right_rear_tibia` has no servo");
    let unknown = on_channels(|channel, _| format!("{{channel: {channel}}}")) + "    tail: {channel: 3}\n";
    wrong(&unknown, "servo2040.servos.tail", Some(21), "the robot has no such joint");
    let board = on_channels(|channel, _| format!("{{channel: {channel}, board: 1}}"));
    wrong(&board, "servo2040.servos.left_front_coxa.board", Some(3), "there is no board 1");
    wrong("servo2040: {port: 3}\n", "servo2040.port", Some(1), "");
    let none = read_2040("timing: {sit_after_s: 1.0}\n").unwrap_err();
    assert!(none.message().contains("there is no section `servo2040`"), "{none:#}");
}

#[test]
fn when_feet_have_touch_inputs_expect_them_by_their_legs_and_what_does_not_hold_by_its_key_and_line() {
    let own = on_channels(|channel, _| format!("{{channel: {channel}}}"));
    let read = |touch: &str| with_touch(&format!("{own}  touch: {touch}\n"));
    assert_eq!(with_touch(&own).unwrap().1, None);
    let touch = read("{inputs: {right_rear: 5, left_front: 0}, pressed: low}").unwrap().1.unwrap();
    assert_eq!(touch.legs().collect::<Vec<_>>(), ["left_front", "right_rear"]);
    assert_eq!(touch.of_volts(|input| if input == 5 { 0.1 } else { 3.2 }), 0b10);
    for (touch, key, words) in [
        ("{inputs: {left_frnt: 0}}", "inputs.left_frnt", "the robot has no such leg"),
        ("{inputs: {left_front: 6}}", "inputs.left_front", "touch input 6 does not exist"),
        ("{inputs: {left_front: -1}}", "inputs.left_front", "touch input -1 does not exist"),
        ("{inputs: {left_front: 2, left_rear: 2}}", "inputs.left_rear", "already that of leg `left_front`"),
        ("{inputs: {}}", "inputs", "no leg has a touch input"),
        ("{inputs: {left_front: 0}, threshold_v: 5.0}", "threshold_v", "never has this voltage"),
        ("{inputs: {left_front: 0}, pressed: closed}", "pressed", "closed"),
        ("{left_front: 0}", "left_front", "unknown"),
    ] {
        let error = read(touch).unwrap_err();
        let key = format!("servo2040.touch.{key}");
        let found = error
            .each()
            .any(|error| error.key() == Some(&key) && error.line() == Some(21) && error.message().contains(words));
        assert!(found, "{touch}: {error:#}");
    }
}

#[test]
fn when_a_default_counts_for_no_servo_as_each_gives_its_own_expect_that_said() {
    let robot = Robot::from_urdf(URDF).unwrap();
    let said = |defaults: &str, own: &str| {
        let joints = robot.legs().iter().flat_map(Leg::joints);
        let servos: String = joints.map(|joint| format!("  {}: {{{own}}}\n", joint.name())).collect();
        let text = format!("defaults:\n  all: {{kind: mg996r, {defaults}}}\nservos:\n{servos}");
        let file = ConfigFile::of_texts([("shipped/servos.yaml", SHIPPED), ("own/servos.yaml", &text)]);
        read_servos(&file, &robot).unwrap();
        outranked_defaults(&file, &robot)
    };
    let notes = said("min_pulse_us: 1100", "min_pulse_us: 1000");
    assert!(notes.len() == 1 && notes[0].starts_with("defaults.all.min_pulse_us in servos.yaml counts for no servo"));
    assert_eq!(said("min_pulse_us: 1100", "max_pulse_us: 2000"), [""; 0]);
    assert_eq!(said("trim_rad: 0.01", ""), [""; 0]);
}

#[test]
fn when_the_robot_cannot_be_read_expect_its_servos_not_compared_with_the_shipped_ones_but_with_each_other() {
    let read = |own: &str| {
        check_servos_alone(ConfigFile::of_texts([("shipped/servos.yaml", SHIPPED), ("own/servos.yaml", own)]))
    };
    let own = "servos:\n  leg0_coxa: {board: 0, channel: 0}\n  leg0_femur: {board: 0, channel: 1}\n";
    read(own).unwrap();
    let twice = read(&own.replace("channel: 1", "channel: 0")).unwrap_err();
    assert_eq!((twice.each().count(), twice.key()), (1, Some("servos.leg0_femur.channel")), "{twice:#}");
    read("servos:\n  left_front_coxa: {trim_rad: 0.1}\n").unwrap();
}
