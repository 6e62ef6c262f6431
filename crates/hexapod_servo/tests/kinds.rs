//! Servos that take what they share from kinds and from defaults.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
#![allow(clippy::approx_constant, reason = "angles as they are written in the file, to 0.1 mrad")]

use hexapod_servo::calibration::{Origins, RawServo, RawServoConfig, ServoFile};
use hexapod_servo::{ServoConfig, ServoConfigError};

const SHIPPED: &str = include_str!("../../../config/servos.yaml");
const FULL: &str = include_str!("../../../tests/servos_full.yaml");
const KINDS: &str = "boards: [{address: 0x40}]
kinds:
  half: {travel: {angle_rad: 3.1416, from_us: 500.0, to_us: 2500.0}, speed_limit_rad_s: 6.0}
  most: {travel: {angle_rad: 4.7124, from_us: 600.0, to_us: 2400.0}, speed_limit_rad_s: 5.0, trim_rad: 0.1}
defaults:
  all: {kind: half, board: 0}
  tibia: {mounted_at_rad: -1.0, speed_limit_rad_s: 4.0}
  rear_tibia: {speed_limit_rad_s: 3.0}
";

/// The servos of a text after [`KINDS`]; `above` are the paths that stand in a higher layer.
fn resolve(servos: &str, above: &[&str]) -> Result<(RawServoConfig, Origins), ServoConfigError> {
    let file: ServoFile = serde_yaml::from_str(&format!("{KINDS}servos:\n{servos}")).unwrap();
    file.resolve(|path| usize::from(above.contains(&path)))
}

fn only(servos: &str, above: &[&str]) -> RawServo {
    resolve(servos, above).unwrap().0.servos.0.remove(0).1
}

fn points(servo: &RawServo) -> Vec<(f64, f64)> {
    servo.points.iter().map(|point| (point.angle_rad, point.pulse_us)).collect()
}

#[test]
fn when_the_shipped_file_is_resolved_expect_exactly_what_was_written_out_before() {
    let [short, full] = [SHIPPED, FULL].map(|text| serde_yaml::from_str::<RawServoConfig>(text).unwrap());
    for ((joint, short), (other, full)) in short.servos.0.iter().zip(&full.servos.0) {
        assert_eq!((joint, &short.points), (other, &full.points));
    }
    assert_eq!(ServoConfig::try_from(short).unwrap(), ServoConfig::try_from(full).unwrap());
}

#[test]
fn when_shipped_kinds_are_used_expect_each_to_hold() {
    let kinds: serde_yaml::Value = serde_yaml::from_str(SHIPPED).unwrap();
    for kind in kinds["kinds"].as_mapping().unwrap().keys() {
        let text = SHIPPED.replace("all: {kind: standard}", &format!("all: {{kind: {}}}", kind.as_str().unwrap()));
        let raw: RawServoConfig = serde_yaml::from_str(&text).unwrap();
        ServoConfig::try_from(raw).unwrap();
    }
}

#[test]
fn when_a_servo_has_a_kind_expect_its_points_limits_and_speed() {
    let servo = only("  left_coxa: {channel: 3}\n", &[]);
    assert_eq!(points(&servo), [(-1.5708, 500.0), (0.0, 1500.0), (1.5708, 2500.0)]);
    assert_eq!((servo.min_pulse_us, servo.max_pulse_us, servo.speed_limit_rad_s), (500.0, 2500.0, 6.0));
    assert_eq!((servo.board, servo.channel, servo.direction, servo.trim_rad), (0, 3, 1, 0.0));
    let servo = only("  left_coxa: {channel: 3, kind: most, max_pulse_us: 1800.0}\n", &[]);
    assert_eq!(points(&servo), [(-2.3562, 600.0), (0.0, 1500.0), (0.7854, 1800.0)]);
    assert_eq!((servo.trim_rad, servo.speed_limit_rad_s), (0.1, 5.0));
}

#[test]
fn when_pulse_limits_are_beyond_what_the_kind_takes_expect_those_of_the_kind_unless_points_were_measured() {
    // As `hexapod new` writes them for servos that are not known yet.
    let limits = "min_pulse_us: 545.0, max_pulse_us: 2454.0";
    let servo = only(&format!("  left_coxa: {{channel: 3, kind: most, {limits}}}\n"), &[]);
    assert_eq!((servo.min_pulse_us, servo.max_pulse_us), (600.0, 2400.0));
    assert_eq!(points(&servo), [(-2.3562, 600.0), (0.0, 1500.0), (2.3562, 2400.0)]);
    let servo = only(&format!("  left_coxa: {{channel: 3, kind: half, {limits}}}\n"), &[]);
    assert_eq!((servo.min_pulse_us, servo.max_pulse_us), (545.0, 2454.0), "within");
    let measured = "points: [{angle_rad: -1.0, pulse_us: 560.0}, {angle_rad: 1.0, pulse_us: 2440.0}]";
    let servo = only(&format!("  left_coxa: {{channel: 3, kind: most, {measured}, {limits}}}\n"), &[]);
    assert_eq!((servo.min_pulse_us, servo.max_pulse_us), (545.0, 2454.0));
}

#[test]
fn when_defaults_are_for_several_endings_expect_the_longest_to_count_and_own_keys_most() {
    let speed = |servo: &str| only(servo, &[]).speed_limit_rad_s;
    assert_eq!(speed("  left_front_tibia: {channel: 1}\n"), 4.0);
    assert_eq!(speed("  left_rear_tibia: {channel: 1}\n"), 3.0);
    assert_eq!(speed("  rear_tibia: {channel: 1}\n"), 3.0);
    assert_eq!(speed("  xrear_tibia: {channel: 1}\n"), 4.0);
    assert_eq!(speed("  left_rear_tibia: {channel: 1, speed_limit_rad_s: 2.0}\n"), 2.0);
    assert_eq!(speed("  left_rear_tibia: {channel: 1, kind: most}\n"), 5.0);
}

#[test]
fn when_a_servo_is_mounted_at_an_angle_expect_it_mirrored_by_its_direction() {
    let left = only("  left_tibia: {channel: 1}\n", &[]);
    let right = only("  right_tibia: {channel: 1, direction: -1}\n", &[]);
    assert_eq!(points(&left), [(-2.5708, 500.0), (-1.0, 1500.0), (0.5708, 2500.0)]);
    assert_eq!(points(&right), [(-0.5708, 500.0), (1.0, 1500.0), (2.5708, 2500.0)]);
}

#[test]
fn when_a_higher_layer_names_a_kind_expect_it_over_own_points_of_a_lower_one() {
    let servo = "  left_coxa: {kind: most, channel: 3, points: [{angle_rad: 0.0, pulse_us: 1400.0}, {angle_rad: 0.5, pulse_us: 1600.0}], min_pulse_us: 1300.0}\n";
    assert_eq!(points(&only(servo, &[]))[0], (0.0, 1400.0));
    for above in ["servos.left_coxa.kind", "kinds.most.travel"] {
        let servo = only(servo, &[above]);
        // 1300 us were -0.25 rad by the points that no longer count.
        assert_eq!((points(&servo)[0], servo.min_pulse_us), ((-0.25, 1404.5), 1404.5), "{above}");
    }
    let servo = only(servo, &["defaults.all.kind"]);
    assert_eq!((points(&servo)[0], servo.speed_limit_rad_s), ((-0.2501, 1340.8), 6.0));
}

/// The coxae of the shipped file below one of the owner's that says which kind all servos are.
fn coxa_of(kind: &str) -> RawServo {
    let text = SHIPPED.replace("all: {kind: standard}", &format!("all: {{kind: {kind}}}"));
    let file: ServoFile = serde_yaml::from_str(&text).unwrap();
    let (raw, _) = file.resolve(|path| usize::from(path == "defaults.all.kind")).unwrap();
    raw.servos.0.into_iter().find(|(joint, _)| joint == "left_front_coxa").unwrap().1
}

#[test]
fn when_an_owner_names_a_kind_for_all_servos_expect_the_coxae_to_turn_no_farther_than_they_did() {
    for (kind, least, greatest) in [("mg996r", 980.0, 2020.0), ("ds3218_270", 1153.3, 1846.7), ("sg90", 956.0, 1944.0)]
    {
        let servo = coxa_of(kind);
        let ends = (servo.min_pulse_us, servo.max_pulse_us);
        assert!((ends.0 - least).abs() < 0.2 && (ends.1 - greatest).abs() < 0.2, "{kind}: {ends:?}");
        assert!((points(&servo)[0].0 + 0.8168).abs() < 1e-3, "{kind}: {:?}", points(&servo));
    }
}

#[test]
fn when_pulses_fall_with_the_angle_expect_the_same_range_on_a_kind_whose_pulses_rise() {
    let servo = "  a_coxa: {channel: 3, points: [{angle_rad: 0.0, pulse_us: 1500.0}, {angle_rad: 0.5, pulse_us: 1200.0}], min_pulse_us: 1200.0, max_pulse_us: 1560.0}\n";
    let servo = only(servo, &["defaults.all.kind"]);
    assert!((servo.min_pulse_us - 1436.3).abs() < 0.1 && (servo.max_pulse_us - 1818.3).abs() < 0.1, "{servo:?}");
}

#[test]
fn when_a_kind_tells_its_torque_expect_it_of_the_motor_calibrated_or_not_and_kgf_cm_reported() {
    let file = |servo: &str, torque: f64| -> ServoFile {
        let kinds = KINDS.replace("trim_rad: 0.1", &format!("stall_torque_nm: {torque}"));
        serde_yaml::from_str(&format!("{kinds}servos:\n  a_coxa: {servo}\n")).unwrap()
    };
    let measured = "points: [{angle_rad: 0.0, pulse_us: 1400.0}, {angle_rad: 0.5, pulse_us: 1600.0}], min_pulse_us: 1300.0, max_pulse_us: 1700.0, speed_limit_rad_s: 1.0";
    for (servo, has_own_points) in
        [("{channel: 1, kind: most}", false), (&*format!("{{board: 0, channel: 1, kind: most, {measured}}}"), true)]
    {
        let motor = file(servo, 0.9).motor("a_coxa", |_| 0).unwrap();
        assert_eq!((&*motor.kind, motor.stall_torque_nm, &*motor.path), ("most", Some(0.9), "servos.a_coxa.kind"));
        assert_eq!(motor.has_own_points, has_own_points);
    }
    assert_eq!(file("{channel: 1}", 0.9).motor("a_coxa", |_| 0).unwrap().stall_torque_nm, None);
    let commanded = file("{channel: 1}", 1.0).implausible();
    assert!(commanded.is_empty(), "{commanded:?}");
    let commanded = file("{channel: 1}", 21.0).implausible();
    assert!(commanded.len() == 1 && commanded[0].to_string().contains("did you mean kgf cm: 2.059?"), "{commanded:?}");
}

#[test]
fn when_a_servo_gives_all_it_needs_expect_nothing_from_elsewhere() {
    let keys = ["board", "channel", "points", "min_pulse_us", "max_pulse_us", "speed_limit_rad_s"];
    let servo = "  left_tibia: {board: 0, channel: 3, points: [{angle_rad: 0.0, pulse_us: 1400.0}, {angle_rad: 0.5, pulse_us: 1600.0}], min_pulse_us: 1300.0, max_pulse_us: 1700.0, speed_limit_rad_s: 1.0, direction: -1}\n";
    let above = keys.map(|key| format!("servos.left_tibia.{key}"));
    let above: Vec<&str> = above.iter().map(String::as_str).collect();
    // The direction is of a lower layer, in which something else was plugged in.
    assert_eq!(only(servo, &above).direction, 1);
    assert_eq!(only(servo, &[]).direction, -1);
    assert_eq!(only(servo, &above[1..]).direction, -1);
    assert_eq!(only(servo, &["defaults.tibia.speed_limit_rad_s"]).speed_limit_rad_s, 4.0);
}

#[test]
fn when_a_value_comes_from_elsewhere_expect_where_it_stands() {
    let (_, origins) = resolve("  left_rear_tibia: {channel: 1}\n", &[]).unwrap();
    for (path, origin) in [
        ("servos.left_rear_tibia.channel", "servos.left_rear_tibia.channel"),
        ("servos.left_rear_tibia.points[1].angle_rad", "kinds.half.travel"),
        ("servos.left_rear_tibia.speed_limit_rad_s", "defaults.rear_tibia.speed_limit_rad_s"),
        ("servos.left_rear_tibia.min_pulse_us", "kinds.half.travel"),
        ("servos.left_rear_tibia", "servos.left_rear_tibia"),
        ("boards[0].address", "boards[0].address"),
    ] {
        assert_eq!(origins.of(path), origin, "{path}");
    }
}

#[test]
fn when_kinds_do_not_hold_expect_the_key_and_what_would_be_right() {
    let cases = [
        ("  a_coxa: {}\n", "servos.a_coxa.channel", "missing"),
        ("  a_coxa: {channel: 1, kind: mots}\n", "servos.a_coxa.kind", "half, most"),
        ("  a_coxa: {channel: 1, kind: HALF}\n", "servos.a_coxa.kind", "did you mean `half`?"),
        (
            "  a_coxa: {channel: 1, travel: {angle_rad: 0.0, from_us: 500.0, to_us: 2500.0}}\n",
            "servos.a_coxa.travel",
            "above 0",
        ),
        (
            "  a_coxa: {channel: 1, points: [], travel: {angle_rad: 1.0, from_us: 500.0, to_us: 2500.0}}\n",
            "servos.a_coxa.travel",
            "keep one",
        ),
    ];
    for (servo, path, word) in cases {
        let error = resolve(servo, &[]).unwrap_err();
        assert_eq!(error.key_path(), path, "{error}");
        assert!(error.to_string().contains(word), "{error}");
    }
    let text = KINDS.replace("half: {travel", "half: {kind: most, travel") + "servos: {a: {channel: 1}}";
    let error = serde_yaml::from_str::<RawServoConfig>(&text).unwrap_err().to_string();
    assert!(error.contains("kinds.half.kind"), "{error}");
}
