//! Every way a servo configuration can be wrong, with the key it is reported at; and the one that is shipped.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may stop where it stands")]

use crate::common::{LEGS, SEGMENTS, raw_config, raw_servo};
use hexapod_servo::calibration::RawPoint;
use hexapod_servo::{RawServoConfig, ServoConfig, ServoConfigError, SimulatedBus};

const SHIPPED: &str = include_str!("../../../config/servos.yaml");

fn shipped() -> RawServoConfig {
    serde_yaml::from_str(SHIPPED).expect("shipped configuration parses")
}

fn check(path: &str, says: &str, change: impl Fn(&mut RawServoConfig)) {
    let mut raw = raw_config(50.0, (900.0, 2100.0));
    change(&mut raw);
    let error = ServoConfig::try_from(raw).expect_err(path);
    assert_eq!(error.key_path(), path, "{error}");
    assert!(error.to_string().contains(says), "{error}");
}

#[test]
fn when_boards_are_wrong_expect_key_and_remedy() {
    check("boards", "at least one", |raw| raw.boards.clear());
    check("boards", "62", |raw| raw.boards = vec![raw.boards[0].clone(); 63]);
    for address in [0x3F, 0x70, 0x80, -1, 1000] {
        check("boards[1].address", "0x40 to 0x7f", |raw| raw.boards[1].address = address);
    }
    check("boards[1].address", "boards[0]", |raw| raw.boards[1].address = 0x40);
    for frequency_hz in [23.9, 1526.1, -50.0, 0.0] {
        check("boards[0].pwm_frequency_hz", "24 to 1526", |raw| raw.boards[0].pwm_frequency_hz = frequency_hz);
    }
    for value in [f64::NAN, f64::INFINITY] {
        check("boards[0].pwm_frequency_hz", "finite", |raw| raw.boards[0].pwm_frequency_hz = value);
        check("boards[0].oscillator_hz", "finite", |raw| raw.boards[0].oscillator_hz = value);
    }
    check("boards[0].oscillator_hz", "25e6", |raw| raw.boards[0].oscillator_hz = 25.0);
    check("boards[0].pwm_frequency_hz", "prescaler", |raw| {
        raw.boards[0].pwm_frequency_hz = 24.0;
        raw.boards[0].oscillator_hz = 29e6;
    });
}

#[test]
fn when_plugs_are_wrong_expect_key_and_remedy() {
    check("servos", "at least one", |raw| raw.servos.0.clear());
    check("servos", "URDF", |raw| raw.servos.0[0].0.clear());
    check("servos.left_front_coxa", "twice", |raw| raw.servos.0[5].0 = "left_front_coxa".into());
    for board in [2, -1] {
        check("servos.left_front_femur.board", "from 0 to 1", |raw| raw.servos.0[1].1.board = board);
    }
    for channel in [16, -1, 300] {
        check("servos.left_front_femur.channel", "0 to 15", |raw| raw.servos.0[1].1.channel = channel);
    }
    check("servos.left_front_femur.channel", "left_front_coxa", |raw| raw.servos.0[1].1.channel = 0);
}

#[test]
fn when_calibration_is_wrong_expect_key_and_remedy() {
    let point = |angle_rad: f64, pulse_us: f64| RawPoint { angle_rad, pulse_us };
    let points = |path: &str, says: &str, points: &[RawPoint]| {
        check(&format!("servos.left_front_tibia.{path}"), says, |raw| raw.servos.0[2].1.points = points.to_vec());
    };
    points("points", "at least 2", &[]);
    points("points", "at least 2", &[point(0.0, 1500.0)]);
    points("points[1]", "monotonic", &[point(0.0, 1500.0), point(0.0, 1600.0)]);
    points("points[1]", "monotonic", &[point(0.0, 1500.0), point(-1.0, 1600.0)]);
    points("points[2]", "monotonic", &[point(0.0, 1500.0), point(1.0, 1600.0), point(2.0, 1600.0)]);
    points("points[1].pulse_us", "limits", &[point(0.0, 1500.0), point(1.0, 2100.1)]);
    points("points[0].pulse_us", "finite", &[point(0.0, f64::NAN), point(1.0, 2000.0)]);
    points("points[1].angle_rad", "finite", &[point(0.0, 1500.0), point(f64::INFINITY, 2000.0)]);
    points("points[1].angle_rad", "6.3", &[point(0.0, 1500.0), point(45.0, 2000.0)]);
    points("points[1]", "per rad", &[point(0.0, 1500.0), point(1e-9, 2000.0)]);

    let servo = |path: &str, says: &str, change: fn(&mut hexapod_servo::calibration::RawServo)| {
        check(&format!("servos.left_front_tibia.{path}"), says, |raw| change(&mut raw.servos.0[2].1));
    };
    servo("direction", "1 nor -1", |servo| servo.direction = 0);
    servo("trim_rad", "3.15", |servo| servo.trim_rad = 45.0);
    servo("trim_rad", "finite", |servo| servo.trim_rad = f64::NAN);
    servo("min_pulse_us", "300 to 2700", |servo| servo.min_pulse_us = 299.0);
    servo("max_pulse_us", "300 to 2700", |servo| servo.max_pulse_us = 2701.0);
    servo("max_pulse_us", "finite", |servo| servo.max_pulse_us = f64::INFINITY);
    servo("min_pulse_us", "reversed", |servo| servo.min_pulse_us = 2100.0);
    servo("min_pulse_us", "two PWM counts", |servo| {
        (servo.min_pulse_us, servo.max_pulse_us) = (1500.0, 1502.0);
        servo.points =
            vec![RawPoint { angle_rad: 0.0, pulse_us: 1500.0 }, RawPoint { angle_rad: 0.1, pulse_us: 1502.0 }];
    });
    servo("neutral_us", "limits", |servo| servo.neutral_us = Some(2200.0));
    servo("neutral_us", "finite", |servo| servo.neutral_us = Some(f64::NAN));
    for speed in [0.0, -1.0, 101.0] {
        check("servos.left_front_tibia.speed_limit_rad_s", "more than 0", |raw| {
            raw.servos.0[2].1.speed_limit_rad_s = speed;
        });
    }
    check("servos.left_front_coxa.max_pulse_us", "period", |raw| raw.boards[0].pwm_frequency_hz = 500.0);
}

#[test]
fn when_timing_is_wrong_expect_key_and_remedy() {
    check("timing.command_timeout_s", "0.02 and 10", |raw| raw.timing.command_timeout_s = 0.0);
    check("timing.relax_after_s", "0 and 86400", |raw| raw.timing.relax_after_s = -1.0);
    check("timing.group_interval_s", "finite", |raw| raw.timing.group_interval_s = f64::NAN);
    check("timing.soft_start_rad_s", "0.01 and 5", |raw| raw.timing.soft_start_rad_s = 50.0);
    check("timing.fault_off_after_s", "finite", |raw| raw.timing.fault_off_after_s = f64::INFINITY);
}

#[test]
fn when_yaml_repeats_a_joint_or_has_an_unknown_key_expect_error() {
    let mut raw = raw_config(50.0, (900.0, 2100.0));
    raw.servos.0.truncate(1);
    let one = serde_yaml::to_string(&raw).expect("serialises");
    let servo = one.split_once("servos:\n").and_then(|(_, rest)| rest.split_once("timing:")).expect("both keys").0;
    let twice = one.replace(servo, &format!("{servo}{servo}"));
    let raw: RawServoConfig = serde_yaml::from_str(&twice).expect("parses");
    let error = ServoConfig::try_from(raw).expect_err("duplicate");
    assert!(matches!(error, ServoConfigError::DuplicateJoint { .. }));
    assert_eq!(error.key_path(), "servos.left_front_coxa");
    for (from, to) in [("trim_rad", "trim"), ("address", "adress"), ("relax_after_s", "relax_s")] {
        let text = one.replace(from, to);
        assert!(serde_yaml::from_str::<RawServoConfig>(&text).is_err(), "{to}");
    }
}

#[test]
fn when_file_is_shipped_expect_18_joints_that_reach_their_limits() {
    let config = ServoConfig::try_from(shipped()).expect("valid");
    let names: Vec<_> = config.servos().iter().map(|servo| servo.joint().to_owned()).collect();
    let expected = LEGS.iter().flat_map(|leg| SEGMENTS.iter().map(move |part| format!("{leg}_{part}")));
    assert_eq!(names, expected.collect::<Vec<_>>());
    assert_eq!(config.groups(), LEGS);
    assert_eq!(config.boards().iter().map(|board| board.address()).collect::<Vec<_>>(), [0x40, 0x41]);
    for servo in config.servos() {
        // Joint limits of urdf/hexapod.urdf.
        let (lower, upper) = match servo.joint().rsplit('_').next() {
            Some("coxa") => (-0.785, 0.785),
            Some("femur") => (-1.5, 1.5),
            _ => (-2.6, 0.5),
        };
        let (least, most) = servo.angle_limits_rad();
        assert!(least <= lower && most >= upper, "{}: {least}..={most}", servo.joint());
        assert!(servo.resolution_rad() < 0.01);
    }
}

#[test]
fn when_right_side_mirrors_left_expect_pulses_mirrored_about_neutral() {
    let config = ServoConfig::try_from(shipped()).expect("valid");
    let pulse_us = |joint: &str, angle_rad: f64| {
        let servo = &config.servos()[config.joint_index(joint).expect("known")];
        servo.pulse_us(angle_rad).expect("finite").value - servo.neutral_us()
    };
    for (part, angle_rad) in [("femur", 0.4), ("tibia", -1.3)] {
        let (left, right) = (format!("left_middle_{part}"), format!("right_middle_{part}"));
        assert!((pulse_us(&left, angle_rad) + pulse_us(&right, angle_rad)).abs() < 1e-6, "{part}");
        assert!(pulse_us(&left, angle_rad).abs() > 100.0);
    }
}

#[test]
fn when_raw_is_written_and_read_expect_the_same() {
    let raw = shipped();
    let text = serde_yaml::to_string(&raw).expect("serialises");
    assert_eq!(serde_yaml::from_str::<RawServoConfig>(&text).expect("parses"), raw);
}

#[test]
fn when_bus_is_full_expect_62_boards_to_work() {
    let mut raw = raw_config(50.0, (900.0, 2100.0));
    let addresses: Vec<i64> = (0x40..=0x7F).filter(|&address| address != 0x70).take(62).collect();
    raw.boards = addresses
        .iter()
        .map(|&address| {
            let mut board = raw.boards[0].clone();
            board.address = address;
            board
        })
        .collect();
    raw.servos.0 = (0..62).map(|board| (format!("leg{board}_joint"), raw_servo(board, 15, (900.0, 2100.0)))).collect();
    let config = ServoConfig::try_from(raw).expect("valid");
    let bus = SimulatedBus::for_config(&config);
    let mut driver = hexapod_servo::ServoDriver::on_boards(config, bus.clone());
    let targets: Vec<_> = (0..62).map(|joint| (joint, 0.1)).collect();
    let mut now = crate::common::ms(0);
    driver.command(now, &targets).expect("finite");
    assert!(driver.enable(now).passed());
    for _ in 0..700 {
        now += crate::common::ms(10);
        driver.command(now, &targets).expect("finite");
        driver.tick(now);
    }
    assert_eq!(driver.state(), hexapod_servo::State::Armed);
    assert!(addresses.iter().all(|&address| bus.pulse_us(address as u8, 15).is_some()));
}

#[test]
fn when_a_servo_is_narrowed_to_its_joint_expect_no_count_beyond_it() {
    let raw = shipped();
    let mut config = ServoConfig::try_from(raw).unwrap();
    assert!(config.limit_joint("left_front_coxa", -0.7, 0.65));
    assert!(!config.limit_joint("left_front_coxa", 2.0, 2.1) && !config.limit_joint("no_such_joint", -1.0, 1.0));
    let servo = &config.servos()[config.joint_index("left_front_coxa").unwrap()];
    for asked in [-1e9, -0.7, -0.3, 0.0, 0.649, 0.65, 0.66, 1e9, f64::NAN] {
        let commanded = servo.angle_of_counts(servo.counts(asked));
        assert!((-0.7 - 1e-9..=0.65 + 1e-9).contains(&commanded), "{asked} is commanded as {commanded}");
    }
}

#[test]
fn when_much_is_wrong_expect_all_of_it_reported() {
    let mut raw = raw_config(50.0, (900.0, 2100.0));
    raw.boards[1].address = 0x70;
    raw.timing.stall_after_s = -1.0;
    raw.timing.soft_start_rad_s = 45.0;
    (raw.servos.0[1].1.channel, raw.servos.0[1].1.direction, raw.servos.0[1].1.trim_rad) = (16, 0, 5.0);
    raw.servos.0[4].1.points[1].pulse_us = f64::NAN;
    raw.servos.0[4].1.min_pulse_us = 100.0;
    raw.servos.0[5].1.channel = raw.servos.0[4].1.channel;
    let found = ServoConfig::check(&raw).expect_err("much is wrong");
    let keys: Vec<String> = found.iter().map(ServoConfigError::key_path).collect();
    let expected = [
        "timing.soft_start_rad_s",
        "timing.stall_after_s",
        "boards[1].address",
        "servos.left_front_femur.channel",
        "servos.left_front_femur.direction",
        "servos.left_front_femur.trim_rad",
        "servos.left_middle_femur.min_pulse_us",
        "servos.left_middle_tibia.channel",
    ];
    assert_eq!(keys, expected, "{found:?}");
    assert!(found[5].to_string().contains("did you mean degrees: 0.0873?"), "{}", found[5]);
    assert!(found.iter().all(|error| !error.to_string().contains("..")), "{found:?}");
}

#[test]
fn when_a_board_is_called_by_its_address_or_an_address_lacks_0x_expect_what_was_meant() {
    let with = |addresses: [&str; 2], board: &str| {
        let servo = "channel: 0, min_pulse_us: 900, max_pulse_us: 2100, speed_limit_rad_s: 6, points: [{angle_rad: -1, pulse_us: 1000}, {angle_rad: 1, pulse_us: 2000}]";
        let [one, two] = addresses;
        let text =
            format!("boards: [{{address: {one}}}, {{address: {two}}}]\nservos: {{a: {{board: {board}, {servo}}}}}\n");
        let found = ServoConfig::check(&serde_yaml::from_str(&text).unwrap()).unwrap_err();
        found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let commanded = with(["40", "0x41"], "0");
    assert!(commanded.contains("did you mean 0x40?"), "{commanded}");
    let commanded = with(["0x40", "0x41"], "0x41");
    assert!(commanded.contains("did you mean 1, the board of address 0x41?"), "{commanded}");
    let commanded = with(["0x40", "0x40"], "0");
    assert!(commanded.contains("solder jumper A0"), "{commanded}");
}

#[test]
fn when_one_joint_is_taken_alone_expect_its_board_and_nothing_else() {
    let config = ServoConfig::try_from(shipped()).expect("valid");
    let joint = config.joint_index("right_rear_tibia").expect("shipped");
    let alone = config.only(&[joint]);
    assert_eq!((alone.servos().len(), alone.boards().len(), alone.boards()[0].address()), (1, 1, 0x41));
    assert_eq!((alone.servos()[0].board(), alone.servos()[0].channel()), (0, 8));
    assert_eq!(alone.servos()[0].counts(-1.0), config.servos()[joint].counts(-1.0));
    let both = config.only(&[joint, 0]);
    assert_eq!((both.boards(), both.servos()[0].board(), both.servos()[1].board()), (config.boards(), 1, 0));
}
