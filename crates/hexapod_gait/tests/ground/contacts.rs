//! Feet that meet the ground earlier or later than planned, and how fast they meet it.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{gait, settings, specs, twist};
use hexapod_gait::{Engine, GaitSpec, Input};
use hexapod_kinematics::{LegOptions, LimitChange, Robot};
use nalgebra::{Matrix3, Vector3};
use std::sync::Arc;

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

/// The same with joints that turn no faster than this, rad/s.
fn paced(velocity: f64) -> Engine {
    let change = LimitChange { velocity: Some(velocity), ..LimitChange::default() };
    let options = LegOptions { limits: vec![change], ..LegOptions::default() };
    let robot = Arc::new(Robot::from_urdf_with(&crate::common::urdf(6), &options).unwrap());
    let mut engine = Engine::new(robot.clone(), gait(&robot, &specs(6)[2]), settings()).unwrap();
    (0..8000).for_each(|_| {
        engine.step(&twist(0.04, 0.0, 0.0), DT);
    });
    engine
}

/// Heights of leg 0 over the swing that comes next, one each millisecond, from lift-off to the tick it is down.
fn swing(engine: &mut Engine, input: &Input, mut steer: impl FnMut(&mut Input, f64, bool)) -> Vec<f64> {
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

/// How far rises are from being those of one plane over the feet.
fn off_plane(risen: &[(Vector3<f64>, f64)]) -> f64 {
    let [a, b, c] = [0, 1, 2].map(|index| Vector3::new(risen[index].0.x, risen[index].0.y, 1.0));
    let rises = Vector3::new(risen[0].1, risen[1].1, risen[2].1);
    let plane = Matrix3::from_rows(&[a.transpose(), b.transpose(), c.transpose()]).try_inverse().unwrap() * rises;
    risen.iter().map(|(at, rise)| (plane.dot(&Vector3::new(at.x, at.y, 1.0)) - rise).abs()).fold(0.0, f64::max)
}

#[test]
fn when_a_foot_feels_the_ground_on_its_way_down_expect_it_planted_there() {
    let mut engine = walking(&specs(6)[2]);
    let heights = swing(&mut engine, &twist(0.04, 0.0, 0.0), |input, height, falling| {
        input.contacts[0] = (falling && height < 0.012).then_some(true);
    });
    let stands_at = *heights.last().unwrap();
    assert!((0.005..0.0121).contains(&stands_at), "planted at {stands_at}");
    // It stays on its stone until its next turn, and the ground comes up under all of them as one plane.
    for _ in 0..300 {
        let before = engine.last().feet;
        let after = engine.step(&twist(0.04, 0.0, 0.0), DT);
        let risen =
            (0..6).filter(|&leg| after.contacts[leg]).map(|leg| (before[leg], after.feet[leg].z - before[leg].z));
        let risen: Vec<_> = risen.collect();
        assert!(after.contacts[0] && off_plane(&risen) < 1e-9, "{risen:?}");
    }
    assert!(engine.last().feet[0].z < stands_at - 1e-3);
}

#[test]
fn when_a_switch_is_stuck_closed_expect_the_foot_put_down_as_planned() {
    let mut engine = walking(&specs(6)[2]);
    let mut stuck = twist(0.04, 0.0, 0.0);
    stuck.contacts[0] = Some(true);
    let heights = swing(&mut engine, &stuck, |_, _, _| {});
    // But for the ground, which comes up under it while the body levels.
    assert!(heights.last().unwrap().abs() < 1e-4, "{heights:?}");
}

#[test]
fn when_a_switch_closes_high_in_the_air_expect_the_foot_no_higher_than_a_stone() {
    let mut engine = walking(&specs(6)[2]);
    engine.set_step_height(0.05);
    let heights = swing(&mut engine, &twist(0.04, 0.0, 0.0), |input, _, falling| {
        input.contacts[0] = Some(falling);
    });
    let stands_at = *heights.last().unwrap();
    assert!((0.025..=0.035).contains(&stands_at), "planted at {stands_at}");
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

#[test]
fn when_contact_is_reported_late_expect_the_foot_back_up_where_it_met_the_ground_and_no_jump() {
    for late in [0.02, 0.05] {
        let mut engine = walking(&specs(6)[2]);
        let mut input = Input { contacts_late: late, ..twist(0.04, 0.0, 0.0) };
        // The ground is met at 10 mm, and reported so much later.
        let mut met_since = None;
        let heights = swing(&mut engine, &input, |input, height, falling| {
            let now = met_since.get_or_insert(0.0);
            *now = if falling && height < 0.01 { *now + DT } else { 0.0 };
            input.contacts[0] = Some(*now > late);
        });
        let pressed = *heights.last().unwrap();
        assert!(pressed < 0.0095, "reported so late it is below: {pressed}");
        input.contacts[0] = Some(true);
        let (mut others, mut last) = (0.0, engine.last().feet);
        for _ in 0..250 {
            let tick = *engine.step(&input, DT);
            let stands = (1..6).find(|&leg| tick.contacts[leg]).unwrap();
            others += tick.feet[stands].z - last[stands].z;
            assert!((tick.feet[0].z - last[0].z).abs() < 0.2 * DT, "no jump");
            last = tick.feet;
        }
        let back = engine.last().feet[0].z - others;
        assert!((back - 0.01).abs() < 2.5e-3, "{back} reported {late} s late, {pressed} by then");
    }
}

#[test]
fn when_contact_is_reported_late_by_a_robot_whose_joints_pace_it_expect_the_foot_back_up_where_it_met_the_ground() {
    for (probes, limit) in [(false, 1.1), (false, 0.7), (true, 0.7)] {
        let mut engine = paced(limit);
        let (late, ground) = (0.1, if probes { -0.004 } else { 0.01 });
        let mut input = Input { contacts_late: late, ..twist(0.04, 0.0, 0.0) };
        let mut met_since = None;
        let mut heights = swing(&mut engine, &input, |input, height, falling| {
            let now = met_since.get_or_insert(0.0);
            *now = if falling && height < ground { *now + DT } else { 0.0 };
            input.contacts[0] = Some(*now > late);
        });
        let (pressed, before) = (heights.pop().unwrap(), heights[heights.len() - 101]);
        input.contacts[0] = Some(true);
        let (mut others, mut last) = (0.0, engine.last().feet);
        for _ in 0..1500 {
            let tick = *engine.step(&input, DT);
            let Some(stands) = (1..6).find(|&leg| tick.contacts[leg]).filter(|_| tick.contacts[0]) else { break };
            others += tick.feet[stands].z - last[stands].z;
            last = tick.feet;
        }
        let back = last[0].z - others;
        assert!((back - before).abs() < 2.5e-3, "{back} for {before}, {pressed} by then, joints of {limit} rad/s");
    }
}
