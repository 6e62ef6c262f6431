//! The simulated board against the datasheet, with constants declared again.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may stop where it stands")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use embedded_hal::i2c::I2c;
use hexapod_servo::SimulatedBus;
use hexapod_servo::simulated::{BusFault, Outcome, Output, SimulatedError, When};

const BOARD: u8 = 0x40;

fn bus() -> SimulatedBus {
    SimulatedBus::new(&[BOARD, 0x41])
}

fn read(bus: &mut SimulatedBus, register: u8) -> u8 {
    let mut value = [0];
    bus.write_read(BOARD, &[register], &mut value).expect("answers");
    value[0]
}

/// Awake, auto-increment on, channel 0 with this ON and OFF.
fn pulsing(on: u16, off: u16) -> SimulatedBus {
    let mut bus = bus();
    bus.write(BOARD, &[0x00, 0x21]).expect("answers");
    let [[on_l, on_h], [off_l, off_h]] = [on.to_le_bytes(), off.to_le_bytes()];
    bus.write(BOARD, &[0x06, on_l, on_h, off_l, off_h]).expect("answers");
    bus
}

#[test]
fn when_powered_up_expect_defaults_of_the_datasheet() {
    let mut bus = bus();
    for (register, value) in [(0x00, 0x11), (0x01, 0x04), (0x02, 0xE2), (0x05, 0xE0), (0xFE, 0x1E), (0x09, 0x10)] {
        assert_eq!(read(&mut bus, register), value, "{register:#x}");
    }
    assert!((0..16).all(|channel| bus.output(BOARD, channel) == Output::Low));
}

#[test]
fn when_awake_expect_prescaler_kept() {
    let mut bus = bus();
    bus.write(BOARD, &[0xFE, 121]).expect("answers");
    assert_eq!(read(&mut bus, 0xFE), 121);
    bus.write(BOARD, &[0xFE, 1]).expect("answers");
    assert_eq!(read(&mut bus, 0xFE), 3, "the hardware's least");
    bus.write(BOARD, &[0x00, 0x01]).expect("answers");
    bus.write(BOARD, &[0xFE, 200]).expect("answers");
    assert_eq!(read(&mut bus, 0xFE), 3);
}

#[test]
fn when_auto_increment_is_off_expect_one_register_written() {
    let mut bus = bus();
    bus.write(BOARD, &[0x06, 1, 2, 3]).expect("answers");
    assert_eq!((read(&mut bus, 0x06), read(&mut bus, 0x07)), (3, 0));
}

#[test]
fn when_burst_passes_register_69_expect_mode1_overwritten() {
    let mut bus = pulsing(0, 300);
    bus.write(BOARD, &[0x44, 0x55, 0x01, 0x31]).expect("answers");
    assert_eq!((read(&mut bus, 0x44), read(&mut bus, 0x45)), (0x55, 0x01));
    assert_eq!(read(&mut bus, 0x00) & 0x7F, 0x31);
}

#[test]
fn when_registers_say_so_expect_each_kind_of_output() {
    let check = |on: u16, off: u16, output: Output| assert_eq!(pulsing(on, off).output(BOARD, 0), output);
    check(0, 300, Output::Pulse { on: 0, counts: 300 });
    check(100, 400, Output::Pulse { on: 100, counts: 300 });
    check(4000, 204, Output::Pulse { on: 4000, counts: 300 });
    check(7, 7, Output::Undefined);
    check(0x1000, 300, Output::High);
    check(0x1000, 0x1000, Output::Low);
    check(0, 0x1000 + 300, Output::Low);
}

#[test]
fn when_put_to_sleep_while_running_expect_restart_bit_and_outputs_back_on_restart() {
    let mut bus = pulsing(0, 300);
    bus.write(BOARD, &[0x00, 0x31]).expect("answers");
    assert_eq!(bus.output(BOARD, 0), Output::Low);
    assert_eq!(read(&mut bus, 0x00), 0xB1);
    bus.write(BOARD, &[0x00, 0x21]).expect("answers");
    assert_eq!(bus.output(BOARD, 0), Output::Low, "waiting for RESTART");
    bus.write(BOARD, &[0x00, 0xA1]).expect("answers");
    assert_eq!(bus.output(BOARD, 0), Output::Pulse { on: 0, counts: 300 });
    assert_eq!(read(&mut bus, 0x00), 0x21);
}

#[test]
fn when_all_call_is_written_expect_all_boards_and_none_with_the_bit_off() {
    let mut bus = pulsing(0, 300);
    bus.write(0x41, &[0x00, 0x20]).expect("answers");
    bus.write(0x41, &[0x08, 0x2C, 0x01]).expect("answers");
    bus.write(0x70, &[0xFD, 0x10]).expect("one board answers");
    assert_eq!(bus.output(BOARD, 0), Output::Low);
    assert_eq!(bus.output(0x41, 0), Output::Pulse { on: 0, counts: 300 });
    bus.write(BOARD, &[0x00, 0x20]).expect("answers");
    assert!(bus.write(0x70, &[0xFD, 0x10]).is_err());
}

#[test]
fn when_write_is_torn_expect_prefix_in_force_with_stop_only() {
    let mut bus = pulsing(0, 300);
    bus.record();
    bus.inject(BusFault::Tear { bytes: 2, stop: false });
    assert!(bus.write(BOARD, &[0x08, 0x00, 0x02]).is_err());
    assert_eq!(bus.output(BOARD, 0), Output::Pulse { on: 0, counts: 300 });
    assert_eq!(bus.take_transcript()[0].outcome, Outcome::Torn(2));
    read(&mut bus, 0x00);
    assert_eq!(bus.output(BOARD, 0), Output::Pulse { on: 0, counts: 256 }, "the next STOP puts it in force");
}

#[test]
fn when_software_reset_expect_power_up_state() {
    let mut bus = pulsing(0, 300);
    bus.write(0x00, &[0x06]).expect("answers");
    assert_eq!(read(&mut bus, 0x00), 0x11);
    assert_eq!(bus.chip(BOARD).expect("exists").resets(), 1);
}

#[test]
fn when_hang_is_scheduled_expect_hook_and_virtual_time() {
    let heard = Arc::new(AtomicU64::new(0));
    let hook = Arc::clone(&heard);
    let mut bus = bus().with_hang_hook(move |time| hook.store(time.as_millis() as u64, Ordering::Relaxed));
    let time = Duration::from_millis(70);
    bus.schedule(When::Time(Duration::from_secs(1)), BusFault::Hang { time });
    assert!(bus.write(BOARD, &[0x00, 0x21]).is_ok());
    bus.advance_to(Duration::from_secs(1));
    assert_eq!(bus.write(BOARD, &[0x00, 0x21]), Err(SimulatedError::TimedOut(time)));
    assert_eq!(heard.load(Ordering::Relaxed), 70);
    assert_eq!(bus.time(), Duration::from_millis(1070));
    bus.schedule(When::Transaction(bus.tally().attempts + 1), BusFault::Nack { transactions: 1 });
    assert!(bus.write(BOARD, &[0x00, 0x21]).is_ok());
    assert!(bus.write(BOARD, &[0x00, 0x21]).is_err());
    assert!(bus.write(BOARD, &[0x00, 0x21]).is_ok());
}

#[test]
fn when_pulse_is_measured_expect_the_true_oscillator() {
    let mut bus = SimulatedBus::with_chips(vec![hexapod_servo::simulated::Chip::new(BOARD, 26e6)]);
    bus.write(BOARD, &[0xFE, 121]).expect("answers");
    bus.write(BOARD, &[0x00, 0x21]).expect("answers");
    bus.write(BOARD, &[0x08, 0x2C, 0x01]).expect("answers");
    let pulse_us = bus.pulse_us(BOARD, 0).expect("pulses");
    assert!((pulse_us - 300.0 * 122.0 / 26.0).abs() < 1e-9);
}
