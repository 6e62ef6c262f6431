//! An owner's files over the shipped ones, as `hexapod` reads them.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Folders of a machine: for all its users, one user's, and another one.
struct Machine(PathBuf);

impl Machine {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("hexapod-owner-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        for each in ["etc", "home/hexapod", "other"] {
            fs::create_dir_all(folder.join(each)).unwrap();
        }
        Self(folder)
    }

    fn write(&self, file: &str, text: &str) -> PathBuf {
        let path = self.0.join(file);
        fs::write(&path, text).unwrap();
        path
    }

    fn hexapod(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hexapod"));
        command.env("XDG_CONFIG_HOME", self.0.join("home")).env("HEXAPOD_SYSTEM_CONFIG", self.0.join("etc"));
        let Output { status, stdout, stderr } =
            command.args(arguments).env("NO_COLOR", "1").current_dir(&self.0).output().unwrap();
        (status.code(), String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn rate(value: &str) -> String {
    format!("/**:\n  ros__parameters: {{rate: {value}}}\n")
}

fn limits(joint: &str) -> String {
    format!("# one joint\nlimits:\n  {joint}: {{lower: -0.3}}\n")
}

/// The words between two in a text.
fn row<'a>(reported: &'a str, key: &str) -> &'a str {
    reported.lines().find(|line| line.trim_start().starts_with(key)).unwrap_or_default()
}

#[test]
fn when_files_are_layered_expect_the_users_over_the_machines_over_the_shipped_ones() {
    let machine = Machine::new("layers");
    machine.write("etc/robot.yaml", "limits:\n  left_front_coxa: {lower: -0.3, upper: 0.3}\n");
    let mine = machine.write("home/hexapod/robot.yaml", &limits("left_front_coxa").replace("-0.3", "-0.2"));
    let (status, reported) = machine.hexapod(&["check"]);
    assert_eq!((status, row(&reported, "left_front_coxa").contains("-11 .. 17")), (Some(0), true), "{reported}");
    assert!(reported.contains(mine.to_str().unwrap()) && reported.contains("etc/robot.yaml"), "{reported}");
    let (_, reported) = machine.hexapod(&["config"]);
    assert!(row(&reported, "limits.left_front_coxa.lower").ends_with("home/hexapod/robot.yaml:3"), "{reported}");
    assert!(row(&reported, "limits.left_front_coxa.upper").ends_with("etc/robot.yaml:2"), "{reported}");
}

#[test]
fn when_a_wildcard_overrules_a_shipped_value_expect_the_nodes_own_rows_to_show_it() {
    let machine = Machine::new("wildcard");
    machine.write("home/hexapod/hexapod.yaml", &rate("60.0"));
    let (_, reported) = machine.hexapod(&["config", "--all"]);
    for node in ["gait_planner", "servo_driver", "state_publisher"] {
        let row = row(&reported, &format!("{node}.ros__parameters.rate"));
        assert!(row.contains("60.0 (shipped: ") && row.ends_with("home/hexapod/hexapod.yaml:2"), "{reported}");
    }
    assert!(row(&reported, "servo_driver.ros__parameters.state_rate").contains("/config/hexapod.yaml"), "{reported}");
}

#[test]
fn when_a_folder_is_given_expect_it_over_the_shipped_files_and_no_other_owners() {
    let machine = Machine::new("given");
    machine.write("home/hexapod/robot.yaml", &limits("left_rear_coxa"));
    let other = machine.write("other/robot.yaml", &limits("left_front_coxa"));
    let (status, reported) = machine.hexapod(&["check", "--config", "other"]);
    assert_eq!(status, Some(0), "{reported}");
    assert!(row(&reported, "left_front_coxa").contains("-17 .. 40"), "{reported}");
    assert!(row(&reported, "left_rear_coxa").contains("-40 .. 40"), "{reported}");
    let (status, reported) = machine.hexapod(&["check", "--config", "othr"]);
    assert_eq!((status, reported.contains("othr: there is no such folder")), (Some(2), true), "{reported}");
    let (status, reported) = machine.hexapod(&["check", "--config", other.to_str().unwrap()]);
    assert_eq!((status, reported.contains("not a folder")), (Some(2), true), "{reported}");
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("config");
    let (_, reported) = machine.hexapod(&["check", "--config", shipped.to_str().unwrap()]);
    assert!(row(&reported, "left_rear_coxa").contains("-40 .. 40"), "{reported}");
}

#[test]
fn when_an_owners_key_is_bad_expect_its_own_file_and_line() {
    let cases = [
        ("hexapod.yaml", rate("-1.0"), 2, "out of range"),
        ("hexapod.yaml", rate("1.0").replace("/**", "gait_planer"), 1, "gait_planner"),
        ("robot.yaml", limits("left_front_coxs"), 3, "left_front_coxs"),
        ("gaits.yaml", "gaits:\n  tripod: {duty_factor: 5.0}\n".into(), 2, "duty_factor"),
        ("motions.yaml", "leg_clearance: 9.0\n".into(), 1, "leg_clearance"),
        ("servos.yaml", "servos:\n  left_front_coxa:\n    channel: 99\n".into(), 3, "channels 0 to 15"),
        ("servos.yaml", "servos:\n  left_front_coxa: {max_pulse_us: 1800}\n".into(), 2, "defaults.coxa.points"),
        ("servos.yaml", "kinds:\n  standard: {speed_limit_rad_s: 900.0}\n".into(), 2, "at most 100"),
        ("servos.yaml", "defaults:\n  all: {kind: mg99}\n".into(), 2, "mg996r"),
        ("servos.yaml", "defaults:\n  cocsa: {trim_rad: 0.1}\n".into(), 2, "cocsa"),
        ("servos.yaml", "servos:\n  left_front_cox: {trim_rad: 0.1}\n".into(), 2, "left_front_coxa"),
    ];
    for (file, text, line, word) in cases {
        let machine = Machine::new("bad");
        let path = machine.write(&format!("home/hexapod/{file}"), &text);
        let (status, reported) = machine.hexapod(&["check"]);
        assert_eq!(status, Some(2), "{text}: {reported}");
        assert!(
            reported.starts_with(&format!("error: {}:{line}:", path.display())) && reported.contains(word),
            "{reported}"
        );
    }
}

#[test]
fn when_a_file_is_copied_expect_it_once_and_never_over_another() {
    let machine = Machine::new("copy");
    let (status, reported) = machine.hexapod(&["config", "copy", "servos.yaml"]);
    let copy = machine.0.join("home/hexapod/servos.yaml");
    assert_eq!((status, reported.contains(copy.to_str().unwrap())), (Some(0), true), "{reported}");
    let (_, reported) = machine.hexapod(&["config"]);
    assert!(reported.contains("all values are as shipped"), "{reported}");
    machine.write("home/hexapod/servos.yaml", "# mine\n");
    let (status, reported) = machine.hexapod(&["config", "copy", "servos.yaml"]);
    assert_eq!((status, reported.contains("there already")), (Some(2), true), "{reported}");
    assert_eq!(fs::read_to_string(copy).unwrap(), "# mine\n");
    let (status, reported) = machine.hexapod(&["config", "copy", "servo.yaml"]);
    assert_eq!((status, reported.contains("servos.yaml")), (Some(2), true), "{reported}");
}

#[test]
fn when_files_are_read_expect_the_owners_reported_and_a_warning_of_those_that_nobody_reads() {
    let machine = Machine::new("reported");
    machine.write("home/hexapod/servo.yaml", "");
    let (_, reported) = machine.hexapod(&["servo", "left_front_coxa", "400"]);
    assert!(reported.contains("WARN") && reported.contains("servo.yaml is not read"), "{reported}");
    let (_, reported) = machine.hexapod(&["check"]);
    assert!(reported.contains("as shipped; no file of yours in"), "{reported}");
    let file = machine.write("home/hexapod/servos.yaml", "timing: {sit_after_s: 2.0}\n");
    let (_, reported) = machine.hexapod(&["check"]);
    assert!(reported.contains(&format!("as shipped, with {}", file.display())), "{reported}");
}

#[test]
fn when_the_launch_file_names_terrains_expect_those_that_the_simulator_knows() {
    let launch = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("launch/hexapod.launch.py")).unwrap();
    let known = simulator::TERRAINS.join(", ");
    assert!(launch.contains(&format!("stands on: {known}, or the path")), "{known}");
}
