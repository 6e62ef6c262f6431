//! `sim.yaml`.

use crate::common::{config, document, shipped};
use hexapod_config::Document;
use hexapod_kinematics::{JointLimits, Robot};
use hexapod_sim::{Config, NamedServo, ServoModel};
use proptest::prelude::*;

fn refused(above: &str) -> String {
    let error = Config::read(&document(above), &shipped()).unwrap_err();
    error.each().map(|error| format!("{error:#}\n")).collect()
}

#[test]
fn when_the_shipped_file_is_read_expect_data_sheet_figures() {
    let with = |kind: &str| config(&format!("servos: {{all: {kind}}}")).servos;
    let torque = |kgf_cm: f64| kgf_cm * 9.806_65 / 100.0;
    for (name, volts, kgf_cm, stall_a, slow_s) in
        [("mg996r", 6.0, 11.0, 2.5, 0.14), ("ds3218", 6.8, 21.5, 2.2, 0.14), ("sts3215", 7.4, 19.5, 2.4, 0.192)]
    {
        let servos = with(name);
        let ServoModel::Own(kind) = servos.of("left_front_coxa") else { panic!("{name} has a motor of its own") };
        assert_eq!((kind.nominal_v, kind.stall_current), (volts, stall_a));
        assert!((kind.stall_torque - torque(kgf_cm)).abs() < 1e-3, "{} N m", kind.stall_torque);
        let s_per_60_degrees = std::f64::consts::FRAC_PI_3 / kind.no_load_speed;
        assert!((s_per_60_degrees - slow_s).abs() < 2e-4, "{s_per_60_degrees} s");
    }
}

#[test]
fn when_a_robot_has_no_link_for_a_camera_expect_it_where_the_shipped_robot_has_that_link() {
    let urdf = include_str!("../../../urdf/hexapod.urdf");
    let (head, tail) = urdf.split_once("<link name=\"depth_camera_link\"/>").unwrap();
    let bare = Robot::from_urdf(&format!("{head}{}", tail.split_once("</joint>").unwrap().1)).unwrap();
    let usual = Config::read(&document(""), &bare).unwrap();
    assert_eq!(usual.camera_link, None);
    let model = shipped();
    let link =
        model.model().link_index("depth_camera_link").and_then(|link| model.model().fixed_in_base(link)).unwrap();
    assert!((usual.camera.at - link.translation.vector).norm() < 1e-12, "{:?}", usual.camera.at);
    assert!((usual.camera.down_rad - link.rotation.euler_angles().1).abs() < 1e-12, "{}", usual.camera.down_rad);
}

#[test]
fn when_a_servo_is_of_its_joint_expect_the_joints_torque_and_speed_at_any_voltage() {
    let servos = config("").servos;
    let limits = JointLimits::try_new(-1.0, 1.0, 4.0, 2.4, None).unwrap();
    for open_v in [5.0, 7.4] {
        let servo = servos.of("left_front_coxa").fitted(Some(&limits), open_v);
        let kind = servo.kind();
        assert_eq!((kind.nominal_v, kind.stall_torque), (open_v, 2.4));
        assert!((kind.stiffness(open_v) - 2.4 / 0.009).abs() < 1e-9);
    }
}

#[test]
fn when_joints_have_servos_by_the_ending_of_their_names_expect_the_longest_to_count() {
    let text = "servos: {all: perfect, tibia: mg996r, left_front_tibia: ds3218}";
    let servos = config(text).servos;
    let nominal = |joint: &str| match servos.of(joint) {
        ServoModel::Own(kind) => kind.nominal_v,
        ServoModel::OfJoint(_) => 0.0,
    };
    assert_eq!(["left_front_tibia", "left_rear_tibia", "left_rear_coxa"].map(nominal), [6.8, 6.0, 0.0]);
}

#[test]
fn when_a_value_cannot_be_expect_line_key_and_what_would_be_right() {
    let cases: &[(&str, &[&str])] = &[
        ("engine: {step_s: 5}", &["sim.yaml:1:18", "engine.step_s", "milliseconds: 0.005?"]),
        ("engine: {step: 0.005}", &["engine.step", "unknown key", "`step_s`"]),
        ("engine: {sweeps: 0}", &["engine.sweeps", "between 1 and 100"]),
        ("kinds: {mg996r: {stall_torque_nm: 25}}", &["kinds.mg996r.stall_torque_nm", "kgf cm: 2.4517?"]),
        ("kinds: {mg996r: {no_load_speed_rad_s: 428}}", &["no_load_speed_rad_s", "degrees/s: 7.47"]),
        ("kinds: {mg996r: {stall_current_a: 2500}}", &["stall_current_a", "mA: 2.5?"]),
        ("kinds: {mg996r: {dead_band_rad: 5}}", &["dead_band_rad", "degrees: 0.0873?"]),
        ("kinds: {mg996r: {nominal_v: null}}", &["kinds.mg996r", "`nominal_v` is missing", "go together"]),
        ("kinds: {mine: {rotor_kg_m2: 0.001}}", &["kinds.mine", "`full_error_rad` is missing"]),
        ("servos: {all: mg995r}", &["servos.all", "no kind is called `mg995r`", "`mg996r`"]),
        ("servos: {tibias: mg996r}", &["servos.tibias", "as a word", "`tibia`"]),
        ("servos: {all: null}", &["servos", "`all: perfect`"]),
        ("supply: {reset_v: 7.0}", &["supply.reset_v", "7 V is not below open_v, 6 V"]),
        ("supply: {capacity_ah: 5000}", &["supply.capacity_ah", "mAh: 5?"]),
        ("sensors: {foot_switches: {release_n: 2.0}}", &["foot_switches.release_n", "2 N is more than press_n, 1 N"]),
        ("sensors: {camera: {nearest_m: 1.0}}", &["sensors.camera.nearest_m", "1 m is not below farthest_m, 0.8 m"]),
        ("sensors: {imu: {gyro_bias_rad_s: 20}}", &["imu.gyro_bias_rad_s", "degrees/s: 0.3491?"]),
        (
            "sensors: {imu: {link: top_plate}}",
            &["sensors.imu.link", "no link `top_plate`", "base_link, depth_camera_link"],
        ),
        ("sensors: {camera: {link: left_front_tibia_link}}", &["camera.link", "moves against the body", "fixed"]),
        ("sensors: {camera: {farthest_m: 1500}}", &["farthest_m", "between 0.05 and 100 m", "millimetres: 1.5?"]),
        ("sensors: {imu: {link: base_lnk}}", &["no link `base_lnk`", "did you mean `base_link`?"]),
        ("ground: {friction: -0.1}", &["ground.friction", "between 0 and 3"]),
        ("ground: {friction: rubber}", &["ground.friction", "rubber"]),
    ];
    for (text, words) in cases {
        let reported = refused(text);
        words.iter().for_each(|word| assert!(reported.contains(word), "{text}: no {word} in {reported}"));
    }
}

#[test]
fn when_several_values_cannot_be_expect_each_reported_once() {
    let reported = refused("engine: {step_s: 5, sweeps: 0}\nground: {friction: 9}\n");
    assert_eq!(reported.lines().count(), 3, "{reported}");
}

/// Keys whose values are numbers, with the values.
fn numbers() -> Vec<(String, f64)> {
    let leaves = document("").leaves();
    leaves.iter().filter_map(|leaf| Some((leaf.path.clone(), leaf.value.parse().ok()?))).collect()
}

fn nested(path: &str, value: &str) -> String {
    path.split('.').rev().fold(value.to_owned(), |inner, key| format!("{{{key}: {inner}}}"))
}

proptest! {
    /// No number at all gets through that is not finite, nor one far beyond what is shipped.
    #[test]
    fn when_any_number_is_absurd_expect_its_key_named(which in any::<prop::sample::Index>(), sign in prop::bool::ANY) {
        let numbers = numbers();
        let (path, value) = &numbers[which.index(numbers.len())];
        let absurd = if sign { "-1000000.5".to_owned() } else { format!("{}", (value + 1.0) * 1e6) };
        let above = Document::parse(hexapod_config::Source::new("mine", nested(path, &absurd))).unwrap();
        let error = Config::read(&document("").layered(above), &shipped()).unwrap_err();
        prop_assert!(error.each().any(|error| error.key() == Some(path.as_str())), "{}: {}", path, error);
    }
}

#[test]
fn when_servos_yaml_names_a_kind_expect_its_motor_unless_an_owner_says_another() {
    let named = |joint: &str, kind: &str, stall_torque_nm| NamedServo {
        joint: joint.into(),
        kind: kind.into(),
        stall_torque_nm,
        no_load_speed_rad_s: Some(5.0),
    };
    let kinds = ["left_front_coxa", "left_front_femur"].map(|joint| named(joint, "mg996r", None));
    let volts = |above: &str, joint: &str| {
        let servos = Config::read_for(&document(above), &shipped(), &kinds).unwrap().servos;
        if let ServoModel::Own(kind) = servos.of(joint) { Some(kind.nominal_v) } else { None }
    };
    assert_eq!((volts("", "left_front_coxa"), volts("", "left_front_tibia")), (Some(6.0), None));
    assert_eq!(volts("servos: {all: perfect}", "left_front_coxa"), None);
    assert_eq!(volts("servos: {coxa: ds3218}", "left_front_coxa"), Some(6.8));
    assert_eq!(volts("supply: {open_v: 5.0}", "left_front_coxa"), Some(6.0));
    let strange = [named("left_front_coxa", "mine", Some(2.158)), named("left_front_femur", "standard", None)];
    let config = Config::read_for(&document("supply: {open_v: 5.0}"), &shipped(), &strange).unwrap();
    let ServoModel::Own(common) = *config.servos.of("left_front_coxa") else { panic!("it is as strong as it is") };
    assert_eq!((common.nominal_v, common.stall_torque, common.no_load_speed), (5.0, 2.158, 5.0));
    assert!((common.friction, common.rotor) == (0.1, 0.004) && common.stall_current == 0.0, "{common:?}");
    assert!(
        matches!(config.servos.of("left_front_femur"), ServoModel::OfJoint(_)),
        "of a placeholder nothing is known"
    );
    assert!(config.notes.len() == 1 && config.notes[0].contains("kind mine"), "{:?}", config.notes);
}
