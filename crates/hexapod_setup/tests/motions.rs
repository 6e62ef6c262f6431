//! The shipped motions are played to the end by the shipped robot; what does not hold is refused where it stands.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
use hexapod_gait::motion::{LegClearance, Player};
use hexapod_gait::{Balance, Engine, Gait, GaitSpec, GaitState, Input, Settings, leg_places};
use hexapod_kinematics::Robot;
use hexapod_odometry::Odometry;
use hexapod_setup::{Description, Files, Motions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[path = "../../hexapod_gait/tests/common/robots.rs"]
mod robots;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn engine() -> Engine {
    let files = Files::of_folder(root().join("config"), root().join("urdf/hexapod.urdf"));
    engine_of(Description::read(&files).unwrap().robot, LegClearance::default())
}

fn engine_of(robot: Arc<Robot>, leg_clearance: LegClearance) -> Engine {
    let spec =
        GaitSpec { duty_factor: 0.75, cycle_time: 1.6, lag: 0.25, side_lag: 0.5, stable: false, ..Default::default() };
    let gait = Gait::try_new(&spec, &leg_places(&robot)).unwrap();
    Engine::new(robot, gait, Settings { leg_clearance, ..robots::settings() }).unwrap()
}

#[test]
fn when_the_shipped_motions_are_read_expect_this_robot_to_play_them_all() {
    let motions = Motions::read(&root().join("config/motions.yaml"), &engine()).unwrap();
    let refused: Vec<String> = motions.refused().map(ToString::to_string).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    for name in ["wave", "bow", "twist", "push_ups", "stretch", "shake", "dance"] {
        assert!(motions.names().any(|(known, about)| known == name && !about.is_empty()), "{name}");
    }
}

#[test]
fn when_a_shipped_motion_is_played_expect_it_balanced_and_the_robot_standing_afterwards() {
    let motions = Motions::read(&root().join("config/motions.yaml"), &engine()).unwrap();
    for (name, _) in motions.names() {
        let mut player = Player::new(engine());
        let balance = Balance::new(player.engine().robot());
        player.play(Some(motions.get(name).unwrap()));
        let (mut least, mut ticks, mut played) = (f64::INFINITY, 0, 0);
        loop {
            let tick = *player.step(&Input::default(), 0.01);
            ticks += 1;
            if player.is_playing() {
                played += 1;
                least = least.min(balance.of(&tick).margin);
            }
            if played > 0 && tick.state == GaitState::Standing {
                break;
            }
            assert!(ticks < 4000, "{name} does not end");
        }
        println!("{name}: {:.2} s, least margin {:.1} mm", f64::from(played) / 100.0, least * 1e3);
        assert!(least > 0.009, "{name}: margin {least}");
    }
}

#[test]
fn when_a_pirouette_is_played_expect_the_odometry_to_see_one_whole_turn() {
    let motions = Motions::read(&root().join("config/motions.yaml"), &engine()).unwrap();
    let mut player = Player::new(engine());
    player.play(Some(motions.get("pirouette").unwrap()));
    let (mut odometry, mut time) = (Odometry::new(6), Duration::ZERO);
    while player.job().is_busy() || player.last().state != GaitState::Standing {
        let tick = *player.step(&Input::default(), 0.01);
        time += Duration::from_millis(10);
        let legs = player.engine().robot().legs();
        let feet: Vec<_> = legs.iter().zip(&tick.angles).map(|(leg, angles)| leg.foot_in_body(angles)).collect();
        odometry.update(time, &feet, Some(&tick.contacts[..feet.len()])).unwrap();
    }
    let turned = odometry.last().unwrap().turned.to_degrees();
    println!("turned by {turned:.2} degrees in {time:?}");
    assert!((turned - 360.0).abs() < 1.0, "{turned} degrees");
}

#[test]
fn when_a_robot_has_other_legs_expect_the_shipped_motions_it_can_do_and_reasons_for_the_others() {
    for (legs, able) in [(4, &["bow", "push_ups", "twist"][..]), (8, &["march", "push_ups", "twist", "wave"])] {
        let engine = engine_of(robots::robot(legs), LegClearance::default());
        let motions = Motions::read(&root().join("config/motions.yaml"), &engine).unwrap();
        let known: Vec<&str> = motions.names().map(|(name, _)| name).collect();
        println!("{} legs: {known:?}; {:#?}", legs, motions.refused().map(ToString::to_string).collect::<Vec<_>>());
        assert!(able.iter().all(|name| known.contains(name)), "{known:?}");
        assert!(legs != 4 || motions.get("march").unwrap_err().contains("tip over"), "a trot does not stand");
    }
}

const CASES: [(&str, &str, &str, &str); 12] = [
    ("m:\n    frames:\n      - {}\n      - {tme: 1.0}\n", "7", "tme", "time"),
    ("m:\n    frames:\n      - {}\n      - {time: -1.0}\n", "7", "time", "seconds"),
    ("m:\n    frames:\n      - {}\n      - {time: .nan}\n", "7", "time", ""),
    ("m:\n    frames:\n      - {}\n      - {}\n", "7", "time", "seconds"),
    ("m:\n    frames:\n      - {time: 1.0}\n      - {time: 1.0}\n", "6", "time", "leave it out"),
    ("m:\n    total_time: 2.0\n    frames:\n      - {}\n      - {time: 1.0}\n", "7", "time", "back to the first"),
    (
        "m:\n    frames:\n      - {}\n      - {time: 1.0, feet: {front_rigt: {z: 0.1}}}\n",
        "7",
        "front_rigt",
        "right_front",
    ),
    ("m:\n    frames:\n      - {}\n      - {time: 1.0, feet: {front: {x: 0.02}}}\n", "7", "dragged", "lifts"),
    (
        "m:\n    frames:\n      - {}\n      - {time: 1.0, joints: {left_front_coxa: 2.0}}\n",
        "7",
        "left_front_coxa",
        "0.700",
    ),
    (
        "m:\n    frames:\n      - {}\n      - {time: 1.0, joints: {left_front_cox: 0.1}}\n",
        "7",
        "left_front_cox",
        "left_front_coxa",
    ),
    ("m: {total_time: 1.0}\n", "4", "is empty", "`frames: [...]`"),
    ("m:\n    walk: {x: 0.05, step_height: 0.03, cycle_time: 0.0}\n    total_time: 2\n", "5", "cycle_time", "0.1"),
];

#[test]
fn when_a_motion_does_not_hold_expect_its_line_its_key_and_what_would_be_right() {
    let folder = std::env::temp_dir().join(format!("hexapod-motions-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("motions.yaml");
    for (text, line, word, help) in CASES {
        std::fs::write(&path, format!("# one\n# two\nmotions:\n  {text}")).unwrap();
        let error = Motions::read(&path, &engine()).unwrap_err();
        let (reported, remedy) = (error.to_string(), error.remedy());
        assert!(reported.contains(&format!("motions.yaml:{line}:")) && reported.contains(word), "{text}: {reported}");
        assert!(remedy.contains(help), "{text}: {remedy}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn when_a_motion_would_tip_the_robot_over_or_is_out_of_reach_expect_it_refused_by_name_and_the_others_kept() {
    let folder = std::env::temp_dir().join(format!("hexapod-refused-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("motions.yaml");
    let text = "motions:\n  \
        topple: {total_time: 2, frames: [{time: 1.0, feet: {left: {z: 0.05}}}]}\n  \
        stretch: {total_time: 2, frames: [{time: 1.0, body: {z: 0.2}}]}\n  \
        lie: {total_time: 2, frames: [{time: 1.0, body: {z: -0.07}}]}\n  \
        nod: {total_time: 2, frames: [{time: 1.0, body: {pitch: 0.1}}]}\n";
    std::fs::write(&path, text).unwrap();
    let motions = Motions::read(&path, &engine()).unwrap();
    assert!(motions.get("nod").is_ok());
    for (name, word, line) in [("topple", "tip over", 2), ("stretch", "reach", 3), ("lie", "ground", 4)] {
        let reason = motions.get(name).unwrap_err();
        assert!(reason.contains(word) && reason.contains(&format!("motions.yaml:{line}:")), "{reason}");
    }
    let unknown = motions.get("wavee").unwrap_err();
    assert!(unknown.contains("nod") && !unknown.contains("topple"), "{unknown}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn when_more_is_to_be_kept_between_legs_expect_fewer_motions_and_when_less_more() {
    let folder = std::env::temp_dir().join(format!("hexapod-clearance-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("motions.yaml");
    let read = |clearance: &str, angle: f64| {
        let motion = format!("joints: {{left_1_coxa: {angle}, left_2_coxa: -{angle}}}");
        let text =
            format!("# one\n{clearance}\nmotions:\n  meet: {{total_time: 2, frames: [{{time: 1.0, {motion}}}]}}\n");
        std::fs::write(&path, text).unwrap();
        let given = clearance.strip_prefix("leg_clearance: ").and_then(|given| given.parse().ok());
        let given = given.and_then(LegClearance::try_new).unwrap_or_default();
        Motions::read(&path, &engine_of(robots::robot(8), given))
    };
    let meet = |clearance: &str, angle: f64| read(clearance, angle).unwrap().get("meet").map(|_| ());
    let (less, more) = ("leg_clearance: 0.0", "leg_clearance: 0.06");
    for (angle, by_default, with_more, with_less) in
        // At the last of these, legs would pass through each other.
        [
            (0.2, true, true, true),
            (0.52, true, false, true),
            (0.58, false, false, true),
            (0.8, false, false, false),
        ]
    {
        let by_hand = meet("leg_clearance: 0.02", angle);
        assert_eq!(meet("", angle), by_hand, "the default is 0.02");
        assert_eq!(
            (by_hand.is_ok(), meet(more, angle).is_ok(), meet(less, angle).is_ok()),
            (by_default, with_more, with_less)
        );
    }
    let reason = meet(more, 0.52).unwrap_err();
    assert!(reason.contains("left_1") && reason.contains("60.5 mm") && reason.contains("leg_clearance"), "{reason}");
    let range = "0.0 to 0.2";
    for (bad, right) in [("-0.001", range), ("0.21", range), (".nan", "finite"), (".inf", "finite"), ("wide", "")] {
        let error = read(&format!("leg_clearance: {bad}"), 0.2).unwrap_err();
        let (reported, remedy) = (error.to_string(), error.remedy());
        assert!(reported.contains("motions.yaml:2:") && reported.contains("leg_clearance"), "{reported}");
        assert!(remedy.contains(right), "{remedy}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn when_a_part_of_a_motion_does_not_hold_expect_nothing_said_of_the_whole() {
    let path = std::env::temp_dir().join(format!("hexapod-motion-part-{}.yaml", std::process::id()));
    for (motion, keys) in [
        ("{frames: [up]}", &["motions.m.frames[0]"][..]),
        ("{total_time: 4.0, walk: {x: 0.05, step_height: 0.03, gait: wave}}", &["motions.m.walk.gait"]),
        (
            "{total_time: 4.0, walk: {x: 0.05}, turn: {angular_velocity: 0.3}}",
            &["motions.m.walk.step_height", "motions.m.turn.step_height"],
        ),
    ] {
        std::fs::write(&path, format!("motions:\n  m: {motion}\n")).unwrap();
        let error = Motions::read(&path, &engine()).unwrap_err();
        assert_eq!(error.each().filter_map(|error| error.key()).collect::<Vec<_>>(), keys, "{error}");
    }
    std::fs::remove_file(&path).unwrap();
}
