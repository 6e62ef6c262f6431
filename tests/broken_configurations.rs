//! Configurations as owners break them, one fault or several at a time: `hexapod check` accepts none, names file, line and
//! key of each fault once, and says what would be right.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SHARE: &str = env!("CARGO_MANIFEST_DIR");
const PARAMETERS: &str = "config/hexapod.yaml";
const GAITS: &str = "config/gaits.yaml";
const MOTIONS: &str = "config/motions.yaml";
const ROBOT: &str = "config/robot.yaml";
const SERVOS: &str = "config/servos.yaml";
const SIM: &str = "config/sim.yaml";
const URDF: &str = "urdf/hexapod.urdf";
const NOTHING: &str = "limits: {}";

/// A file, what is replaced in it by what (an empty piece: all of it), and words of the message.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

const CASES: &[Case] = &[
    // Another unit.
    (PARAMETERS, "step_height: 0.03", "step_height: 30", &["step_height", "in m; did you mean millimetres: 0.03?"]),
    (PARAMETERS, "body_height: 0.0", "body_height: 90", &["body_height", "millimetres: 0.09"]),
    (PARAMETERS, "body_height: 0.0", "body_height: 9.0", &["centimetres: 0.09"]),
    (PARAMETERS, "sit_height: 0.0", "sit_height: 0.2", &["sit_height", "cannot sit", "0.03 is chosen"]),
    (PARAMETERS, "    gait: tripod", "    gait: Tripod", &["gait", "did you mean `tripod`?"]),
    (MOTIONS, "total_time: 3.0", "total_time: 3000", &["total_time", "milliseconds: 3?"]),
    (GAITS, "{above: 0.004", "{above: 4", &["rough[0].above", "did you mean millimetres: 0.004?"]),
    (
        GAITS,
        "{above: 0.004, below: 0.0025",
        "{above: 0.004, below: 0.005",
        &["rough[0].below", "give less than `above`"],
    ),
    (GAITS, "  crawl:   ", "  \"cr, awl\":", &["\"cr, awl\"", "has a comma", "such as `wave`"]),
    (GAITS, "  crawl:   ", "  \"\":", &["it is empty"]),
    (GAITS, "  crawl:   ", "  \"cr\\nawl\":", &["control character"]),
    (GAITS, "cycle_time: 0.8,", "cycle_time: 0.8, step_height: 40,", &["tripod.step_height", "millimetres: 0.04"]),
    (
        ROBOT,
        NOTHING,
        "limits: {coxa: {lower: -0.3}}",
        &["limits.coxa", "each joint is named for itself: left_front_coxa"],
    ),
    (PARAMETERS, "cmd_vel_timeout: 0.5", "cmd_vel_timeout: 500", &["milliseconds: 0.5"]),
    (PARAMETERS, "max_angular_velocity: 0.8", "max_angular_velocity: 45", &["degrees/s: 0.7854"]),
    (PARAMETERS, "step_height: 0.03", "step_height: 30mm", &["the text \"30mm\"", "by default 0.03"]),
    (ROBOT, NOTHING, "limits: {all: {lower: -35}}", &["limits.all.lower", "in rad; did you mean degrees: -0.6109?"]),
    (ROBOT, NOTHING, "limits: {left_front_coxa: {velocity: 300}}", &["velocity", "degrees/s: 5.236"]),
    (ROBOT, NOTHING, "packed: {all: [0, 80, -120]}", &["packed.all[1]", "1.3963", "packed.all[2]", "-2.0944"]),
    (ROBOT, NOTHING, "postures: {all: [0, 45, -60]}", &["postures.all[1]", "0.7854"]),
    (ROBOT, NOTHING, "postures: {all: [0, 3, 0]}", &["beyond its limits"]),
    (ROBOT, NOTHING, "feet: {all: [133, 0, 0]}", &["feet.all[0]", "millimetres: 0.133"]),
    (MOTIONS, "pitch: 0.22", "pitch: 12", &["motions.bow.frames[1].body.pitch", "did you mean degrees: 0.2094?"]),
    (MOTIONS, "z: -0.05}", "z: -50}", &["motions.push_ups", "millimetres: -0.05"]),
    (MOTIONS, "front_right: {x: 0.02", "front_right: {x: 20", &["feet.front_right.x", "millimetres: 0.02"]),
    (MOTIONS, "angular_velocity: 0.41067", "angular_velocity: 25", &["angular_velocity", "degrees/s: 0.4363"]),
    (SERVOS, "angle_rad: -0.7854", "angle_rad: -45", &["angle_rad", "did you mean degrees: -0.7854?"]),
    (SERVOS, "trim_rad: 0.0", "trim_rad: 5", &["trim_rad", "did you mean degrees: 0.0873?"]),
    (SERVOS, "speed_limit_rad_s: 6.0", "speed_limit_rad_s: 360", &["speed_limit_rad_s", "6.2832"]),
    (URDF, "lower=\"-0.7\" upper=\"0.7\"", "lower=\"-40\" upper=\"40\"", &["left_front_coxa", "lower=\"-0.6981\""]),
    // Of the simulation, which nothing else reads.
    (SIM, "all: perfect", "all: mg966r", &["servos.all", "mg996r"]),
    (PARAMETERS, "limp: \"\"", "limp: left_frnt", &["limp", "did you mean `left_front`?"]),
    // Servos that do not reach.
    (
        SERVOS,
        "angle_rad: -1.5708, pulse_us: 500.0",
        "angle_rad: -0.1, pulse_us: 500.0",
        &["left_front_femur", "1000 us for 5.7 degrees"],
    ),
    (SERVOS, "trim_rad: 0.0", "trim_rad: 0.5", &["left_front_coxa", "takes the joint to", "max_pulse_us", "set it to"]),
    (SERVOS, "speed_limit_rad_s: 6.0", "speed_limit_rad_s: 0.5", &["left_front_coxa.speed_limit_rad_s", "raise it to"]),
    (SERVOS, "max_pulse_us: 2020.0", "max_pulse_us: 1501.0", &["pulse_us", "limits of 980 to 1501"]),
    // Wires.
    (
        PARAMETERS,
        "oe_pin: -1\n    stop_pin: -1",
        "oe_pin: 17\n    stop_pin: 17",
        &["stop_pin", "pin 17 is already used for OE"],
    ),
    (PARAMETERS, "oe_pin: -1", "oe_pin: 3", &["oe_pin", "SCL of the bus /dev/i2c-1"]),
    (PARAMETERS, "battery_pin: -1", "battery_pin: 28", &["battery_pin", "from -1 to 27"]),
    (PARAMETERS, "sda_pin: -1", "sda_pin: 2", &["scl_pin", "give both"]),
    (PARAMETERS, "stop_pin: -1", "stop_pin: 4.5", &["stop_pin", "a whole number"]),
    (PARAMETERS, "emergency_stop_timeout: 0.0", "emergency_stop_timeout: 0.0001", &["at least 0.02"]),
    (PARAMETERS, "i2c_device: 1", "i2c_device: /dev/i2c-1", &["i2c_device", "a whole number"]),
    (SERVOS, "channel: 1\n", "channel: 0\n", &["left_front_femur.channel", "already drives `left_front_coxa`"]),
    (SERVOS, "speed_limit_rad_s: 6.0", "speed_limit_rad_s: 6.0\n    group: \"left front\"", &["group", "letters"]),
    (
        SERVOS,
        "left_front_coxa:",
        "left_front_koxa:",
        &["the robot has no such joint", "did you mean `left_front_coxa`?"],
    ),
    (SERVOS, "neutral_us: 1500.0", "neutral_us: 15000", &["neutral_us", "980 to 2020"]),
    (SERVOS, "pwm_frequency_hz: 50.0", "pwm_frequency_hz: 1500", &["does not fit the PWM period"]),
    // Numbers that are none.
    (GAITS, "cycle_time: 0.8", "cycle_time: 1e300", &["tripod.cycle_time", "from 0.1 to 60"]),
    (GAITS, "cycle_time: 0.8", "cycle_time: 1e999", &["cycle_time", "64 bit"]),
    (GAITS, "duty_factor: 0.5", "duty_factor: .NaN", &["duty_factor", "finite"]),
    (GAITS, "legs: [6]", "legs: [0]", &["tripod.legs[0]", "3 to 8 legs"]),
    (GAITS, "legs: [6]", "legs: 6", &["tripod.legs", "a list"]),
    (GAITS, "cycle_time: 0.8,", "cycle_time: 0.8, auto_pose: {roll: {amplitude: 3}},", &["auto_pose.roll", "0.15"]),
    (MOTIONS, "total_time: 3.0", "total_time: -.inf", &["motions.wave.total_time", "finite"]),
    (SERVOS, "channel: 8", "channel: 8.5", &["channel", "a whole number"]),
    (SERVOS, "channel: 8", "channel: 010", &["channel", "octal"]),
    (SERVOS, "board: 1", "board: -1", &["board", "from 0 to 1"]),
    (SERVOS, "command_timeout_s: 0.25", "command_timeout_s: -0.25", &["command_timeout_s", "between 0.02 and 10"]),
    (URDF, "<mass value=\"", "<mass value=\"-", &["mass"]),
    // Motions that this robot cannot play.
    (MOTIONS, "z: -0.05}", "z: -0.15}", &["motions.push_ups", "touch the ground"]),
    (MOTIONS, "middle_left: {z: 0.05}", "all: {z: 0.05}", &["motions.dance", "tip over"]),
    (MOTIONS, "yaw: 0.25", "yaw: 1.5", &["motions.twist", "cannot reach"]),
    (MOTIONS, "pitch: 0.22", "pich: 0.22", &["pich", "did you mean `pitch`?"]),
    // What is not there, or not what it should be.
    (PARAMETERS, "disabled_legs: \"\"", "disabled_legs: left_fornt", &["disabled_legs", "the legs are left_front"]),
    (PARAMETERS, "odom_frame: odom", "odom_frame: base_link", &["odom_frame", "a frame of the robot itself"]),
    (PARAMETERS, "gait: tripod", "gait: tripodd", &["gait", "tripod, ripple"]),
    (ROBOT, NOTHING, "[]", &["a mapping"]),
    (GAITS, "gaits:", "gaits: []\nothers:", &["a mapping from name to gait", "unknown key `others`"]),
    (GAITS, "  tripod:", "\ttripod:", &["tab"]),
    (MOTIONS, "", "motions: {wave: ", &["not valid YAML"]),
    (URDF, "", "", &["urdf"]),
];

/// A copy of the shipped files, spoilt.
fn spoilt(name: &str, changes: &[(&str, &str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hexapod-broken-{}-{name}", std::process::id()));
    for part in ["config", "urdf"] {
        fs::create_dir_all(folder.join(part)).unwrap();
        for entry in fs::read_dir(Path::new(SHARE).join(part)).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), folder.join(part).join(entry.file_name())).unwrap();
        }
    }
    // With every key of every servo, so that each can be spoilt.
    fs::copy(Path::new(SHARE).join("tests/servos_full.yaml"), folder.join(SERVOS)).unwrap();
    for (file, piece, other) in changes {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        assert!(text.contains(piece), "{piece} in {file}");
        let text = if piece.is_empty() { (*other).to_owned() } else { text.replacen(piece, other, 1) };
        fs::write(folder.join(file), text).unwrap();
    }
    folder
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hexapod"));
    command.arg("check").arg("--config").arg(folder.join("config"));
    command.arg("--urdf").arg(folder.join(URDF));
    command
}

/// What `hexapod check` says of spoilt files.
fn check(name: &str, changes: &[(&str, &str, &str)]) -> Output {
    let folder = spoilt(name, changes);
    let checked = command(&folder).output().unwrap();
    fs::remove_dir_all(folder).unwrap();
    checked
}

fn reported(checked: &Output) -> String {
    String::from_utf8_lossy(&checked.stderr).into_owned()
}

#[test]
fn when_a_configuration_is_broken_expect_it_refused_with_file_key_and_remedy() {
    let mut accepted = vec![];
    for (index, (file, piece, other, words)) in CASES.iter().enumerate() {
        let checked = check(&index.to_string(), &[(file, piece, other)]);
        let reported = reported(&checked);
        let fails = checked.status.code() == Some(2)
            && reported.contains(file.split('/').nth(1).unwrap())
            && words.iter().all(|word| reported.contains(word))
            && !reported.contains("panicked")
            && !reported.contains("..=")
            && !reported.contains('\x1b');
        if !fails {
            accepted.push(format!("{file}: {other}: {:?} {words:?}\n{reported}", checked.status.code()));
        }
    }
    assert!(accepted.is_empty(), "{} of {}:\n{}", accepted.len(), CASES.len(), accepted.join("\n"));
}

#[test]
fn when_much_is_broken_in_all_files_expect_every_fault_reported_once() {
    let changes = [
        (PARAMETERS, "step_height: 0.03", "step_hight: 0.03"),
        (PARAMETERS, "rate: 100.0", "rate: .nan"),
        (PARAMETERS, "oe_pin: -1", "oe_pin: 2"),
        (GAITS, "duty_factor: 0.5", "duty_factor: 5"),
        (GAITS, "cycle_time: 1.4", "cycle_time: fast"),
        (MOTIONS, "pitch: 0.22", "pitch: 12"),
        (MOTIONS, "total_time: 3.0", "totaltime: 3.0"),
        (SERVOS, "channel: 8", "channel: 16"),
        (SERVOS, "direction: 1", "direction: 0"),
        (SERVOS, "address: 0x41", "address: 0x70"),
    ];
    let checked = check("much", &changes);
    let reported = reported(&checked);
    assert_eq!(checked.status.code(), Some(2), "{reported}");
    for (key, count) in [
        ("step_hight: ", 1),
        ("rate: `.nan`", 1),
        ("oe_pin: pin 2", 1),
        ("tripod.duty_factor: ", 1),
        ("ripple.cycle_time: ", 1),
        ("body.pitch: ", 1),
        ("totaltime: unknown", 1),
        (".channel: channel 16", 1),
        (".direction: direction 0", 1),
        ("boards[1].address: ", 1),
    ] {
        let lines = reported.lines().filter(|line| line.starts_with("error:") && line.contains(key)).count();
        assert_eq!(lines, count, "{key}: {reported}");
    }
    assert!(reported.trim_end().ends_with("10 errors"), "{reported}");
}

#[test]
fn when_a_file_is_not_utf8_expect_it_named() {
    let folder = spoilt("utf8", &[]);
    fs::write(folder.join(GAITS), b"gaits: \xff\xfe\n").unwrap();
    let checked = command(&folder).output().unwrap();
    fs::remove_dir_all(folder).unwrap();
    assert_eq!(checked.status.code(), Some(2));
    assert!(reported(&checked).contains("gaits.yaml:1:8: byte 0xff is not UTF-8"), "{}", reported(&checked));
}

#[test]
fn when_nobody_reads_what_is_written_expect_a_quiet_end() {
    let folder = spoilt("unread", &[]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let checked = command(&folder).stdout(Stdio::from(writer)).stderr(Stdio::piped()).output().unwrap();
    fs::remove_dir_all(folder).unwrap();
    assert_eq!((checked.status.code(), reported(&checked)), (Some(0), String::new()));
}

#[test]
fn when_nothing_is_sourced_expect_the_executables_to_find_their_libraries_and_tell_of_themselves() {
    let checked = Command::new(env!("CARGO_BIN_EXE_hexapod")).arg("check").env_clear().output().unwrap();
    assert_eq!(checked.status.code(), Some(0), "{}", reported(&checked));
    let nodes = [
        (env!("CARGO_BIN_EXE_gait_planner"), "step_height:=0.03"),
        (env!("CARGO_BIN_EXE_servo_driver"), "i2c_device:=1"),
        (env!("CARGO_BIN_EXE_state_publisher"), "publish_tf:=true"),
    ];
    for (node, parameter) in nodes {
        let asked = |flag: &str| Command::new(node).arg(flag).env_clear().output().unwrap();
        let help = asked("--help");
        let words = String::from_utf8_lossy(&help.stdout).into_owned();
        assert!(help.status.success() && words.contains(parameter), "{node}: {words}");
        let version = String::from_utf8_lossy(&asked("--version").stdout).into_owned();
        assert!(version.contains(env!("CARGO_PKG_VERSION")), "{node}: {version}");
    }
}
