use super::*;
use hexapod_ros::Gid;
use std::time::Duration;

const LIFE: Life = Life { timeout: Duration::from_millis(500) };

/// An endpoint of a process.
fn endpoint(process: u8, number: u8) -> Sender {
    let mut gid = [process; 16];
    gid[15] = number;
    Sender::Remote(Gid(gid))
}

fn drive(steering: &mut Steering, sender: Sender, velocity: f64) -> bool {
    steering.take(DriveCommand::Arc { velocity }, sender, Moment::default(), LIFE).is_ok()
}

#[test]
fn when_several_say_a_curvature_expect_that_of_the_process_that_drives() {
    let (mut steering, [first, second]) = (Steering::new(), [1, 2].map(|process| endpoint(process, 0)));
    assert!(drive(&mut steering, first, 0.05) && drive(&mut steering, second, 0.0));
    steering.bend(0.7, endpoint(3, 1));
    assert_eq!(steering.curvature(), 0.7, "somebody sets it who does not drive");
    steering.bend(0.0, endpoint(2, 1));
    assert_eq!(steering.curvature(), 0.7, "an idle stick says that it steers straight ahead");
    steering.bend(-0.4, endpoint(1, 1));
    steering.bend(0.0, endpoint(2, 1));
    steering.bend(0.9, endpoint(3, 1));
    assert_eq!(steering.curvature(), -0.4);
    assert!(drive(&mut steering, first, 0.0) && drive(&mut steering, second, 0.05));
    assert_eq!(steering.curvature(), 0.0);
}

#[test]
fn when_curvatures_come_from_more_than_are_kept_expect_the_newest() {
    let mut steering = Steering::new();
    (0..100).for_each(|process| steering.bend(f64::from(process) / 100.0, endpoint(process + 1, 1)));
    assert!(drive(&mut steering, endpoint(200, 0), 0.05));
    assert_eq!(steering.curvature(), 0.99);
    assert!(drive(&mut steering, endpoint(200, 0), 0.0) && drive(&mut steering, endpoint(90, 0), 0.05));
    assert_eq!(steering.curvature(), 0.89);
}

#[test]
fn when_another_stick_rests_or_is_pushed_expect_the_drivers_command_walked() {
    let (mut steering, push) = (Steering::new(), DriveCommand::Twist(Twist::new(0.05, 0.0, 0.0)));
    let [driver, other] = [1, 2].map(|process| endpoint(process, 0));
    assert_eq!(steering.take(push, driver, Moment::default(), LIFE), Ok(()));
    assert_eq!(steering.take(DriveCommand::Twist(Twist::ZERO), other, Moment::default(), LIFE), Ok(()));
    assert!(!drive(&mut steering, other, 0.1));
    assert!(steering.counts && steering.wanted == push && steering.topic() == "cmd_vel");
    steering.stop(Moment::default(), LIFE);
    let again = steering.take(push, driver, Moment::default(), LIFE);
    assert_eq!(again, Err(IgnoredCommand { why: Ignored::Stopped, is_new: true }));
    assert!(!steering.counts);
}
