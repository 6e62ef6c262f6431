//! Feet that meet the ground earlier or later than planned, and how fast they meet it.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{gait, settings, specs, twist};
use hexapod_gait::{Engine, GaitSpec, Input};

const DT: f64 = 0.001;

fn walking(spec: &GaitSpec) -> Engine {
    let mut settings = settings();
    settings.step_height = 0.03;
    let robot = crate::common::robot(6);
    let mut engine = Engine::new(robot.clone(), gait(&robot, spec), settings).unwrap();
    (0..4000).for_each(|_| {
        engine.step(&twist(0.04, 0.0, 0.0), DT);
    });
    engine
}

/// Heights of leg 0 over the swing that comes next, one each millisecond, from lift-off to the tick it is down.
fn swing(engine: &mut Engine, input: &Input, steer: impl Fn(&mut Input, f64, bool)) -> Vec<f64> {
    let mut input = *input;
    while !engine.last().contacts[0] {
        engine.step(&input, DT);
    }
    while engine.last().contacts[0] {
        engine.step(&input, DT);
    }
    let mut heights = vec![];
    let mut highest = 0.0;
    while !engine.last().contacts[0] {
        let height = engine.last().feet[0].z;
        highest = f64::max(highest, height);
        heights.push(height);
        steer(&mut input, height, height < highest);
        engine.step(&input, DT);
        assert!(heights.len() < 3000, "never down");
    }
    heights.push(engine.last().feet[0].z);
    heights
}

#[test]
fn when_a_foot_feels_the_ground_on_its_way_down_expect_it_planted_there() {
    let mut engine = walking(&specs(6)[2]);
    let heights = swing(&mut engine, &twist(0.04, 0.0, 0.0), |input, height, falling| {
        input.contacts[0] = (falling && height < 0.012).then_some(true);
    });
    let stands_at = *heights.last().unwrap();
    assert!((0.005..0.0121).contains(&stands_at), "planted at {stands_at}");
    // It stays on its stone until its next turn, and the body rises over all of them alike.
    for _ in 0..300 {
        let before = engine.last().feet;
        let after = engine.step(&twist(0.04, 0.0, 0.0), DT);
        let risen = (0..6).filter(|&leg| after.contacts[leg]).map(|leg| after.feet[leg].z - before[leg].z);
        let risen: Vec<f64> = risen.collect();
        assert!(after.contacts[0] && risen.iter().all(|rise| (rise - risen[0]).abs() < 1e-12), "{risen:?}");
    }
    assert!(engine.last().feet[0].z < stands_at - 1e-3);
}

#[test]
fn when_a_switch_is_stuck_closed_expect_the_foot_put_down_as_planned() {
    let mut engine = walking(&specs(6)[2]);
    let mut stuck = twist(0.04, 0.0, 0.0);
    stuck.contacts[0] = Some(true);
    let heights = swing(&mut engine, &stuck, |_, _, _| {});
    assert!(heights.last().unwrap().abs() < 1e-9, "{heights:?}");
}

#[test]
fn when_a_switch_closes_high_in_the_air_expect_the_foot_no_higher_than_a_stone() {
    let mut engine = walking(&specs(6)[2]);
    let heights = swing(&mut engine, &twist(0.04, 0.0, 0.0), |input, _, falling| {
        input.contacts[0] = Some(falling);
    });
    let stands_at = *heights.last().unwrap();
    assert!((0.015..=0.02).contains(&stands_at), "planted at {stands_at}");
}

#[test]
fn when_a_foot_does_not_meet_the_ground_expect_it_to_go_on_down_until_it_does() {
    let mut engine = walking(&specs(6)[2]);
    let heights = swing(&mut engine, &twist(0.04, 0.0, 0.0), |input, height, _| {
        input.contacts[0] = Some(height < -0.008);
    });
    let stands_at = *heights.last().unwrap();
    assert!((-0.0095..=-0.008).contains(&stands_at), "planted at {stands_at}");
    for pair in heights.windows(2) {
        assert!((pair[0] - pair[1]).abs() < 0.5 * DT, "no jump: {pair:?}");
    }
}

#[test]
fn when_no_ground_comes_expect_the_foot_to_stop_within_its_depth() {
    let mut engine = walking(&specs(6)[2]);
    let heights = swing(&mut engine, &twist(0.04, 0.0, 0.0), |input, _, _| input.contacts[0] = Some(false));
    assert!(*heights.last().unwrap() >= -0.021);
}

#[test]
fn when_a_touch_down_speed_is_set_expect_the_ground_met_at_it_and_the_apex_kept() {
    for speed in [0.0, 0.02, 0.05] {
        let spec = GaitSpec { touch_down_speed: speed, ..specs(6)[2].clone() };
        let mut engine = walking(&spec);
        let heights = swing(&mut engine, &twist(0.04, 0.0, 0.0), |_, _, _| {});
        let n = heights.len();
        let met = (heights[n - 4] - heights[n - 3]) / DT;
        assert!((met - speed).abs() < 0.004, "{met} m/s, {speed} wanted");
        let apex = heights.iter().copied().fold(0.0, f64::max);
        assert!((apex - 0.03).abs() < 2e-4, "apex {apex}");
    }
}

#[test]
fn when_a_gait_has_a_lift_of_its_own_expect_it_as_far_as_the_stance_allows_and_the_robots_else() {
    for (own, expected) in [(None, 0.03), (Some(0.012), 0.012), (Some(0.045), 0.045), (Some(0.3), 0.05)] {
        let spec = GaitSpec { step_height: own, ..specs(6)[2].clone() };
        let mut engine = walking(&spec);
        let heights = swing(&mut engine, &twist(0.04, 0.0, 0.0), |_, _, _| {});
        let apex = heights.iter().copied().fold(0.0, f64::max);
        assert!((apex - expected).abs() < 2e-4, "apex {apex} with {own:?}");
    }
}

#[test]
fn when_swinging_expect_position_velocity_and_acceleration_continuous_through_both_ends() {
    let mut engine = walking(&specs(6)[0]);
    let dt = 0.001;
    let mut at = vec![];
    // Seen from the ground: the body's way is taken out.
    let mut odom = hexapod_gait::Displacement::identity();
    for _ in 0..2000 {
        let tick = *engine.step(&twist(0.04, 0.0, 0.0), dt);
        odom = odom.then(&tick.twist.motion(dt));
        let flat = odom.apply(tick.feet[0].xy());
        at.push([flat.x, flat.y, tick.feet[0].z]);
    }
    for axis in 0..3 {
        let velocity: Vec<f64> = at.windows(2).map(|w| (w[1][axis] - w[0][axis]) / dt).collect();
        let acceleration: Vec<f64> = velocity.windows(2).map(|w| (w[1] - w[0]) / dt).collect();
        let step = acceleration.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
        assert!(step < 0.6, "acceleration of axis {axis} jumps by {step} m/s^2");
    }
}
