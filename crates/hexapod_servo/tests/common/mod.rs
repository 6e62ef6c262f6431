//! A robot on a simulated bus and a clock that tests turn by hand.
#![allow(dead_code, clippy::expect_used, clippy::panic, reason = "every test file uses its own part; a test fails so")]

use std::time::Duration;

use hexapod_servo::calibration::{RawBoard, RawPoint, RawServo, RawTiming, ServoMap};
use hexapod_servo::simulated::Output;
use hexapod_servo::{Fault, Pca9685Boards, RawServoConfig, ServoConfig, ServoDriver, SimulatedBus, State};

pub const LEGS: [&str; 6] = ["left_front", "left_middle", "left_rear", "right_front", "right_middle", "right_rear"];
pub const SEGMENTS: [&str; 3] = ["coxa", "femur", "tibia"];
pub const JOINTS: usize = 18;
pub const BOARDS: [u8; 2] = [0x40, 0x41];
/// Microseconds per radian of every servo below: 500 us for 45 degrees.
pub const US_PER_RAD: f64 = 500.0 / std::f64::consts::FRAC_PI_4;

pub fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub fn raw_servo(board: i64, channel: i64, limits_us: (f64, f64)) -> RawServo {
    let point = |pulse_us: f64| RawPoint { angle_rad: (pulse_us - 1500.0) / US_PER_RAD, pulse_us };
    RawServo {
        board,
        channel,
        points: vec![point(1000.0), point(2000.0)],
        direction: 1,
        trim_rad: 0.0,
        min_pulse_us: limits_us.0,
        max_pulse_us: limits_us.1,
        neutral_us: None,
        speed_limit_rad_s: 6.0,
        group: None,
    }
}

/// 18 joints, nine a board, all with the same limits.
pub fn raw_config(frequency_hz: f64, limits_us: (f64, f64)) -> RawServoConfig {
    let board = |address: u8| RawBoard {
        address: address.into(),
        pwm_frequency_hz: frequency_hz,
        oscillator_hz: 25e6,
        channels: 16,
    };
    let mut servos = Vec::new();
    for (leg, name) in LEGS.iter().enumerate() {
        for (segment, part) in SEGMENTS.iter().enumerate() {
            let (board, channel) = (leg as i64 / 3, (leg as i64 % 3) * 3 + segment as i64);
            servos.push((format!("{name}_{part}"), raw_servo(board, channel, limits_us)));
        }
    }
    RawServoConfig { boards: BOARDS.map(board).to_vec(), servos: ServoMap(servos), timing: RawTiming::default() }
}

pub fn config() -> ServoConfig {
    ServoConfig::try_from(raw_config(50.0, (900.0, 2100.0))).expect("valid")
}

/// Driver, bus and clock.
pub struct Rig {
    pub driver: ServoDriver<Pca9685Boards<SimulatedBus>>,
    pub bus: SimulatedBus,
    pub now: Duration,
    pub period: Duration,
}

impl Rig {
    pub fn new(config: ServoConfig) -> Self {
        let bus = SimulatedBus::for_config(&config);
        // An epoch that is not zero, as on a real machine.
        Self { driver: ServoDriver::on_boards(config, bus.clone()), bus, now: ms(1_000_000), period: ms(10) }
    }

    /// Armed with every joint at zero.
    pub fn armed() -> Self {
        Self::armed_with(config())
    }

    pub fn armed_with(config: ServoConfig) -> Self {
        let mut rig = Self::new(config);
        rig.tick();
        rig.arm(|_| 0.0);
        rig
    }

    /// Enables and ticks until armed.
    pub fn arm(&mut self, target: impl Fn(usize) -> f64) {
        self.send(&target);
        let report = self.driver.enable(self.now);
        assert!(report.passed(), "{report}");
        for _ in 0..2000 {
            self.step(&target);
            if self.driver.state() == State::Armed {
                return;
            }
        }
        panic!("did not arm: {:?} {:?}", self.driver.state(), self.driver.fault());
    }

    pub fn send(&mut self, target: impl Fn(usize) -> f64) {
        let targets: Vec<_> = (0..self.driver.servos().len()).map(|joint| (joint, target(joint))).collect();
        self.driver.command(self.now, &targets).expect("finite targets");
    }

    /// One period without a command.
    pub fn tick(&mut self) -> State {
        self.now += self.period;
        self.bus.advance_to(self.now);
        self.driver.tick(self.now)
    }

    /// One period with a command.
    pub fn step(&mut self, target: impl Fn(usize) -> f64) -> State {
        self.now += self.period;
        self.bus.advance_to(self.now);
        self.send(target);
        self.driver.tick(self.now)
    }

    pub fn output(&self, joint: usize) -> Output {
        let servo = &self.driver.servos()[joint];
        self.bus.output(BOARDS[servo.board()], servo.channel())
    }

    pub fn counts(&self, joint: usize) -> Option<u16> {
        match self.output(joint) {
            Output::Pulse { counts, .. } => Some(counts),
            Output::Low => None,
            other => panic!("joint {joint}: {other:?}"),
        }
    }

    /// Whether there is a fault of a part that is called so.
    pub fn says(&self, words: &str) -> bool {
        matches!(self.driver.fault(), Some(Fault::Part(trouble)) if trouble.to_string().contains(words))
    }

    pub fn all_low(&self) -> bool {
        (0..JOINTS).all(|joint| self.output(joint) == Output::Low)
    }

    /// Every output is low or a pulse within the joint's limits.
    pub fn check_outputs(&self) {
        for joint in 0..self.driver.servos().len() {
            let Some(counts) = self.counts(joint) else { continue };
            let range = self.driver.servos()[joint].range();
            assert!((range.shortest()..=range.longest()).contains(&counts), "joint {joint}: {counts} counts");
        }
    }
}
