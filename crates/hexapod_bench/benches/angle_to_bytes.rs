//! Cost of angles to bytes for 18 servos, on a bus that takes no time.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may stop where it stands")]
#![allow(missing_docs, reason = "criterion's macros make undocumented items")]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use embedded_hal::i2c::{ErrorType, I2c, Operation};
use hexapod_servo::backend::Tally;
use hexapod_servo::pca9685::{Level, Link, Shadow};
use hexapod_servo::{Pca9685Boards, RawServoConfig, ServoConfig, ServoDriver, State};

const YAML: &str = include_str!("../../../config/servos.yaml");

/// Periods until the driver is armed, at the most.
const ARMED_WITHIN: usize = 1000;

/// Healthy boards and a bus that takes no time: what is written can be read again.
struct Sink([[u8; 256]; 2]);

impl Sink {
    fn new() -> Self {
        Self([[0; 256]; 2])
    }
}

impl ErrorType for Sink {
    type Error = std::convert::Infallible;
}

impl I2c for Sink {
    fn transaction(&mut self, address: u8, operations: &mut [Operation<'_>]) -> Result<(), Self::Error> {
        let registers = &mut self.0[usize::from(address & 1)];
        let mut register = 0;
        for operation in operations {
            match operation {
                Operation::Write(bytes) => {
                    let (first, values) = black_box(*bytes).split_first().expect("a register");
                    register = usize::from(*first);
                    registers[register..][..values.len()].copy_from_slice(values);
                    // RESTART reads as zero once the channels run again.
                    registers[0] &= 0x7F;
                }
                Operation::Read(bytes) => bytes.copy_from_slice(&registers[register..][..bytes.len()]),
            }
        }
        Ok(())
    }
}

fn config() -> ServoConfig {
    let raw: RawServoConfig = serde_yaml::from_str(YAML).expect("shipped configuration parses");
    ServoConfig::try_from(raw).expect("shipped configuration is valid")
}

/// Two poses a count or more apart on every joint, so that every channel changes every time.
fn poses(config: &ServoConfig) -> [Vec<f64>; 2] {
    let pose = |offset: f64| config.servos().iter().map(|servo| servo.angle_rad(1500.0) + offset).collect();
    [pose(0.02), pose(-0.02)]
}

fn angle_to_bytes(criterion: &mut Criterion) {
    let config = config();
    let poses = poses(&config);
    let mut shadows: Vec<_> = config.boards().iter().map(|board| Shadow::new(board.address())).collect();
    for servo in config.servos() {
        shadows[servo.board()].connect(servo.channel(), servo.range());
    }
    let (mut sink, mut tally) = (Sink::new(), Tally::default());
    let mut turn = 0;
    criterion.bench_function("angle_to_bytes_18", |bencher| {
        bencher.iter(|| {
            turn ^= 1;
            for (servo, &angle_rad) in config.servos().iter().zip(black_box(&poses[turn])) {
                shadows[servo.board()].set(servo.channel(), Level::Counts(servo.counts(angle_rad)));
            }
            for shadow in &mut shadows {
                shadow.flush(&mut Link::new(&mut sink, &mut tally, 2)).expect("the sink takes everything");
            }
        });
    });
}

fn tick(criterion: &mut Criterion) {
    let config = config();
    let poses = poses(&config);
    let mut driver = ServoDriver::on_boards(config, Sink::new());
    let mut now = Duration::ZERO;
    let mut turn = 0;
    let mut period = |driver: &mut ServoDriver<Pca9685Boards<Sink>>| {
        turn ^= 1;
        now += Duration::from_millis(10);
        for (joint, &angle_rad) in black_box(&poses[turn]).iter().enumerate() {
            let _ = driver.set_target(now, joint, angle_rad);
        }
        if driver.state() == State::Disarmed {
            driver.enable(now);
        }
        driver.tick(now)
    };
    let armed = (0..ARMED_WITHIN).any(|_| period(&mut driver) == State::Armed);
    assert!(armed, "still {:?}", driver.state());
    criterion.bench_function("command_and_tick_18", |bencher| bencher.iter(|| period(&mut driver)));
}

criterion_group!(benches, angle_to_bytes, tick);
criterion_main!(benches);
