//! What the robot does when something breaks while it walks: the table of `docs/simulation.md`.

use crate::rig::faults::{Deed, TROUBLES, Trouble};
use crate::rig::random::drawn;

#[test]
fn when_something_breaks_in_a_walk_expect_the_robot_to_do_what_the_documentation_says() {
    let page = include_str!("../../../docs/simulation.md");
    for (trouble, words) in drawn(&TROUBLES, 10) {
        let outcome = trouble.play("perfect", 20);
        assert!(outcome.deed != Deed::Falls, "{words}: {outcome:?}");
        let row = page.lines().find(|line| line.starts_with(&format!("| {words} |"))).unwrap_or_default();
        let reported = row.split('|').nth(2).unwrap_or_default();
        assert!(reported.contains(outcome.deed.words()), "{words}: {outcome:?}, where the table says \"{reported}\"");
    }
}

#[test]
fn when_a_robot_walks_on_expect_no_fault_in_the_driver() {
    let outcome = Trouble::BusHangsBriefly.play("perfect", 0);
    assert_eq!((outcome.deed, outcome.driver), (Deed::WalksOn, Some(hexapod_servo::State::Armed)));
}

#[test]
fn when_nothing_got_through_for_a_while_expect_servos_to_catch_up_on_what_the_supply_gives() {
    for trouble in [Trouble::BusHangsBriefly, Trouble::CommandsLost] {
        for ticks in drawn(&[0, 8, 16, 24, 32, 40, 48, 56, 64, 72], 4) {
            let outcome = trouble.play("mg996r", ticks);
            assert_eq!(outcome.deed, Deed::WalksOn, "{trouble:?} at {ticks}: {outcome:?}");
            assert_eq!(outcome.driver, Some(hexapod_servo::State::Armed), "{trouble:?} at {ticks}");
            assert!(outcome.lean.to_degrees() < 1.0, "{trouble:?} at {ticks}: {outcome:?}");
        }
    }
}
