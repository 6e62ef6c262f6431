//! The drawings of the shipped robot's joints.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may stop where it stands")]

use hexapod_calibration::{Drawing, draw_joint};
use hexapod_kinematics::Robot;

fn robot() -> Robot {
    Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).expect("the shipped robot")
}

fn drawn(leg: &str, joint: usize, pose_deg: f64, limit_deg: Option<f64>) -> Vec<String> {
    let robot = robot();
    let leg = &robot.legs()[robot.leg_index(leg).expect("a leg")];
    let drawing =
        Drawing { pose_rad: pose_deg.to_radians(), limit_rad: limit_deg.map(f64::to_radians), size: (34, 14) };
    draw_joint(leg, joint, &drawing)
}

/// Column and line of a character.
fn find(lines: &[String], letter: char) -> (usize, usize) {
    let mut found = lines.iter().enumerate().filter_map(|(y, line)| Some((line.chars().position(|c| c == letter)?, y)));
    found.next().unwrap_or_else(|| panic!("no {letter} in\n{}", lines.join("\n")))
}

#[test]
fn when_any_joint_is_drawn_expect_it_in_size_with_pivot_zero_and_plus() {
    for leg in robot().legs() {
        for (joint, part) in leg.joints().iter().enumerate() {
            for pose_deg in [-60.0, -20.0, 30.0] {
                let lines = drawn(leg.name(), joint, pose_deg, None);
                assert_eq!(lines.len(), 14, "{}", part.name());
                assert!(lines.iter().all(|line| line.chars().count() == 34), "{}\n{}", part.name(), lines.join("\n"));
                assert_ne!(find(&lines, 'o'), find(&lines, '0'));
                find(&lines, '+');
            }
        }
    }
}

#[test]
fn when_plus_lifts_the_foot_expect_the_arrow_upwards_and_zero_level() {
    for leg in ["left_middle", "right_middle", "left_front", "right_rear"] {
        for joint in [1, 2] {
            let lines = drawn(leg, joint, -60.0, None);
            let (pivot, zero, plus) = (find(&lines, 'o'), find(&lines, '0'), find(&lines, '+'));
            let text = lines.join("\n");
            assert!(pivot.1.abs_diff(zero.1) <= 1, "zero is level\n{text}");
            let lowest = lines.iter().take(13).rposition(|line| line.chars().any(|c| c > '\u{2800}')).expect("dots");
            assert!(plus.1 < lowest, "{text}");
            assert!(plus.1 > zero.1, "34 degrees up from -60 is still below zero\n{text}");
        }
    }
}

#[test]
fn when_coxae_are_seen_from_above_expect_left_legs_on_the_left_and_plus_anticlockwise() {
    let left = drawn("left_middle", 0, 0.0, Some(40.1));
    let (pivot, plus) = (find(&left, 'o'), find(&left, '+'));
    assert!(plus.0 < pivot.0 && plus.1 > pivot.1, "to the left, turned to the rear\n{}", left.join("\n"));
    assert!(left.iter().any(|line| line.contains("40.1")), "{}", left.join("\n"));
    let right = drawn("right_middle", 0, 0.0, None);
    let (pivot, plus) = (find(&right, 'o'), find(&right, '+'));
    assert!(plus.0 > pivot.0 && plus.1 < pivot.1, "to the right, turned to the front\n{}", right.join("\n"));
    assert!(left[13].contains("from above"));
}
