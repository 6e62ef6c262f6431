//! Legs found by themselves: names, order, feet, what is not a leg, options.
#![allow(clippy::unwrap_used)]

use crate::common::LegText;
use hexapod_kinematics::{LegAngles, LegOptions, LegSpec, LimitChange, MAX_LEGS, ModelFault, Robot};
use nalgebra::Vector3;

fn names(robot: &Robot) -> Vec<&str> {
    robot.legs().iter().map(|l| l.name()).collect()
}

fn ring(count: usize, name: impl Fn(usize) -> String) -> String {
    let legs: Vec<LegText> = (0..count)
        .map(|k| {
            let yaw = 0.4 + std::f64::consts::TAU * k as f64 / count as f64;
            LegText {
                name: name(k),
                hip: [0.1 * yaw.cos(), 0.1 * yaw.sin(), 0.0],
                yaw,
                lengths: [0.05, 0.07, 0.13],
                limits: [[-1.0, 1.0], [-1.5, 1.5], [-2.5, 0.5]],
            }
        })
        .collect();
    crate::common::robot(&legs)
}

#[test]
fn when_reading_the_shipped_shape_expect_six_legs_in_order() {
    let robot = Robot::from_urdf(&crate::common::shipped()).unwrap();
    assert_eq!(names(&robot), ["left_front", "left_middle", "left_rear", "right_front", "right_middle", "right_rear"]);
    assert_eq!((robot.joint_count(), robot.model().base_link()), (18, "base_link"));
    assert_eq!(robot.leg_index("right_middle"), Some(4));
    assert_eq!(robot.leg_index("nobody"), None);
    let joints: Vec<&str> = robot.legs()[3].joints().iter().map(|j| j.name()).collect();
    assert_eq!(joints, ["right_front_coxa", "right_front_femur", "right_front_tibia"]);
    let reach = robot.legs()[1].foot_in_body(&LegAngles::zeros(3));
    assert!((reach - robot.legs()[1].hip_in_body()).norm() - 0.251 < 1e-12);
    assert!(robot.legs().iter().all(|l| l.inverse_method() == "closed form (parallel)"));
}

#[test]
fn when_there_are_three_to_eight_legs_expect_them_all() {
    for count in 3..=MAX_LEGS {
        let robot = Robot::from_urdf(&ring(count, |k| format!("leg{k}"))).unwrap();
        assert_eq!(robot.legs().len(), count);
        let sides: Vec<bool> = robot.legs().iter().map(|l| l.hip_in_body().y > 0.0).collect();
        assert!(sides.is_sorted_by(|a, b| a >= b), "left before right");
    }
    for count in [1, 2, 9, 12] {
        let error = Robot::from_urdf(&ring(count, |k| format!("leg{k}"))).unwrap_err();
        assert_eq!(error.fault(), ModelFault::Legs);
        assert!(error.to_string().contains(&format!("has {count} legs")), "{error}");
    }
}

#[test]
fn when_names_say_nothing_expect_names_by_place() {
    let text = crate::common::shipped();
    let mut plain = text.clone();
    for (i, leg) in
        ["left_front", "left_middle", "left_rear", "right_front", "right_middle", "right_rear"].iter().enumerate()
    {
        for (k, part) in ["coxa", "femur", "tibia"].iter().enumerate() {
            plain =
                plain.replace(&format!("joint name=\"{leg}_{part}\""), &format!("joint name=\"servo{}\"", 3 * i + k));
        }
    }
    let robot = Robot::from_urdf(&plain).unwrap();
    assert_eq!(names(&robot), names(&Robot::from_urdf(&text).unwrap()));
    let mut ended = text.clone();
    for (leg, short) in [
        ("left_front", "lf"),
        ("left_middle", "lm"),
        ("left_rear", "lr"),
        ("right_front", "rf"),
        ("right_middle", "rm"),
        ("right_rear", "rr"),
    ] {
        for part in ["coxa", "femur", "tibia"] {
            ended =
                ended.replace(&format!("joint name=\"{leg}_{part}\""), &format!("joint name=\"{part}_joint_{short}\""));
        }
    }
    assert_eq!(names(&Robot::from_urdf(&ended).unwrap()), ["lf", "lm", "lr", "rf", "rm", "rr"]);
}

#[test]
fn when_legs_are_given_expect_them_in_that_order() {
    let spec = |name: &str, foot: &str| LegSpec { name: name.to_owned(), foot_link: foot.to_owned() };
    let mut options = LegOptions {
        legs: vec![spec("c", "right_rear_foot"), spec("a", "left_front_foot"), spec("b", "right_front_foot")],
        ..LegOptions::default()
    };
    let robot = Robot::from_urdf_with(&crate::common::shipped(), &options).unwrap();
    assert_eq!(names(&robot), ["c", "a", "b"]);
    options.legs[1] = spec("c", "left_front_foot");
    assert_eq!(Robot::from_urdf_with(&crate::common::shipped(), &options).unwrap_err().fault(), ModelFault::Name);
    options.legs[1] = spec("d", "right_rear_tibia_link");
    let error = Robot::from_urdf_with(&crate::common::shipped(), &options).unwrap_err();
    assert!(error.to_string().contains("shares a joint with leg \"c\""), "{error}");
    options.legs[1] = spec("d", "nowhere");
    assert!(Robot::from_urdf_with(&crate::common::shipped(), &options).is_err());
}

#[test]
fn when_limits_are_changed_expect_them_in_legs_and_model() {
    let change =
        |joint: &str, acceleration| LimitChange { joint: joint.to_owned(), acceleration, ..LimitChange::default() };
    let mut options = LegOptions { limits: vec![change("", Some(60.0))], ..LegOptions::default() };
    options.limits.push(LimitChange { upper: Some(0.4), ..change("left_front_coxa", None) });
    let robot = Robot::from_urdf_with(&crate::common::shipped(), &options).unwrap();
    assert!(robot.legs().iter().flat_map(|l| l.joints()).all(|j| j.limits().acceleration == Some(60.0)));
    assert_eq!(robot.legs()[0].joints()[0].limits().upper, 0.4);
    let index = robot.legs()[0].joints()[0].joint_index();
    assert_eq!(robot.model().joints()[index].limits().unwrap().upper, 0.4);
    for bad in [
        change("nobody", Some(1.0)),
        change("", Some(-1.0)),
        LimitChange { upper: Some(-2.0), ..change("left_front_coxa", None) },
    ] {
        options.limits = vec![bad];
        assert!(Robot::from_urdf_with(&crate::common::shipped(), &options).is_err());
    }
}

#[test]
fn when_a_limit_cannot_be_expect_the_one_that_is_given_instead() {
    let own = "<limit lower=\"-0.9\" upper=\"0.9\" velocity=\"5.0\" effort=\"1.5\"/>";
    for (bad, given) in [
        (own.replace("5.0", "0"), LimitChange { velocity: Some(4.0), ..LimitChange::default() }),
        (own.replace("-0.9", "0.9"), LimitChange { lower: Some(-0.5), ..LimitChange::default() }),
        (
            "<limit velocity=\"5.0\" effort=\"0\"/>".to_owned(),
            LimitChange { lower: Some(-0.5), upper: Some(0.5), ..LimitChange::default() },
        ),
    ] {
        let text = crate::common::shipped().replacen(own, &bad, 1);
        assert!(text.contains(&bad) && Robot::from_urdf(&text).is_err());
        let of = |joint: &str| {
            let options = LegOptions {
                limits: vec![LimitChange { joint: joint.to_owned(), ..given.clone() }],
                ..LegOptions::default()
            };
            Robot::from_urdf_with(&text, &options)
        };
        let robot = of("right_rear_coxa").unwrap();
        let limits = *robot.legs()[5].joints()[0].limits();
        assert!(given.velocity.is_none_or(|v| v == limits.velocity) && given.lower.is_none_or(|l| l == limits.lower));
        assert!(of("").is_ok());
        assert_eq!(of("left_front_coxa").unwrap_err().fault(), ModelFault::Limits);
    }
}

#[test]
fn when_a_shape_has_several_materials_expect_it_read() {
    let shape = "<visual><geometry><sphere radius=\"0.1\"/></geometry><material name=\"a\"><color rgba=\"1 1 1 1\"/>\
                 </material><material name=\"b\"/></visual>";
    let base = format!("<link name=\"base_link\">{shape}</link>");
    let robot = Robot::from_urdf(&crate::common::shipped().replacen("<link name=\"base_link\"/>", &base, 1)).unwrap();
    assert_eq!(robot.model().links()[0].visuals().len(), 1);
}

fn with(extra: &str) -> String {
    crate::common::shipped().replace("</robot>", &format!("{extra}</robot>"))
}

fn joint(name: &str, kind: &str, parent: &str, child: &str, inside: &str) -> String {
    format!(
        "<link name=\"{child}\"/><joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
         <origin xyz=\"0.05 0 0.01\"/><axis xyz=\"0 0 1\"/>{inside}</joint>"
    )
}

const LIMIT: &str = "<limit lower=\"-1\" upper=\"1\" velocity=\"1\" effort=\"1\"/>";

#[test]
fn when_there_is_a_camera_or_an_arm_expect_them_left_out_and_noted() {
    let pan = joint("pan", "revolute", "base_link", "pan_link", LIMIT);
    let tilt = joint("tilt", "continuous", "pan_link", "camera", "");
    let robot = Robot::from_urdf(&with(&format!("{pan}{tilt}"))).unwrap();
    assert_eq!(robot.legs().len(), 6);
    assert_eq!(robot.model().position_count(), 20);
    assert!(robot.model().notes().iter().any(|n| n.contains("camera")), "{:?}", robot.model().notes());
    let mut arm = String::new();
    for i in 0..5 {
        let parent = if i == 0 { "base_link".to_owned() } else { format!("arm{}", i - 1) };
        arm += &joint(&format!("arm_joint{i}"), "revolute", &parent, &format!("arm{i}"), LIMIT);
    }
    arm += &joint("arm_tip", "fixed", "arm4", "gripper", "");
    let robot = Robot::from_urdf(&with(&arm)).unwrap();
    assert_eq!(robot.legs().len(), 6);
    assert!(robot.model().notes().iter().any(|n| n.contains("gripper")));
}

/// Six legs, changed, and the notes of the robot.
fn notes_of(change: impl FnOnce(&mut Vec<LegText>), edit: impl FnOnce(String) -> String) -> Vec<String> {
    let mut legs: Vec<LegText> = (0..6)
        .map(|k| {
            let (side, x) = (if k < 3 { 1.0 } else { -1.0 }, 0.1 * (1.0 - f64::from(k % 3)));
            LegText {
                name: format!("leg_{k}"),
                hip: [x, 0.06 * side, 0.0],
                yaw: side * (1.57 - 5.0 * x),
                lengths: [0.05, 0.07, 0.13],
                limits: [[-0.7, 0.7], [-1.5, 1.5], [-2.6, 0.5]],
            }
        })
        .collect();
    change(&mut legs);
    let robot = Robot::from_urdf(&edit(crate::common::robot(&legs))).unwrap();
    let notes = robot.model().notes().iter();
    notes.filter(|note| note.contains("unlike the others") || note.contains("turns")).cloned().collect()
}

/// The description with another axis for one joint.
fn with_axis(text: String, joint: &str, axis: &str) -> String {
    let at = text.find(&format!("<joint name=\"{joint}\"")).unwrap();
    let start = at + text[at..].find("<axis").unwrap();
    let end = start + text[start..].find("/>").unwrap();
    format!("{}<axis xyz=\"{axis}\"{}", &text[..start], &text[end..])
}

#[test]
fn when_chains_are_unlike_the_legs_expect_a_note_with_the_edit_that_leaves_them_out() {
    assert_eq!(notes_of(|_| {}, |text| text), Vec::<String>::new());
    let wing = |side: f64, height: f64, lengths| LegText {
        name: if side > 0.0 { "wing_l".into() } else { "wing_r".into() },
        hip: [0.0, 0.05 * side, height],
        yaw: side * 1.57,
        lengths,
        limits: [[-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0]],
    };
    let with_wings = |height, lengths| {
        let wings = [wing(1.0, height, lengths), wing(-1.0, height, lengths)];
        notes_of(|legs| legs.extend(wings), |text| text)
    };
    let notes = with_wings(0.1, [0.05, 0.07, 0.13]);
    assert!(
        notes.len() == 1
            && notes[0].contains("wing_l (its hip is 100 mm above most), wing_r (")
            && notes[0].contains("`legs: [{name: leg_0, foot_link: leg_0_foot}, ")
            && !notes[0].contains("name: wing"),
        "{notes:?}"
    );
    let notes = with_wings(0.0, [0.03, 0.04, 0.08]);
    assert!(notes.len() == 1 && notes[0].contains("wing_r (150 mm long, not 250 mm)"), "{notes:?}");
}

#[test]
fn when_one_axis_is_not_that_of_the_other_legs_expect_it_pointed_at() {
    let notes = notes_of(|_| {}, |text| with_axis(text, "leg_4_coxa", "1 0 0"));
    assert!(notes.len() == 1 && notes[0].contains("joint leg_4_coxa of leg leg_4 turns about another axis (1 0 0)"));
    assert!(notes[0].ends_with("write <axis xyz=\"0 0 1\"/>, as the others have it"), "{notes:?}");
    let notes = notes_of(|_| {}, |text| with_axis(text, "leg_1_femur", "0 1 0"));
    assert!(
        notes.len() == 1
            && notes[0].contains("leg_1_femur of leg leg_1 turns the other way")
            && notes[0].contains("\"0 -1 0\""),
        "{notes:?}"
    );
}

#[test]
fn when_axes_are_mirrored_or_meant_so_expect_nothing_said_of_them() {
    let mirrored =
        notes_of(|_| {}, |text| (3..6).fold(text, |text, k| with_axis(text, &format!("leg_{k}_femur"), "0 1 0")));
    assert_eq!(mirrored, Vec::<String>::new(), "the right side turns the other way");
    let other_way = |legs: &mut Vec<LegText>| legs[4].limits[2] = [-0.5, 2.6];
    let meant = notes_of(other_way, |text| with_axis(text, "leg_4_tibia", "0 1 0"));
    assert_eq!(meant, Vec::<String>::new(), "its limits are turned, too");
}

#[test]
fn when_joints_mimic_slide_or_float_expect_them_handled_by_name() {
    let jaw = joint("jaw", "prismatic", "base_link", "jaw_link", LIMIT);
    let other = joint(
        "other_jaw",
        "prismatic",
        "base_link",
        "other_link",
        &format!("{LIMIT}<mimic joint=\"jaw\" multiplier=\"-1\" offset=\"0.01\"/>"),
    );
    let robot = Robot::from_urdf(&with(&format!("{jaw}{other}"))).unwrap();
    let model = robot.model();
    let (jaw, mimic) = (model.joint_index("jaw").unwrap(), model.joint_index("other_jaw").unwrap());
    let mut positions = vec![0.0; model.position_count()];
    positions[model.joints()[jaw].position_index().unwrap()] = 0.02;
    assert!(model.joints()[mimic].is_virtual());
    assert!((model.position_of(mimic, &positions) + 0.01).abs() < 1e-15);
    let link = model.link_index("other_link").unwrap();
    assert!((model.base_from_link(link, &positions).translation.z - 0.0).abs() < 1e-15);
    let slope = model.link_transform_derivative(link, &positions, model.joints()[jaw].position_index().unwrap());
    assert!((slope[(2, 3)] + 1.0).abs() < 1e-15);

    let leg_mimic =
        crate::common::shipped().replacen("effort=\"1.5\"/>", "effort=\"1.5\"/><mimic joint=\"left_rear_coxa\"/>", 1);
    let error = Robot::from_urdf(&leg_mimic).unwrap_err();
    assert!(error.to_string().contains("\"left_rear_coxa\", which is not in that leg"), "{error}");
    let chained = with(&format!(
        "{}{}",
        joint("one", "revolute", "base_link", "one_link", &format!("{LIMIT}<mimic joint=\"two\"/>")),
        joint("two", "revolute", "base_link", "two_link", &format!("{LIMIT}<mimic joint=\"one\"/>"))
    ));
    assert_eq!(Robot::from_urdf(&chained).unwrap_err().fault(), ModelFault::JointKind);

    let floating = with(
        "<link name=\"world\"/><joint name=\"free\" type=\"floating\"><parent link=\"world\"/><child link=\"base_link\"/></joint>",
    );
    let robot = Robot::from_urdf(&floating).unwrap();
    assert_eq!(robot.model().base_link(), "base_link");
}

#[test]
fn when_a_leg_ends_in_a_shape_expect_the_foot_at_its_end() {
    let foot = |shape: &str| {
        let mut text = crate::common::shipped();
        for leg in ["left_front", "left_middle", "left_rear", "right_front", "right_middle", "right_rear"] {
            let start = text.find(&format!("<link name=\"{leg}_foot\"/>")).unwrap();
            let end = start + text[start..].find("</joint>").unwrap() + 8;
            text.replace_range(start..end, "");
            text = text.replace(
                &format!("<link name=\"{leg}_tibia_link\"/>"),
                &format!("<link name=\"{leg}_tibia_link\">{shape}</link>"),
            );
        }
        text
    };
    let stick = "<collision><origin xyz=\"0.06 0 0\" rpy=\"0 1.5707963267948966 0\"/><geometry><cylinder radius=\"0.01\" length=\"0.14\"/></geometry></collision>";
    let robot = Robot::from_urdf(&foot(stick)).unwrap();
    assert!((robot.legs()[0].tip().translation.vector - Vector3::new(0.13, 0.0, 0.0)).norm() < 1e-12);
    let mesh =
        "<visual><geometry><mesh filename=\"package://a/tibia.stl\" scale=\"0.001 0.001 0.001\"/></geometry></visual>";
    let text = foot(mesh);
    let guessed = Robot::from_urdf(&text).unwrap();
    assert!((guessed.legs()[0].tip().translation.vector - Vector3::new(0.066, 0.0, 0.0)).norm() < 1e-12);
    let notes = guessed.model().notes();
    assert!(
        notes.iter().any(|n| n.contains("package://a/tibia.stl is not found") && n.contains("6 legs")),
        "{notes:?}"
    );
    let stl = "solid t\nvertex 0 0 0\nvertex 100 0 -9\nvertex 50 1 1\nendsolid";
    let mut asked = Vec::new();
    let robot = Robot::from_urdf_and_meshes(&text, &LegOptions::default(), &mut |name| {
        asked.push(name.to_owned());
        Some(stl.as_bytes().to_vec())
    })
    .unwrap();
    assert!((robot.legs()[0].tip().translation.vector - Vector3::new(0.1, 0.0, -0.009)).norm() < 1e-12);
    assert_eq!(asked.len(), 6);
    assert!(robot.model().notes().iter().all(|note| !note.contains("short beside")), "{:?}", robot.model().notes());
    // Of a servo at the knee, and of nothing else.
    let servo = "solid s\nvertex 0 0 0\nvertex 22 0 0\nvertex 11 1 1\nendsolid";
    let read = &mut |_: &str| Some(servo.as_bytes().to_vec());
    let robot = Robot::from_urdf_and_meshes(&text, &LegOptions::default(), read).unwrap();
    assert!(robot.model().notes().iter().any(|note| note.contains("short beside")), "{:?}", robot.model().notes());
    let options = LegOptions { feet: vec![(String::new(), Vector3::new(0.12, 0.0, 0.0))], ..LegOptions::default() };
    let robot = Robot::from_urdf_with(&text, &options).unwrap();
    assert!((robot.legs()[5].tip().translation.vector.x - 0.12).abs() < 1e-15);
}

#[test]
fn when_a_chain_is_called_an_arm_expect_no_leg_however_many_joints_it_has() {
    let mut arm = String::new();
    for (i, name) in ["front_arm_yaw", "front_arm_lift", "front_arm_bend"].iter().enumerate() {
        let parent = if i == 0 { "base_link".to_owned() } else { format!("link{}", i - 1) };
        arm += &joint(name, "revolute", &parent, &format!("link{i}"), LIMIT);
    }
    arm += &joint("tip", "fixed", "link2", "tool", "");
    let robot = Robot::from_urdf(&with(&arm)).unwrap();
    assert_eq!(robot.legs().len(), 6);
    assert!(robot.model().notes().iter().any(|n| n.contains("tool") && n.contains("names")));
}

#[test]
fn when_only_the_links_call_a_chain_an_arm_expect_no_leg() {
    let mut arm = String::new();
    for (i, name) in ["upper_arm", "Arm2", "gripper v3"].iter().enumerate() {
        let parent = if i == 0 { "base_link".to_owned() } else { ["upper_arm", "Arm2"][i - 1].to_owned() };
        arm += &joint(&format!("Revolute {i}"), "revolute", &parent, name, LIMIT);
    }
    let robot = Robot::from_urdf(&with(&(arm + &joint("tip", "fixed", "gripper v3", "tool", "")))).unwrap();
    assert_eq!(robot.legs().len(), 6);
    assert!(robot.model().notes().iter().any(|n| n.contains("tool") && n.contains("names of its links")));
}

/// A chain of three joints with parts of 0.05 m to both sides of no leg, or opposite one.
fn chain_at(x: f64, y: f64) -> String {
    let chain: String = (0..3)
        .map(|i| {
            let parent = if i == 0 { "base_link".to_owned() } else { format!("part{}", i - 1) };
            joint(&format!("joint{i}"), "revolute", &parent, &format!("part{i}"), LIMIT)
        })
        .collect();
    let first = format!("xyz=\"{x} {y} 0.01\"");
    chain.replacen("xyz=\"0.05 0 0.01\"", &first, 1) + &joint("end", "fixed", "part2", "tip", "")
}

#[test]
fn when_a_chain_is_like_no_leg_and_opposite_none_expect_it_left_out_and_noted() {
    let robot = Robot::from_urdf(&with(&chain_at(0.15, 0.0))).unwrap();
    assert_eq!(robot.legs().len(), 6);
    let notes = robot.model().notes();
    assert!(notes.iter().any(|n| n.contains("\"tip\"") && n.contains("like none of them")), "{notes:?}");
    // A robot one of whose legs was rebuilt keeps it.
    let odd = crate::common::shipped().replacen("xyz=\"0.052 0 0\"", "xyz=\"0.062 0 0\"", 1);
    assert_ne!(odd, crate::common::shipped());
    assert_eq!(Robot::from_urdf(&odd).unwrap().legs().len(), 6);
}

#[test]
fn when_a_length_an_angle_or_a_mass_is_in_another_unit_expect_a_word() {
    let lengths = |by: f64| crate::common::hexapod([0.05 * by, 0.07 * by, 0.13 * by], [[-1.0, 1.0]; 3]);
    let reported = |text: &str| Robot::from_urdf(text).unwrap_err().to_string();
    assert!(reported(&lengths(1000.0)).contains("look like millimetres"));
    assert!(reported(&lengths(0.001)).contains("are in metres"));
    let turned = reported(&lengths(1.0).replace("rpy=\"0 0 0.785\"", "rpy=\"0 0 45\""));
    assert!(turned.contains("rpy") && turned.contains("0.7854"), "{turned}");
    let heavy = "<link name=\"base_link\"><inertial><mass value=\"1900\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" \
                 iyz=\"0\" izz=\"1\"/></inertial></link>";
    let robot = Robot::from_urdf(&lengths(1.0).replacen("<link name=\"base_link\"/>", heavy, 1)).unwrap();
    assert!(robot.model().notes().iter().any(|n| n.contains("grams")), "{:?}", robot.model().notes());
}

#[test]
fn when_one_leg_is_far_longer_than_the_others_expect_its_joint_unless_the_legs_are_listed() {
    let text = crate::common::shipped();
    let foot = text.find("<child link=\"left_rear_foot\"").unwrap();
    let (before, after) = text.split_at(foot);
    let long = format!("{before}{}", after.replacen("xyz=\"0.133 0 0\"", "xyz=\"1.33 0 0\"", 1));
    assert_ne!(long, text);
    let error = Robot::from_urdf(&long).unwrap_err();
    assert!(error.to_string().contains("leg \"left_rear\": is 1.45 m long where others have 0.251 m"), "{error}");
    assert!(error.line().is_some());
    let names = ["left_front", "left_rear", "right_front", "right_rear"];
    let legs = names.map(|name| LegSpec { name: name.to_owned(), foot_link: format!("{name}_foot") }).to_vec();
    assert!(Robot::from_urdf_with(&long, &LegOptions { legs, ..LegOptions::default() }).is_ok());
}

#[test]
fn when_limits_are_wide_expect_a_bent_posture_with_the_knee_up() {
    let wide = [[-3.1, 3.1]; 3];
    let robot = Robot::from_urdf(&crate::common::hexapod([0.05, 0.07, 0.13], wide)).unwrap();
    for leg in robot.legs() {
        let (posture, hip) = (leg.posture(), leg.hip_in_body());
        assert!(!leg.is_upright() && leg.margins(&posture).singularity_m > 0.02);
        let foot = leg.foot_in_body(&posture);
        assert!(foot.z < -0.05 && (foot - hip).xy().dot(&hip.xy()) > 0.0, "{foot:?}");
        assert!(posture[1] > 0.2 && posture[2] < -0.5, "knee up: {posture:?}");
    }
    let given = Robot::from_urdf(&crate::common::shipped()).unwrap();
    assert_eq!(&*given.legs()[0].posture(), &[0.0, 0.0, -1.1500000000000001], "limits of a real leg: their middle");
}

#[test]
fn when_legs_hang_from_rolling_hips_expect_knees_towards_the_middle_and_feet_below() {
    let robot = Robot::from_urdf(&crate::common::quadruped([[-3.1, 3.1]; 3])).unwrap();
    for leg in robot.legs() {
        let (posture, hip) = (leg.posture(), leg.hip_in_body());
        assert!(leg.is_upright() && leg.straight_hip().abs() < 1e-12);
        let below = leg.below_hip();
        assert!((below.x - hip.x).abs() < 1e-12 && (below.y.abs() - hip.y.abs() - 0.06).abs() < 1e-12, "{below:?}");
        let knee = leg.points_in_body(&posture)[2];
        assert!(knee.x.abs() < hip.x.abs() - 0.05, "{knee:?}");
        let foot = leg.foot_in_body(&posture);
        assert!((foot.xy() - below).norm() < 0.1 && foot.z < -0.15, "{foot:?}");
    }
}
