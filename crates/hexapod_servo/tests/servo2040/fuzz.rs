//! Bytes of any kind, as writes and as replies. `FUZZ_INPUTS` says how many inputs (a million by default).

use hexapod_servo::backend::Effect;
use hexapod_servo::serial::{Port, PortError};
use hexapod_servo::servo2040::{Frame, Request, effect, identify};
use std::time::Duration;

struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// Bytes that frames are made of more often than others.
    fn byte(&mut self) -> u8 {
        match self.below(8) {
            0..2 => [0xD3, 0xC7, 0xD5][self.below(3) as usize],
            2..5 => [0, 1, 2, 4, 18, 24, 26][self.below(7) as usize],
            _ => self.below(256) as u8,
        }
    }
}

fn inputs() -> u64 {
    std::env::var("FUZZ_INPUTS").ok().and_then(|count| count.parse().ok()).unwrap_or(1_000_000)
}

#[test]
fn when_a_million_writes_are_judged_expect_none_that_sets_a_pulse_or_closes_the_relay_let_through() {
    let mut draw = Draw(3);
    for input in 0..inputs() {
        let bytes: Vec<u8> = (0..draw.below(40)).map(|_| draw.byte()).collect();
        let mut rest = &bytes[..];
        let mut sets = false;
        while let Some((request, behind)) = Request::first_of(rest) {
            sets |= match request {
                Request::All(_) => true,
                Request::Set { halves, .. } => halves.iter().any(|half| *half != 0),
                Request::Get { .. } => false,
            };
            rest = behind;
        }
        if sets || !rest.is_empty() {
            assert_eq!(effect(&bytes), Effect::Motion, "input {input}: {bytes:02x?}");
        }
    }
}

/// A line on which garbage never ends, and a clock that goes on with each look.
struct Flood(Duration, Draw);

impl Port for Flood {
    fn now(&self) -> Duration {
        self.0
    }

    fn write(&mut self, _: &[u8]) -> Result<(), PortError> {
        Ok(())
    }

    fn read(&mut self, into: &mut [u8], _: Duration) -> Result<usize, PortError> {
        self.0 += Duration::from_micros(100);
        let count = (1 + self.1.below(60) as usize).min(into.len());
        into[..count].iter_mut().for_each(|byte| *byte = self.1.byte());
        Ok(count)
    }

    fn pause(&mut self, until: Duration) {
        self.0 = self.0.max(until);
    }

    fn discard(&mut self) -> Result<(), PortError> {
        Ok(())
    }
}

#[test]
fn when_garbage_never_ends_expect_no_firmware_found_and_an_end_in_time() {
    let mut found = 0;
    for seed in 0..inputs() / 1000 {
        let mut flood = Flood(Duration::ZERO, Draw(seed));
        found += u32::from(identify(&mut Borrowed(&mut flood), 460_800).is_ok_and(|found| found.is_some()));
        assert!(flood.0 < Duration::from_millis(80), "{:?}", flood.0);
    }
    assert_eq!(found, 0);
    assert_eq!(Frame::get(24, 4).bytes(), [0xC7, 24, 4]);
}

/// Lends a line.
struct Borrowed<'a>(&'a mut Flood);

impl Port for &mut Borrowed<'_> {
    fn now(&self) -> Duration {
        self.0.now()
    }

    fn write(&mut self, frame: &[u8]) -> Result<(), PortError> {
        self.0.write(frame)
    }

    fn read(&mut self, into: &mut [u8], until: Duration) -> Result<usize, PortError> {
        self.0.read(into, until)
    }

    fn pause(&mut self, until: Duration) {
        self.0.pause(until);
    }

    fn discard(&mut self) -> Result<(), PortError> {
        self.0.discard()
    }
}
