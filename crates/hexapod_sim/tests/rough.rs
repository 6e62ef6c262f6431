//! Rough ground whose heights the robot does not know.

use crate::rig::rough::{Feels, Rough};

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
