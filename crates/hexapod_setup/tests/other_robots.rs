//! Files that were written for one robot, read for another.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use hexapod_config::{Document, Source};
use hexapod_kinematics::Robot;
use hexapod_setup::{Files, Gaits, check_servos, read_servos, servos_text, simulated_servos};

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config");
const GAITS: &str = "gaits:\n  tripod: {duty_factor: 0.5, cycle_time: 0.8, lag: 0.5, side_lag: 0.5}\n  \
                     bound: {duty_factor: 0.5, cycle_time: 0.8, stable: false}\n  \
                     crawl: {duty_factor: 0.8, cycle_time: 2.0, lag: 0.25, side_lag: 0.5}\n";

/// A robot of so many insect legs in two rows.
fn robot(legs: usize) -> Robot {
    let mut text = String::from("<robot name='r'><link name='base_link'/>");
    for leg in 0..legs {
        let (left, rank) = (leg % 2 == 0, (leg / 2) as f64);
        let (y, yaw) = if left { (0.1, 1.5) } else { (-0.1, -1.5) };
        let x = 0.12 * (0.5 * (legs as f64 / 2.0 - 1.0) - rank);
        let mut parent = "base_link".to_owned();
        for (part, origin, axis) in [
            ("coxa", format!("xyz='{x} {y} 0' rpy='0 0 {yaw}'"), "0 0 1"),
            ("femur", "xyz='0.05 0 0'".to_owned(), "0 -1 0"),
            ("tibia", "xyz='0.07 0 0'".to_owned(), "0 -1 0"),
        ] {
            text += &format!(
                "<link name='{leg}_{part}_link'/><joint name='{leg}_{part}' type='revolute'><parent link='{parent}'/>\
                 <child link='{leg}_{part}_link'/><origin {origin}/><axis xyz='{axis}'/>\
                 <limit lower='-2.6' upper='1.0' velocity='4' effort='1'/></joint>"
            );
            parent = format!("{leg}_{part}_link");
        }
        text += &format!(
            "<link name='{leg}_foot'/><joint name='{leg}_tip' type='fixed'><parent link='{parent}'/>\
             <child link='{leg}_foot'/><origin xyz='0.12 0 0'/></joint>"
        );
    }
    Robot::from_urdf(&(text + "</robot>")).unwrap()
}

fn gaits_file(name: &str, text: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!("hexapod_gaits_{name}_{}.yaml", std::process::id()));
    std::fs::write(&file, text).unwrap();
    file
}

#[test]
fn when_a_gait_is_for_other_legs_expect_the_first_stable_one_that_fits() {
    let file = gaits_file("fits", GAITS);
    let four = Gaits::read(&file, &robot(4)).unwrap();
    assert_eq!(four.names().collect::<Vec<_>>(), ["bound", "crawl"], "in the order of the file");
    assert_eq!(four.left_out().map(|(name, _)| name).collect::<Vec<_>>(), ["tripod"]);
    let (name, _, remark) = four.starting("tripod").unwrap();
    assert_eq!(name, "crawl", "bound is not meant to be stable");
    assert!(remark.unwrap().contains("a robot of 4 legs"));
    assert!(four.get("tripod").unwrap_err().contains("not for this robot"));
    for legs in [6, 8] {
        let gaits = Gaits::read(&file, &robot(legs)).unwrap();
        let (name, _, remark) = gaits.starting("tripod").unwrap();
        assert_eq!((name.as_str(), remark), ("tripod", None));
    }
    assert!(four.starting("gallop").unwrap_err().contains("gallop"));
    std::fs::remove_file(file).unwrap();
}

#[test]
fn when_a_gait_falls_whatever_the_legs_expect_its_line() {
    let text = format!("{GAITS}  hop: {{duty_factor: 0.3, cycle_time: 1.0}}\n");
    let file = gaits_file("falls", &text);
    let error = Gaits::read(&file, &robot(4)).unwrap_err();
    assert_eq!((error.line(), error.key()), (Some(5), Some("gaits.hop")), "{error}");
    std::fs::write(&file, "gaits:\n  tripod: {duty_factor: 0.5, cycle_time: 0.8, lag: 0.5}\n").unwrap();
    let error = Gaits::read(&file, &robot(4)).unwrap_err();
    assert!(error.to_string().contains("none is for this robot of 4 legs"), "{error}");
    std::fs::remove_file(file).unwrap();
}

#[test]
fn when_phases_are_for_legs_of_other_names_expect_the_gait_left_out() {
    let text = format!("{GAITS}  own: {{duty_factor: 0.8, cycle_time: 1.0, phase_offsets: {{left_front: 0.0}}}}\n");
    let file = gaits_file("names", &text);
    let gaits = Gaits::read(&file, &robot(4)).unwrap();
    assert!(gaits.get("own").unwrap_err().contains("other legs"));
    std::fs::remove_file(file).unwrap();
}

#[test]
fn when_a_servo_is_given_to_a_joint_that_mimics_another_expect_the_joint_that_moves_it() {
    let path = Path::new(CONFIG).join("servos.yaml");
    let urdf = std::fs::read_to_string(Path::new(CONFIG).join("../urdf/hexapod.urdf")).unwrap();
    // The left middle leg has one joint more, and the one before it has lost its servo to it.
    let (before, after) = urdf.split_once("<joint name=\"left_middle_tibia\"").unwrap();
    let knee = "<link name=\"split\"/><joint name=\"left_middle_knee\" type=\"revolute\"><parent link=\"left_middle_femur_link\"/>\
        <child link=\"split\"/><origin xyz=\"0.01 0 0\"/><axis xyz=\"0 -1 0\"/><limit lower=\"-1\" upper=\"1\" velocity=\"5\" effort=\"1\"/></joint>";
    let after = after.replacen("<limit", "<mimic joint=\"left_middle_knee\" multiplier=\"2\"/><limit", 1);
    let after = after.replacen("left_middle_femur_link", "split", 1);
    let robot = Robot::from_urdf(&format!("{before}{knee}<joint name=\"left_middle_tibia\"{after}")).unwrap();
    let error = read_servos(&path, &robot).unwrap_err().to_string();
    assert!(error.contains("`left_middle_tibia` has no servo of its own: it mimics `left_middle_knee`"), "{error}");
}

#[test]
fn when_servos_are_for_another_robot_expect_simulated_ones_over_the_joints_ranges_and_no_real_ones() {
    let (path, robot) = (Path::new(CONFIG).join("servos.yaml"), robot(8));
    assert!(read_servos(&path, &robot).unwrap_err().to_string().contains("no such joint"));
    let servos = simulated_servos(&path, &robot).unwrap();
    assert!(servos.remark.unwrap().contains("another robot"));
    let config = servos.config;
    assert_eq!((config.servos().len(), config.boards().len(), config.groups().len()), (24, 2, 8));
    for joint in robot.legs().iter().flat_map(|leg| leg.joints()) {
        let servo = &config.servos()[config.joint_index(joint.name()).unwrap()];
        let (lower, upper) = servo.angle_limits_rad();
        assert!(lower >= -2.6 - 1e-9 && upper <= 1.0 + 1e-9, "{lower} {upper}");
        assert!(lower < -2.55 && upper > 0.95, "{lower} {upper}");
    }
}

/// The shipped robot with a tarsus at the end of each leg: its other joints are called as they are there.
fn with_tarsi() -> Robot {
    let urdf = std::fs::read_to_string(Path::new(CONFIG).join("../urdf/hexapod.urdf")).unwrap();
    let mut text = urdf.replace("</robot>", "");
    for side in ["left", "right"] {
        for rank in ["front", "middle", "rear"] {
            let leg = format!("{side}_{rank}");
            text += &format!(
                "<link name='{leg}_tarsus_link'/><joint name='{leg}_tarsus' type='revolute'>\
                 <parent link='{leg}_foot'/><child link='{leg}_tarsus_link'/><axis xyz='0 -1 0'/>\
                 <limit lower='-1' upper='1' velocity='5' effort='1'/></joint><link name='{leg}_tip'/>\
                 <joint name='{leg}_end' type='fixed'><parent link='{leg}_tarsus_link'/><child link='{leg}_tip'/>\
                 <origin xyz='0.03 0 0'/></joint>"
            );
        }
    }
    Robot::from_urdf(&(text + "</robot>")).unwrap()
}

#[test]
fn when_a_robot_has_more_joints_than_shipped_servos_expect_simulated_ones_for_all_and_no_real_ones() {
    let (shipped, robot) = (Files::shipped_alone().unwrap().in_config("servos.yaml"), with_tarsi());
    let servos = simulated_servos(&shipped, &robot).unwrap();
    assert_eq!(servos.config.servos().len(), 24);
    assert!(servos.remark.unwrap().contains("another robot"));
    assert!(read_servos(&shipped, &robot).unwrap_err().to_string().contains("`left_front_tarsus` has no servo"));
    // A file of the owner's that lacks some of the servos is one to finish.
    let owners = simulated_servos(Path::new(CONFIG).join("servos.yaml").as_path(), &robot).unwrap_err();
    assert!(owners.to_string().contains("`left_front_tarsus` has no servo"), "{owners}");
}

#[test]
fn when_servos_are_the_robots_own_expect_them_as_written_on_either_bus() {
    let urdf = Path::new(CONFIG).join("../urdf/hexapod.urdf");
    let robot = Robot::from_urdf(&std::fs::read_to_string(urdf).unwrap()).unwrap();
    let path = Path::new(CONFIG).join("servos.yaml");
    let simulated = simulated_servos(&path, &robot).unwrap();
    assert_eq!((simulated.config, simulated.remark), (read_servos(&path, &robot).unwrap(), None));
}

#[test]
fn when_simulated_servos_are_written_for_a_robot_expect_them_read_as_they_would_have_been_made_up() {
    let robot = robot(8);
    let made_up = simulated_servos(&Path::new(CONFIG).join("servos.yaml"), &robot).unwrap().config;
    let document = Document::parse(Source::new("servos.yaml", servos_text(&robot, None))).unwrap();
    let written = check_servos(&document, &robot).unwrap();
    assert_eq!((written.servos().len(), written.boards().len()), (24, 2));
    for (one, two) in written.servos().iter().zip(made_up.servos()) {
        assert_eq!((one.joint(), one.board(), one.channel()), (two.joint(), two.board(), two.channel()));
        let ((a, b), (c, d)) = (one.angle_limits_rad(), two.angle_limits_rad());
        assert!((a - c).abs() < 1e-3 && (b - d).abs() < 1e-3, "{a} {b} {c} {d}");
    }
}

#[test]
fn when_the_servos_of_a_file_are_made_up_expect_them_refused_for_a_real_robot() {
    let (robot, path) = (robot(6), std::env::temp_dir().join(format!("hexapod_made_up_{}.yaml", std::process::id())));
    std::fs::write(&path, servos_text(&robot, None)).unwrap();
    let error = read_servos(&path, &robot).unwrap_err();
    // Of 206 degrees, as these joints could turn.
    assert_eq!((error.key(), error.each().count()), (Some("servos.0_coxa.kind"), 1), "{error:#}");
    assert!(
        error.message().contains("placeholders")
            && ["kind: mg996r", "5_tibia"].iter().all(|word| error.remedy().contains(word)),
        "{error:#}"
    );
    assert!(simulated_servos(&path, &robot).is_ok());
    // Files of earlier versions say so of themselves, and each pulse with them.
    std::fs::write(&path, format!("simulated: true\n{}", servos_text(&robot, None))).unwrap();
    let error = read_servos(&path, &robot).unwrap_err();
    assert_eq!((error.key(), error.line(), error.each().count()), (Some("simulated"), Some(1), 2), "{error}");
    let declared = servos_text(&robot, None).replace("kind: simulated_far", "kind: mine").replace(
        "kinds:\n",
        "kinds:\n  mine: {travel: {angle_rad: 4.7124, from_us: 500.0, to_us: 2500.0}, speed_limit_rad_s: 5.0}\n",
    );
    std::fs::write(&path, declared).unwrap();
    let servos = read_servos(&path, &robot).unwrap();
    let ends = (servos.servos()[0].pulse_us(-0.8), servos.servos()[0].pulse_us(-0.6260));
    let [from, to] = [ends.0, ends.1].map(|pulse| pulse.unwrap().value);
    assert!((to - from - 73.9).abs() < 0.3, "10 degrees are 74 us of a servo of 270 degrees: {from} to {to}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn when_joints_turn_more_than_once_expect_simulated_servos_that_do_so_too() {
    let urdf = std::fs::read_to_string(Path::new(CONFIG).join("../urdf/hexapod.urdf")).unwrap();
    let robot =
        Robot::from_urdf(&urdf.replace("upper=\"0.5\"", "upper=\"9.4\"").replace("lower=\"-2.6\"", "lower=\"-9.4\""))
            .unwrap();
    let path = std::env::temp_dir().join(format!("hexapod_turning_{}.yaml", std::process::id()));
    std::fs::write(&path, servos_text(&robot, None)).unwrap();
    let servos = simulated_servos(&path, &robot).unwrap().config;
    let (lower, upper) = servos.servos()[2].angle_limits_rad();
    assert!(lower < -6.2 && upper > 6.2, "{lower} {upper}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn when_servos_take_two_boards_expect_the_left_legs_on_one_and_the_right_ones_on_the_other_as_shipped() {
    let urdf = std::fs::read_to_string(Path::new(CONFIG).join("../urdf/hexapod.urdf")).unwrap();
    let robot = Robot::from_urdf(&urdf).unwrap();
    let document = Document::parse(Source::new("servos.yaml", servos_text(&robot, None))).unwrap();
    let path = Path::new(CONFIG).join("servos.yaml");
    let (made, shipped) = (check_servos(&document, &robot).unwrap(), read_servos(&path, &robot).unwrap());
    for servo in made.servos() {
        let other = &shipped.servos()[shipped.joint_index(servo.joint()).unwrap()];
        assert_eq!((servo.board(), servo.channel()), (other.board(), other.channel()), "{}", servo.joint());
    }
}

#[test]
fn when_joints_turn_less_than_a_servo_expect_its_scale_and_pulses_for_no_more_than_they_turn() {
    let urdf = std::fs::read_to_string(Path::new(CONFIG).join("../urdf/hexapod.urdf")).unwrap();
    let robot = Robot::from_urdf(&urdf).unwrap();
    let document = Document::parse(Source::new("servos.yaml", servos_text(&robot, None))).unwrap();
    let servos = check_servos(&document, &robot).unwrap();
    for servo in servos.servos() {
        let us = |rad: f64| servo.pulse_wanted_us(rad);
        assert!((us(0.1) - us(0.0) - 63.66).abs() < 0.01, "{}: {} us for 0.1 rad", servo.joint(), us(0.1) - us(0.0));
        let (least, greatest) = servo.pulse_limits_us();
        let (lower, upper) = servo.angle_limits_rad();
        assert!((us(lower) - least).abs() < 10.1 && (us(upper) - greatest).abs() < 10.1, "{}", servo.joint());
    }
}

#[test]
fn when_servos_do_not_fit_expect_the_command_that_writes_some_that_do() {
    let error = read_servos(&Path::new(CONFIG).join("servos.yaml"), &robot(6)).unwrap_err();
    assert!(error.remedy().contains("hexapod new"), "{error}");
}

#[test]
fn when_a_robot_has_three_legs_expect_the_report_that_it_cannot_walk() {
    let error = Gaits::read(&Path::new(CONFIG).join("gaits.yaml"), &robot(3)).unwrap_err();
    assert!(error.message().contains("two feet on the ground") && error.remedy().contains("4 to 8 legs"), "{error}");
    for legs in 4..=8 {
        assert!(Gaits::read(&Path::new(CONFIG).join("gaits.yaml"), &robot(legs)).is_ok(), "{legs}");
    }
}

#[test]
fn when_joints_could_turn_far_expect_servos_for_what_the_legs_need_with_fine_counts() {
    use hexapod_gait::{Demand, Engine, Gait, GaitSpec, LegClearance, Settings, StanceWish, TwistLimits, leg_places};
    let wide = include_str!("../../../urdf/hexapod.urdf").replace("<limit ", "<limit tmp=\"\" ");
    let wide: String = wide
        .split_inclusive('>')
        .map(|tag| {
            if !tag.contains("<limit tmp") {
                return tag.to_owned();
            }
            let mut tag = tag.replace("tmp=\"\" ", "");
            for (name, limit) in [("lower=\"", "-3.14159"), ("upper=\"", "3.14159")] {
                let from = tag.find(name).unwrap() + name.len();
                let to = from + tag[from..].find('"').unwrap();
                tag.replace_range(from..to, limit);
            }
            tag
        })
        .collect();
    let robot = std::sync::Arc::new(Robot::from_urdf(&wide).unwrap());
    let stance = StanceWish::default().stance(&robot).unwrap();
    let limits = TwistLimits {
        linear_velocity: 0.15,
        angular_velocity: 0.8,
        linear_acceleration: 0.3,
        angular_acceleration: 1.5,
        linear_jerk: 7.5,
        angular_jerk: 37.5,
    };
    let leg_clearance = LegClearance::default();
    let settings =
        Settings { stance: stance.spec(), step_height: 0.03, limits, stand_time: 1.5, sit_time: 0.8, leg_clearance };
    let gait = Gait::try_new(&GaitSpec::default(), &leg_places(&robot)).unwrap();
    let engine = Engine::with_stance(std::sync::Arc::clone(&robot), gait, settings, stance);
    let demand = Demand::of(&engine, [("tripod", &gait)], []);
    let worst = |demand: Option<&Demand>| {
        let document = Document::parse(Source::new("servos.yaml", servos_text(&robot, demand))).unwrap();
        let servos = check_servos(&document, &robot).unwrap();
        servos.servos().iter().map(|servo| servo.resolution_rad().to_degrees()).fold(0.0, f64::max)
    };
    assert!(worst(None) > 0.8 && worst(Some(&demand)) < 0.5, "{} {}", worst(None), worst(Some(&demand)));
}
