//! Somebody turns limp servos that know their angle.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test may stop where it stands")]

use hexapod_calibration::{ByHand, Steps};
use hexapod_kinematics::{Leg, Robot};
use std::sync::Arc;

const RAD_PER_STEP: f64 = std::f64::consts::TAU / 4096.0;
const LAST: u16 = 4095;

/// The shipped robot, but for tibias that always hang down.
fn robot() -> Arc<Robot> {
    let urdf = include_str!("../../../urdf/hexapod.urdf");
    let hanging = urdf.replace(r#"lower="-2.6" upper="0.5""#, r#"lower="-2.6" upper="-0.5""#);
    assert_ne!(urdf, hanging);
    Arc::new(Robot::from_urdf(&hanging).expect("a robot"))
}

fn begin(robot: &Arc<Robot>) -> ByHand {
    let count = robot.legs().iter().flat_map(Leg::joints).count();
    let servos = (1..=count).map(|id| Steps { id: id as u8, rad_per_step: RAD_PER_STEP, last: LAST });
    ByHand::new(Arc::clone(robot), servos.collect())
}

/// The angle that the page asks for, rad.
fn asked(dialogue: &ByHand) -> f64 {
    let page = dialogue.view(Some(2048.0));
    let heading = page.lines.iter().find_map(|(_, line)| line.strip_prefix("Step 1 of 2: ")).unwrap();
    heading.split(' ').next().unwrap().parse::<f64>().unwrap().to_radians()
}

#[test]
fn when_joints_are_turned_as_drawn_expect_the_zero_and_direction_of_each_however_it_is_mounted() {
    let robot = robot();
    let mut dialogue = begin(&robot);
    let limits: Vec<_> = robot.legs().iter().flat_map(Leg::joints).map(|joint| *joint.limits()).collect();
    for (joint, limits_of) in limits.iter().enumerate() {
        assert_eq!(dialogue.joint(), joint);
        let (zero, direction) = (1900.0 + 20.0 * joint as f64, if joint % 3 == 0 { -1.0 } else { 1.0 });
        let angle = asked(&dialogue);
        assert!(limits_of.lower <= angle && angle + 0.34 <= limits_of.upper, "{joint}: {angle}");
        let step = |angle: f64| Some((zero + direction * angle / RAD_PER_STEP).round());
        assert_eq!(dialogue.enter(step(angle)), None);
        assert_eq!(dialogue.enter(step(angle + 0.05)), None, "that is too little");
        let found = dialogue.enter(step(angle + 0.35)).unwrap();
        assert_eq!((found.joint, found.direction), (joint, direction as i64));
        assert!((f64::from(found.step) - zero).abs() <= 1.0, "{joint}: {found:?}");
        assert_eq!(dialogue.next_undone(), joint + 1 < limits.len());
    }
    assert_eq!(dialogue.count(), (limits.len(), limits.len()));
}

#[test]
fn when_a_servo_begins_anew_within_a_joints_range_expect_its_horn_to_be_mounted_anew() {
    let robot = robot();
    let says = |dialogue: &ByHand| dialogue.view(None).lines.last().map(|(_, line)| line.clone()).unwrap();
    for (from, to) in [(150.0, 3835.0), (100.0, 4000.0), (3900.0, 200.0)] {
        let mut dialogue = begin(&robot);
        assert_eq!(asked(&dialogue), 0.0);
        assert_eq!((dialogue.enter(Some(from)), dialogue.enter(Some(to))), (None, None));
        let said = says(&dialogue);
        assert!(said.contains("mount its horn anew, so that the joint is at 0 degrees near step 2048"), "{said}");
    }
    // Limits of +-40 degrees: a tooth less on one side is the best that some horns give.
    let mut dialogue = begin(&robot);
    assert_eq!((dialogue.enter(Some(400.0)), dialogue.enter(Some(700.0)).map(|zero| zero.step)), (None, Some(400)));
}

#[test]
fn when_a_servo_is_silent_or_its_zero_is_beyond_its_steps_expect_it_said_and_nothing_found() {
    let robot = robot();
    let mut dialogue = begin(&robot);
    let says = |dialogue: &ByHand, words: &str| dialogue.view(None).lines.iter().any(|(_, line)| line.contains(words));
    assert_eq!(dialogue.enter(None), None);
    assert!(says(&dialogue, "does not answer: check its plug"));
    // A tibia hangs down where it is drawn; its 0 is a quarter of a turn away.
    let tibia = robot.legs()[0].joints()[2].name().to_owned();
    assert!(dialogue.go_to(&tibia) && !dialogue.go_to("tail"));
    assert!(asked(&dialogue) < -1.5);
    assert_eq!((dialogue.enter(Some(3500.0)), dialogue.enter(Some(3700.0))), (None, None));
    assert!(says(&dialogue, "mount its horn anew"));
    dialogue.pass(-1);
    assert_eq!(dialogue.joint(), 1);
}
