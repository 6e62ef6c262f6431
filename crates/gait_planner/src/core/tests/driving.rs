//! What the stick makes of the robot, and when it counts.

use super::*;
use hexapod_gait::LimitedBy;
use hexapod_kinematics::Robot;

/// All that is checked before the robot walks knows nothing of what is put on it afterwards.
#[test]
fn when_a_walk_is_given_up_expect_it_remarked_until_the_stick_is_let_go() {
    let setup = Setup::load(&shipped()).unwrap();
    let urdf = include_str!("../../../../../urdf/hexapod.urdf");
    let over_the_front_feet =
        urdf.replacen("xyz=\"0 0 0.002\"/>\n      <mass", "xyz=\"0.6 0 0.002\"/>\n      <mass", 1);
    assert_ne!(over_the_front_feet, urdf);
    let robot = Arc::new(Robot::from_urdf(&over_the_front_feet).unwrap());
    let (settings, stance) = settings(&setup.params, &robot, hexapod_gait::LegClearance::default()).unwrap();
    let engine = Engine::with_stance(robot, *setup.engine.gait(), settings, stance);
    let mut bench = Bench::of(engine, setup.timeout);
    bench.drive(3.0, 5);
    assert_eq!((bench.state(), bench.core.remarks().gave_up), (GaitState::Standing, Some(LimitedBy::Stability)));
    bench.send(Command::Twist(Twist::ZERO));
    bench.tick(1);
    assert_eq!(bench.core.remarks().gave_up, None);
}

#[test]
fn when_commands_stop_expect_the_stop_exactly_at_the_timeout() {
    let mut bench = Bench::standing();
    bench.drive(2.0, 5);
    bench.send(Command::Twist(Twist::new(0.06, 0.0, 0.0)));
    bench.tick(50);
    assert_eq!(bench.state(), GaitState::Walking, "0.5 s is not over");
    bench.tick(1);
    assert_eq!(bench.state(), GaitState::Stopping);
    bench.tick(100);
    assert_eq!(bench.state(), GaitState::Standing);
}

#[test]
fn when_gaps_stay_below_the_timeout_expect_no_stutter() {
    let mut bench = Bench::standing();
    bench.drive(2.0, 5);
    for _ in 0..5 {
        bench.drive(0.45, 45);
        assert_eq!(bench.core.last().twist, Twist::new(0.06, 0.0, 0.1));
    }
}

#[test]
fn when_velocity_and_curvature_drive_expect_their_turning_centre() {
    for curvature in [-1.999, -1.0, 0.4, 1.0, 1.5, 1.999] {
        let mut bench = Bench::standing();
        bench.send(Command::Curvature(curvature));
        for _ in 0..200 {
            bench.send(Command::Velocity(0.05));
            bench.tick(1);
        }
        let twist = bench.core.last().twist;
        let distance = 0.05 * bench.core.player.engine().gait().stance_time();
        let expected = hexapod_gait::arc::turning_radius(distance, curvature);
        let centre = twist.turning_centre().unwrap();
        assert!((centre.y - expected).abs() <= 1e-9 && centre.x.abs() < 1e-9, "{centre} for {expected}");
        assert_eq!(twist.wz > 0.0, curvature > 0.0, "positive turns left");
    }
}

#[test]
fn when_a_stop_meets_a_stream_of_commands_expect_the_stop_to_win() {
    let mut bench = Bench::standing();
    bench.drive(1.0, 5);
    bench.send(Command::Stop);
    bench.drive(3.0, 5);
    assert_eq!(bench.state(), GaitState::Standing);
    bench.tick(60);
    bench.drive(1.0, 5);
    assert_eq!(bench.state(), GaitState::Standing, "a stick that was out of range is still pushed");
    bench.send(Command::Twist(Twist::ZERO));
    bench.drive(0.1, 5);
    assert_eq!(bench.state(), GaitState::Walking);
}

#[test]
fn when_driven_in_the_tick_of_a_stop_at_rest_expect_a_walk() {
    for stop in [Command::Stop, Command::Stand] {
        let mut bench = Bench::standing();
        bench.send(stop);
        bench.drive(1.0, 5);
        assert_eq!(bench.state(), GaitState::Walking, "the stick was at rest when the stop came");
    }
}

#[test]
fn when_the_stick_is_let_go_and_pushed_within_a_tick_expect_a_walk() {
    let mut bench = Bench::standing();
    bench.drive(1.0, 5);
    bench.send(Command::Stop);
    bench.drive(2.0, 5);
    assert_eq!(bench.state(), GaitState::Standing, "the stop wins");
    bench.send(Command::Twist(Twist::ZERO));
    bench.drive(1.0, 5);
    assert_eq!(bench.state(), GaitState::Walking);
}

#[test]
fn when_the_stick_is_pushed_and_then_stopped_within_a_tick_expect_the_stop_to_win() {
    let mut bench = Bench::standing();
    bench.send(Command::Twist(Twist::new(0.06, 0.0, 0.0)));
    bench.send(Command::Stop);
    bench.drive(1.0, 5);
    assert_eq!(bench.state(), GaitState::Standing);
}
