use super::*;
use crate::command::FeltBy;
use crate::fault::Fault;
use crate::progress::Stage;
use hexapod_dynamics::Inertial;
use nalgebra::Vector3;

const G: f64 = 9.80665;

impl Bench {
    /// One that knows what servos and an IMU say of a robot that stands still.
    fn sensed() -> Self {
        let mut bench = Self::standing();
        bench.say(Held::Part);
        bench.imu(150, Vector3::zeros(), Vector3::z() * G, false);
        bench
    }

    /// Ticks, with an IMU that reads this.
    fn imu(&mut self, ticks: usize, spin: Vector3<f64>, force: Vector3<f64>, drives: bool) {
        for _ in 0..ticks {
            self.send(Command::Imu(Inertial { spin, force, since_s: Some(0.01) }, None));
            if drives {
                self.send(Command::Twist(Twist::new(0.1, 0.0, 0.0)));
            }
            self.step();
        }
    }

    /// Drives so for some seconds, against what throws the robot back each half a second.
    fn pushes_on(&mut self, seconds: usize, drive: Twist) {
        for tick in 0..100 * seconds {
            let ahead = match tick % 50 {
                0..5 => -12.0,
                5..10 => 12.0,
                _ => 0.0,
            };
            self.send(Command::Twist(drive));
            self.imu(1, Vector3::zeros(), Vector3::new(ahead, 0.0, G), false);
        }
    }

    fn feet(&mut self, ticks: usize, closed: Option<bool>) {
        for _ in 0..ticks {
            let feet = self.core.last().contacts.map(|down| Some(closed.unwrap_or(down)));
            self.send(Command::Feet(FeltBy::Switches, feet));
            self.send(Command::Twist(Twist::new(0.06, 0.0, 0.0)));
            self.tick(1);
        }
    }

    /// The pose of a robot that sits and has not moved yet.
    fn new_pose() -> [LegAngles; MAX_LEGS] {
        Setup::load(&shipped()).unwrap().engine.last().angles
    }

    /// Ticks in the air, if it is `lifted`, while the robot does something else than it is driven to.
    fn hang(&mut self, ticks: usize, lifted: bool) {
        for _ in 0..ticks {
            let feet = self.core.last().contacts.map(|down| Some(down && !lifted));
            self.send(Command::Feet(FeltBy::Switches, feet));
            self.tick(1);
        }
    }

    fn condition(&self) -> Condition {
        self.core.remarks().condition
    }
}

#[test]
fn when_the_robot_falls_on_its_back_in_stride_expect_a_fault_until_somebody_enables_it_and_then_it_sits() {
    let mut bench = Bench::sensed();
    bench.imu(100, Vector3::zeros(), Vector3::z() * G, true);
    assert_eq!((bench.state(), bench.condition()), (GaitState::Walking, Condition::Ok));
    // On its back within half a second.
    bench.imu(50, Vector3::x() * 2.0 * std::f64::consts::PI, Vector3::zeros(), true);
    bench.imu(10, Vector3::zeros(), -Vector3::z() * G, true);
    assert_eq!(bench.core.remarks().fault, Some(Fault::Fallen));
    let left = bench.core.last().angles;
    bench.send(Command::Stand);
    bench.imu(100, Vector3::zeros(), -Vector3::z() * G, true);
    assert!(bench.core.last().angles == left, "nothing moves");
    bench.say(Held::Nothing);
    bench.imu(300, Vector3::zeros(), -Vector3::z() * G, true);
    assert_eq!(bench.condition(), Condition::Fallen, "until somebody puts it on its feet");
    bench.imu(400, Vector3::zeros(), Vector3::z() * G, true);
    assert_eq!((bench.state(), bench.condition()), (GaitState::Sitting, Condition::Ok), "it may be enabled");
    let sits = bench.core.last().angles;
    assert!(sits == Bench::new_pose(), "from here it is switched on");
    bench.say(Held::Part);
    bench.imu(50, Vector3::zeros(), Vector3::z() * G, true);
    assert!(bench.core.last().angles == sits, "no joint jumps under servos that hold it");
    assert_eq!((bench.state(), bench.core.remarks().fault), (GaitState::Sitting, None), "whatever the stick says");
    bench.send(Command::Stand);
    bench.imu(400, Vector3::zeros(), Vector3::z() * G, false);
    assert_eq!(bench.state(), GaitState::Standing);
}

#[test]
fn when_it_does_not_get_on_for_four_seconds_expect_it_to_stop_until_it_is_driven_elsewhere_or_let_go() {
    let ahead = Twist::new(0.1, 0.0, 0.0);
    for other in [Twist::new(-0.05, 0.0, 0.0), Twist::new(0.0, 0.05, 0.0), Twist::ZERO] {
        let mut bench = Bench::sensed();
        bench.imu(300, Vector3::zeros(), Vector3::z() * G, true);
        assert_eq!((bench.state(), bench.condition()), (GaitState::Walking, Condition::Ok));
        bench.pushes_on(2, ahead);
        assert_eq!((bench.state(), bench.condition()), (GaitState::Walking, Condition::Blocked), "it may yet get on");
        bench.pushes_on(4, ahead);
        bench.imu(500, Vector3::zeros(), Vector3::z() * G, true);
        assert_eq!((bench.state(), bench.condition()), (GaitState::Standing, Condition::Blocked));
        assert!(bench.core.remarks().stopped_as_blocked);
        bench.send(Command::Twist(other));
        bench.tick(1);
        assert_eq!((bench.condition(), bench.core.remarks().stopped_as_blocked), (Condition::Ok, false), "{other:?}");
        for _ in 0..if other.is_zero() { 0 } else { 210 } {
            bench.send(Command::Twist(other));
            bench.imu(1, Vector3::zeros(), Vector3::z() * G, false);
        }
        bench.imu(50, Vector3::zeros(), Vector3::z() * G, true);
        assert_eq!((bench.state(), bench.condition()), (GaitState::Walking, Condition::Ok), "it may try again");
    }
}

#[test]
fn when_it_is_blocked_again_and_again_expect_it_to_stop_all_the_same() {
    let (mut bench, ahead) = (Bench::sensed(), Twist::new(0.1, 0.0, 0.0));
    bench.imu(300, Vector3::zeros(), Vector3::z() * G, true);
    for _ in 0..5 {
        bench.pushes_on(2, ahead);
        bench.imu(180, Vector3::zeros(), Vector3::z() * G, true);
    }
    assert!(bench.core.remarks().stopped_as_blocked);
}

#[test]
fn when_it_is_enabled_on_its_back_expect_it_let_go_again() {
    let mut bench = Bench::sensed();
    bench.imu(50, Vector3::x() * 2.0 * std::f64::consts::PI, Vector3::zeros(), false);
    bench.imu(50, Vector3::zeros(), -Vector3::z() * G, false);
    for held in [Held::Nothing, Held::Part] {
        bench.say(held);
        bench.imu(50, Vector3::zeros(), -Vector3::z() * G, false);
        assert_eq!(bench.core.remarks().fault, Some(Fault::Fallen));
    }
}

#[test]
fn when_an_imu_was_never_upright_expect_no_fall_of_it() {
    let mut bench = Bench::standing();
    bench.imu(500, Vector3::zeros(), -Vector3::z() * G, true);
    assert_eq!((bench.condition(), bench.state()), (Condition::Ok, GaitState::Walking), "it is mounted upside down");
}

#[test]
fn when_no_foot_feels_the_ground_expect_the_legs_held_until_it_is_put_down_and_driven_anew() {
    let mut bench = Bench::standing();
    bench.feet(200, None);
    assert_eq!((bench.state(), bench.condition()), (GaitState::Walking, Condition::Ok));
    bench.feet(40, Some(false));
    assert_eq!(bench.condition(), Condition::Lifted);
    bench.core.mark_reported();
    bench.send(Command::Goal(super::motion("bow")));
    bench.feet(1, Some(false));
    let entry = bench.core.news(0.01).and_then(|news| news.iter().flatten().next().copied());
    assert_eq!(entry.map(|entry| entry.stage), Some(Stage::Rejected), "who asks for a motion hears of it");
    let left = bench.core.last().angles;
    bench.feet(200, Some(false));
    assert!(bench.core.last().angles == left);
    bench.feet(200, None);
    assert_eq!((bench.condition(), bench.state()), (Condition::Ok, GaitState::Standing), "its stick is still pushed");
    bench.send(Command::Twist(Twist::ZERO));
    bench.feet(300, None);
    assert!(bench.core.last().angles != left && bench.condition() == Condition::Ok);
}

#[test]
fn when_the_switches_have_no_supply_expect_stand_to_go_on_without_them_and_a_word_of_it() {
    let mut bench = Bench::standing();
    bench.feet(200, None);
    bench.feet(100, Some(false));
    assert_eq!(bench.condition(), Condition::Lifted);
    bench.send(Command::Stand);
    bench.send(Command::Twist(Twist::ZERO));
    bench.feet(1200, Some(false));
    assert_eq!((bench.condition(), bench.state()), (Condition::Ok, GaitState::Walking));
    assert!(bench.core.remarks().doubts_switches);
}

#[test]
fn when_lifted_while_it_plays_rises_or_sits_down_expect_the_legs_held_within_a_second() {
    for (posture, seconds) in [("wave", 2), ("push_ups", 3), ("sit", 0), ("stand", 1)] {
        let mut bench = Bench::standing();
        bench.hang(100, false);
        match posture {
            "sit" => bench.send(Command::Sit),
            "stand" => {
                bench.send(Command::Sit);
                bench.hang(400, false);
                assert_eq!(bench.state(), GaitState::Sitting);
                bench.send(Command::Stand);
            }
            motion => bench.send(Command::Motion(Some(super::motion(motion)))),
        }
        bench.hang(20 + 100 * seconds, false);
        assert_eq!((bench.state(), bench.condition()), (GaitState::Playing, Condition::Ok), "{posture}");
        bench.hang(100, true);
        assert_eq!(bench.condition(), Condition::Lifted, "{posture}");
        let left = bench.core.last().angles;
        bench.hang(200, true);
        assert!(bench.core.last().angles == left, "{posture} goes on in the air");
        bench.hang(50, false);
        bench.send(Command::Stand);
        bench.hang(1500, false);
        assert_eq!((bench.state(), bench.condition()), (GaitState::Standing, Condition::Ok), "{posture}");
    }
}

#[test]
fn when_its_servos_are_let_go_while_it_stands_expect_no_lift_of_a_robot_on_its_belly() {
    let mut bench = Bench::standing();
    bench.say(Held::Part);
    bench.feet(200, None);
    bench.say(Held::Nothing);
    bench.feet(300, Some(false));
    assert_eq!(bench.condition(), Condition::Ok);
    bench.say(Held::Part);
    bench.feet(100, None);
    bench.feet(100, Some(false));
    assert_eq!(bench.condition(), Condition::Lifted, "servos hold it again, and a hand lifts it");
    bench.say(Held::Nothing);
    bench.feet(100, Some(false));
    assert_eq!(bench.condition(), Condition::Ok);
}
