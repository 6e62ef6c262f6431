//! The control tick: commands in, one tick of the engine out. No allocation, lock, clock or ROS call.

use crate::command::{Command, Held, Incoming, Received};
use crate::fault::{Fault, Watch};
use crate::life::{ClockRate, Moment, is_fresh};
use hexapod_gait::arc::ArcStep;
use hexapod_gait::motion::{Dropped, Player};
use hexapod_gait::{Engine, GaitState, Input, Tick, Twist};
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use std::time::Duration;

/// Which topics drive the robot: those that spoke last.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Steering {
    Twist(Twist),
    Arc { velocity: f64 },
}

/// The engine, what it plays, and what the driver wants of it.
pub struct Core {
    player: Player,
    incoming: Incoming,
    started_at: Option<Duration>,
    speaks: bool,
    /// Some servo is told something.
    held: bool,
    steering: Steering,
    steered_at: Option<Moment>,
    ticked_at: Duration,
    clock_rate: ClockRate,
    curvature: f64,
    timeout: Duration,
    input: Input,
    moved: bool,
    refused: Option<Refused>,
    watch: Watch,
}

/// How long a planner that has just started waits for word of what the servos hold, if nothing comes.
const LISTEN_FIRST: Duration = Duration::from_millis(300);

/// A command that did not suit the robot's state when its turn came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The topic it came from.
    pub topic: &'static str,
    /// Why.
    pub reason: &'static str,
}

impl Core {
    /// A core that takes its commands from `incoming`; a twist older than `timeout` stops the robot.
    #[must_use]
    pub fn new(engine: Engine, incoming: Incoming, timeout: Duration) -> Self {
        Self {
            watch: Watch::new(engine.last()),
            player: Player::new(engine),
            incoming,
            started_at: None,
            speaks: false,
            held: false,
            steering: Steering::Twist(Twist::ZERO),
            steered_at: None,
            ticked_at: Duration::ZERO,
            clock_rate: ClockRate::default(),
            curvature: 0.0,
            timeout,
            input: Input::default(),
            moved: false,
            refused: None,
        }
    }

    /// What was done last.
    #[must_use]
    pub fn last(&self) -> &Tick {
        self.player.last()
    }

    /// A command refused since this was asked last.
    pub fn take_refused(&mut self) -> Option<Refused> {
        if let Some(dropped) = self.player.take_dropped() {
            let reason = match dropped {
                Dropped::NoLegToSpare => {
                    "the robot cannot put its feet in place without tipping over; sit and stand up again"
                }
                Dropped::Driven => "the robot was driven on before the motion began; let go of the stick first",
                Dropped::NoWayOn => "a leg could not get on where the motion goes; the robot went back to standing",
            };
            self.refuse("motion", reason);
        }
        self.refused.take()
    }

    /// What keeps the planner from doing its work.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        self.watch.fault()
    }

    /// Whether a motion that was asked for is played, the way to its start and back included.
    #[must_use]
    pub fn plays(&self) -> bool {
        self.player.job().is_busy()
    }

    /// Whether what is done is to be told. A planner that is started anew under a robot that stands, its servos holding
    /// it, says nothing before it knows the pose they hold: its commands would begin with another one.
    #[must_use]
    pub fn speaks(&self) -> bool {
        self.speaks
    }

    /// Takes in what has come since the last tick and moves on by `dt` seconds to `now`.
    pub fn tick(&mut self, now: Moment, dt: f64) -> &Tick {
        self.listen(now.real);
        while self.speaks
            && let Ok(received) = self.incoming.commands.pop()
        {
            self.take(received);
        }
        if now.at < self.ticked_at || !self.is_steered(now) {
            // For good, whatever the clock says later.
            self.steered_at = None;
        }
        self.ticked_at = now.at;
        self.input.twist = self.twist();
        self.moved |= !self.input.twist.is_zero();
        self.player.step(&self.input, dt);
        self.watch.look(self.player.last(), self.player.is_playing(), now.at, dt)
    }

    /// Takes down how a simulated clock goes, before the ticks it brings.
    pub fn clock(&mut self, now: Moment) {
        self.clock_rate.take(now);
    }

    /// Asks for the last posture, whatever was asked before.
    pub fn sit(&mut self) {
        self.steered_at = None;
        self.player.sit();
    }

    fn take(&mut self, Received { command, at }: Received) {
        match command {
            Command::Twist(twist) => self.steer(Steering::Twist(twist), at),
            Command::Velocity(velocity) => self.steer(Steering::Arc { velocity }, at),
            Command::Curvature(curvature) => self.curvature = curvature,
            Command::BodyOffset(offset) => self.input.body_offset = offset,
            Command::Gait(gait) => self.player.engine_mut().set_gait(gait),
            Command::Motion(motion) => {
                if motion.is_some() {
                    self.moved = true;
                    // The newest command counts: what was driven before the motion does not end it.
                    self.steered_at = None;
                }
                self.player.play(motion);
            }
            Command::Trajectory(motion) => {
                if self.last().state == GaitState::Standing && !self.player.job().is_busy() {
                    self.steered_at = None;
                    self.player.play(Some(motion));
                } else {
                    self.refuse("joint_trajectory", "the robot does not stand");
                }
            }
            Command::Stand => {
                self.moved = true;
                self.player.stand();
                self.notice();
            }
            Command::Sit => {
                self.player.sit();
                self.notice();
            }
            Command::Retire => self.sit(),
            Command::Pack => {
                if self.player.pack() {
                    self.moved = true;
                    self.notice();
                } else {
                    self.refuse("pack", "the robot has no packed pose");
                }
            }
            Command::Stop => {
                self.player.stop();
                self.notice();
            }
            Command::Freeze => self.freeze(),
            Command::StepHeight(height) => self.player.engine_mut().set_step_height(height),
            Command::Limits(limits) => self.player.engine_mut().set_limits(limits),
            Command::Timeout(seconds) => self.timeout = Duration::from_secs_f64(seconds),
        }
    }

    /// Hears what the servos hold. Commands wait for it.
    fn listen(&mut self, now: Duration) {
        let waited = now.saturating_sub(*self.started_at.get_or_insert(now));
        self.speaks |= waited >= LISTEN_FIRST;
        while let Ok(held) = self.incoming.poses.pop() {
            self.speaks = true;
            let before = std::mem::replace(&mut self.held, !matches!(held, Held::Nothing));
            match held {
                Held::Nothing if before => self.freeze(),
                Held::Pose(angles) if !self.moved => self.adopt(&angles),
                _ => {}
            }
        }
    }

    /// The servos have been let go: what the robot was doing is over. It is left where it is, as they leave it, and walks
    /// again once the stick has been let go and pushed.
    fn freeze(&mut self) {
        self.player.freeze();
    }

    /// Takes the pose the servos hold for the robot's.
    fn adopt(&mut self, angles: &[LegAngles; MAX_LEGS]) {
        let engine = self.player.engine_mut();
        let legs = engine.robot().legs().len();
        self.moved = engine.adopt(&angles[..legs]);
        if !self.moved {
            self.refuse("servo_states", "a joint is beyond its limits; standing up starts from sitting");
        }
    }

    fn refuse(&mut self, topic: &'static str, reason: &'static str) {
        self.refused = Some(Refused { topic, reason });
    }

    fn steer(&mut self, steering: Steering, at: Moment) {
        self.steering = steering;
        self.steered_at = Some(at);
        self.notice();
    }

    /// Lets the engine know what is wanted between two commands of one tick: whether a stop found the stick at rest, or
    /// it was let go before it was pushed again.
    fn notice(&mut self) {
        let twist = self.twist();
        self.player.engine_mut().notice(twist);
    }

    fn is_steered(&self, now: Moment) -> bool {
        self.steered_at.is_some_and(|at| is_fresh(&at, &now, self.timeout, self.clock_rate.is_slow()))
    }

    /// What is wanted now: nothing when the last command is too old.
    fn twist(&self) -> Twist {
        match self.steering {
            _ if self.steered_at.is_none() => Twist::ZERO,
            Steering::Twist(twist) => twist,
            Steering::Arc { velocity } => {
                let engine = self.player.engine();
                let stance_time = engine.gait().stance_time();
                let step = ArcStep::new(velocity * stance_time, self.curvature, engine.rest_feet());
                step.twist(stance_time)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::queues;
    use crate::params::{settings, shipped};
    use crate::setup::Setup;
    use hexapod_gait::motion::Motion;
    use rtrb::Producer;
    use std::sync::Arc;

    const DT: Duration = Duration::from_millis(10);

    struct Bench {
        core: Core,
        commands: Producer<Received>,
        poses: Producer<Held>,
        now: Duration,
    }

    impl Bench {
        fn standing() -> Self {
            let setup = Setup::load(&shipped()).unwrap();
            Self::of(setup.engine, setup.timeout)
        }

        fn of(engine: Engine, timeout: Duration) -> Self {
            let mut bench = Self::just_started(engine, timeout);
            bench.poses.push(Held::Nothing).unwrap();
            bench.send(Command::Stand);
            bench.tick(300);
            assert_eq!(bench.state(), GaitState::Standing);
            bench
        }

        fn just_started(engine: Engine, timeout: Duration) -> Self {
            let (commands, poses, incoming) = queues();
            Self { core: Core::new(engine, incoming, timeout), commands, poses, now: Duration::from_secs(1000) }
        }

        fn send(&mut self, command: Command) {
            self.commands.push(Received { command, at: Moment::real(self.now) }).unwrap();
        }

        fn tick(&mut self, ticks: usize) {
            for _ in 0..ticks {
                self.now += DT;
                self.core.tick(Moment::real(self.now), DT.as_secs_f64());
                assert_eq!(self.core.fault(), None);
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
    fn when_started_under_a_robot_that_walks_expect_nothing_told_before_its_pose_is_known_and_no_joint_to_jump() {
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
            bench.poses.push(Held::Pose(held)).unwrap();
            bench.drive(0.01, 1);
            assert!(bench.core.speaks());
            let joints = |legs: &[LegAngles]| legs.iter().flat_map(|leg| leg.iter().copied()).collect::<Vec<_>>();
            let (told, held) = (joints(&bench.core.last().angles), joints(&held));
            let moved = told.iter().zip(&held).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(moved < 0.02, "{moved} rad in the first tick");
        }
    }

    #[test]
    fn when_the_servos_are_let_go_in_stride_expect_the_robot_frozen_until_a_new_command_after_none() {
        for seconds in [0.2, 0.63, 1.0, 1.37] {
            let mut bench = Bench::standing();
            bench.poses.push(Held::Part).unwrap();
            bench.drive(seconds, 5);
            bench.poses.push(Held::Nothing).unwrap();
            let left = bench.core.last().angles;
            for tick in 0..300 {
                if tick % 5 == 1 {
                    bench.drive(0.01, 1);
                } else {
                    bench.tick(1);
                }
                assert!(bench.core.last().angles == left && bench.state() == GaitState::Standing);
            }
            bench.send(Command::Twist(Twist::ZERO));
            bench.drive(12.0, 5);
            assert_eq!(bench.state(), GaitState::Walking);
        }
    }

    #[test]
    fn when_stopped_in_an_emergency_while_a_motion_plays_expect_it_broken_off_where_it_is() {
        let mut bench = Bench::standing();
        bench.send(Command::Motion(Some(motion("bow"))));
        bench.tick(200);
        assert_eq!(bench.state(), GaitState::Playing);
        let left = bench.core.last().angles;
        bench.send(Command::Freeze);
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
        bench.drive(0.1, 5);
        assert_eq!(bench.state(), GaitState::Walking, "the stick was let go for longer than the timeout");
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

    #[test]
    fn when_told_to_stand_at_any_moment_of_packing_expect_the_robot_standing() {
        for ticks in (1..900).step_by(37) {
            let mut bench = Bench::standing();
            bench.send(Command::Pack);
            bench.tick(ticks);
            bench.send(Command::Stand);
            bench.tick(1500);
            assert_eq!(bench.state(), GaitState::Standing, "told to after {ticks} ticks");
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
    fn motion(name: &str) -> Arc<Motion> {
        Setup::load(&shipped()).unwrap().motions.get(name).unwrap()
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
    fn when_a_robot_that_cannot_fold_its_legs_is_told_to_expect_it_refused_and_nothing_done() {
        let setup = Setup::load(&shipped()).unwrap();
        let (settings, stance) = settings(&setup.params, setup.engine.robot()).unwrap();
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
    fn when_told_to_leave_in_the_middle_of_any_motion_expect_the_robot_sitting_in_time() {
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
}
