//! What an owner writes over the shipped servos.

#![allow(clippy::unwrap_used)]

use hexapod_config::ConfigError;
use hexapod_kinematics::{LegOptions, LegSpec, Robot};
use hexapod_setup::{ConfigFile, read_servos};

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
