//! What an owner writes over the shipped servos.

#![allow(clippy::unwrap_used)]

use hexapod_config::ConfigError;
use hexapod_kinematics::{LegOptions, LegSpec, Robot};
use hexapod_setup::{ConfigFile, Description, Files, read_servos, simulated_servos};

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
