//! Rough ground whose heights the robot does not know.

use crate::rig::TICK_S;
use crate::rig::random::drawn;
use crate::rig::rough::{Feels, Rough, Walker, each_seed};
use hexapod_gait::Twist;
use hexapod_sim::{Ground, Terrain};

#[test]
fn when_feet_feel_slopes_expect_the_body_nearly_level_where_it_leans_more_without_and_no_foot_pressed_into_them() {
    let mut leant = 0;
    for seed in 1..=4 {
        let rough = Rough { name: "slopes", size: 0.015, seed };
        let [with, without] = [Feels::Switches, Feels::Nothing].map(|feels| rough.walk(feels, |_, _| {}));
        let (leans, else_leans) = (with.lean.to_degrees(), without.lean.to_degrees());
        assert!(leans < 2.0, "{rough:?}: {leans} degrees, {else_leans} without switches");
        assert!(with.depth < 0.003, "{rough:?}: {} m", with.depth);
        leant += usize::from(else_leans >= 2.0);
    }
    assert!(leant > 0, "no walk leans by 2 degrees without switches: the ground is too easy to tell");
}

#[test]
fn when_an_imu_says_which_way_is_up_expect_the_body_nearer_to_level_on_blocks_and_most_of_the_way_walked() {
    let (mut leant, mut way) = ([0.0; 3], [0.0; 3]);
    for seed in 11..=18 {
        let rough = Rough { name: "blocks", size: 0.015, seed };
        for (sensor, feels) in [Feels::Imu, Feels::Switches, Feels::Nothing].into_iter().enumerate() {
            let outcome = rough.walk(feels, |_, _| {});
            leant[sensor] += outcome.mean.to_degrees() / 8.0;
            way[sensor] += outcome.way;
        }
    }
    let [with, without, _] = leant;
    assert!(with < 0.75 * without, "{with} degrees on the mean, {without} without an IMU");
    assert!(way[0] > 0.88 * way[2], "{} m, {} blind", way[0], way[2]);
}

/// The part of the commanded way that walks of 20 s with the shipped lift get ahead, and whether they adapt at the end.
fn way(name: &str, size: f64, adapts: bool) -> (f64, usize) {
    let walks = each_seed(1, 4, |seed| {
        let ground = Ground::of(Terrain::named(name, Some(size), seed).unwrap()).with_friction(0.8);
        let walker = Walker::standing("tripod", &ground, Feels::Imu);
        let mut walker = if adapts { walker.adapting() } else { walker };
        let (start, speed, seconds) = (walker.world.base().translation.x, 0.07, 20.0);
        let mut level = 0;
        for _ in 0..(seconds / TICK_S) as usize {
            walker.tick(Twist::new(speed, 0.0, 0.0));
            level = level.max(walker.engine.roughness().level);
        }
        ((walker.world.base().translation.x - start) / (speed * seconds), level)
    });
    let mean = walks.iter().map(|(way, _)| way).sum::<f64>() / walks.len() as f64;
    (mean, walks.iter().map(|(_, level)| *level).max().unwrap_or(0))
}

#[test]
fn when_the_walk_changes_with_the_ground_expect_far_more_of_the_way_on_rubble_and_steps_and_nothing_changed_on_flat_ground()
 {
    for (name, size, gains) in drawn(&[("rubble", 0.06, 0.3), ("steps", 0.03, 0.4)], 1) {
        let [adapting, not] = [true, false].map(|adapts| way(name, size, adapts).0);
        assert!(adapting > not + gains, "{name}: {adapting} of the way, {not} without");
    }
    let [adapting, not] = [true, false].map(|adapts| way("flat", 0.0, adapts));
    assert_eq!(adapting, (not.0, 0));
}

/// Fraction of what is commanded on flat ground that is walked, by a robot whose IMU is off by a degree.
fn flat_fraction(twist: Twist, feels: Feels) -> f64 {
    const TICKS: usize = 1500;
    let mut walker = Walker::standing("tripod", &Ground::flat(), feels);
    walker.misjudges_rad = 0.0175;
    let wanted = twist.speed() * TICKS as f64;
    (0..TICKS).map(|_| walker.tick(twist).twist.speed()).sum::<f64>() / wanted
}

#[test]
fn when_the_floor_is_flat_expect_feeling_and_seeing_to_cost_no_way_wherever_the_robot_goes() {
    let (curve, back, aside) = (Twist::new(0.06, 0.0, 0.4), Twist::new(-0.07, 0.0, 0.0), Twist::new(0.0, 0.07, 0.0));
    let walks =
        [(curve, Feels::Imu), (back, Feels::Imu), (back, Feels::Sees), (aside, Feels::Sees), (curve, Feels::Sees)];
    for (twist, feels) in drawn(&walks, 3) {
        let fraction = flat_fraction(twist, feels);
        println!("{twist:?}, {feels:?}: {fraction:.3}");
        assert!(fraction > 0.94, "{twist:?}, {feels:?}: {fraction}");
    }
}
