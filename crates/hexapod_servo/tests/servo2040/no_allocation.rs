//! A tick allocates nothing, in any state.

use std::time::Duration;

use hexapod_servo::serial::{Port, PortError};
use hexapod_servo::servo2040::{Request, Servo2040};
use hexapod_servo::{ServoDriver, State};

use super::servos;
use crate::common::ms;

/// Chica's firmware that allocates nothing: it remembers pulses, and measures nothing.
struct Plain {
    now: Duration,
    pulses: [u16; 18],
    reply: [u8; 64],
    length: usize,
    silent: bool,
}

impl Plain {
    fn new() -> Self {
        Self { now: ms(1000), pulses: [0; 18], reply: [0; 64], length: 0, silent: false }
    }

    fn say(&mut self, byte: u8) {
        self.reply[self.length] = byte;
        self.length += 1;
    }
}

impl Port for &mut Plain {
    fn now(&self) -> Duration {
        self.now
    }

    fn write(&mut self, frame: &[u8]) -> Result<(), PortError> {
        let mut rest = frame;
        while let Some((request, behind)) = Request::first_of(rest).filter(|_| !self.silent) {
            rest = behind;
            match request {
                Request::Set { first, halves } if first < 18 => {
                    for (pulse, halves) in self.pulses[usize::from(first)..].iter_mut().zip(halves.chunks_exact(2)) {
                        *pulse = u16::from(halves[0]) | u16::from(halves[1]) << 7;
                    }
                }
                Request::Get { first, count } => {
                    [0xC7, first, count].into_iter().for_each(|byte| self.say(byte));
                    for index in first..(first + count).min(26) {
                        let value = self.pulses.get(usize::from(index)).copied().unwrap_or(600);
                        self.say(value as u8 & 0x7F);
                        self.say((value >> 7) as u8);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn read(&mut self, into: &mut [u8], until: Duration) -> Result<usize, PortError> {
        self.now = if self.length == 0 { until } else { self.now + Duration::from_micros(300) };
        let count = self.length.min(into.len());
        into[..count].copy_from_slice(&self.reply[..count]);
        self.length = 0;
        Ok(count)
    }

    fn pause(&mut self, until: Duration) {
        self.now = until;
    }

    fn discard(&mut self) -> Result<(), PortError> {
        self.length = 0;
        Ok(())
    }
}

fn ticks<P: Port>(driver: &mut ServoDriver<Servo2040<P>>, now: &mut Duration) -> State {
    let info = allocation_counter::measure(|| {
        for _ in 0..200 {
            *now += ms(10);
            (0..18).for_each(|joint| assert!(driver.set_target(*now, joint, 0.2).is_ok()));
            driver.tick(*now);
        }
    });
    assert_eq!(info.count_total, 0, "{:?}", driver.state());
    driver.state()
}

#[test]
fn when_ticking_disarmed_armed_stopped_or_in_a_fault_expect_no_allocation() {
    let (config, mut board) = (servos(), Plain::new());
    let mut now = ms(1000);
    let mut driver = ServoDriver::new(config.joints(), Servo2040::new(&config, &mut board, 460_800));
    assert_eq!(ticks(&mut driver, &mut now), State::Disarmed);
    let report = driver.enable(now);
    assert!(report.passed(), "{report}");
    assert_eq!(ticks(&mut driver, &mut now), State::Armed);
    let stop = allocation_counter::measure(|| assert!(driver.emergency_stop().is_ok()));
    assert_eq!(stop.count_total, 0);
    assert_eq!(ticks(&mut driver, &mut now), State::EmergencyStop);
    drop(driver);
    board.silent = true;
    let mut driver = ServoDriver::new(config.joints(), Servo2040::new(&config, &mut board, 460_800));
    assert_eq!(ticks(&mut driver, &mut now), State::Disarmed);
}
