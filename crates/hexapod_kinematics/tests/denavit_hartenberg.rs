//! The same robot as URDF and in both Denavit-Hartenberg conventions, and tables that are refused.
#![allow(clippy::unwrap_used)]

use crate::common::Random;
use hexapod_kinematics::{DhRobot, LegAngles, ModelFault, Robot};

const RIGHT_ANGLE: f64 = std::f64::consts::FRAC_PI_2;

/// The legs of `crate::common::hexapod` as a table. Femur and tibia turn about -y of a frame whose x points outward.
fn table(convention: &str) -> String {
    let mut text = format!("name: test\nconvention: {convention}\nlegs:\n");
    let places = [
        ("left_front", 0.1, 0.06, 0.785),
        ("left_middle", 0.0, 0.08, 1.571),
        ("left_rear", -0.1, 0.06, 2.356),
        ("right_front", 0.1, -0.06, -0.785),
        ("right_middle", 0.0, -0.08, -1.571),
        ("right_rear", -0.1, -0.06, -2.356),
    ];
    for (name, x, y, yaw) in places {
        text +=
            &format!("  - name: {name}\n    base: {{ xyz: [{x}, {y}, 0.0], rpy: [0.0, 0.0, {yaw}] }}\n    joints:\n");
        let rows = if convention == "standard" {
            [(0.052, RIGHT_ANGLE), (0.066, 0.0), (0.133, 0.0)]
        } else {
            [(0.0, 0.0), (0.052, RIGHT_ANGLE), (0.066, 0.0)]
        };
        for ((part, (a, alpha)), (lower, upper)) in
            ["coxa", "femur", "tibia"].iter().zip(rows).zip([(-0.9, 0.9), (-1.6, 1.6), (-2.6, 0.3)])
        {
            text += &format!(
                "      - {{ name: {name}_{part}, a: {a}, alpha: {alpha}, lower: {lower}, upper: {upper}, velocity: 5.0, effort: 1.5 }}\n"
            );
        }
        if convention == "modified" {
            text += "    foot: { xyz: [0.133, 0.0, 0.0] }\n";
        }
    }
    text
}

fn from_dh(text: &str) -> Result<Robot, hexapod_kinematics::ModelError> {
    Robot::from_dh(&serde_yaml::from_str::<DhRobot>(text).unwrap())
}

#[test]
fn when_a_robot_is_given_three_ways_expect_the_same_figures() {
    let urdf = Robot::from_urdf(&crate::common::shipped()).unwrap();
    let mut random = Random(3);
    for convention in ["standard", "modified"] {
        let dh = from_dh(&table(convention)).unwrap();
        assert_eq!(dh.joint_count(), 18);
        for (one, two) in urdf.legs().iter().zip(dh.legs()) {
            assert_eq!(one.name(), two.name());
            assert_eq!(one.inverse_method(), two.inverse_method());
            for _ in 0..2000 {
                let q = LegAngles::from_fn(3, |_| random.range(-3.0, 3.0));
                assert!((one.foot_in_body(&q) - two.foot_in_body(&q)).norm() < 1e-12);
                assert!((one.geometric_jacobian(&q) - two.geometric_jacobian(&q)).norm() < 1e-12);
                for (a, b) in one.foot_second_derivatives(&q).iter().zip(two.foot_second_derivatives(&q)) {
                    assert!((a - b).norm() < 1e-12);
                }
            }
        }
    }
}

#[test]
fn when_a_table_is_wrong_expect_the_parameter_named() {
    let good = table("standard");
    for (from, to, fault, says) in [
        ("a: 0.052", "a: .nan", ModelFault::NotFinite, "left_front_coxa\" a: is NaN"),
        ("lower: -0.9", "lower: 0.9", ModelFault::Limits, "left_front_coxa\" lower"),
        ("velocity: 5.0", "velocity: 0.0", ModelFault::Limits, "velocity is 0"),
        ("left_middle_coxa", "left_front_coxa", ModelFault::Name, "used twice"),
        ("name: left_middle\n", "name: left_front\n", ModelFault::Name, "used twice"),
        ("rpy: [0.0, 0.0, 0.785]", "rpy: [0.0, 0.0, .inf]", ModelFault::NotFinite, "left_front\" base"),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good);
        let error = from_dh(&text).unwrap_err();
        assert_eq!(error.fault(), fault, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
    assert_eq!(from_dh("name: none\nconvention: modified\nlegs: []").unwrap_err().fault(), ModelFault::Legs);
    assert!(serde_yaml::from_str::<DhRobot>(&good.replacen("alpha:", "alhpa:", 1)).is_err());
}
