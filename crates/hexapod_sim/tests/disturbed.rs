//! Pushes, payloads, broken servos, slippery places, soft ground.

use crate::common::{G, Walker, free, settings, shipped};
use hexapod_gait::{BodyOffset, Input, Twist};
use hexapod_sim::{Breakage, Ground, Patch, Push, Settings, Surface, World, lean};
use nalgebra::Vector3;
use proptest::prelude::*;

const AHEAD: Twist = Twist { vx: 0.08, vy: 0.0, wz: 0.0 };

fn standing(ground: &Ground) -> Walker {
    Walker::new(ground, "perfect", settings(0.005)).stand()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A free body takes up force times time, and its moment about the place.
    #[test]
    fn when_a_robot_in_space_is_pushed_expect_its_momentum_changed_by_force_times_time(
        part in 0..19usize, force in prop::array::uniform3(-2.0..2.0f64), point in prop::array::uniform3(-0.1..0.1f64),
        ms in 1..60u32,
    ) {
        let in_space = Settings { gravity: 0.0, ..settings(0.001) };
        let mut world = World::new(&shipped(), &Ground::nothing(), &free(), in_space).unwrap();
        for hinge in 0..18 {
            world.drive(hinge, hexapod_sim::Drive { stiffness: 200.0, damping: 5.0, ..Default::default() });
        }
        let (force, point) = (Vector3::from(force), Vector3::from(point));
        // Not a whole number of steps.
        let seconds = f64::from(ms) * 1e-3 + 0.0004;
        let at = (world.part(part) * nalgebra::Point3::from(point)).coords;
        world.push(Push { part, point, force, seconds });
        (0..100).for_each(|_| world.step());
        let (momentum, impulse) = (world.momentum(), force * seconds);
        prop_assert!((momentum.linear - impulse).norm() < 0.01 * impulse.norm() + 1e-9, "{} for {}", momentum.linear, impulse);
        // The robot moves while it is pushed, a little.
        let moment = at.cross(&impulse);
        prop_assert!((momentum.angular - moment).norm() < 0.05 * impulse.norm() * 0.4 + 1e-9, "{} for {}", momentum.angular, moment);
    }
}

#[test]
fn when_two_pushes_act_together_expect_their_sum_and_nothing_afterwards() {
    let in_space = Settings { gravity: 0.0, ..settings(0.005) };
    let mut world = World::new(&shipped(), &Ground::nothing(), &free(), in_space).unwrap();
    let push = |x: f64, seconds: f64| Push { part: 0, point: Vector3::zeros(), force: Vector3::x() * x, seconds };
    world.push(push(1.0, 0.1));
    world.push(push(2.0, 0.05));
    (0..40).for_each(|_| world.step());
    let after = world.momentum().linear;
    assert!((after.x - 0.2).abs() < 0.002, "{after}");
    (0..40).for_each(|_| world.step());
    assert!((world.momentum().linear - after).norm() < 1e-3);
}

#[test]
fn when_a_standing_robot_is_pushed_gently_expect_its_feet_to_bear_it_and_hard_to_slide() {
    let shoved = |newtons: f64| {
        let mut walker = standing(&Ground::flat());
        let (start, weight) = (walker.base().translation.vector, walker.weight());
        let force = Vector3::y() * newtons;
        walker.simulator.world_mut().push(Push { part: 0, point: Vector3::zeros(), force, seconds: 0.5 });
        walker.go(Twist::ZERO, 0.4);
        let borne = walker.foot_forces();
        walker.go(Twist::ZERO, 1.0);
        ((walker.base().translation.vector - start).xy().norm(), borne.y, weight)
    };
    let (moved, borne, weight) = shoved(5.0);
    assert!(moved < 0.002 && (borne + 5.0).abs() < 0.1, "{moved} m, {borne} N");
    // Friction is 0.8 of the weight.
    let (moved, borne, _) = shoved(1.2 * weight);
    assert!(moved > 0.05 && (borne + 0.8 * weight).abs() < 0.05 * weight, "{moved} m, {borne} N of {weight} N");
}

#[test]
fn when_a_payload_is_put_on_expect_the_feet_to_bear_it_where_it_is() {
    let mut walker = standing(&Ground::flat());
    let (bare, start) = (walker.foot_forces().z, walker.simulator.world().centre_of_mass());
    let at = Vector3::new(0.05, 0.02, 0.04);
    walker.simulator.world_mut().load(0, 0.5, &at);
    walker.go(Twist::ZERO, 2.0);
    let world = walker.simulator.world();
    let borne = walker.foot_forces().z;
    assert!((borne - bare - 0.5 * G).abs() < 0.01, "{borne} N after {bare} N");
    let moved = world.centre_of_mass() - start;
    let share = 0.5 / world.assembly().mass();
    let there = world.base() * nalgebra::Point3::from(at);
    assert!((moved - share * (there.coords - start)).xy().norm() < 0.001, "{moved}");
    // The moments of the feet's forces about the centre of mass cancel.
    let moment: Vector3<f64> =
        (0..6).map(|leg| (world.foot(leg) - world.centre_of_mass()).cross(&world.foot_force(leg))).sum();
    assert!(moment.xy().norm() < 0.02 * borne * 0.1, "{moment} N m");
}

#[test]
fn when_payloads_are_taken_off_expect_the_robot_as_it_was() {
    let mut walker = standing(&Ground::flat());
    let (bare, before) = (walker.foot_forces().z, walker.simulator.world().assembly().clone());
    walker.simulator.world_mut().load(0, 0.5, &Vector3::new(0.05, 0.0, 0.0));
    walker.simulator.world_mut().load(0, 0.2, &Vector3::zeros());
    walker.go(Twist::ZERO, 1.0);
    walker.simulator.world_mut().unload(0);
    assert_eq!(walker.simulator.world().assembly(), &before);
    walker.go(Twist::ZERO, 2.0);
    assert!((walker.foot_forces().z - bare).abs() < 0.01);
}

#[test]
fn when_something_weighs_nothing_expect_no_load() {
    let mut walker = standing(&Ground::flat());
    let bare = walker.simulator.world().assembly().clone();
    for mass in [0.0, -1.0, f64::NAN] {
        walker.simulator.world_mut().load(0, mass, &Vector3::zeros());
    }
    walker.simulator.world_mut().load(99, 1.0, &Vector3::zeros());
    assert_eq!(walker.simulator.world().assembly(), &bare);
}

#[test]
fn when_a_legs_servos_die_expect_the_others_to_bear_its_share_and_no_current_in_it() {
    let mut walker = Walker::new(&Ground::flat(), "ds3218", settings(0.005)).stand();
    let share = walker.simulator.world().foot_force(1).z;
    walker.simulator.break_leg(1, Some(Breakage::Limp));
    walker.go(Twist::ZERO, 2.0);
    let world = walker.simulator.world();
    assert!(world.foot_force(1).z < 0.5 * share, "{} of {share}", world.foot_force(1).z);
    assert!((walker.foot_forces().z / walker.weight() - 1.0).abs() < 0.01);
    for &hinge in &world.assembly().legs[1] {
        assert_eq!(walker.simulator.current(hinge), 0.0);
    }
}

#[test]
fn when_a_servo_jams_expect_its_joint_to_stay_while_the_others_walk_and_to_go_on_once_mended() {
    let mut walker = standing(&Ground::flat());
    let hinge = walker.simulator.world().assembly().legs[0][0];
    let at = walker.simulator.world().position(hinge);
    walker.simulator.break_servo(hinge, Some(Breakage::Jammed));
    for _ in 0..400 {
        walker.step(AHEAD);
        let moved = walker.simulator.world().position(hinge) - at;
        assert!(moved.abs() < 0.02, "{moved} rad");
    }
    // Where its controller would have it is no place for a joint that jammed.
    let start: Vec<f64> = (0..18).map(|hinge| walker.simulator.world().position(hinge)).collect();
    walker.simulator.put_back(&start);
    let put = walker.simulator.world().position(hinge) - at;
    assert!(put.abs() < 1e-9, "{put} rad");
    walker.simulator.break_servo(hinge, None);
    let moved = (0..400).map(|_| {
        walker.step(AHEAD);
        (walker.simulator.world().position(hinge) - at).abs()
    });
    assert!(moved.fold(0.0, f64::max) > 0.05);
}

#[test]
fn when_a_robot_whose_body_leans_over_its_feet_is_put_back_expect_it_on_them_at_once() {
    let mut walker = standing(&Ground::flat());
    let body_offset = BodyOffset { translation: Vector3::z() * 0.02, rotation: Vector3::new(0.1, 0.2, 0.0) };
    for _ in 0..800 {
        walker.tick(&Input { body_offset, ..Input::default() });
    }
    let stands = walker.base();
    walker.simulator.put_back(&[0.0; 18]);
    let put = walker.base();
    assert!((put.translation.z - stands.translation.z).abs() < 2e-3, "{put} {stands}");
    assert!(lean(&put) > 0.15 && (lean(&put) - lean(&stands)).abs() < 5e-3, "{put} {stands}");
    for _ in 0..200 {
        walker.tick(&Input { body_offset, ..Input::default() });
        assert!((walker.base().translation.vector - put.translation.vector).norm() < 3e-3, "it does not fall");
    }
}

#[test]
fn when_a_place_becomes_slippery_expect_the_robot_to_fall_behind_there_and_not_once_it_is_dry() {
    let mut walker = standing(&Ground::flat());
    let mut part = |patches: Vec<Patch>| {
        walker.simulator.world_mut().set_patches(patches);
        walker.go(AHEAD, 1.0);
        let start = walker.base().translation.x;
        let reported = walker.go(AHEAD, 4.0);
        (walker.base().translation.x - start) / reported
    };
    let oil = Surface { friction: 1e-3, stiffness: None };
    assert!(part(vec![Patch { centre: [0.0, 0.0], radius: 9.0, surface: oil }]) < 0.5);
    assert!((part(Vec::new()) - 1.0).abs() < 0.03);
}

#[test]
fn when_the_ground_is_soft_expect_each_foot_as_deep_as_its_force_says() {
    let hard = standing(&Ground::flat());
    let lowest = |walker: &Walker, leg: usize| walker.simulator.world().foot(leg).z;
    for stiffness in [1000.0, 5000.0, 50_000.0] {
        let surface = Surface { stiffness: Some(stiffness), ..Surface::default() };
        let mut soft = standing(&Ground { surface, ..Ground::flat() });
        soft.go(Twist::ZERO, 2.0);
        assert!((soft.foot_forces().z / soft.weight() - 1.0).abs() < 1e-3, "{}", soft.foot_forces());
        for leg in 0..6 {
            let force = soft.simulator.world().foot_force(leg).norm();
            let deeper = lowest(&hard, leg) - lowest(&soft, leg);
            let expected = force / stiffness;
            assert!((deeper - expected).abs() < 0.02 * expected + 1e-4, "{deeper} m for {expected} m");
        }
    }
}

#[test]
fn when_the_ground_is_soft_expect_the_robot_to_walk_on_it_without_bouncing() {
    for stiffness in [1000.0, 5000.0, 100_000.0] {
        let surface = Surface { stiffness: Some(stiffness), ..Surface::default() };
        let mut walker = standing(&Ground { surface, ..Ground::flat() });
        let start = walker.base();
        let (mut reported, mut weight, mut greatest) = (0.0, 0.0, 0.0f64);
        for _ in 0..1200 {
            reported += walker.go(AHEAD, 0.005);
            let force = walker.foot_forces().z;
            (weight, greatest) = (weight + force / 1200.0, greatest.max(force));
            assert!(walker.base().rotation.angle() < 0.15);
        }
        let walked = start.inv_mul(&walker.base()).translation.x;
        assert!(walked > 0.8 * reported, "{stiffness} N/m: {walked} of {reported}");
        assert!((weight / walker.weight() - 1.0).abs() < 0.05, "{stiffness} N/m: {weight} N");
        assert!(greatest < 4.0 * walker.weight(), "{stiffness} N/m: {greatest} N");
    }
}
