//! What exporters write and no robot has is mended with a note, and feet are where a person would look for them.
#![allow(clippy::unwrap_used)]

use hexapod_kinematics::{LegOptions, LimitChange, ModelFault, Robot};
use nalgebra::Vector3;
use std::f64::consts::PI;

const SHIPPED: &str = include_str!("../../../urdf/hexapod.urdf");
const COXA: &str = "<limit lower=\"-0.9\" upper=\"0.9\" velocity=\"5.0\" effort=\"1.5\"/>";

/// The shipped shape with pieces of its text replaced, everywhere.
fn changed(pieces: &[(&str, &str)]) -> String {
    pieces.iter().fold(crate::common::shipped(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

fn noted(robot: &Robot, words: &[&str]) {
    let notes = robot.model().notes();
    assert!(notes.iter().any(|note| words.iter().all(|word| note.contains(word))), "{words:?} in {notes:?}");
}

#[test]
fn when_an_axis_is_not_of_length_one_expect_it_normalised_and_noted() {
    let robot = Robot::from_urdf(&changed(&[("xyz=\"0 -1 0\"", "xyz=\"0 -2 0\"")])).unwrap();
    assert_eq!(robot.legs()[0].joints()[1].axis().into_inner(), -Vector3::y());
    noted(&robot, &["length 2", "12 joints"]);
}

#[test]
fn when_a_link_weighs_nothing_or_its_inertia_is_rounding_expect_a_robot() {
    let inertial = |mass: &str, ixx: &str| {
        let inertia = format!("<inertia ixx=\"{ixx}\" ixy=\"0\" ixz=\"0\" iyy=\"{ixx}\" iyz=\"0\" izz=\"0\"/>");
        let base = format!("<link name=\"base_link\"><inertial><mass value=\"{mass}\"/>{inertia}</inertial></link>");
        changed(&[("<link name=\"base_link\"/>", base.as_str())])
    };
    noted(&Robot::from_urdf(&inertial("0", "1e-3")).unwrap(), &["base_link", "0 kg"]);
    assert!(Robot::from_urdf(&inertial("0.1", "-2e-35")).unwrap().model().notes().is_empty());
    assert_eq!(Robot::from_urdf(&inertial("0.1", "-2e-5")).unwrap_err().fault(), ModelFault::Inertia);
}

#[test]
fn when_limits_stand_for_none_expect_half_a_turn_and_a_turn_a_second() {
    let endless = "<limit lower=\"-1e16\" upper=\"1e16\" velocity=\"1e16\" effort=\"1e16\"/>";
    let robot = Robot::from_urdf(&changed(&[(COXA, endless)])).unwrap();
    let limits = robot.legs()[0].joints()[0].limits();
    assert_eq!((limits.lower, limits.upper, limits.velocity), (-PI, PI, 2.0 * PI));
    noted(&robot, &["no motor has", "6 joints"]);
}

#[test]
fn when_a_limit_is_missing_expect_the_one_that_is_given_or_its_joint_named() {
    let text = crate::common::shipped().replacen(COXA, "", 1);
    let error = Robot::from_urdf(&text).unwrap_err();
    assert_eq!((error.fault(), error.attribute()), (ModelFault::Missing, Some("limit")), "{error}");
    let given = LimitChange { lower: Some(-0.5), upper: Some(0.5), velocity: Some(4.0), ..LimitChange::default() };
    let options = LegOptions { limits: vec![given], ..LegOptions::default() };
    let robot = Robot::from_urdf_with(&text, &options).unwrap();
    assert_eq!(robot.legs()[5].joints()[0].limits().upper, 0.5);
}

#[test]
fn when_a_joint_outside_the_legs_cannot_move_expect_it_fixed_where_it_is() {
    for (limit, height) in [
        ("<limit lower=\"0.02\" upper=\"0.02\" velocity=\"1\" effort=\"1\"/>", 0.02),
        ("<limit lower=\"0\" upper=\"1\" velocity=\"0\" effort=\"1\"/>", 0.0),
        ("", 0.0),
    ] {
        let lift = format!(
            "<link name=\"mast\"/><joint name=\"lift\" type=\"prismatic\"><parent link=\"base_link\"/>\
             <child link=\"mast\"/><axis xyz=\"0 0 1\"/>{limit}</joint></robot>"
        );
        let robot = Robot::from_urdf(&changed(&[("</robot>", lift.as_str())])).unwrap();
        let model = robot.model();
        assert_eq!((robot.legs().len(), model.position_count()), (6, 18));
        let mast = model.base_from_link(model.link_index("mast").unwrap(), &[0.5; 19]);
        assert_eq!(mast.translation.z, height);
        noted(&robot, &["lift", "taken as fixed"]);
    }
}

#[test]
fn when_a_simulators_elements_hold_text_expect_them_left_alone() {
    let shape = "<collision><geometry><sphere radius=\"0.1\"/></geometry><max_vel>0.1</max_vel></collision>";
    let base = format!("<link name=\"base_link\">{shape}<contact><mu>1</mu></contact></link>");
    let robot = Robot::from_urdf(&changed(&[("<link name=\"base_link\"/>", base.as_str())])).unwrap();
    assert_eq!(robot.model().links()[0].collisions().len(), 1);
}

#[test]
fn when_the_last_link_is_a_wheel_expect_no_guess_at_its_foot() {
    let wheel = "<inertial><origin xyz=\"0 0.1 0.001\"/><mass value=\"1\"/><inertia ixx=\"1e-3\" ixy=\"0\" ixz=\"0\" \
                 iyy=\"1e-3\" iyz=\"0\" izz=\"1e-3\"/></inertial><visual><geometry><mesh filename=\"w.dae\"/></geometry></visual>";
    let error = Robot::from_urdf(&with_ends("_servo", wheel, None)).unwrap_err();
    assert!(error.expected().contains("make its joint fixed") && error.what().contains("where its foot is"), "{error}");
}

#[test]
fn when_one_numbered_leg_has_a_joint_less_expect_it_among_the_legs() {
    let names = ["left_front", "left_middle", "left_rear", "right_front", "right_middle", "right_rear"];
    let mut text = crate::common::shipped();
    for (index, name) in names.iter().enumerate() {
        text = text.replace(name, &format!("leg{index}"));
        let foot = format!("<joint name=\"leg{index}_foot_fixed\" type=\"fixed\">");
        let ankle = format!(
            "<joint name=\"leg{index}_ankle\" type=\"revolute\"><axis xyz=\"0 1 0\"/>\
             <limit lower=\"-1\" upper=\"1\" velocity=\"1\" effort=\"1\"/>"
        );
        if index > 0 {
            assert!(text.contains(&foot));
            text = text.replace(&foot, &ankle);
        }
    }
    let shape = "<collision><origin xyz=\"0.02 0 0\"/><geometry><box size=\"0.04 0.01 0.01\"/></geometry></collision>";
    for index in 1..6 {
        let link = format!("<link name=\"leg{index}_foot\"/>");
        text = text.replace(&link, &format!("<link name=\"leg{index}_foot\">{shape}</link>"));
    }
    let robot = Robot::from_urdf(&text).unwrap();
    assert_eq!((robot.legs().len(), robot.joint_count()), (6, 23));
}

#[test]
fn when_names_and_places_contradict_each_other_expect_a_note_that_says_how_to_turn_it() {
    let swapped = crate::common::shipped().replace("front", "F").replace("rear", "front").replace("F", "rear");
    noted(&Robot::from_urdf(&swapped).unwrap(), &["called front are not ahead", "`forward: -x`"]);
    let mirrored = crate::common::shipped().replace("left", "L").replace("right", "left").replace("L", "right");
    noted(&Robot::from_urdf(&mirrored).unwrap(), &["called left are on the right"]);
    assert!(Robot::from_urdf(&crate::common::shipped()).unwrap().model().notes().is_empty());
}

#[test]
fn when_a_model_is_written_as_a_urdf_expect_the_same_robot_read_back() {
    let shape = "<visual><origin xyz=\"1 2 3\" rpy=\"0.1 0.2 0.3\"/><geometry><mesh filename=\"a&amp;b.stl\"/></geometry></visual>\
                 <collision><geometry><cylinder radius=\"0.1\" length=\"0.2\"/></geometry></collision>";
    let base = format!("<link name=\"base_link\">{shape}</link>");
    let robot = Robot::from_urdf(&changed(&[("<link name=\"base_link\"/>", base.as_str())])).unwrap();
    let again = Robot::from_urdf(&robot.model().to_urdf()).unwrap();
    assert_eq!(again.model().links()[0].collisions(), robot.model().links()[0].collisions());
    for (one, two) in robot.legs().iter().zip(again.legs()) {
        assert_eq!((one.name(), one.foot_reason()), (two.name(), two.foot_reason()));
        let posture = one.posture();
        assert!((one.foot_in_body(&posture) - two.foot_in_body(&posture)).norm() < 1e-12);
    }
}

#[test]
fn when_materials_have_textures_expect_them_left_alone() {
    let material = "<material name=\"wood\"><texture/></material><gazebo><x/></gazebo></robot>";
    assert!(Robot::from_urdf(&changed(&[("</robot>", material)])).is_ok());
}

/// The shipped shape with its feet called otherwise, and something in each tibia link and fixed to it.
fn with_ends(foot: &str, inside: &str, mounted: Option<&str>) -> String {
    let mut text = crate::common::shipped().replace("_foot", foot);
    for leg in ["left_front", "left_middle", "left_rear", "right_front", "right_middle", "right_rear"] {
        let tibia = format!("<link name=\"{leg}_tibia_link\"/>");
        text = text.replace(&tibia, &format!("<link name=\"{leg}_tibia_link\">{inside}</link>"));
        if let Some(name) = mounted {
            let joint = format!(
                "<link name=\"{leg}_{name}\"/><joint name=\"{leg}_{name}_fixed\" type=\"fixed\">\
                 <parent link=\"{leg}_tibia_link\"/><child link=\"{leg}_{name}\"/><origin xyz=\"0.02 0 0.2\"/></joint></robot>"
            );
            text = text.replace("</robot>", &joint);
        }
    }
    text
}

fn foot_of(text: &str, options: &LegOptions) -> (Vector3<f64>, String) {
    let robot = Robot::from_urdf_with(text, options).unwrap();
    let leg = &robot.legs()[0];
    (leg.tip().translation.vector, leg.foot_reason().to_owned())
}

#[test]
fn when_something_else_is_fixed_to_the_last_link_expect_the_foot_where_its_name_or_the_shape_says() {
    let options = LegOptions::default();
    let named = foot_of(&with_ends("_foot", "", Some("antenna")), &options);
    assert!(named.0.x == 0.133 && named.1.contains("by its name"), "{named:?}");
    let unnamed = foot_of(&with_ends("_point", "", Some("servo_case")), &options);
    assert!(unnamed.0.x == 0.133 && unnamed.1.contains("farthest"), "{unnamed:?}");
    // What is fixed near the joint is no foot where the shape goes on.
    let stick = "<collision><origin xyz=\"0.2 0 0\"/><geometry><box size=\"0.4 0.02 0.02\"/></geometry></collision>";
    let beside = foot_of(&with_ends("_clip", stick, None), &options);
    assert!(
        beside.0.x == 0.4 && beside.1.contains("the end of the shape") && beside.1.contains("only 133 mm"),
        "{beside:?}"
    );
    let ball = "<collision><origin xyz=\"0.3 0 0\"/><geometry><sphere radius=\"0.01\"/></geometry></collision>";
    let ball = foot_of(&with_ends("_clip", ball, None), &options);
    assert!(ball.0.x == 0.3 && ball.1.contains("ball"), "{ball:?}");
}

#[test]
fn when_feet_are_given_by_leg_expect_them_there_and_unknown_ones_refused() {
    let text = with_ends("_foot", "", Some("clip"));
    let link = |leg: &str, link: &str| LegOptions {
        foot_links: vec![(leg.to_owned(), link.to_owned())],
        ..LegOptions::default()
    };
    let clip = foot_of(&text, &link("left_front", "left_front_clip"));
    assert!(clip.0.z == 0.2 && clip.1.contains("robot.yaml"), "{clip:?}");
    let point = LegOptions { feet: vec![("left_front".into(), 0.1 * Vector3::x())], ..LegOptions::default() };
    assert_eq!(foot_of(&text, &point).0.x, 0.233);
    for bad in [
        link("left_front", "left_rear_clip"),
        link("nose", "left_front_clip"),
        LegOptions { feet: vec![("nose".into(), Vector3::x())], ..LegOptions::default() },
    ] {
        let error = Robot::from_urdf_with(&text, &bad).unwrap_err();
        assert!(error.element().starts_with("foot \""), "{error}");
    }
}

#[test]
fn when_a_mesh_is_of_another_kind_expect_it_named_as_not_read() {
    let mesh = "<visual><geometry><mesh filename=\"package://a/tibia.blend\"/></geometry></visual>";
    let text = with_ends("_servo", mesh, None);
    noted(
        &Robot::from_urdf(&text).unwrap(),
        &["tibia.blend is BLEND, which is not read", "_tibia_link: [0.0660, 0.0000, 0.0000]}", "6 legs"],
    );
}

#[test]
fn when_joints_have_friction_expect_it_kept_and_nonsense_counted_as_none() {
    let shipped = include_str!("../../../urdf/hexapod.urdf");
    let friction = |text: &str| {
        let robot = Robot::from_urdf(text).unwrap();
        let again = Robot::from_urdf(&robot.model().to_urdf()).unwrap();
        let of = |robot: &Robot| robot.model().joints()[robot.legs()[0].joints()[0].joint_index()].friction();
        assert_eq!(of(&robot), of(&again), "written and read again");
        (of(&robot).coulomb, of(&robot).viscous)
    };
    let given = "<dynamics damping=\"0.01\" friction=\"0.03\"/>";
    assert_eq!(friction(shipped), (0.03, 0.01));
    assert_eq!(friction(&shipped.replace(given, "")), (0.0, 0.0));
    assert_eq!(friction(&shipped.replace(given, "<dynamics damping=\"-1\" friction=\"NaN\"/>")), (0.0, 0.0));
}

/// The shipped robot below other links and joints.
fn below(above: &str) -> String {
    SHIPPED.replacen("<link name=\"base_link\">", &format!("{above}<link name=\"base_link\">"), 1)
}

#[test]
fn when_text_stands_between_elements_expect_it_ignored_with_its_line() {
    let text = SHIPPED.replacen("<box size=\"0.24 0.14 0.003\"/>", "<box size=\"0.24 0.14 0.003\"/>\n  0\n", 1);
    let text = text.replacen("<link name=\"base_link\">", "hm<link name=\"base_link\">", 1);
    let (robot, plain) = (Robot::from_urdf(&text).unwrap(), Robot::from_urdf(SHIPPED).unwrap());
    assert_eq!(robot.legs(), plain.legs());
    assert_eq!(robot.model().links()[0].visuals(), plain.model().links()[0].visuals());
    let notes = robot.model().notes().join("; ");
    assert!(notes.contains("text between elements") && notes.contains("line "), "{notes}");
}

#[test]
fn when_a_world_or_joints_of_a_free_body_are_above_the_base_expect_them_left_out() {
    let joint = |name: &str, kind: &str, parent: &str, child: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/><axis xyz=\"0 0 1\"/>\
             <limit lower=\"-9\" upper=\"9\" effort=\"1\" velocity=\"1\"/></joint>"
        )
    };
    let links = |names: &[&str]| names.iter().map(|name| format!("<link name=\"{name}\"/>")).collect::<String>();
    let plain = Robot::from_urdf(SHIPPED).unwrap();
    for above in [
        links(&["world"]) + &joint("w", "fixed", "world", "base_link"),
        links(&["odom"]) + &joint("w", "planar", "odom", "base_link"),
        links(&["world", "tx", "rz"])
            + &joint("x", "prismatic", "world", "tx")
            + &joint("z", "continuous", "tx", "rz")
            + &joint("f", "fixed", "rz", "base_link").replace("type=\"fixed\"", "type=\"floating\""),
        links(&["world", "anchor"])
            + &joint("w", "fixed", "world", "anchor")
            + &joint("x", "prismatic", "anchor", "base_link"),
    ] {
        let robot = Robot::from_urdf(&below(&above)).unwrap();
        assert_eq!((robot.model().base_link(), robot.legs().len()), ("base_link", 6), "{above}");
        assert_eq!(robot.model().position_count(), plain.model().position_count());
        assert_eq!(robot.legs()[0].hip_in_body(), plain.legs()[0].hip_in_body());
        assert!(robot.model().notes().iter().any(|note| note.contains("\"base_link\" is the base")), "{above}");
    }
    let footprint = links(&["base_footprint"]) + &joint("lift", "fixed", "base_footprint", "base_link");
    assert_eq!(Robot::from_urdf(&below(&footprint)).unwrap().model().base_link(), "base_footprint");
}

#[test]
fn when_a_guessed_foot_is_above_its_joint_expect_it_refused_with_where_to_give_it() {
    let tibia = |z: f64| {
        format!(
            "<inertial><origin xyz=\"0.02 0 {z}\"/><mass value=\"0.1\"/><inertia ixx=\"1e-4\" iyy=\"1e-4\" izz=\"1e-4\" ixy=\"0\" \
             ixz=\"0\" iyz=\"0\"/></inertial><visual><geometry><mesh filename=\"tibia.blend\"/></geometry></visual>"
        )
    };
    let robot = |z: f64| {
        let mut text = String::from("<robot name=\"r\"><link name=\"base\"/>");
        for (index, (x, y)) in [(0.1, 0.1), (-0.1, 0.1), (0.1, -0.1), (-0.1, -0.1)].into_iter().enumerate() {
            let mut parent = "base".to_owned();
            for (part, axis, origin) in [
                ("coxa", "0 0 1", format!("{x} {y} 0")),
                ("femur", "0 1 0", "0.05 0 0".into()),
                ("tibia", "0 1 0", "0.07 0 0".into()),
            ] {
                let (name, inside) = (format!("{part}{index}"), if part == "tibia" { tibia(z) } else { String::new() });
                text += &format!(
                    "<link name=\"{name}\">{inside}</link><joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/>\
                     <child link=\"{name}\"/><origin xyz=\"{origin}\"/><axis xyz=\"{axis}\"/>\
                     <limit lower=\"-1.5\" upper=\"1.5\" effort=\"1\" velocity=\"5\"/></joint>"
                );
                parent = name;
            }
        }
        Robot::from_urdf(&(text + "</robot>"))
    };
    assert!(robot(-0.05).is_ok());
    let error = robot(0.05).unwrap_err().to_string();
    assert!(
        error.contains("100 mm above its last joint") && error.contains("BLEND") && error.contains("feet: {tibia0"),
        "{error}"
    );
}

#[test]
fn when_one_leg_has_a_named_tip_beyond_the_ball_that_others_stand_on_expect_it_to_stand_like_them() {
    // The shipped feet are links called so, with a ball: here none is, and one leg has a tip 15 mm farther out.
    let tip = "<link name=\"right_rear_tip\"/><joint name=\"right_rear_tip\" type=\"fixed\"><parent link=\"right_rear_tibia_link\"/>\
               <child link=\"right_rear_tip\"/><origin xyz=\"0.148 0 0\"/></joint></robot>";
    let text = SHIPPED.replace("_foot", "_imu").replace("</robot>", tip);
    let robot = Robot::from_urdf(&text).unwrap();
    for leg in robot.legs() {
        assert!((leg.tip().translation.vector.norm() - 0.133).abs() < 1e-9, "{}: {}", leg.name(), leg.foot_reason());
    }
    noted(&robot, &["right_rear_tip", "148 mm", "133 mm"]);
    // Who names the link of a leg's foot is not overruled by one that is called a foot.
    let legs = robot.legs().iter().map(|leg| hexapod_kinematics::LegSpec {
        name: leg.name().into(),
        foot_link: format!("{}_tibia_link", leg.name()),
    });
    let options = LegOptions { legs: legs.collect(), ..LegOptions::default() };
    let given = Robot::from_urdf_with(&text, &options).unwrap();
    let rear = given.leg_index("right_rear").unwrap();
    assert!(given.legs()[rear].tip().translation.vector.norm() < 0.14, "{}", given.legs()[rear].foot_reason());
}
