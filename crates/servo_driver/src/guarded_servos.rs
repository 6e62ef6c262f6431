//! The servos of a guard, and how they are switched off.

use crate::bus::Bus;
use crate::pin_access::OrphanedOutputs;
use crate::stoppable::Gate;
use hexapod_servo::backend::{Backend, Off, Tally};
use std::sync::Arc;

/// The servos, and how they are switched off.
pub(crate) struct GuardedServos {
    servos: Box<dyn Backend + Send>,
    outputs: Option<Arc<OrphanedOutputs>>,
}

impl GuardedServos {
    /// Those behind `bus`, and a pin beside it. Its gate is never opened: nothing that moves a servo passes.
    pub fn new(bus: Bus, outputs: Option<Arc<OrphanedOutputs>>) -> Self {
        Self { servos: bus.backend(&Gate::default()), outputs }
    }

    /// OE first, which no bus holds up; then the servos.
    pub fn cut(&mut self) -> Off {
        self.outputs.iter().for_each(|outputs| outputs.cut());
        self.servos.all_off(&mut Tally::default())
    }

    /// Leaves OE, which is high, to the next driver.
    pub fn give_back(&self) {
        self.outputs.iter().for_each(|outputs| outputs.give_back());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i2c_bus::I2cBus;
    use hexapod_servo::simulated::BusFault;
    use hexapod_servo::{ServoConfig, SimulatedBus};
    use std::time::Duration;

    const HANG: Duration = Duration::from_millis(20);

    #[test]
    fn when_boards_are_missing_or_the_bus_fails_expect_them_reported_apart() {
        let yaml = "boards: [{ address: 0x40 }, { address: 0x41 }]\nservos:\n  a: { board: 0, channel: 2, \
            min_pulse_us: 900, max_pulse_us: 2100, speed_limit_rad_s: 6, points: [{ angle_rad: -1, pulse_us: 1000 }, \
            { angle_rad: 1, pulse_us: 2000 }] }\n";
        let raw: hexapod_servo::RawServoConfig = serde_yaml::from_str(yaml).unwrap();
        let servos = ServoConfig::try_from(raw).unwrap();
        let bus = SimulatedBus::for_config(&servos);
        let switch_off = |bus: SimulatedBus| {
            let bus = I2cBus::Simulated { bus, since: Duration::ZERO };
            GuardedServos::new(Bus::Boards { bus, servos: servos.clone() }, None).cut()
        };
        assert_eq!(switch_off(bus.clone()), Off::All);
        bus.inject(BusFault::Dead { address: 0x41 });
        assert_eq!(switch_off(bus.clone()), Off::Missing);
        let failing = bus.clone().with_hang_hook({
            let bus = bus.clone();
            move |time| bus.inject(BusFault::Hang { time })
        });
        failing.inject(BusFault::Hang { time: HANG });
        assert_eq!(switch_off(failing), Off::Failing);
    }
}
