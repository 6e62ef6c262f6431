//! A tick allocates nothing, in any state. (`allocation-counter` is the global allocator of this test.)
#![allow(clippy::expect_used, clippy::panic, reason = "a test may stop where it stands")]

use std::time::Duration;

use crate::common::{JOINTS, config, ms};
use embedded_hal::i2c::{ErrorKind, ErrorType, I2c, NoAcknowledgeSource, Operation};
use hexapod_servo::{Pca9685Boards, ServoDriver, State};

/// A bus that answers reads as a healthy board would and can be unplugged.
/// Two boards that remember what is written to them, and nothing more.
struct Plain {
    unplugged: bool,
    registers: [[u8; 256]; 2],
}

impl Default for Plain {
    fn default() -> Self {
        Self { unplugged: false, registers: [[0; 256]; 2] }
    }
}

impl Plain {
    /// All channels' OFF_H follow the one register that stands for them.
    fn write(&mut self, board: usize, register: usize, value: u8) {
        self.registers[board][register] = value;
        if register == 0xFD {
            (0..16).for_each(|channel| self.registers[board][0x09 + 4 * channel] = value);
        }
    }
}

impl ErrorType for Plain {
    type Error = ErrorKind;
}

impl I2c for Plain {
    fn transaction(&mut self, address: u8, operations: &mut [Operation<'_>]) -> Result<(), ErrorKind> {
        if self.unplugged {
            return Err(ErrorKind::NoAcknowledge(NoAcknowledgeSource::Address));
        }
        let board = usize::from(address & 1);
        let mut register = 0;
        for operation in operations {
            match operation {
                Operation::Write(bytes) => {
                    register = usize::from(bytes[0]);
                    bytes[1..].iter().enumerate().for_each(|(n, byte)| self.write(board, register + n, *byte));
                }
                Operation::Read(bytes) => {
                    let count = bytes.len();
                    bytes.copy_from_slice(&self.registers[board][register..register + count]);
                }
            }
        }
        Ok(())
    }
}

fn ticks(driver: &mut ServoDriver<Pca9685Boards<Plain>>, now: &mut Duration, count: u32, commands: bool) {
    let info = allocation_counter::measure(|| {
        for _ in 0..count {
            *now += ms(10);
            if commands {
                for joint in 0..JOINTS {
                    let _ = driver.set_target(*now, joint, (now.as_secs_f64() + joint as f64).sin());
                    let _ = driver.set_target(*now, joint, f64::NAN);
                }
            }
            driver.tick(*now);
        }
    });
    assert_eq!(info.count_total, 0, "{} allocations in state {}", info.count_total, driver.state());
}

#[test]
fn when_ticking_in_every_state_expect_no_allocation() {
    let mut driver = ServoDriver::on_boards(config(), Plain::default());
    let mut now = ms(0);
    ticks(&mut driver, &mut now, 100, true);
    assert_eq!(driver.state(), State::Disarmed);
    assert!(driver.enable(now).passed());
    ticks(&mut driver, &mut now, 1000, true);
    assert_eq!(driver.state(), State::Armed);
    ticks(&mut driver, &mut now, 100, false);
    assert_eq!(driver.state(), State::Holding);
    ticks(&mut driver, &mut now, 500, true);
    now += ms(100);
    ticks(&mut driver, &mut now, 100, true);
    assert_eq!((driver.state(), driver.counters().catch_ups), (State::Armed, 1));
    driver.bus_mut().unplugged = true;
    ticks(&mut driver, &mut now, 1000, true);
    assert_eq!(driver.state(), State::Fault);
    let stop = allocation_counter::measure(|| assert!(driver.emergency_stop().is_err()));
    assert_eq!(stop.count_total, 0);
    ticks(&mut driver, &mut now, 100, true);
    assert_eq!(driver.state(), State::EmergencyStop);
}

#[test]
fn when_bus_is_simulated_expect_no_allocation_either() {
    let mut rig = crate::common::Rig::armed();
    rig.bus.inject(hexapod_servo::simulated::BusFault::NackProbability(0.01));
    let targets: Vec<_> = (0..JOINTS).map(|joint| (joint, 0.4)).collect();
    let info = allocation_counter::measure(|| {
        for _ in 0..500 {
            rig.now += ms(10);
            assert!(rig.driver.command(rig.now, &targets).is_ok());
            rig.driver.tick(rig.now);
        }
    });
    assert_eq!(info.count_total, 0);
    assert_eq!(rig.driver.state(), State::Armed);
}

#[test]
fn when_memory_is_taken_expect_the_counter_to_see_it() {
    assert_ne!(allocation_counter::measure(|| drop(std::hint::black_box(vec![0u8; 64]))).count_total, 0);
}
