//! Legs in which joints mimic others.

use hexapod_kinematics::{LegAngles, LegOptions, LimitChange, Robot};
use nalgebra::Vector3;

const LIMIT: &str = r#"<limit lower="-1.6" upper="1.6" velocity="8" effort="5"/>"#;

/// A joint of a leg: axis, where it is from the one before, what is in it beside.
struct Part {
    name: &'static str,
    axis: [f64; 3],
    at: [f64; 3],
    inside: String,
}

fn part(name: &'static str, axis: [f64; 3], at: [f64; 3], inside: &str) -> Part {
    Part {
        name,
        axis,
        at,
        inside: if inside.contains("<limit") { inside.to_owned() } else { format!("{LIMIT}{inside}") },
    }
}

fn mimic(of: &str, multiplier: f64, offset: f64) -> String {
    format!("<mimic joint=\"{{leg}}_{of}\" multiplier=\"{multiplier}\" offset=\"{offset}\"/>")
}

/// Six legs of these joints around a plate.
fn robot_text(parts: &[Part]) -> String {
    let mut text = String::from("<robot name=\"r\"><link name=\"base\"/>");
    let links = |name: &str| {
        format!(
            "<link name=\"{name}\"><inertial><origin xyz=\"0.02 0 0\"/><mass value=\"0.05\"/><inertia ixx=\"1e-5\" iyy=\"1e-5\" izz=\"1e-5\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
        )
    };
    for (k, leg) in ["lf", "lm", "lr", "rf", "rm", "rr"].iter().enumerate() {
        let side = if k < 3 { 1.0 } else { -1.0 };
        let (x, y) = (0.12 - 0.12 * (k % 3) as f64, 0.06 * side);
        let mut parent = "base".to_owned();
        for (n, Part { name, axis, at, inside }) in parts.iter().enumerate() {
            let (place, yaw) = if n == 0 { ([x, y, 0.0], side * std::f64::consts::FRAC_PI_2) } else { (*at, 0.0) };
            text += &links(&format!("{leg}_{name}_link"));
            text += &format!(
                "<joint name=\"{leg}_{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{leg}_{name}_link\"/>\
                 <origin xyz=\"{} {} {}\" rpy=\"0 0 {yaw}\"/><axis xyz=\"{} {} {}\"/>{}</joint>",
                place[0],
                place[1],
                place[2],
                axis[0],
                axis[1],
                axis[2],
                inside.replace("{leg}", leg)
            );
            parent = format!("{leg}_{name}_link");
        }
        text += &format!(
            "<link name=\"{leg}_foot\"/><joint name=\"{leg}_ankle\" type=\"fixed\"><parent link=\"{parent}\"/><child link=\"{leg}_foot\"/>\
             <origin xyz=\"0.11 0 0\"/></joint>"
        );
    }
    text + "</robot>"
}

const Z: [f64; 3] = [0.0, 0.0, 1.0];
const Y: [f64; 3] = [0.0, 1.0, 0.0];

/// A tail of the tibia that turns against it, and one that mimics that.
fn bent() -> Vec<Part> {
    vec![
        part("coxa", Z, [0.0; 3], ""),
        part("femur", Y, [0.03, 0.0, 0.01], ""),
        part("tibia", Y, [0.07, 0.0, 0.0], ""),
        part("shin", Y, [0.04, 0.0, 0.0], &mimic("tibia", -0.5, 0.3)),
        part("toe", [0.6, 0.8, 0.0], [0.03, 0.0, 0.0], &mimic("shin", -0.4, 0.1)),
    ]
}

fn pose(robot: &Robot, leg: usize, fractions: [f64; 3]) -> LegAngles {
    let leg = &robot.legs()[leg];
    LegAngles::from_fn(leg.joint_count(), |i| {
        let limits = leg.joints()[i].limits();
        limits.lower + (limits.upper - limits.lower) * fractions[i]
    })
}

#[test]
fn when_joints_mimic_expect_the_foot_where_the_model_has_it() {
    let robot = Robot::from_urdf(&robot_text(&bent())).unwrap();
    let model = robot.model();
    for (k, leg) in robot.legs().iter().enumerate() {
        assert_eq!((leg.joint_count(), leg.moving().len()), (3, 5));
        for fractions in [[0.5, 0.5, 0.5], [0.1, 0.7, 0.3], [0.9, 0.2, 0.8]] {
            let angles = pose(&robot, k, fractions);
            let mut positions = vec![0.0; model.position_count()];
            leg.joints()
                .iter()
                .zip(angles.iter())
                .for_each(|(joint, angle)| positions[joint.position_index()] = *angle);
            let foot = model.base_from_link(leg.foot_link(), &positions).translation.vector;
            assert!((leg.foot_in_body(&angles) - foot).norm() < 1e-12);
            let last = leg.points_in_body(&angles)[4];
            let toe = model.base_from_link(model.link_index(&format!("{}_toe_link", leg.name())).unwrap(), &positions);
            assert!((last - toe.translation.vector).norm() < 1e-12);
        }
    }
}

#[test]
fn when_joints_mimic_expect_derivatives_as_differences_have_them() {
    let robot = Robot::from_urdf(&robot_text(&bent())).unwrap();
    let leg = &robot.legs()[1];
    let (angles, speeds) = (pose(&robot, 1, [0.4, 0.6, 0.3]), LegAngles::from([0.7, -1.1, 0.9]));
    let h = 1e-6;
    let moved = |joint: usize, by: f64| LegAngles::from_fn(3, |i| angles[i] + if i == joint { by } else { 0.0 });
    let (jacobian, second) = (leg.jacobian(&angles), leg.foot_second_derivatives(&angles));
    for (j, second) in second.iter().take(3).enumerate() {
        let slope = (leg.foot_in_body(&moved(j, h)) - leg.foot_in_body(&moved(j, -h))) / (2.0 * h);
        assert!((jacobian.column(j) - slope).norm() < 1e-8);
        let bend = (leg.jacobian(&moved(j, h)) - leg.jacobian(&moved(j, -h))) / (2.0 * h);
        assert!((second - bend).norm() < 1e-7, "{j}");
    }
    assert!(jacobian.columns(3, 3).norm() == 0.0 && second[3].norm() == 0.0);
    let at = |t: f64| LegAngles::from_fn(3, |i| angles[i] + t * speeds[i]);
    let rate = (leg.geometric_jacobian(&at(h)) - leg.geometric_jacobian(&at(-h))) / (2.0 * h);
    assert!((leg.geometric_jacobian_rate(&angles, &speeds) - rate).norm() < 1e-7);
    let motion = leg.limb_motion(&angles, &speeds, &LegAngles::zeros(3));
    let velocity = leg.body_from_limb().rotation * motion.foot().velocity;
    assert!((velocity - leg.foot_velocity(&angles, &speeds)).norm() < 1e-12);
}

#[test]
fn when_joints_mimic_expect_the_inverse_to_reach_every_pose_within_all_limits() {
    let robot = Robot::from_urdf(&robot_text(&bent())).unwrap();
    for (k, leg) in robot.legs().iter().enumerate() {
        for n in 0..200 {
            let fraction = |by: f64| 0.05 + 0.9 * (f64::from(n) * by).fract();
            let angles = pose(&robot, k, [fraction(0.618), fraction(0.414), fraction(0.732)]);
            let target = leg.foot_in_body(&angles);
            let found = leg.inverse(&target, &leg.posture()).unwrap();
            assert!((leg.foot_in_body(&found) - target).norm() < 1e-9);
            assert!(leg.within_limits(&found));
            // Offsets are in the origins: 0.3 of the shin, and 0.1 - 0.4 * 0.3 of the toe.
            let turns = leg.turns(&found);
            for (joint, at) in leg.moving().iter().zip([0.0, 0.0, 0.0, 0.3, -0.02].iter().zip(turns.iter())) {
                assert!(joint.limits().margin(at.0 + at.1) > -1e-12, "{}", joint.name());
            }
        }
    }
}

#[test]
fn when_a_joint_mimics_expect_its_limits_on_the_one_with_the_motor() {
    let narrow = r#"<limit lower="-0.5" upper="0.2" velocity="3" effort="5" acceleration="20"/>"#;
    let mut parts = bent();
    parts[3].inside = format!("{narrow}{}", mimic("tibia", -0.5, 0.1));
    parts.truncate(4);
    let robot = Robot::from_urdf(&robot_text(&parts)).unwrap();
    let limits = robot.legs()[0].joints()[2].limits();
    // -0.5 <= 0.1 - 0.5 q <= 0.2, so that q is in -0.2 .. 1.2.
    assert!((limits.lower + 0.2).abs() < 1e-12 && (limits.upper - 1.2).abs() < 1e-12, "{limits:?}");
    assert!((limits.velocity - 6.0).abs() < 1e-12 && limits.effort == 5.0);
    assert_eq!(robot.legs()[0].moving()[3].limits().upper, 0.2);

    let wider = LimitChange { joint: "lf_shin".into(), upper: Some(0.3), ..LimitChange::default() };
    let options = LegOptions { limits: vec![wider], ..LegOptions::default() };
    let robot = Robot::from_urdf_with(&robot_text(&parts), &options).unwrap();
    assert!((robot.legs()[0].joints()[2].limits().lower + 0.4).abs() < 1e-12);

    parts[3].inside = format!("{narrow}{}", mimic("tibia", -0.5, 2.0));
    let error = Robot::from_urdf(&robot_text(&parts)).unwrap_err().to_string();
    assert!(error.contains("shin") && error.contains("_tibia") && error.contains("no position"), "{error}");
}

#[test]
fn when_a_joint_is_split_into_coaxial_halves_expect_the_leg_with_one() {
    let whole = |inside: &str| {
        vec![
            part("coxa", Z, [0.0; 3], ""),
            part("femur", Y, [0.03, 0.0, 0.01], inside),
            part("tibia", Y, [0.1, 0.0, 0.0], ""),
        ]
    };
    let twice = r#"<limit lower="-1.2" upper="1.4" velocity="8" effort="5"/>"#;
    let half = r#"<limit lower="-0.6" upper="0.7" velocity="4" effort="5"/>"#;
    let mut split = whole(half);
    split.insert(2, part("femur_b", Y, [0.0; 3], &format!("{half}{}", mimic("femur", 1.0, 0.0))));
    let (one, two) =
        (Robot::from_urdf(&robot_text(&whole(twice))).unwrap(), Robot::from_urdf(&robot_text(&split)).unwrap());
    for (leg, split) in one.legs().iter().zip(two.legs()) {
        assert!((split.length() - leg.length()).abs() < 1e-12);
        for n in 0..100 {
            let fraction = |by: f64| 0.1 + 0.8 * (f64::from(n) * by).fract();
            let angles = pose(&one, 0, [fraction(0.618), fraction(0.414), fraction(0.732)]);
            // With the knee straight both bends are as near.
            if angles[2].abs() < 0.1 {
                continue;
            }
            let halved = LegAngles::from([angles[0], 0.5 * angles[1], angles[2]]);
            let foot = leg.foot_in_body(&angles);
            assert!((split.foot_in_body(&halved) - foot).norm() < 1e-12);
            let seed = LegAngles::from_fn(3, |i| angles[i] + 0.02);
            let seed_halved = LegAngles::from([seed[0], 0.5 * seed[1], seed[2]]);
            let found = leg.inverse(&foot, &seed).unwrap();
            let found_halved = split.inverse(&foot, &seed_halved).unwrap();
            let same = Vector3::new(found[0], found[1], found[2])
                - Vector3::new(found_halved[0], 2.0 * found_halved[1], found_halved[2]);
            assert!(same.norm() < 1e-9, "{found:?} {found_halved:?}");
        }
    }
}

#[test]
fn when_mimics_cannot_be_expect_them_refused_by_name() {
    let refused = |parts: &[Part]| Robot::from_urdf(&robot_text(parts)).unwrap_err().to_string();
    let mut circle = bent();
    circle[2].inside = format!("{LIMIT}{}", mimic("toe", 1.0, 0.0));
    let error = refused(&circle);
    assert!(
        error.contains("circle") && ["lf_tibia", "lf_shin", "lf_toe"].iter().all(|name| error.contains(name)),
        "{error}"
    );

    let mut itself = bent();
    itself[3].inside = format!("{LIMIT}{}", mimic("shin", 1.0, 0.0));
    assert!(refused(&itself).contains("mimics itself"));

    let across = robot_text(&bent()).replacen("joint=\"lf_tibia\" multiplier", "joint=\"rf_tibia\" multiplier", 1);
    let error = Robot::from_urdf(&across).unwrap_err().to_string();
    assert!(
        error.contains("lf_shin") && error.contains("\"rf_tibia\"") && error.contains("not in that leg"),
        "{error}"
    );

    let mut long = bent();
    long.push(part("claw", Y, [0.02, 0.0, 0.0], &mimic("toe", 1.0, 0.0)));
    assert!(Robot::from_urdf(&robot_text(&long)).is_ok());
    long.push(part("nail", Y, [0.02, 0.0, 0.0], &mimic("toe", 1.0, 0.0)));
    let error = refused(&long);
    assert!(error.contains("3 moving joints and 4 that mimic others"), "{error}");

    let mut two = bent();
    two[1].inside = format!("{LIMIT}{}", mimic("tibia", 1.0, 0.0));
    assert!(refused(&two).contains("2 moving joints and 3 that mimic others"));
}

#[test]
fn when_a_multiplier_is_zero_expect_a_fixed_joint() {
    let mut parts = bent();
    parts[3].inside = format!("{LIMIT}{}", mimic("tibia", 0.0, 0.3));
    let robot = Robot::from_urdf(&robot_text(&parts)).unwrap();
    // So is the toe, which mimics it.
    assert_eq!(robot.legs()[0].moving().len(), 3);
    assert!(robot.legs()[0].inverse_method().starts_with("closed form"));
}
