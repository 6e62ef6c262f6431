//! What no robot should play is refused beforehand, with the reason.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]

use crate::common::player::{leaning, lifted, moved, shipped};
use crate::common::{Build, built, engine, engine_of, gait, robot, settings, specs};
use hexapod_gait::motion::{Blend, LegClearance, Motion, Refusal, Steps, When, check};
use hexapod_gait::{Engine, Settings, SwingProfile, leg_places};
use hexapod_kinematics::SelfCollision;
use nalgebra::{Vector2, Vector3};

#[test]
fn when_a_motion_would_tip_the_robot_over_or_breaks_a_limit_expect_it_refused() {
    let engine = shipped();
    let home = engine.home();
    let refuse = |motion: Result<Motion, _>| {
        check(engine.robot(), &home, &motion.unwrap(), engine.self_collision()).unwrap_err()
    };
    let mut toppling = home.pose;
    for leg in 0..3 {
        (toppling.feet[leg].z, toppling.planted[leg]) = (0.04, false);
    }
    assert!(matches!(refuse(Motion::pose_transition(6, &home.pose, &toppling, 1.0)), Refusal::Unstable { .. }));
    let far = lifted(&home, 0, Vector3::new(0.0, 0.3, 0.05), Vector3::zeros());
    assert!(matches!(refuse(Motion::pose_transition(6, &home.pose, &far, 1.0)), Refusal::Reach { .. }));
    let low = leaning(&home, -0.075, 0.0, 0.0);
    assert!(matches!(refuse(Motion::pose_transition(6, &home.pose, &low, 1.0)), Refusal::Belly { .. }));
    let bent = moved(&home, |leg, joint| if (leg, joint) == (2, 0) { 0.8 } else { 0.0 });
    let Refusal::Limits { joint, .. } = refuse(Motion::angle_transition(&home.angles, &bent, 1.0)) else { panic!() };
    assert_eq!(joint, engine.legs()[2].joints()[0].name());
    let squatting = moved(&home, |_, joint| if joint == 1 { 0.6 } else { 0.0 });
    assert!(matches!(refuse(Motion::angle_transition(&home.angles, &squatting, 1.0)), Refusal::Belly { .. }));
    let rearing = moved(&home, |leg, joint| match (leg, joint) {
        (0 | 3, 1) => -0.9,
        (2 | 5, 1) => 0.9,
        _ => 0.0,
    });
    assert!(matches!(refuse(Motion::angle_transition(&home.angles, &rearing, 1.0)), Refusal::Unstable { .. }));
    let fast = Steps { height: 0.03, cycle_time: 2.0, swing: SwingProfile::Sine };
    let places = leg_places(engine.robot());
    let long = Motion::linear_walk(&home, &places, Vector2::new(0.3, 0.0), fast, 2.0);
    assert!(matches!(refuse(long), Refusal::Reach { .. }));
}

/// Whether a robot of eight legs may turn two of them towards each other while it keeps so many metres between legs.
fn meeting(angle: f64, clearance: f64) -> Result<(), Refusal> {
    let clearance = LegClearance::try_new(clearance).unwrap();
    let robot = robot(8);
    let first = gait(&robot, &specs(8)[0]);
    let engine = Engine::new(robot, first, Settings { leg_clearance: clearance, ..settings() }).unwrap();
    let home = engine.home();
    let turned = moved(&home, |leg, joint| match (leg, joint) {
        (1, 0) => angle,
        (2, 0) => -angle,
        _ => 0.0,
    });
    let motion = Motion::angle_transition(&home.angles, &turned, 1.0).unwrap();
    check(engine.robot(), &home, &motion, engine.self_collision())
}

#[test]
fn when_a_motion_brings_two_legs_together_expect_it_refused_with_their_names() {
    assert_eq!(meeting(-0.3, 0.02), Ok(()), "apart");
    let refusal = meeting(0.75, 0.02).unwrap_err();
    assert!(
        matches!(refusal, Refusal::Collision { distance_mm, least_mm, .. } if distance_mm < 20.0 && (least_mm - 20.5).abs() < 1e-9),
        "{refusal}"
    );
    let engine = engine(8);
    let names = [engine.legs()[1].name(), engine.legs()[2].name()];
    assert!(names.iter().all(|name| refusal.to_string().contains(name)), "{refusal}");
}

#[test]
fn when_more_or_less_is_to_be_kept_between_legs_expect_other_motions_refused() {
    assert_eq!(LegClearance::try_new(0.02), Some(LegClearance::default()));
    for bad in [-1e-9, 0.2001, f64::NAN, f64::INFINITY] {
        assert_eq!(LegClearance::try_new(bad), None, "{bad}");
    }
    let greatest = |clearance: f64| (0..=75).take_while(|n| meeting(0.01 * f64::from(*n), clearance).is_ok()).count();
    let (near, by_default, far) = (greatest(0.005), greatest(0.02), greatest(0.05));
    assert!(far < by_default && by_default < near, "{far} {by_default} {near}");
}

#[test]
fn when_thighs_are_lifted_past_the_body_in_a_walk_expect_motions_to_lift_them_as_far() {
    // A roof over the hips, which thighs near as they lift their feet.
    let roof = r#"<collision><origin xyz="0 0 0.07"/><geometry><box size="0.4 0.24 0.02"/></geometry></collision>"#;
    let legs = built(&Build { thickness: Some(0.01), ..Build::of(6) });
    let engine = engine_of(&legs.replacen("</link>", &format!("{roof}</link>"), 1));
    let home = engine.home();
    let lift = Steps { height: engine.stance().spec().step_height, cycle_time: 2.0, swing: SwingProfile::Sine };
    let sideways = Vector2::new(0.0, 0.08);
    let walk = Motion::linear_walk(&home, &leg_places(engine.robot()), sideways, lift, 2.0).unwrap();
    let checked = |collision: &SelfCollision| check(engine.robot(), &home, &walk, collision);
    assert_eq!(checked(engine.self_collision()), Ok(()));
    let strict = SelfCollision::new(engine.robot(), &home.angles[..6], LegClearance::default().metres());
    assert!(matches!(checked(&strict), Err(Refusal::Collision { .. })), "steps go by the roof");
}

#[test]
fn when_a_robot_would_tip_over_while_it_comes_down_from_a_motion_expect_it_refused() {
    let engine = engine(4);
    let home = engine.home();
    // The body comes back over the lifted leg while that is drawn in; its mass goes out again as the foot comes down.
    let leaning = |fraction: f64, inwards: f64| {
        let corner = home.pose.feet[0];
        lifted(&home, 0, -inwards * corner + Vector3::new(0.0, 0.0, 0.04), -fraction * corner)
    };
    let refused_when = |fraction: f64| {
        let keys = [
            (0.0, leaning(0.12, 0.0)),
            (0.5, leaning(0.12, 0.15)),
            (1.0, leaning(fraction, 0.15)),
            (1.5, leaning(0.12, 0.0)),
        ];
        let motion = Motion::feet(4, &keys, Blend::Smooth, None).unwrap();
        match check(engine.robot(), &home, &motion, engine.self_collision()) {
            Err(Refusal::Unstable { when, .. }) => Some(when),
            other => {
                assert_eq!(other, Ok(()), "at {fraction}");
                None
            }
        }
    };
    let seen: Vec<_> = (0..=60).rev().map(|step| refused_when(0.002 * f64::from(step))).collect();
    assert_eq!(seen[0], None, "leaning enough");
    let first = seen.iter().find_map(|when| *when);
    assert!(matches!(first, Some(When::BrokenOff(_))), "{seen:?}");
}
