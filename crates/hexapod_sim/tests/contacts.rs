//! Contacts estimated from what servos bear, with the gait's plan, as the live node has them.

use crate::rig::contact::{Efforts, Found, listen};
use crate::rig::course::{Course, FLOORS};
use crate::rig::random::drawn;

/// Ten drives on a floor with servos of this kind, all with default settings.
fn found(kind: &'static str, from: Efforts) -> Found {
    let mut all = Found::default();
    for seed in 4000..4010 {
        let gait = ["tripod", "ripple", "amble"][seed as usize % 3];
        all.add(&listen(&Course { floor: FLOORS[0], kind, gait, seed, restless: false }, None, 12.0, from));
    }
    println!(
        "{kind}: {:.0} ms, {:.0} ms at most, {} of {} late, {} of {} swings are called stance",
        1e3 * all.mean_s(),
        1e3 * all.most_s(),
        all.later_than(0.06),
        all.late_s.len(),
        all.false_stances,
        all.swings
    );
    all
}

#[test]
fn when_feet_come_down_expect_contact_within_30_ms_on_the_mean_and_seldom_after_60() {
    for kind in drawn(&["perfect", "mg996r", "ds3218"], 1) {
        let found = found(kind, Efforts::Measured);
        assert!(found.late_s.len() > 100 && found.mean_s() < 0.03, "{kind}");
        assert!(found.later_than(0.06) * 25 <= found.late_s.len(), "{kind}");
    }
}

#[test]
fn when_gears_rub_with_a_tenth_of_the_stall_torque_expect_no_swing_called_stance() {
    for kind in drawn(&["perfect_stiff", "mg996r_stiff"], 1) {
        let found = found(kind, Efforts::Measured);
        assert!(found.swings > 100 && found.false_stances == 0, "{kind}");
    }
}

#[test]
fn when_servos_measure_nothing_but_angles_expect_contact_by_how_far_they_are_from_their_goals() {
    let found = found("sts3215", Efforts::of_errors());
    assert!(found.late_s.len() > 100 && found.later_than(0.04) == 0);
    // At most the first swings, from which friction and rotors are learned.
    assert!(found.swings > 100 && found.false_stances * 100 <= found.swings);
}
