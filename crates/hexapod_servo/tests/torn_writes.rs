//! Torn writes: after every single transaction, failed or not, no channel of any board may put out a pulse outside its
//! limits, a constant high, or the forbidden ON = OFF.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may stop where it stands")]

use crate::common::{BOARDS, Rig, raw_config};
use embedded_hal::i2c::{ErrorType, I2c, Operation};
use hexapod_servo::backend::Tally;
use hexapod_servo::calibration::Servo;
use hexapod_servo::pca9685::{Level, Link, PulseRange, Shadow, start, wake};
use hexapod_servo::simulated::{BusFault, Output, SimulatedError};
use hexapod_servo::{ServoConfig, ServoDriver, SimulatedBus, State};

/// Looks at every output after every transaction.
struct Watched {
    bus: SimulatedBus,
    channels: Vec<(u8, u8, PulseRange)>,
    transactions: u64,
    low: u64,
}

impl Watched {
    fn new(bus: SimulatedBus, channels: Vec<(u8, u8, PulseRange)>) -> Self {
        Self { bus, channels, transactions: 0, low: 0 }
    }

    fn check(&mut self) {
        self.transactions += 1;
        for &(address, channel, range) in &self.channels {
            match self.bus.output(address, channel) {
                Output::Low => self.low += 1,
                Output::Pulse { on, counts } => {
                    assert_eq!(on, range.on());
                    let allowed = range.shortest()..=range.longest();
                    assert!(allowed.contains(&counts), "{address:#x}/{channel}: {counts} not in {allowed:?}");
                }
                other => panic!("{address:#x}/{channel}: {other:?}"),
            }
        }
    }
}

impl ErrorType for Watched {
    type Error = SimulatedError;
}

impl I2c for Watched {
    fn transaction(&mut self, address: u8, operations: &mut [Operation<'_>]) -> Result<(), SimulatedError> {
        let result = self.bus.transaction(address, operations);
        self.check();
        result
    }
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Random jumps and small steps on one board, each flush torn more often than not: a million torn sequences in all.
#[test]
fn when_a_million_flushes_are_torn_expect_every_output_within_limits() {
    let ranges = [(103, 512), (185, 430), (205, 1024), (2, 4095), (1000, 3410)];
    for (seed, (shortest, longest)) in ranges.into_iter().enumerate() {
        let range = PulseRange::try_new(shortest, longest).expect("valid");
        let bus = SimulatedBus::new(&[0x40]);
        let channels: Vec<u8> = vec![0, 1, 2, 7, 15];
        let mut watched = Watched::new(bus.clone(), channels.iter().map(|&channel| (0x40, channel, range)).collect());
        let mut shadow = Shadow::new(0x40);
        channels.iter().for_each(|&channel| shadow.connect(channel, range));
        let mut tally = Tally::default();
        let mut dice = Dice(seed as u64 + 1);
        start(&mut shadow, 121, &mut Link::new(&mut watched, &mut tally, 0)).expect("no fault yet");
        wake(0x40, &mut Link::new(&mut watched, &mut tally, 0)).expect("no fault yet");
        bus.seed(seed as u64);
        bus.inject(BusFault::TearProbability(0.7));
        let mut torn = 0;
        let mut wanted = vec![range.limit(0); channels.len()];
        while torn < 200_000 {
            for (index, &channel) in channels.iter().enumerate() {
                let span = u64::from(longest - shortest) + 1;
                wanted[index] = match dice.roll(5) {
                    0 => shortest + dice.roll(span) as u16,
                    1 => range.limit(wanted[index] + dice.roll(6) as u16),
                    2 => range.limit(wanted[index].saturating_sub(dice.roll(6) as u16)),
                    _ => wanted[index],
                };
                let level = if dice.roll(60) == 0 { Level::Off } else { Level::Counts(wanted[index]) };
                shadow.set(channel, level);
            }
            let mut link = Link::new(&mut watched, &mut tally, 2);
            torn += u32::from(shadow.flush(&mut link).is_err());
            if dice.roll(5000) == 0 {
                let _ = shadow.all_off(&mut Link::new(&mut watched, &mut tally, 0));
            }
        }
        bus.inject(BusFault::TearProbability(0.0));
        for (index, &channel) in channels.iter().enumerate() {
            shadow.set(channel, Level::Counts(wanted[index]));
        }
        for _ in 0..3 {
            shadow.flush(&mut Link::new(&mut watched, &mut tally, 0)).expect("no fault any more");
        }
        for (index, &channel) in channels.iter().enumerate() {
            let expected = Output::Pulse { on: range.on(), counts: wanted[index] };
            assert_eq!(bus.output(0x40, channel), expected, "the wish arrives in the end");
            assert_eq!(shadow.commanded(channel), Some(Level::Counts(wanted[index])));
        }
    }
}

/// The whole driver over a bus that tears, at three frequencies, through arming, walking, stops and re-arming.
#[test]
fn when_driver_meets_torn_writes_expect_every_output_within_limits() {
    for (frequency_hz, limits_us) in [(50.0, (500.0, 2500.0)), (100.0, (600.0, 2400.0)), (333.0, (500.0, 2500.0))] {
        let config = ServoConfig::try_from(raw_config(frequency_hz, limits_us)).expect("valid");
        let bus = SimulatedBus::for_config(&config);
        let channel = |servo: &Servo| (BOARDS[servo.board()], servo.channel(), servo.range());
        let watched = Watched::new(bus.clone(), config.servos().iter().map(channel).collect());
        let mut driver = ServoDriver::on_boards(config, watched);
        let mut dice = Dice(3);
        let mut now = crate::common::ms(5);
        let mut targets = [0.0; crate::common::JOINTS];
        bus.inject(BusFault::TearProbability(0.2));
        for tick in 0..15_000u32 {
            for target in &mut targets {
                if dice.roll(40) == 0 {
                    *target = dice.roll(3000) as f64 * 1e-3 - 1.5;
                }
            }
            let message: Vec<_> = targets.iter().copied().enumerate().collect();
            driver.command(now, &message).expect("finite");
            if !driver.state().is_live() && tick % 20 == 0 {
                driver.enable(now);
            }
            if dice.roll(2000) == 0 {
                let _ = driver.emergency_stop();
            }
            driver.tick(now);
            now += crate::common::ms(10);
        }
        let watched = driver.bus();
        assert!(watched.transactions > 15_000, "{}", watched.transactions);
    }
}

/// Steps within the middle 256 counts of a wide range never need the channel to be off in between.
#[test]
fn when_motion_stays_in_the_middle_expect_no_pulse_left_out() {
    let config = ServoConfig::try_from(raw_config(50.0, (500.0, 2500.0))).expect("valid");
    let mut rig = Rig::armed_with(config);
    for tick in 0..2000 {
        let phase = f64::from(tick) * 0.05;
        assert_eq!(rig.step(|joint| 0.97 * (phase + joint as f64).sin()), State::Armed);
        assert!((0..crate::common::JOINTS).all(|joint| rig.counts(joint).is_some()));
    }
}
