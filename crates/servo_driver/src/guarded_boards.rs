//! The boards of a guard, and how they are switched off.

use crate::bus::Bus;
use crate::raspberry::OrphanedOutputs;
use embedded_hal::i2c::{ErrorKind, I2c};
use hexapod_servo::ServoConfig;
use hexapod_servo::pca9685::{Link, Shadow, Tally, all_call_off};
use std::sync::Arc;

const RETRIES: u8 = 2;

/// The boards, and how they are switched off.
pub(crate) struct GuardedBoards {
    servos: ServoConfig,
    bus: Bus,
    outputs: Option<Arc<OrphanedOutputs>>,
}

impl GuardedBoards {
    pub fn new(servos: ServoConfig, bus: Bus, outputs: Option<Arc<OrphanedOutputs>>) -> Self {
        Self { servos, bus, outputs }
    }

    /// OE first, which no bus holds up; then the boards.
    pub fn cut(&mut self) -> Outcome {
        if let Some(Err(error)) = self.outputs.as_ref().map(|outputs| outputs.cut()) {
            tracing::error!("{error}");
        }
        switch_off(&self.servos, &mut self.bus)
    }
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Every board acknowledged being switched off.
    Off,
    /// Some board did not acknowledge; the bus works.
    Missing,
    /// The bus does not work.
    Failing,
}

/// One frame to all boards, then each by itself.
fn switch_off<B: I2c>(servos: &ServoConfig, bus: &mut B) -> Outcome {
    let mut tally = Tally::default();
    let _ = all_call_off(&mut Link::new(bus, &mut tally, RETRIES));
    servos.boards().iter().fold(Outcome::Off, |outcome, board| {
        let mut link = Link::new(bus, &mut tally, RETRIES);
        match Shadow::new(board.address()).all_off(&mut link).map_err(|error| error.kind) {
            Ok(()) => outcome,
            Err(ErrorKind::NoAcknowledge(_)) if outcome != Outcome::Failing => Outcome::Missing,
            Err(_) => Outcome::Failing,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_servo::SimulatedBus;
    use hexapod_servo::simulated::BusFault;
    use std::time::Duration;

    const HANG: Duration = Duration::from_millis(20);

    #[test]
    fn when_boards_are_missing_or_the_bus_fails_expect_them_reported_apart() {
        let yaml = "boards: [{ address: 0x40 }, { address: 0x41 }]\nservos:\n  a: { board: 0, channel: 2, \
            min_pulse_us: 900, max_pulse_us: 2100, speed_limit_rad_s: 6, points: [{ angle_rad: -1, pulse_us: 1000 }, \
            { angle_rad: 1, pulse_us: 2000 }] }\n";
        let raw: hexapod_servo::RawServoConfig = serde_yaml::from_str(yaml).unwrap();
        let servos = ServoConfig::try_from(raw).unwrap();
        let mut bus = SimulatedBus::for_config(&servos);
        assert_eq!(switch_off(&servos, &mut bus), Outcome::Off);
        bus.inject(BusFault::Dead { address: 0x41 });
        assert_eq!(switch_off(&servos, &mut bus), Outcome::Missing);
        let mut failing = bus.clone().with_hang_hook({
            let bus = bus.clone();
            move |time| bus.inject(BusFault::Hang { time })
        });
        failing.inject(BusFault::Hang { time: HANG });
        assert_eq!(switch_off(&servos, &mut failing), Outcome::Failing);
    }
}
