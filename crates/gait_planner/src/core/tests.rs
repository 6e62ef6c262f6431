mod condition_response;
mod driving;
mod felt;
mod footholds;
mod paused;
mod sticks;

use super::*;
use crate::command::{MotionRequest, queues};
use crate::params::{settings, shipped};
use crate::servos::Hold;
use crate::setup::Setup;
use hexapod_gait::GaitState;
use hexapod_gait::Twist;
use rtrb::Producer;
use std::sync::Arc;

const DT: Duration = Duration::from_millis(10);
/// Whose commands they are, unless somebody else is named.
const STICK: Sender = Sender::Local(1);

struct Bench {
    core: Core,
    commands: Producer<Received>,
    poses: Producer<Held>,
    /// What the driver says all the time.
    said: Option<Held>,
    now: Duration,
}

impl Bench {
    fn standing() -> Self {
        let setup = Setup::load(&shipped()).unwrap();
        Self::of(setup.engine, setup.timeout)
    }

    fn of(engine: Engine, timeout: Duration) -> Self {
        let mut bench = Self::just_started(engine, timeout);
        bench.say(Held::Nothing);
        bench.send(Command::Stand);
        bench.tick(300);
        assert_eq!(bench.state(), GaitState::Standing);
        bench
    }

    fn just_started(engine: Engine, timeout: Duration) -> Self {
        let (commands, poses, incoming) = queues();
        Self { core: Core::new(engine, incoming, timeout), commands, poses, said: None, now: Duration::from_secs(1000) }
    }

    fn send(&mut self, command: Command) {
        self.send_by(STICK, command);
    }

    fn send_by(&mut self, sender: Sender, command: Command) {
        let at = Moment::real(self.now);
        self.commands.push(Received { command, sender: Some(sender), at }).unwrap();
    }

    fn say(&mut self, held: Held) {
        self.said = Some(held);
        self.poses.push(held).unwrap();
    }

    /// A tick, with what the driver says again.
    fn step(&mut self) {
        self.now += DT;
        // A queue that is full is being listened to.
        if let Some(held) = self.said {
            let _ = self.poses.push(held);
        }
        self.core.tick(Moment::real(self.now), DT.as_secs_f64());
    }

    fn tick(&mut self, ticks: usize) {
        for _ in 0..ticks {
            self.step();
            assert_eq!(self.core.remarks().fault, None);
        }
    }

    fn state(&self) -> GaitState {
        self.core.last().state
    }

    fn drive(&mut self, seconds: f64, every: usize) {
        for tick in 0..(seconds * 100.0) as usize {
            if tick % every == 0 {
                self.send(Command::Twist(Twist::new(0.06, 0.0, 0.1)));
            }
            self.tick(1);
        }
    }
}

#[test]
fn when_started_under_a_robot_that_walks_expect_nothing_reported_before_its_pose_is_known_and_no_joint_to_jump() {
    let setup = Setup::load(&shipped()).unwrap();
    for seconds in [0.63, 1.0, 1.37] {
        let mut before = Bench::standing();
        before.drive(seconds, 5);
        let held = before.core.last().angles;
        let mut bench = Bench::just_started(setup.engine.clone(), setup.timeout);
        for _ in 0..29 {
            bench.drive(0.01, 1);
            assert!(!bench.core.speaks(), "its stick is still pushed");
        }
        bench.say(Held::Pose(held));
        bench.drive(0.01, 1);
        assert!(bench.core.speaks());
        let joints = |legs: &[LegAngles]| legs.iter().flat_map(|leg| leg.iter().copied()).collect::<Vec<_>>();
        let (reported, held) = (joints(&bench.core.last().angles), joints(&held));
        let moved = reported.iter().zip(&held).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(moved < 0.02, "{moved} rad in the first tick");
    }
}

#[test]
fn when_the_servos_are_let_go_in_stride_expect_the_robot_frozen_until_a_new_command_after_none() {
    for seconds in [0.2, 0.63, 1.0, 1.37] {
        let mut bench = Bench::standing();
        bench.say(Held::Part);
        bench.drive(seconds, 5);
        bench.say(Held::Nothing);
        let left = bench.core.last().angles;
        for tick in 0..300 {
            if tick % 5 == 1 {
                bench.drive(0.01, 1);
            } else {
                bench.tick(1);
            }
            assert!(bench.core.last().angles == left && bench.state() == GaitState::Standing);
        }
        assert_eq!(bench.core.take_refused().map(|refused| refused.topic), Some("cmd_vel"));
        bench.tick(200);
        bench.send(Command::Velocity(0.05));
        bench.drive(1.0, 5);
        assert_eq!(bench.state(), GaitState::Standing, "silence is no zero");
        bench.send(Command::Twist(Twist::ZERO));
        bench.drive(12.0, 5);
        assert_eq!(bench.state(), GaitState::Walking);
    }
}

#[test]
fn when_the_driver_falls_silent_in_stride_expect_the_robot_frozen_and_a_planner_that_stood_still_to_walk_on() {
    let mut bench = Bench::standing();
    bench.said = None;
    bench.poses.push(Held::Part).unwrap();
    bench.drive(1.0, 1);
    bench.now += Duration::from_secs(30);
    bench.drive(0.5, 1);
    assert_eq!((bench.state(), bench.core.remarks().hold), (GaitState::Walking, Hold::Held));
    bench.drive(1.0, 1);
    assert_eq!((bench.state(), bench.core.remarks().hold), (GaitState::Standing, Hold::Silent), "with the stick held");
    let left = bench.core.last().angles;
    bench.poses.push(Held::Part).unwrap();
    bench.drive(1.0, 1);
    assert_eq!((bench.state(), bench.core.remarks().hold), (GaitState::Standing, Hold::Held));
    assert!(bench.core.last().angles == left);
}

#[test]
fn when_stopped_in_an_emergency_while_a_motion_plays_expect_it_broken_off_where_it_is() {
    let mut bench = Bench::standing();
    bench.send(Command::Motion(Some(motion("bow"))));
    bench.tick(200);
    assert_eq!(bench.state(), GaitState::Playing);
    let left = bench.core.last().angles;
    bench.send(Command::Freeze("emergency stop"));
    bench.tick(100);
    assert!(bench.core.last().angles == left && bench.state() == GaitState::Standing);
    bench.send(Command::Sit);
    bench.tick(300);
    assert_eq!(bench.state(), GaitState::Sitting);
}

#[test]
fn when_no_servo_says_what_it_holds_expect_the_planner_to_speak_all_the_same() {
    let setup = Setup::load(&shipped()).unwrap();
    let mut bench = Bench::just_started(setup.engine, setup.timeout);
    bench.send(Command::Stand);
    bench.tick(30);
    assert!(!bench.core.speaks() && bench.state() == GaitState::Sitting);
    bench.tick(1);
    assert!(bench.core.speaks());
    bench.tick(300);
    assert_eq!(bench.state(), GaitState::Standing, "what was asked meanwhile is done");
}

#[test]
fn when_asked_to_stand_at_any_moment_of_packing_expect_the_robot_standing() {
    for ticks in (1..900).step_by(37) {
        let mut bench = Bench::standing();
        bench.send(Command::Pack);
        bench.tick(ticks);
        bench.send(Command::Stand);
        bench.tick(1500);
        assert_eq!(bench.state(), GaitState::Standing, "asked to after {ticks} ticks");
    }
}

#[test]
fn when_commands_are_logged_and_replayed_expect_the_same_bits() {
    let run = || {
        let mut bench = Bench::standing();
        let mut angles = vec![];
        for step in 0..800u32 {
            if step % 7 == 0 {
                let x = f64::from(step);
                bench.send(Command::Twist(Twist::new(0.1 * x.sin(), 0.05 * (0.7 * x).cos(), (0.3 * x).sin())));
            }
            bench.tick(1);
            angles.push(bench.core.last().angles.map(|leg| leg.map_bits()));
        }
        angles
    };
    assert!(run() == run());
}

/// A motion of the shipped file.
fn motion(name: &str) -> MotionRequest {
    MotionRequest { motion: Setup::load(&shipped()).unwrap().motions.get(name).unwrap(), request: 1 }
}

#[test]
fn when_a_motion_comes_in_mid_stride_expect_the_robot_to_stop_and_play_it() {
    let mut bench = Bench::standing();
    bench.drive(1.0, 5);
    bench.send(Command::Motion(Some(motion("bow"))));
    bench.tick(10);
    assert_eq!(bench.state(), GaitState::Stopping);
    bench.tick(200);
    assert_eq!(bench.state(), GaitState::Playing);
    bench.tick(700);
    assert_eq!(bench.state(), GaitState::Standing);
}

#[test]
fn when_driving_goes_on_after_a_motion_was_asked_for_expect_it_dropped() {
    let mut bench = Bench::standing();
    bench.drive(1.0, 5);
    bench.send(Command::Motion(Some(motion("bow"))));
    bench.drive(1.0, 5);
    assert_eq!(bench.state(), GaitState::Walking);
    let refused = bench.core.take_refused().unwrap();
    assert!(refused.topic == "motion" && refused.reason.contains("driven"), "{refused:?}");
    bench.tick(300);
    assert_eq!(bench.state(), GaitState::Standing, "and not played later");
}

#[test]
fn when_a_trajectory_comes_while_the_robot_does_not_stand_expect_it_refused() {
    let mut bench = Bench::standing();
    bench.drive(1.0, 5);
    bench.send(Command::Trajectory(motion("bow")));
    bench.tick(1);
    assert_eq!(bench.core.take_refused().map(|refused| refused.topic), Some("joint_trajectory"));
    bench.tick(300);
    assert_eq!(bench.state(), GaitState::Standing);
    bench.send(Command::Trajectory(motion("bow")));
    bench.tick(50);
    assert_eq!((bench.core.take_refused(), bench.state()), (None, GaitState::Playing));
}

#[test]
fn when_a_robot_that_cannot_fold_its_legs_is_asked_to_expect_it_refused_and_nothing_done() {
    let setup = Setup::load(&shipped()).unwrap();
    let (settings, stance) =
        settings(&setup.params, setup.engine.robot(), hexapod_gait::LegClearance::default()).unwrap();
    let engine = Engine::with_stance(Arc::clone(setup.engine.robot()), *setup.engine.gait(), settings, stance);
    let mut bench = Bench::of(engine, setup.timeout);
    bench.send(Command::Motion(Some(motion("bow"))));
    bench.tick(100);
    assert_eq!(bench.state(), GaitState::Playing);
    bench.send(Command::Pack);
    bench.tick(1);
    assert_eq!(bench.core.take_refused().map(|refused| refused.topic), Some("pack"));
    bench.tick(50);
    assert_eq!(bench.state(), GaitState::Playing, "and the motion goes on");
}

#[test]
fn when_asked_to_leave_in_the_middle_of_any_motion_expect_the_robot_sitting_in_time() {
    for name in ["wave", "dance", "march", "stretch", "push_ups"] {
        for ticks in [30, 111, 185] {
            let mut bench = Bench::standing();
            bench.send(Command::Motion(Some(motion(name))));
            bench.tick(ticks);
            let mut taken = 0;
            while bench.state() != GaitState::Sitting {
                bench.core.sit();
                bench.tick(1);
                taken += 1;
                assert!(taken <= 260, "{name} after {ticks} ticks");
            }
        }
    }
}

trait Bits {
    fn map_bits(&self) -> Vec<u64>;
}

impl Bits for hexapod_kinematics::LegAngles {
    fn map_bits(&self) -> Vec<u64> {
        self.iter().map(|angle| angle.to_bits()).collect()
    }
}
