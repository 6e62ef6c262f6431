//! The walk alone.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]

use super::*;
use crate::gait::{GaitSpec, LegPlace};
use crate::state::body_motion::Rise;
use crate::state::contact_correction::ContactCorrection;

fn walk() -> (Walk, Gait) {
    let place = |leg: usize| LegPlace { name: leg.to_string(), left: leg < 2, rank: leg % 2 };
    let spec = GaitSpec { duty_factor: 0.75, cycle_time: 1.0, lag: 0.25, ..GaitSpec::default() };
    let gait = Gait::try_new(&spec, &(0..4).map(place).collect::<Vec<_>>()).unwrap();
    let mut rest = [Vector2::zeros(); MAX_LEGS];
    rest[..4].copy_from_slice(&[[0.1, 0.1], [-0.1, 0.1], [0.1, -0.1], [-0.1, -0.1]].map(Vector2::from));
    (Walk::at_rest(NominalStance::of_stance(rest, 4, Reach::new(Vector2::repeat(0.03))), 1.0), gait)
}

fn put_down(walk: &mut Walk, contact: Option<bool>) {
    let sensed = Sensed { contacts: [contact; MAX_LEGS], late: 0.0 };
    walk.put_down(&sensed, &mut { ContactCorrection::NONE });
}

/// The same in a walk with a twist.
fn feel(walk: &mut Walk, contact: Option<bool>, twist: Twist) {
    let sensed = Sensed { contacts: [contact; MAX_LEGS], late: 0.0 };
    walk.feel(&sensed, &mut { ContactCorrection::NONE }, Some(twist));
}

/// Over ground that rests, without time going on.
fn at_rest(walk: &Walk) -> BodyMotionStep {
    let (motion, twist, lean) = (Displacement::identity(), Twist::ZERO, Vector2::zeros());
    let reach = walk.nominal.reach;
    BodyMotionStep { motion, rise: Rise::NONE, twist, aim: twist, reach, time: 0.0, draw_in: 0.0, lean, lower: 0.0 }
}

/// Goes on for so long over ground that rests.
fn go_on(walk: &mut Walk, gait: &Gait, time: f64) {
    let step = BodyMotionStep { time, ..at_rest(walk) };
    walk.advance(gait, &step);
}

/// Leg 0 at this part of its swing.
fn swinging(progress: f64, sensed: Option<bool>) -> (Walk, Gait) {
    let (mut walk, gait) = walk();
    let reach = walk.nominal.reach;
    walk.lift(&gait, 0, &Step::flat(Twist::ZERO, 0.02, reach));
    put_down(&mut walk, sensed);
    go_on(&mut walk, &gait, progress * 0.25);
    (walk, gait)
}

#[test]
fn when_a_swing_is_over_expect_the_foot_on_the_ground_half_a_stance_ahead_of_rest() {
    let ((mut walk, gait), twist) = (walk(), Twist::new(0.04, 0.0, 0.0));
    let reach = walk.nominal.reach;
    walk.lift(&gait, 0, &Step::flat(twist, 0.02, reach));
    for _ in 0..25 {
        let motion = twist.motion(0.01);
        let step = BodyMotionStep { motion, twist, aim: twist, time: 0.01, ..at_rest(&walk) };
        walk.advance(&gait, &step);
    }
    put_down(&mut walk, None);
    let place = walk.nominal.place(0) + Vector2::new(0.5 * 0.75 * 0.04, 0.0);
    assert!(walk.foot(0).is_planted());
    assert!((walk.foot(0).position() - place.push(0.0)).norm() < 1e-9, "{:?}", walk.foot(0));
    let carried = walk.nominal.place(1) - Vector2::new(0.01, 0.0);
    assert!((walk.foot(1).position().xy() - carried).norm() < 1e-12);
}

#[test]
fn when_a_foot_feels_the_ground_on_its_way_down_expect_it_planted_and_on_its_way_up_not() {
    for (progress, planted) in [(0.3, false), (0.9, true)] {
        let (mut walk, _) = swinging(progress, None);
        put_down(&mut walk, Some(true));
        assert_eq!(walk.foot(0).is_planted(), planted, "{progress}");
    }
    let (mut stuck, _) = swinging(0.9, Some(true));
    put_down(&mut stuck, Some(true));
    assert!(!stuck.foot(0).is_planted(), "a switch that never opened is not believed");
}

#[test]
fn when_a_foot_meets_an_obstacle_expect_its_swing_to_start_over_higher_a_few_times() {
    let (mut walk, gait) = swinging(0.3, None);
    let up = walk.foot(0).position();
    feel(&mut walk, Some(true), Twist::ZERO);
    let Foot::Swinging(swing) = *walk.foot(0) else { panic!("it is in the air") };
    assert_eq!((swing.lift_off, swing.at, swing.progress), (up, up, 0.0));
    assert!(up.z > 0.01 && swing.shape.at(0.5, 0.25).height(swing.height, swing.lift_off.z, 0.0) > 0.02 + 0.25 * up.z);
    let starts_over = (0..10).take_while(|_| {
        feel(&mut walk, None, Twist::ZERO);
        go_on(&mut walk, &gait, 0.05);
        feel(&mut walk, Some(true), Twist::ZERO);
        matches!(*walk.foot(0), Foot::Swinging(swing) if swing.progress == 0.0)
    });
    assert_eq!(1 + starts_over.count(), usize::from(RETRIES));
    let (mut stopping, _) = swinging(0.3, None);
    put_down(&mut stopping, Some(true));
    assert!(matches!(*stopping.foot(0), Foot::Swinging(swing) if swing.progress == 0.3));
}

#[test]
fn when_the_way_of_a_foot_is_barred_expect_it_to_come_in_to_its_resting_place_and_down() {
    let (mut walk, gait) = swinging(0.4, None);
    let Foot::Swinging(swing) = &mut walk.feet[0] else { panic!("it is in the air") };
    swing.lift_off.x += 0.02;
    let still = at_rest(&walk);
    walk.advance(&gait, &still);
    let before = walk.foot(0).position();
    walk.advance(&gait, &BodyMotionStep { draw_in: 0.001, ..still });
    let inwards = walk.foot(0).position();
    walk.advance(&gait, &BodyMotionStep { lower: 0.001, ..still });
    let down = walk.foot(0).position();
    assert!(inwards.x < before.x - 1e-4 && inwards.z == before.z, "{before} {inwards}");
    assert!(down.z < inwards.z - 1e-4 && down.xy() == inwards.xy(), "{inwards} {down}");
}

#[test]
fn when_a_swing_ends_without_ground_expect_the_foot_to_go_on_down() {
    let (mut walk, _) = swinging(1.0, None);
    put_down(&mut walk, Some(false));
    assert!(matches!(walk.foot(0), Foot::Probing(_)) && !walk.all_planted());
}

#[test]
fn when_a_foot_finds_a_gap_in_even_ground_expect_it_put_down_farther_on_once() {
    let twist = Twist::new(0.05, 0.0, 0.0);
    let over_a_gap = |twist: Twist, uneven: f64| {
        let (mut walk, gait) = swinging(1.0, None);
        walk.feet[1] = Foot::Planted { at: walk.foot(1).position() + Vector3::new(0.0, 0.0, uneven) };
        let place = walk.foot(0).position().xy();
        let mut swings = 0;
        while !walk.foot(0).is_planted() {
            let before = matches!(walk.foot(0), Foot::Probing(_));
            feel(&mut walk, Some(false), twist);
            swings += u32::from(before && matches!(walk.foot(0), Foot::Swinging(_)));
            go_on(&mut walk, &gait, 0.01);
        }
        assert!(walk.found_nothing(0) && walk.met().count() == 3, "nobody knows where the ground is below it");
        let mut elsewhere = walk;
        elsewhere.forget_ground();
        assert!(!elsewhere.found_nothing(0) && elsewhere.met().count() == 4);
        (swings, walk.foot(0).position().xy() - place, walk.foot(0).position().z)
    };
    let (swings, way, height) = over_a_gap(twist, 0.01);
    assert_eq!(swings, 1);
    assert!(way.x > 0.015 && way.y.abs() < 1e-12, "{way}");
    assert!((-0.022..=-0.02).contains(&height), "{height}");
    for (twist, uneven) in [(Twist::ZERO, 0.0), (twist, 0.02)] {
        let (swings, way, _) = over_a_gap(twist, uneven);
        assert!(
            swings == 0 && way == Vector2::zeros(),
            "{twist:?} on ground that is {uneven} m uneven: {swings} {way}"
        );
    }
    let (mut found, _) = swinging(1.0, None);
    put_down(&mut found, Some(false));
    feel(&mut found, Some(false), twist);
    assert!(matches!(found.foot(0), Foot::Probing(_)), "it still goes down");
    put_down(&mut found, Some(true));
    assert!(!found.found_nothing(0) && found.met().count() == 4, "and has met it");
}

#[test]
fn when_it_is_a_legs_turn_expect_its_event_at_once_and_none_while_it_waits() {
    let (mut walk, gait) = walk();
    walk.phase = gait.lift_off_phase(2);
    assert!(walk.is_due(&gait, 2) && !walk.is_due(&gait, 0));
    assert!((walk.time_to_event(&gait) - 0.25).abs() < 1e-9, "{}", walk.time_to_event(&gait));
    walk.waiting = true;
    assert_eq!(walk.time_to_event(&gait), f64::INFINITY);
}
