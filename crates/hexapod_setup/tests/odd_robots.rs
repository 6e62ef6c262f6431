//! Robots that cannot stand, or that are not what they are taken for: each gets a message that says what is wrong,
//! where, and what mends it.

#![allow(clippy::unwrap_used)]

use hexapod_config::ros_params::{ParamValue, Params};
use hexapod_config::{ConfigError, Source};
use hexapod_kinematics::{NOT_A_LEG, Robot};
use hexapod_setup::{ConfigFile, Description, Walker, planner};
use std::path::Path;

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config");

/// What differs from a robot that walks.
#[derive(Clone, Copy)]
struct Odd {
    axes: [&'static str; 3],
    limits: [(f64, f64); 3],
    lengths: [f64; 3],
    /// The angles about which the legs stand, rad.
    around: [f64; 6],
    /// Length of the tip of the first leg, m.
    first_tip: f64,
    effort: f64,
}

const PLAIN: Odd = Odd {
    axes: ["0 0 1", "0 1 0", "0 1 0"],
    limits: [(-0.8, 0.8), (-1.5, 1.5), (-2.6, 0.6)],
    lengths: [0.05, 0.07, 0.11],
    around: [0.785, 1.571, 2.356, -2.356, -1.571, -0.785],
    first_tip: 0.11,
    effort: 2.0,
};

fn urdf(odd: Odd) -> String {
    let mut text = String::from("<robot name='r'>\n<link name='base_link'/>\n");
    for (leg, yaw) in odd.around.iter().enumerate() {
        let (x, y) = (0.1 * yaw.cos(), 0.1 * yaw.sin());
        let mut parent = "base_link".to_owned();
        for (index, part) in ["coxa", "femur", "tibia"].into_iter().enumerate() {
            let origin = match index {
                0 => format!("xyz='{x} {y} 0' rpy='0 0 {yaw}'"),
                _ => format!("xyz='{} 0 0'", odd.lengths[index - 1]),
            };
            let ((lower, upper), axis, effort) = (odd.limits[index], odd.axes[index], odd.effort);
            text += &format!(
                "<link name='l{leg}_{part}_link'/>\n<joint name='l{leg}_{part}' type='revolute'><parent link='{parent}'/>\
                 <child link='l{leg}_{part}_link'/><origin {origin}/><axis xyz='{axis}'/>\
                 <limit lower='{lower}' upper='{upper}' velocity='4' effort='{effort}'/></joint>\n"
            );
            parent = format!("l{leg}_{part}_link");
        }
        let tip = if leg == 0 { odd.first_tip } else { odd.lengths[2] };
        text += &format!(
            "<link name='l{leg}_foot'/>\n<joint name='l{leg}_tip' type='fixed'><parent link='{parent}'/>\
             <child link='l{leg}_foot'/><origin xyz='{tip} 0 0'/></joint>\n"
        );
    }
    text + "</robot>"
}

fn nothing() -> ConfigFile {
    ConfigFile::of_texts([("robot.yaml", "limits: {}\n")])
}

fn walker(text: String, name: &str) -> Result<Walker, ConfigError> {
    walker_beside(text, name, &nothing(), "")
}

fn walker_beside(text: String, name: &str, beside: &ConfigFile, disabled: &str) -> Result<Walker, ConfigError> {
    let description = Description::of_text(Source::new(name, text), beside, &mut |_| None)?;
    let mut params = defaults();
    params.insert("disabled_legs", ParamValue::String(disabled.into()));
    walker_with(&params, &description)
}

fn defaults() -> Params {
    planner::specs().iter().map(|spec| (spec.name, spec.default.clone())).collect()
}

fn walker_with(params: &Params, description: &Description) -> Result<Walker, ConfigError> {
    let file = |name: &str| ConfigFile::from(&Path::new(CONFIG).join(name));
    Walker::read(params, description, &file("gaits.yaml"), &file("motions.yaml"))
}

#[test]
fn when_a_robot_cannot_stand_expect_the_joint_the_cause_and_what_mends_it() {
    assert!(walker(urdf(PLAIN), "plain.urdf").is_ok());
    let cases = [
        (Odd { axes: ["0 1 0"; 3], ..PLAIN }, "l0_coxa", "parallel axes", "0 0 1"),
        (Odd { axes: ["1 0 0"; 3], ..PLAIN }, "l0_coxa", "does not move the foot", "<axis>"),
        (Odd { lengths: [0.05, 0.0, 0.11], ..PLAIN }, "l0_tibia", "same line", "<origin>"),
        (Odd { limits: [(-0.8, 0.8), (-1.5, 0.0), (-2.6, 0.0)], ..PLAIN }, "l0_femur", "from -1.5 to 0", "upper: 1.5"),
        (Odd { limits: [(-0.05, 0.05); 3], ..PLAIN }, "l0_", "0.05", "1.57"),
        (Odd { around: [0.0; 6], ..PLAIN }, "l0_coxa", "in one place", "hip"),
    ];
    for (odd, joint, cause, help) in cases {
        let error = walker(urdf(odd), "odd.urdf").unwrap_err();
        let reported = format!("{error:#}");
        assert!(error.key().unwrap().contains(joint) && error.line().unwrap() > 2, "{reported}");
        assert!(error.message().contains(cause) && error.remedy().contains(help), "{reported}");
        assert!(!reported.contains("hexapod new"), "{reported}");
    }
}

#[test]
fn when_a_size_that_was_asked_for_keeps_it_from_walking_expect_that_parameter_to_blame() {
    let description = Description::of_text(Source::new("plain.urdf", urdf(PLAIN)), &nothing(), &mut |_| None).unwrap();
    for (name, asked) in [("max_stride", 0.001), ("max_stride", 0.003)] {
        let mut params = defaults();
        params.insert(name, ParamValue::Double(asked));
        let reported = format!("{:#}", walker_with(&params, &description).unwrap_err());
        assert!(reported.contains(name) && reported.contains("leave it at 0.0"), "{reported}");
    }
}

#[test]
fn when_the_axes_of_one_side_are_mirrored_and_its_limits_are_not_expect_a_leg_named_that_would_be_in_the_ground() {
    let limits = [(-0.8, 0.8), (-1.6, 1.6), (0.2, 2.7)];
    let plain = urdf(Odd { axes: ["0 0 1", "0 -1 0", "0 1 0"], limits, lengths: [0.007, 0.046, 0.06], ..PLAIN });
    let plain = plain.replace("xyz='0.11 0 0'", "xyz='0.06 0 0'");
    let is_right = |line: &&str| ["name='l3_", "name='l4_", "name='l5_"].iter().any(|leg| line.contains(leg));
    let swapped =
        |line: &str| line.replace("'0 1 0'", "down").replace("'0 -1 0'", "'0 1 0'").replace("down", "'0 -1 0'");
    let mirrored: Vec<String> =
        plain.lines().map(|line| if is_right(&line) { swapped(line) } else { line.to_owned() }).collect();
    assert!(walker(plain, "plain.urdf").is_ok());
    let error = walker(mirrored.join("\n"), "mirrored.urdf").unwrap_err();
    assert!(error.message().contains("on its knee") && error.remedy().contains("mirrored"), "{error:#}");
}

#[test]
fn when_the_feet_are_not_around_the_centre_of_mass_expect_it_refused_where_the_legs_are_chosen() {
    let shipped = || include_str!("../../../urdf/hexapod.urdf").to_owned();
    let listed = |legs: [&str; 4]| {
        let legs = legs.map(|leg| format!("  - {{name: {leg}, foot_link: {leg}_foot}}\n"));
        let beside = ConfigFile::of_texts([("robot.yaml", format!("legs:\n{}", legs.concat()).as_str())]);
        walker_beside(shipped(), "hexapod.urdf", &beside, "")
    };
    for legs in [
        ["left_front", "right_front", "left_middle", "right_middle"],
        ["left_front", "left_middle", "left_rear", "right_rear"],
    ] {
        let error = listed(legs).unwrap_err();
        assert_eq!(error.key(), Some("legs"), "{error:#}");
        assert!(error.message().contains("would tip over while standing"), "{error:#}");
    }
    assert!(listed(["left_front", "right_front", "left_rear", "right_rear"]).is_ok());
    let without = |legs: &str| walker_beside(shipped(), "hexapod.urdf", &nothing(), legs);
    let error = without("left_rear,right_rear").unwrap_err();
    assert!(format!("{error:#}").contains("disabled_legs") && error.message().contains("tip over"), "{error:#}");
    assert!(without("left_middle,right_middle").is_ok());
    let behind = Odd { around: [1.0, 0.8, 0.5, -0.5, -0.8, -1.0], lengths: [0.02, 0.03, 0.05], ..PLAIN };
    let error = walker(urdf(Odd { first_tip: 0.05, ..behind }), "behind.urdf").unwrap_err();
    assert!(error.key().unwrap().contains("_coxa") && error.remedy().contains("no link has a mass"), "{error:#}");
}

#[test]
fn when_two_feet_stand_in_one_place_expect_both_legs_named() {
    let odd = Odd { around: [0.785, 1.571, 2.356, -2.356, -1.571, -1.565], ..PLAIN };
    let error = walker(urdf(odd), "crowded").unwrap_err();
    assert!(
        error.message().contains("the feet of legs l5 and l4 stand") && error.remedy().contains("farther apart"),
        "{error}"
    );
}

#[test]
fn when_one_leg_differs_or_efforts_are_zero_expect_notes_that_name_leg_and_length() {
    let notes = |odd: Odd| Robot::from_urdf(&urdf(odd)).unwrap().model().notes().join("\n");
    assert_eq!(notes(PLAIN), "");
    let short = notes(Odd { first_tip: 0.011, ..PLAIN });
    assert!(short.contains("leg l0: its foot is 11 mm") && short.contains("110 mm in the other legs"), "{short}");
    assert!(notes(Odd { effort: 0.0, ..PLAIN }).contains("no effort limit is known of any joint"));
}

#[test]
fn when_a_table_of_parameters_is_wrong_expect_its_own_line_and_key() {
    let leg = |leg: usize, joints: [&str; 3], foot: &str| {
        let yaw = PLAIN.around[leg];
        let (x, y) = (0.1 * yaw.cos(), 0.1 * yaw.sin());
        let joint = |index: usize, size: &str| {
            format!("      - {{name: l{leg}_j{index}, {size}, velocity: 5.0, effort: 1.5}}\n")
        };
        format!(
            "  - name: l{leg}\n    base: {{xyz: [{x}, {y}, 0.0], rpy: [0.0, 0.0, {yaw}]}}\n{foot}    joints:\n{}{}{}",
            joint(0, joints[0]),
            joint(1, joints[1]),
            joint(2, joints[2])
        )
    };
    let table = |convention: &str, joints: [&str; 3], foot: &str| {
        let legs: String = (0..6).map(|index| leg(index, joints, foot)).collect();
        format!("name: t\nconvention: {convention}\nlegs:\n{legs}")
    };
    let hip = "a: 0.05, alpha: 1.5708, lower: -0.8, upper: 0.8";
    let [knee, shin] = ["a: 0.07, alpha: 0.0, lower: -1.5, upper: 1.5", "a: 0.11, alpha: 0.0, lower: -2.6, upper: 0.6"];
    let degrees = "a: 0.07, alpha: 0.0, lower: -90, upper: 90";
    let cases = [
        (table("standard", [hip, degrees, shin], ""), "legs[0].joints[1].lower", 8, "lower: -1.5708"),
        (table("modified", [hip, knee, shin], ""), "legs[0]", 4, "foot: {xyz:"),
        (
            table("standard", [hip, "a: 0.0, alpha: 0.0, lower: -1.5, upper: 1.5", shin], ""),
            "legs[0].joints[1].a",
            8,
            "`a`",
        ),
        (
            table("standard", [hip, knee, shin], "").replace("l1_j0", "l0_j0"),
            "legs[1].joints[0].name",
            13,
            "name of its own",
        ),
    ];
    for (text, key, line, help) in cases {
        let error = walker(text, "table.yaml").unwrap_err();
        assert_eq!((error.key(), error.line()), (Some(key), Some(line)), "{error:#}");
        assert!(error.remedy().contains(help) && error.file() == "table.yaml", "{error:#}");
    }
}

#[test]
fn when_a_foot_point_is_wrong_expect_its_line_and_a_point_in_the_frame_of_its_link() {
    let shipped = || include_str!("../../../urdf/hexapod.urdf").to_owned();
    let beside = |feet: &str| ConfigFile::of_texts([("robot.yaml", feet)]);
    let error = walker_beside(shipped(), "hexapod.urdf", &beside("feet: {all: [-0.133, 0.0, 0.0]}\n"), "").unwrap_err();
    assert_eq!((error.file().ends_with("robot.yaml"), error.key()), (true, Some("feet.all")), "{error:#}");
    let notes = |feet: &str| walker_beside(shipped(), "hexapod.urdf", &beside(feet), "").unwrap().notes.join("\n");
    let reported = notes("feet: {left_rear: [0.1, 0.0, 0.0]}\n");
    let mend = "feet: {left_rear: [0.0, 0.0, 0.0]}";
    assert!(reported.contains(mend), "{reported}");
    assert!(!notes(mend).contains("foot"), "{}", notes(mend));
}

#[test]
fn when_joints_have_no_limits_expect_the_entry_that_mends_all_of_them_at_once() {
    let limits = |text: &str, change: &dyn Fn(&str) -> String| {
        let lines = text.lines().map(|line| match (line.find("<limit"), line.find("</joint>")) {
            (Some(from), Some(to)) => format!("{}{}{}\n", &line[..from], change(&line[from..to]), &line[to..]),
            _ => format!("{line}\n"),
        });
        lines.collect::<String>()
    };
    let zeros = "<limit lower='0' upper='0' velocity='0' effort='0'/>";
    let one = urdf(PLAIN).replacen("velocity='4'", "velocity='0'", 1);
    for (text, count, key) in [
        (
            limits(&urdf(PLAIN), &|_| zeros.into()),
            "18 joints",
            "limits: {all: {lower: -1.0, upper: 1.0, velocity: 5.0}}",
        ),
        (
            limits(&urdf(PLAIN), &|_| String::new()),
            "18 joints",
            "limits: {all: {lower: -1.0, upper: 1.0, velocity: 5.0}}",
        ),
        (one, "", "limits: {l0_coxa: {velocity: 5.0}}"),
    ] {
        let error = walker(text.clone(), "limitless.urdf").unwrap_err();
        assert!(error.remedy().contains(key) && error.remedy().contains(count), "{error:#}");
        let robot = Description::of_text(
            Source::new("mended.urdf", text),
            &ConfigFile::of_texts([("robot.yaml", key)]),
            &mut |_| None,
        );
        assert!(robot.is_ok(), "{robot:?}");
    }
}

#[test]
fn when_legs_stand_so_near_that_steps_are_shortened_expect_a_note_with_both() {
    let notes = |around: [f64; 6]| walker(urdf(Odd { around, ..PLAIN }), "near.urdf").unwrap().notes.join("\n");
    let plain = notes(PLAIN.around);
    assert!(!plain.contains("too near") && plain.contains("links of all legs have no box"), "{plain}");
    let mut around = PLAIN.around;
    around[1] += 0.85 * (around[2] - around[1]);
    let reported = notes(around);
    assert!(reported.contains("legs l1 and l2 would come too near to each other: feet keep"), "{reported}");
}

#[test]
fn when_slow_joints_bind_expect_what_was_found_by_doing_without_them() {
    let slow = urdf(PLAIN).replace("velocity='4'", "velocity='0.02'");
    let reported = |text: String| {
        let error = walker(text, "bound.urdf").unwrap_err();
        format!("{} {}", error.message(), error.remedy())
    };
    let slow = reported(slow);
    assert!(slow.contains("its joints are too slow for a step"), "{slow}");
    let limits = ConfigFile::of_texts([("robot.yaml", "limits: {all: {acceleration: 0.05}}\n")]);
    let sluggish = walker_beside(urdf(PLAIN), "bound.urdf", &limits, "").unwrap_err().message().to_owned();
    assert!(sluggish.contains("gather speed too slowly for a step") && sluggish.contains("0.05 rad/s²"), "{sluggish}");
}

#[test]
fn when_the_table_of_the_documents_is_copied_expect_a_robot_that_walks() {
    let documents = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/robots.md");
    let text = std::fs::read_to_string(documents).unwrap();
    let table = text.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap().to_owned();
    assert_eq!(walker(table, "robot.yaml").map(|walker| walker.gait_name).unwrap(), "crawl");
}

#[test]
fn when_a_quadrupeds_base_is_at_a_corner_expect_the_gaits_of_one_whose_base_is_in_the_middle() {
    let quadruped = |x: f64, y: f64| {
        let around = [0.785, 2.356, -2.356, -0.785];
        let mut text = urdf(Odd { around: [around[0], around[1], around[2], around[3], 0.0, 0.0], ..PLAIN });
        for leg in 4..6 {
            let (from, to) = (
                text.find(&format!("<link name='l{leg}_coxa_link'")).unwrap(),
                text.find(&format!("<link name='l{}_coxa_link'", leg + 1)),
            );
            text.replace_range(from..to.unwrap_or(text.len() - "</robot>".len()), "");
        }
        text.replace(
            "</robot>",
            &format!("<link name='corner'/><joint name='c' type='fixed'><parent link='corner'/><child link='base_link'/><origin xyz='{x} {y} 0'/></joint></robot>"),
        )
    };
    let gaits = |x: f64, y: f64| {
        let walker = walker(quadruped(x, y), "quadruped.urdf").unwrap();
        let gaits: Vec<_> = walker
            .gaits
            .iter()
            .map(|(name, gait)| (name.to_owned(), [0, 1, 2, 3].map(|leg| gait.lift_off_phase(leg))))
            .collect();
        (walker.gait_name, gaits)
    };
    assert_eq!(gaits(0.0, 0.0), gaits(0.4, 0.3));
    for (name, lift_offs) in gaits(0.4, 0.3).1 {
        let at_once = |at: f64| lift_offs.iter().filter(|other| (*other - at).abs() < 1e-9).count();
        assert!(
            lift_offs.iter().all(|at| at_once(*at) <= 2),
            "{name} lifts more than it can stand without: {lift_offs:?}"
        );
    }
}

#[test]
fn when_a_leg_was_left_out_and_the_others_cannot_walk_expect_the_refusal_to_say_so() {
    let around = [0.0, 1.2, 2.4, -2.4, -1.2, 3.0];
    let limits = [(-0.01, 0.01), (-0.1, 0.1), (-0.7, -0.6)];
    let six = urdf(Odd { around, limits, ..PLAIN });
    let longer =
        |line: &str| if line.contains("l0_femur'") { line.replace("0.05 0 0", "0.08 0 0") } else { line.into() };
    let five: String = six.lines().filter(|line| !line.contains("l5_")).map(|line| longer(line) + "\n").collect();
    let error = walker(five, "left_out").unwrap_err();
    assert!(
        error.remedy().contains("the chain to link \"l0_foot\"") && error.remedy().contains(NOT_A_LEG),
        "{error:#}"
    );
}

#[test]
fn when_four_legs_are_not_quite_symmetric_expect_a_gait_that_sways_over_those_that_stand() {
    let around = [0.785, 2.356, -2.356, -0.785, 3.0, 3.0];
    let limits = [(-0.8, 0.8), (-2.1, 2.1), (-2.6, 0.6)];
    let six = urdf(Odd { around, limits, ..PLAIN });
    let kept = six.lines().filter(|line| ["l4_", "l5_"].iter().all(|other| !line.contains(other)));
    let mut four: String = kept.map(|line| format!("{line}\n")).collect();
    for (yaw, [x, y]) in around.iter().zip([[0.13, 0.08], [-0.12, 0.09], [-0.12, -0.08], [0.12, -0.07]]) {
        let round = format!("xyz='{} {} 0'", 0.1 * yaw.cos(), 0.1 * yaw.sin());
        assert!(four.contains(&round));
        four = four.replace(&round, &format!("xyz='{x} {y} 0'"));
    }
    assert_eq!(walker(four, "unlike_sides").unwrap().gait_name, "crawl");
}
