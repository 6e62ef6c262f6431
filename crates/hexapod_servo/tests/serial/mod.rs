//! Servos of a serial bus behind the driver, down to the bytes on the wire: every series plays the same tests.
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod bus;
mod cross_check;
mod faults;
mod first_goals;
mod fuzz;
mod stops;

use std::time::Duration;

use hexapod_servo::serial::{Family, Port, RawSerial, RawServo, SerialConfig, SerialServos, Series, Simulated};
use hexapod_servo::{ServoDriver, State, dynamixel, feetech, lx16a};

use crate::common::{LEGS, SEGMENTS, config, ms};

type Wire = (&'static Family, &'static Series);

const WIRES: [Wire; 6] = [
    (&feetech::FAMILY, &feetech::STS),
    (&dynamixel::FAMILY, &dynamixel::X),
    (&dynamixel::FAMILY, &dynamixel::AX),
    (&dynamixel::FAMILY, &dynamixel::MX),
    (&lx16a::FAMILY, &lx16a::LX16A),
    (&feetech::FAMILY, &feetech::SCS),
];

/// Plays a test on each wire; which one failed stands last in what it printed.
fn on_each(test: impl Fn(Wire)) {
    for wire in WIRES {
        println!("{} {}", wire.0.name, wire.1.name);
        test(wire);
    }
}

/// So many of 4096 steps, in steps of a series.
fn scaled(series: &Series, step: i64) -> i64 {
    step * (i64::from(series.last_step) + 1) / 4096
}

fn measures_current(series: &Series) -> bool {
    series.current.is_some() || series.models.iter().any(|model| model.amperes.is_some())
}

/// How old a position is at most.
fn oldest(series: &Series) -> Duration {
    match (series.sync_read, series.sync_write) {
        (true, _) => Duration::ZERO,
        (false, true) => ms(40),
        (false, false) => ms(240),
    }
}

fn servos((family, series): Wire) -> SerialConfig {
    let names = LEGS.iter().flat_map(|leg| SEGMENTS.iter().map(move |segment| format!("{leg}_{segment}")));
    let raw = |(index, name): (usize, String)| {
        let direction = if index % 2 == 0 { 1 } else { -1 };
        let servo = RawServo {
            id: index as i64 + 1,
            direction,
            zero_step: Some(scaled(series, 2048)),
            min_step: scaled(series, 700),
            max_step: Some(scaled(series, 3400)),
            speed_limit_rad_s: 4.0,
            torque_nm_per_a: (index == 2 && measures_current(series)).then_some(0.5),
            torque_nm_per_rad: (index == 4).then_some(8.0),
            group: None,
        };
        (name, servo)
    };
    let raw = RawSerial { series: Some(series.name.into()), servos: names.enumerate().map(raw).collect() };
    SerialConfig::check(family, &raw, config().timing()).expect("holds")
}

/// Driver, line and clock.
struct Rig {
    driver: ServoDriver<SerialServos<Simulated>>,
    series: &'static Series,
    line: Simulated,
    now: Duration,
    /// The longest exchange.
    longest: Duration,
}

impl Rig {
    fn new(wire: Wire) -> Self {
        let config = servos(wire);
        let line = Simulated::new(wire.1, config.servos().iter().map(|servo| servo.id), wire.0.usual_rate);
        let backend = SerialServos::new(&config, line.clone(), wire.0.usual_rate);
        let mut rig = Self {
            driver: ServoDriver::new(config.joints().clone(), backend),
            series: wire.1,
            line,
            now: ms(1_000_000),
            longest: Duration::ZERO,
        };
        rig.line.advance_to(rig.now);
        // Servos that are asked in turn have all been asked whether they are limp.
        (0..if wire.1.sync_write { 20 } else { 60 }).for_each(|_| assert!(!rig.tick().is_live()));
        rig
    }

    fn tick(&mut self) -> State {
        self.now += ms(10);
        self.line.advance_to(self.now);
        let state = self.driver.tick(self.now);
        self.longest = self.longest.max(self.line.now().saturating_sub(self.now));
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

    fn enable(&mut self, target: impl Fn(usize) -> f64) -> String {
        self.command(target);
        let report = self.driver.enable(self.now);
        self.now = self.now.max(self.line.now());
        if report.passed() { String::new() } else { report.to_string() }
    }

    fn arm(&mut self, target: impl Fn(usize) -> f64) {
        assert_eq!(self.enable(&target), "");
        for _ in 0..3000 {
            if self.step(&target) == State::Armed {
                // Where each servo gets frames of its own, one a tick gets torque.
                return self.steps(if self.series.sync_write { 0 } else { 20 }, target);
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

    /// Turns a servo by hand, in 4096ths of its steps.
    fn turn(&self, id: u8, step: f64) {
        self.line.turn(id, (step * f64::from(u32::from(self.series.last_step) + 1) / 4096.0).round());
    }

    fn step_rad(&self) -> f64 {
        self.series.rad_per_step
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
