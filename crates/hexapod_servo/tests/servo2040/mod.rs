//! A Servo2040 behind the driver, down to the bytes on the wire, with each firmware.
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod faults;
mod fuzz;
mod no_allocation;
mod stops;
mod touch;

use std::time::Duration;

use hexapod_servo::backend::Effect;
use hexapod_servo::calibration::{RawBoard, RawTiming, SERVO2040_CHANNELS, ServoMap};
use hexapod_servo::serial::Port;
use hexapod_servo::servo2040::{Dialect, Fault, Servo2040, Simulated, effect};
use hexapod_servo::{RawServoConfig, ServoConfig, ServoDriver, State};

use crate::common::{LEGS, SEGMENTS, US_PER_RAD, ms, raw_servo};

const BAUD: u32 = 460_800;

/// 18 joints; joint n is on channel 17 - n, so that no index is taken for another.
fn servos() -> ServoConfig {
    let names = LEGS.iter().flat_map(|leg| SEGMENTS.iter().map(move |segment| format!("{leg}_{segment}")));
    let plugged = |(joint, name): (usize, String)| (name, raw_servo(0, 17 - joint as i64, (900.0, 2100.0)));
    let board = RawBoard { address: 0x40, pwm_frequency_hz: 50.0, oscillator_hz: 25e6, channels: SERVO2040_CHANNELS };
    let servos = ServoMap(names.enumerate().map(plugged).collect());
    ServoConfig::try_from(RawServoConfig { boards: vec![board], servos, timing: RawTiming::default() }).expect("holds")
}

/// Driver, board and clock.
struct Rig<P = Simulated> {
    driver: ServoDriver<Servo2040<P>>,
    board: Simulated,
    now: Duration,
    /// The longest exchange.
    longest: Duration,
}

impl Rig {
    fn new(dialect: Dialect) -> Self {
        Self::behind(dialect, |board| board)
    }

    fn armed(dialect: Dialect) -> Self {
        let mut rig = Self::new(dialect);
        rig.arm();
        rig
    }
}

impl<P: Port> Rig<P> {
    fn behind(dialect: Dialect, port: impl Fn(Simulated) -> P) -> Self {
        let (config, board) = (servos(), Simulated::new(dialect, BAUD));
        let backend = Servo2040::new(&config, port(board.clone()), BAUD);
        let driver = ServoDriver::new(config.joints(), backend);
        let mut rig = Self { driver, board, now: ms(1_000_000), longest: Duration::ZERO };
        rig.tick();
        rig
    }

    fn tick(&mut self) -> State {
        self.now += ms(10);
        self.board.advance_to(self.now);
        let state = self.driver.tick(self.now);
        self.longest = self.longest.max(self.board.now().saturating_sub(self.now));
        state
    }

    fn command(&mut self, target: impl Fn(usize) -> f64) {
        let targets: Vec<_> = (0..18).map(|joint| (joint, target(joint))).collect();
        self.driver.command(self.now, &targets).expect("finite");
    }

    fn step(&mut self) -> State {
        self.command(pose);
        self.tick()
    }

    fn steps(&mut self, count: u32) {
        for _ in 0..count {
            self.step();
        }
    }

    /// What was wrong, if it is refused.
    fn enable(&mut self) -> String {
        self.command(pose);
        let report = self.driver.enable(self.now);
        self.now = self.now.max(self.board.now());
        if report.passed() { String::new() } else { report.to_string() }
    }

    fn arm(&mut self) {
        assert_eq!(self.enable(), "");
        for _ in 0..300 {
            if self.step() == State::Armed {
                return;
            }
        }
        panic!("did not arm: {:?} {:?}", self.driver.state(), self.driver.fault());
    }

    fn says(&self) -> String {
        self.driver.fault().map_or(String::new(), |fault| fault.to_string())
    }

    /// How far the servo of a joint is from where it was commanded to be, us.
    fn off_by_us(&self, joint: usize) -> f64 {
        let pulse_us = self.board.pulse_us(17 - joint).map_or(f64::NAN, f64::from);
        (pulse_us - 1500.0 - self.driver.commanded(joint).unwrap_or(f64::NAN) * US_PER_RAD).abs()
    }

    fn motions(&self) -> usize {
        self.board.take_writes().iter().filter(|write| effect(write) == Effect::Motion).count()
    }
}

/// A stand of its own for each joint.
fn pose(joint: usize) -> f64 {
    0.3 * (joint as f64 * 1.7).sin()
}

fn on_each(test: impl Fn(Dialect)) {
    for dialect in Dialect::ALL {
        println!("{dialect:?}");
        test(dialect);
    }
}

#[test]
fn when_armed_leg_by_leg_expect_pulses_of_those_that_are_on_alone_and_each_at_its_angle() {
    on_each(|dialect| {
        let mut rig = Rig::new(dialect);
        assert_eq!((rig.enable(), rig.board.is_supplied()), (String::new(), false));
        rig.board.take_writes();
        let is_at_once = dialect != Dialect::Enjoykin;
        let (mut seen, mut closed) = (vec![0], 0);
        while rig.step() != State::Armed {
            let holding = rig.board.holding();
            seen.push(holding);
            for joint in 0..18 {
                let is_on = rig.board.pulse_us(17 - joint).is_some();
                assert!(!is_on || rig.off_by_us(joint) <= 0.5, "joint {joint}: {}", rig.off_by_us(joint));
                let is_due = if is_at_once { is_on == (joint < holding) } else { !is_on || joint / 3 <= holding / 3 };
                assert!(is_due, "in the order of the legs: {joint} of {holding}");
            }
        }
        seen.dedup();
        assert_eq!(seen, if is_at_once { (0..=18).step_by(3).collect() } else { (0..=18).collect::<Vec<_>>() });
        for write in rig.board.take_writes() {
            assert!(write.len() <= 80, "one packet of USB, or two where they do not matter");
            closed += write.windows(3).filter(|bytes| *bytes == [0x51, 1, 1]).count();
            if write.starts_with(&[0xD3, 26, 1, 1, 0]) {
                closed += 1;
                // Chica gives every servo a pulse with the relay: those that stay off lose it in the same packet.
                assert_eq!(write.len() > 5, dialect == Dialect::Chica);
            }
        }
        assert_eq!(closed, 1);
        assert!(rig.longest < ms(9), "{:?}", rig.longest);
    });
}

#[test]
fn when_all_servos_of_olli_io_are_on_expect_its_short_frame_and_of_chica_one_frame() {
    on_each(|dialect| {
        let mut rig = Rig::armed(dialect);
        rig.steps(5);
        rig.board.take_writes();
        rig.command(|joint| pose(joint) + 0.02);
        rig.tick();
        let writes: Vec<_> = rig.board.take_writes().iter().map(|write| (write[0], write.len())).collect();
        let expected = match dialect {
            Dialect::Chica => [(0xD3, 39), (0xC7, 3)],
            Dialect::Olli => [(0xD5, 30), (0xC7, 3)],
            Dialect::Enjoykin => [(0, 44), (0, 8)],
        };
        assert_eq!(writes, expected);
    });
}

#[test]
fn when_the_relay_is_closed_expect_volts_and_amperes_of_all_servos_and_none_when_it_is_open() {
    on_each(|dialect| {
        let mut rig = Rig::new(dialect);
        rig.board.inject(Fault::Draws(3.2));
        rig.board.inject(Fault::Supplied(7.1));
        rig.steps(50);
        assert_eq!(rig.driver.measured(0, rig.now).voltage_v, None);
        rig.arm();
        rig.steps(20);
        let measured = rig.driver.measured(0, rig.now);
        let value = |sample: Option<hexapod_servo::backend::Sample>| sample.map_or(0.0, |sample| sample.value);
        assert!((value(measured.voltage_v) - 7.1).abs() < 0.01 && (value(measured.current_a) - 3.2).abs() < 0.05);
        assert_eq!(rig.driver.measured(1, rig.now).voltage_v, None, "it is that of all");
        rig.driver.disable();
        rig.steps(300);
        assert_eq!(rig.driver.measured(0, rig.now).voltage_v, None);
    });
}

#[test]
fn when_a_leg_is_relaxed_expect_it_let_go_and_olli_io_to_hold_it_until_all_are() {
    on_each(|dialect| {
        let mut rig = Rig::armed(dialect);
        assert!(rig.driver.relax(1, true));
        rig.steps(3);
        assert_eq!(rig.board.holding(), if dialect == Dialect::Olli { 18 } else { 15 });
        (0..6).for_each(|group| assert!(rig.driver.relax(group, true)));
        rig.steps(3);
        assert_eq!((rig.board.holding(), rig.board.is_supplied()), (0, false));
        (0..6).for_each(|group| assert!(rig.driver.relax(group, false)));
        rig.steps(if dialect == Dialect::Enjoykin { 100 } else { 3 });
        assert_eq!(rig.board.holding(), 18);
        rig.steps(100);
        assert_eq!(rig.driver.state(), State::Armed, "{}", rig.says());
    });
}
