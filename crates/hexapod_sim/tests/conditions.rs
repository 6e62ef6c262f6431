//! Fallen, lifted and blocked robots. `cargo run --release --example conditions` counts more of them, and the false alarms of
//! hours of driving.

use crate::rig::condition::{Outcome, ROUGH, drive, lifted, pushed_over, walled};
use hexapod_dynamics::Condition;

fn all_reported(run: fn(u64) -> Outcome, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let outcome = run(seed);
        assert!(outcome.is_good(), "seed {seed}: {outcome:?}");
    }
}

#[test]
fn when_a_robot_is_pushed_over_expect_it_reported_within_a_second() {
    all_reported(pushed_over, 1..4);
}

#[test]
fn when_a_robot_is_lifted_expect_it_reported_within_a_second() {
    all_reported(lifted, 1..4);
}

#[test]
fn when_a_robot_walks_against_a_step_that_is_too_high_expect_it_reported_within_a_second() {
    all_reported(walled, 1..4);
}

#[test]
fn when_a_robot_drives_over_rubble_and_ramps_expect_no_fall_and_no_lift_reported() {
    for floor in ROUGH {
        let drive = drive(floor, 3, 20.0);
        let reported = drive.last.map(|(condition, _)| condition);
        assert!(matches!(reported, None | Some(Condition::Blocked)), "{floor:?}: {drive:?}");
    }
}
