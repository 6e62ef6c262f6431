//! Servos of a Feetech bus behind the driver, down to the bytes on the wire.
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails so")]

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use hexapod_servo::backend::{Backend, Cargo, Off};
use hexapod_servo::feetech::{Fault, FeetechConfig, FeetechServos, Port, PortError, RawServo, Simulated, cargo};
use hexapod_servo::{ServoDriver, State};

use crate::common::{LEGS, SEGMENTS, config, ms};

const BAUD: u32 = 1_000_000;
const STEP_RAD: f64 = std::f64::consts::TAU / 4096.0;

fn servos() -> FeetechConfig {
    let names = LEGS.iter().flat_map(|leg| SEGMENTS.iter().map(move |segment| format!("{leg}_{segment}")));
    let raw = |(index, name): (usize, String)| {
        let direction = if index % 2 == 0 { 1 } else { -1 };
        let servo = RawServo {
            id: index as i64 + 1,
            direction,
            zero_step: 2048,
            min_step: 700,
            max_step: 3400,
            speed_limit_rad_s: 4.0,
            group: None,
        };
        (name, servo)
    };
    let raw: Vec<_> = names.enumerate().map(raw).collect();
    FeetechConfig::check(&raw, config().timing()).expect("holds")
}

/// Driver, line and clock.
struct Rig {
    driver: ServoDriver<FeetechServos<Simulated>>,
    line: Simulated,
    now: Duration,
    /// The longest exchange.
    longest: Duration,
}

impl Rig {
    fn new() -> Self {
        let config = servos();
        let line = Simulated::new(config.servos().iter().map(|servo| servo.id), BAUD);
        let backend = FeetechServos::new(&config, line.clone(), BAUD);
        let mut rig = Self {
            driver: ServoDriver::new(config.joints().clone(), backend),
            line,
            now: ms(1_000_000),
            longest: Duration::ZERO,
        };
        rig.line.advance_to(rig.now);
        rig.tick();
        rig
    }

    fn tick(&mut self) -> State {
        self.now += ms(10);
        self.line.advance_to(self.now);
        let state = self.driver.tick(self.now);
        self.longest = self.longest.max(self.line.now() - self.now);
        state
    }

    fn command(&mut self, target: impl Fn(usize) -> f64) {
        let targets: Vec<_> = (0..18).map(|joint| (joint, target(joint))).collect();
        self.driver.command(self.now, &targets).expect("finite");
    }

    fn step(&mut self, target: impl Fn(usize) -> f64) -> State {
        self.command(target);
        self.tick()
    }

    fn steps(&mut self, count: u32, target: impl Fn(usize) -> f64) {
        for _ in 0..count {
            self.step(&target);
        }
    }

    fn arm(&mut self, target: impl Fn(usize) -> f64) {
        self.command(&target);
        let report = self.driver.enable(self.now);
        assert!(report.passed(), "{report}");
        self.now = self.now.max(self.line.now());
        for _ in 0..3000 {
            if self.step(&target) == State::Armed {
                return;
            }
        }
        panic!("did not arm: {:?} {:?}", self.driver.state(), self.driver.fault());
    }

    fn angle(&self, joint: usize) -> f64 {
        let servo = self.driver.backend().config().servos()[joint];
        servo.angle_rad(self.line.position(servo.id).expect("there"))
    }

    fn limp(&self) -> usize {
        (1..=18).filter(|&id| !self.line.holds(id)).count()
    }

    fn says(&self) -> String {
        self.driver.fault().map_or(String::new(), |fault| fault.to_string())
    }
}

/// A stand of its own for each joint.
fn pose(joint: usize) -> f64 {
    0.3 * (joint as f64 * 1.7).sin()
}

fn walk(now: Duration) -> impl Fn(usize) -> f64 {
    let phase = 5.0 * now.as_secs_f64();
    move |joint| pose(joint) + 0.2 * (phase + joint as f64).sin()
}

#[test]
fn when_enabled_from_any_pose_expect_each_joint_led_from_where_it_stands_and_no_jump() {
    let mut random = 7_u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 40) as f64 / f64::from(1 << 24)
    };
    for trial in 0..200 {
        let mut rig = Rig::new();
        (1..=18).for_each(|id| rig.line.turn(id, (300.0 + 3500.0 * next()).round()));
        rig.tick();
        rig.command(pose);
        let report = rig.driver.enable(rig.now);
        assert!(report.passed(), "{report}");
        rig.now = rig.now.max(rig.line.now());
        let mut before: Vec<_> = (0..18).map(|joint| rig.angle(joint)).collect();
        // Long enough for all groups to begin; some trials to the end.
        for tick in 0..if trial < 5 { 1000 } else { 90 } {
            let since = rig.now;
            rig.step(pose);
            let most_rad = 0.5 * (rig.now - since).as_secs_f64() + 1.01 * STEP_RAD;
            for (joint, before) in before.iter_mut().enumerate() {
                let moved = (rig.angle(joint) - *before).abs();
                assert!(moved <= most_rad, "trial {trial}, tick {tick}, joint {joint}: {moved} rad");
                *before = rig.angle(joint);
            }
        }
        assert!(trial >= 5 || rig.driver.state() == State::Armed);
        assert!(trial >= 5 || (0..18).all(|joint| (rig.angle(joint) - pose(joint)).abs() < 2.0 * STEP_RAD));
    }
}

#[test]
fn when_18_servos_walk_expect_position_and_speed_each_tick_and_a_tick_of_the_bus_within_7_ms() {
    let mut rig = Rig::new();
    rig.arm(pose);
    (rig.longest, _) = (Duration::ZERO, rig.line.take_frames());
    for _ in 0..3000 {
        let target = walk(rig.now + ms(10));
        assert_eq!(rig.step(target), State::Armed);
        for joint in 0..18 {
            let measured = rig.driver.backend().measured(joint);
            let position = measured.position_rad.and_then(|sample| sample.within(Duration::ZERO, rig.now));
            assert!((position.expect("measured") - rig.angle(joint)).abs() < 0.03);
            assert!(measured.velocity_rad_s.is_some_and(|sample| sample.at == rig.now));
            assert!(measured.voltage_v.is_some_and(|sample| sample.within(ms(200), rig.now) == Some(7.4)));
        }
    }
    assert!(rig.longest < ms(7), "{:?}", rig.longest);
    assert_eq!(rig.driver.counters().wire.nacks, 0);
    // One frame of goals, a read of all, a read of one.
    assert!(rig.line.take_frames().len() <= 3 * 3000);
}

#[test]
fn when_one_servo_is_silent_expect_only_its_samples_missing_then_a_fault_with_its_name_and_enable_bringing_it_back() {
    let mut rig = Rig::new();
    rig.arm(pose);
    rig.longest = Duration::ZERO;
    rig.line.inject(Fault::Silent(5, true));
    let since = rig.now;
    while rig.step(pose) == State::Armed {
        assert!(rig.now - since < ms(150));
        let fresh = |joint| rig.driver.backend().measured(joint).position_rad.is_some_and(|at| at.at == rig.now);
        assert!((0..18).all(|joint| fresh(joint) == (joint != 4)));
    }
    assert!(rig.now - since <= ms(100) && rig.driver.state() == State::Fault);
    assert!(rig.says().contains("servo 5 does not answer"), "{}", rig.says());
    assert!(rig.longest < ms(10), "{:?}", rig.longest);
    assert!(rig.limp() == 0, "the others hold for a while");
    rig.steps(600, pose);
    assert_eq!(rig.limp(), 17, "the silent one hears nothing");
    let report = rig.driver.enable(rig.now);
    assert!(report.to_string().contains("servo 5 (left_middle_femur)"), "{report}");
    rig.line.inject(Fault::Silent(5, false));
    rig.now = rig.now.max(rig.line.now());
    rig.steps(50, pose);
    assert_eq!(rig.limp(), 18);
    rig.arm(pose);
    assert_eq!(rig.limp(), 0);
}

#[test]
fn when_the_cable_is_pulled_expect_a_fault_and_never_a_jump_when_it_is_back() {
    let mut rig = Rig::new();
    rig.arm(pose);
    rig.line.inject(Fault::Unplugged(true));
    let since = rig.now;
    while rig.step(pose) == State::Armed {
        assert!(rig.now - since < ms(150));
    }
    assert!(rig.says().contains("cannot be reached"), "{}", rig.says());
    rig.steps(30, pose);
    let held: Vec<_> = (0..18).map(|joint| rig.angle(joint)).collect();
    rig.line.inject(Fault::Unplugged(false));
    rig.steps(5, |_| 0.9);
    assert_eq!(rig.limp(), 18, "what was lost is told to be off");
    assert!((0..18).all(|joint| (rig.angle(joint) - held[joint]).abs() < 2.0 * STEP_RAD));
    rig.arm(pose);
}

#[test]
fn when_bytes_are_lost_garbled_and_late_between_garbage_and_echo_expect_partial_samples_and_goals_that_arrive() {
    let mut rig = Rig::new();
    rig.line.inject(Fault::Echo(true));
    rig.arm(pose);
    for fault in [Fault::Lost(0.002), Fault::Garbled(0.002), Fault::Garbage(0.05), Fault::Late(ms(2))] {
        rig.line.inject(fault);
    }
    for _ in 0..5000 {
        let target = walk(rig.now + ms(10));
        assert_eq!(rig.step(target), State::Armed, "{}", rig.says());
    }
    assert!(rig.driver.counters().wire.nacks > 50, "{:?}", rig.driver.counters());
    rig.steps(100, pose);
    assert!((0..18).all(|joint| (rig.angle(joint) - pose(joint)).abs() < 2.0 * STEP_RAD));
}

#[test]
fn when_a_servo_lets_go_or_somebody_else_moves_it_expect_a_fault_that_says_so() {
    for (fault, words) in
        [(Fault::BrownOut(7), "servo 7 let go by itself"), (Fault::Written(7, 40, 0), "servo 7 let go by itself")]
    {
        let mut rig = Rig::new();
        rig.arm(pose);
        rig.line.inject(fault);
        let since = rig.now;
        while rig.step(pose) == State::Armed {
            assert!(rig.now - since < ms(1000));
        }
        assert!(rig.says().contains(words), "{}", rig.says());
        assert!(!rig.line.holds(7));
    }
    let mut rig = Rig::new();
    rig.arm(pose);
    let since = rig.now;
    // Once is put right; again and again is somebody else.
    rig.line.inject(Fault::Written(7, 43, 5));
    (0..60).for_each(|_| assert_eq!(rig.step(pose), State::Armed));
    assert!((rig.angle(6) - pose(6)).abs() < 2.0 * STEP_RAD);
    while rig.step(pose) == State::Armed {
        rig.line.inject(Fault::Written(7, 43, 5));
        assert!(rig.now - since < ms(2000));
    }
    assert!(rig.says().contains("end every other program"), "{}", rig.says());
}

#[test]
fn when_an_alarm_comes_with_a_reply_expect_the_reply_to_count_and_the_alarm_known() {
    let mut rig = Rig::new();
    rig.arm(pose);
    rig.line.inject(Fault::Alarm(3, 0b100));
    (0..50).for_each(|_| assert_eq!(rig.step(pose), State::Armed));
    assert_eq!(rig.driver.backend().measured(2).alarm, Some("temperature"));
    assert_eq!(rig.driver.backend().measured(1).alarm, None);
}

#[test]
fn when_a_servo_is_set_up_otherwise_than_it_is_used_expect_enable_refused_with_what_to_do() {
    for (register, value, words) in [
        (9, 1000, "servo 4 (left_middle_coxa) keeps itself to the steps 1000 to 4095, and 700 to 3400 are used"),
        (33, 1, "is in mode 1: set its register 33 to 0"),
    ] {
        let mut rig = Rig::new();
        rig.line.put(4, register, value);
        rig.command(pose);
        let report = rig.driver.enable(rig.now);
        assert!(!report.passed() && report.to_string().contains(words), "{report}");
        rig.now = rig.now.max(rig.line.now());
        rig.steps(100, pose);
        assert_eq!(rig.limp(), 18);
    }
    let mut rig = Rig::new();
    rig.line.inject(Fault::Twin(9));
    rig.command(pose);
    assert!(rig.driver.enable(rig.now).to_string().contains("servo 9 (left_rear_tibia) does not answer"));
}

#[test]
fn when_stopped_relaxed_or_shut_down_expect_servos_limp_and_seen_to_be_so() {
    let mut rig = Rig::new();
    rig.arm(pose);
    rig.line.take_frames();
    rig.driver.emergency_stop().expect("the line works");
    assert_eq!(rig.limp(), 18);
    assert_eq!(rig.line.take_frames(), [[0xFF, 0xFF, 0xFE, 0x04, 0x03, 0x28, 0x00, 0xD2]]);
    (0..200).for_each(|_| assert_eq!(rig.step(pose), State::EmergencyStop));
    let moves = |frame: &Vec<u8>| cargo(frame) == Cargo::Motion;
    assert!(!rig.line.take_frames().iter().any(moves));
    rig.arm(pose);
    assert!(rig.driver.relax(1, true));
    rig.step(pose);
    rig.step(pose);
    assert!((1..=18).all(|id| rig.line.holds(id) != (4..=6).contains(&id)));
    // Posed by hand meanwhile, it is led back from there.
    rig.line.turn(5, 2500.0);
    rig.step(pose);
    rig.driver.relax(1, false);
    let before = rig.angle(4);
    rig.steps(10, pose);
    assert!(rig.line.holds(5) && (rig.angle(4) - before).abs() < 0.06, "{before} {}", rig.angle(4));
    // Wanted again before it has said that it is limp, it is given torque anew.
    rig.driver.relax(1, true);
    rig.line.inject(Fault::Late(ms(9)));
    rig.step(pose);
    rig.line.inject(Fault::Late(Duration::ZERO));
    rig.driver.relax(1, false);
    rig.steps(300, pose);
    assert!(rig.driver.state() == State::Armed && rig.limp() == 0, "{}", rig.says());
    assert!(rig.driver.shutdown());
    assert_eq!(rig.limp(), 18);
}

#[test]
fn when_a_guard_switches_off_expect_what_answers_told_apart_from_what_does_not_and_from_a_line_that_fails() {
    let config = servos();
    let line = Simulated::new(1..=18, BAUD);
    let mut guard = FeetechServos::new(&config, line.clone(), BAUD);
    (1..=18).for_each(|id| line.put(id, 40, 1));
    assert_eq!(guard.all_off(&mut <_>::default()), Off::All);
    assert!((1..=18).all(|id| !line.holds(id)));
    line.inject(Fault::Silent(2, true));
    assert_eq!(guard.all_off(&mut <_>::default()), Off::Missing);
    line.inject(Fault::Unplugged(true));
    assert_eq!(guard.all_off(&mut <_>::default()), Off::Failing);
}

/// A line that a stop interrupts: at once with all that moves a servo, or when replies are read.
struct Interrupted {
    line: Simulated,
    bars_motion: bool,
    bars_reading: Rc<Cell<bool>>,
}

impl Port for Interrupted {
    fn now(&self) -> Duration {
        self.line.now()
    }

    fn write(&mut self, frame: &[u8]) -> Result<(), PortError> {
        let is_barred = self.bars_motion && cargo(frame) == Cargo::Motion;
        if is_barred { Err(PortError::GaveWay) } else { self.line.write(frame) }
    }

    fn read(&mut self, into: &mut [u8], until: Duration) -> Result<usize, PortError> {
        if self.bars_reading.get() { Err(PortError::GaveWay) } else { self.line.read(into, until) }
    }

    fn pause(&mut self, until: Duration) {
        self.line.pause(until);
    }

    fn discard(&mut self) -> Result<(), PortError> {
        self.line.discard()
    }
}

fn interrupted(bars_motion: bool) -> (ServoDriver<FeetechServos<Interrupted>>, Simulated, Rc<Cell<bool>>) {
    let (config, line, bars_reading) = (servos(), Simulated::new(1..=18, BAUD), Rc::default());
    let port = Interrupted { line: line.clone(), bars_motion, bars_reading: Rc::clone(&bars_reading) };
    let backend = FeetechServos::new(&config, port, BAUD);
    (ServoDriver::new(config.joints().clone(), backend), line, bars_reading)
}

#[test]
fn when_a_stop_comes_while_servos_answer_expect_it_heard_all_the_same() {
    let (mut driver, line, bars_reading) = interrupted(false);
    let mut now = ms(1000);
    line.advance_to(now);
    driver.tick(now);
    let targets: Vec<_> = (0..18).map(|joint| (joint, 0.1)).collect();
    driver.command(now, &targets).expect("finite");
    assert!(driver.enable(now).passed());
    while driver.state() != State::Armed {
        now = now.max(line.now()) + ms(10);
        line.advance_to(now);
        driver.command(now, &targets).expect("finite");
        driver.tick(now);
    }
    bars_reading.set(true);
    driver.tick(now + ms(10));
    let stopped = line.now();
    driver.emergency_stop().expect("the line works");
    assert!((1..=18).all(|id| !line.holds(id)));
    assert!(line.now() - stopped < ms(7), "{:?}", line.now() - stopped);
}

#[test]
fn when_nothing_that_moves_may_pass_expect_preparing_measuring_and_letting_go_to_work_and_no_fault() {
    let (mut driver, line, _) = interrupted(true);
    let mut now = ms(1000);
    driver.tick(now);
    let targets: Vec<_> = (0..18).map(|joint| (joint, 0.1)).collect();
    driver.command(now, &targets).expect("finite");
    assert!(driver.enable(now).passed());
    for _ in 0..300 {
        now = now.max(line.now()) + ms(10);
        line.advance_to(now);
        driver.command(now, &targets).expect("finite");
        assert!(driver.tick(now).is_live());
        assert!((1..=18).all(|id| !line.holds(id)));
        assert!(driver.backend().measured(17).position_rad.is_some_and(|sample| sample.at == now));
    }
    assert!(driver.shutdown());
}
