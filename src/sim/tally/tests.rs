//! What is taken down of a walk.

use super::*;
use nalgebra::{Isometry3, UnitQuaternion};

const PERFECT: Motors = Motors { known: 0, joints: 18 };

fn moment(x: f64, roll: f64, fallen: bool) -> Moment {
    let turn = UnitQuaternion::from_euler_angles(roll, 0.0, 0.0);
    Moment {
        time: 0.0,
        dt: 0.1,
        state: GaitState::Walking,
        twist: Twist::new(0.1, 0.0, 0.0),
        commanded: Twist::new(0.15, 0.0, 0.0),
        base: Isometry3::from_parts(Vector3::new(x, 0.0, 0.1).into(), turn),
        slip: 0.001,
        work: 0.2,
        energy: 0.0,
        volts: 6.0,
        weight: 10.0,
        fallen,
        ground: Some(0.0),
    }
}

#[test]
fn when_the_robot_falls_and_lies_expect_one_fall_and_another_after_it_was_up() {
    let mut tally = Tally::default();
    (0..5).for_each(|_| assert_eq!(tally.take(&moment(0.0, 0.0, true)).falls, 0, "it sits"));
    tally.begin();
    let mut time = 0.0;
    let mut falls = |fallen: bool| {
        let mut one = || {
            time += 0.1;
            tally.take(&Moment { time, ..moment(0.0, 0.0, fallen) }).falls
        };
        (0..20).map(|_| one()).last()
    };
    assert_eq!(falls(false), Some(0));
    assert_eq!(falls(true), Some(1));
    assert_eq!(falls(true), Some(1), "it has not been up");
    assert_eq!(falls(false), Some(1));
    assert_eq!(falls(true), Some(2));
    assert!(tally.outcome(PERFECT).contains("falls    2, the first at 2.10 s"), "{}", tally.outcome(PERFECT));
}

#[test]
fn when_a_robot_hardly_moves_though_it_walks_expect_it_said_with_what_may_help() {
    let walked = |ratio: f64| {
        let mut tally = Tally::default();
        tally.take(&moment(0.0, 0.0, false));
        tally.begin();
        for i in 0..=100 {
            tally.take(&moment(0.01 * ratio * f64::from(i), 0.0, false));
        }
        tally.outcome(PERFECT)
    };
    assert!(walked(0.3).contains("step_height"), "{}", walked(0.3));
    assert!(!walked(0.8).contains("step_height"), "{}", walked(0.8));
}

#[test]
fn when_a_body_sways_on_its_way_expect_the_way_and_the_figures_from_the_first_command_on() {
    let mut tally = Tally::default();
    tally.take(&moment(0.0, 0.0, false));
    tally.begin();
    for i in 0..=100 {
        tally.take(&moment(0.008 * f64::from(i), 0.1 * f64::from(i % 2), false));
    }
    let reported = tally.outcome(PERFECT);
    assert!(reported.contains("0.800 m, 0.800 of the 1.000 m planned"), "{reported}");
    assert!(reported.contains("m planned, 0.528 of the 1.515 m commanded"), "{reported}");
    assert!(reported.contains("0.101 m by each foot on average, 0.126 m a metre of way"), "{reported}");
    assert!(
        reported.contains("5.7 degrees") && reported.contains("20.2 J at the joints, cost of transport 2.525"),
        "{reported}"
    );
    assert!(reported.contains("perfect servos, and servos without stall_current_a, take no current"), "{reported}");
    tally.take(&moment(0.8, 0.0, false));
    // As far again, with ten times the weight: 80 N m more, and 0.2 J.
    tally.take(&Moment { weight: 100.0, ..moment(1.6, 0.0, false) });
    assert!(
        tally.outcome(PERFECT).contains("20.6 J at the joints, cost of transport 0.234"),
        "{}",
        tally.outcome(PERFECT)
    );
}

#[test]
fn when_a_body_sways_by_centimetres_or_falls_expect_none_of_it_in_the_way() {
    let mut tally = Tally::default();
    tally.begin();
    let place = |x: f64, y: f64, vx: f64| {
        let state = if vx > 0.0 { GaitState::Walking } else { GaitState::Standing };
        let mut moment = Moment { state, ..moment(x, 0.0, false) };
        (moment.base.translation.vector.y, moment.twist) = (y, Twist::new(vx, 0.0, 0.0));
        moment
    };
    for i in 0..=100 {
        let sway = 0.07 * f64::from(i % 2);
        tally.take(&place(0.008 * f64::from(i) + sway, sway, 0.1));
    }
    for i in 0..20 {
        tally.take(&place(0.8 + 0.05 * f64::from(i), 0.0, 0.0));
    }
    let reported = tally.outcome(PERFECT);
    assert!(reported.contains("0.800 m, 0.800 of the 1.000 m planned"), "{reported}");
}

#[test]
fn when_a_body_sways_back_while_it_waits_for_a_foot_expect_that_in_the_way_too() {
    let mut tally = Tally::default();
    tally.begin();
    let mut x = 0.0;
    for i in 0..200 {
        // It walks for a second and leans ahead by 2 cm, and then waits and leans back.
        let walks = i / 10 % 2 == 0;
        x += if walks { 0.012 } else { -0.002 };
        tally.take(&Moment { twist: Twist::new(if walks { 0.1 } else { 0.0 }, 0.0, 0.0), ..moment(x, 0.0, false) });
    }
    let reported = tally.outcome(PERFECT);
    assert!(reported.contains("0.988 m, 0.998 of the 0.990 m planned"), "{reported}");
}

#[test]
fn when_servos_of_some_joints_take_no_current_expect_the_energy_of_the_others_reported_as_such() {
    let mut tally = Tally::default();
    tally.begin();
    for i in 0..=100 {
        tally.take(&Moment { energy: 1.0, ..moment(0.008 * f64::from(i), 0.0, false) });
    }
    let energy = |known: usize| {
        let reported = tally.outcome(Motors { known, joints: 18 });
        reported.lines().find(|line| line.starts_with("energy")).unwrap_or_default().to_owned()
    };
    assert_eq!(energy(18), "energy   101.0 J, cost of transport 12.625");
    assert!(energy(6).starts_with("energy   101.0 J by 6 of 18 joints alone: perfect servos"), "{}", energy(6));
    assert!(!energy(6).contains("cost of transport"), "{}", energy(6));
    assert!(energy(0).starts_with("energy   unknown: perfect servos"), "{}", energy(0));
}
