//! Figures of joints and servos that may be true, and most often are mistakes.

use hexapod_kinematics::Robot;
use hexapod_servo::calibration::{KGF_CM, Motor};
use std::collections::BTreeMap;

/// What a servo of a hobby gives at most, W, and the torque of one that is strong, N m: of more, kgf cm were meant.
const GREATEST_W: f64 = 12.0;
const STRONG_NM: f64 = 4.0;

/// What to tell of them.
pub(super) fn notes(robot: &Robot, motors: &[(String, Motor)]) -> Vec<String> {
    strong(motors).into_iter().chain(stiff(robot)).collect()
}

/// Kinds of servo that are stronger than any.
fn strong(motors: &[(String, Motor)]) -> Vec<String> {
    let figures = |(_, motor): &(String, Motor)| {
        let (torque, speed) = motor.stall_torque_nm.zip(motor.no_load_speed_rad_s)?;
        // Half the torque at half the speed.
        let watts = 0.25 * torque * speed;
        (torque > STRONG_NM && watts > GREATEST_W).then(|| (motor.kind.clone(), (torque, watts)))
    };
    let kinds: BTreeMap<String, (f64, f64)> = motors.iter().filter_map(figures).collect();
    let note = |(kind, (torque, watts))| {
        format!(
            "servos of kind {kind} give {torque} N m, and {watts:.0} W, which few do: if their data sheet says {torque} kgf cm, write \
             `stall_torque_nm: {:.3}`",
            torque * KGF_CM
        )
    };
    kinds.into_iter().map(note).collect()
}

/// Joints whose friction is as great as all that their servos give.
fn stiff(robot: &Robot) -> Option<String> {
    let joints = robot.model().joints().iter().filter_map(|joint| Some((joint, joint.limits()?.effort)));
    let mut stuck = joints.filter(|(joint, effort)| *effort > 0.0 && joint.friction().coulomb >= *effort);
    let (joint, effort) = stuck.next()?;
    let others = match stuck.count() {
        0 => String::new(),
        more => format!(" (and so for {more} more)"),
    };
    Some(format!(
        "the <dynamics friction> of joint {}, {} N m, is as great as its effort, {effort} N m{others}: in physics no servo moves it",
        joint.name(),
        joint.friction().coulomb
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    fn motor(kind: &str, torque: Option<f64>, speed: f64) -> (String, Motor) {
        let motor = Motor {
            kind: kind.into(),
            path: String::new(),
            has_own_points: false,
            stall_torque_nm: torque,
            no_load_speed_rad_s: Some(speed),
        };
        ("a_coxa".into(), motor)
    }

    #[test]
    fn when_a_torque_is_given_in_kgf_cm_expect_it_once_a_kind_in_newton_metres_and_strong_servos_let_be() {
        let servos =
            [("mg996r", Some(9.4), 6.1), ("mg996r", Some(9.4), 6.1), ("xm540", Some(10.6), 3.1), ("mine", None, 6.0)];
        let notes = strong(&servos.map(|(kind, torque, speed)| motor(kind, torque, speed)));
        assert!(notes.len() == 1 && notes[0].contains("`stall_torque_nm: 0.922`"), "{notes:?}");
    }

    #[test]
    fn when_friction_takes_all_the_effort_expect_the_joint_named() {
        let text = include_str!("../../urdf/hexapod.urdf");
        let robot = |text: &str| Robot::from_urdf(text).unwrap();
        assert_eq!(stiff(&robot(text)), None);
        let with = text.replacen("friction=\"0.03\"", "friction=\"3.0\"", 2);
        let reported = stiff(&robot(&with)).unwrap();
        assert!(reported.contains("3 N m") && reported.contains("and so for 1 more"), "{reported}");
    }
}
