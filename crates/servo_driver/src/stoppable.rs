//! The bus behind the stop line: no frame with a pulse passes without a permit that is still good.

use crate::stop::{StopLine, Ticket};
use embedded_hal::i2c::{Error, ErrorKind, ErrorType, I2c, Operation};
use hexapod_ros::monotonic_now;
use hexapod_servo::pca9685::asks_for_pulse;
use hexapod_servo::pca9685::registers::ALL_CALL_ADDRESS;
use std::fmt;
use std::time::Duration;

/// A bus that carries pulses only with a permit, and gives way to an emergency stop: that waits for one transaction at
/// most and not for a whole tick with its retries.
#[derive(Debug)]
pub struct Stoppable<B> {
    bus: B,
    line: StopLine,
    permit: Option<u64>,
    timing: Timing,
}

/// How long transactions take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Time in transactions since the start.
    pub busy: Duration,
    /// The longest transaction since this was last asked for.
    pub longest: Duration,
}

impl<B> Stoppable<B> {
    /// `bus` behind `line`, without a permit.
    pub fn new(bus: B, line: StopLine) -> Self {
        Self { bus, line, permit: None, timing: Timing::default() }
    }

    /// Lets pulses pass until the next stop.
    pub fn permit(&mut self, ticket: Ticket) {
        self.permit = Some(ticket.generation());
    }

    /// Lets no pulse pass any more.
    pub fn revoke(&mut self) {
        self.permit = None;
    }

    /// How long transactions took; the longest is counted from the last call.
    pub fn take_timing(&mut self) -> Timing {
        let timing = self.timing;
        self.timing.longest = Duration::ZERO;
        timing
    }

    fn is_refused(&self, address: u8, operations: &[Operation<'_>]) -> bool {
        let pulse =
            || operations.iter().any(|operation| matches!(operation, Operation::Write(bytes) if asks_for_pulse(bytes)));
        // Freshness first: what stood still counts a stop before it looks again.
        let stood_still = self.line.liveness().lapse(monotonic_now()).is_some();
        (address != ALL_CALL_ADDRESS && self.line.is_pulled())
            || ((stood_still || self.permit != Some(self.line.generation())) && pulse())
    }
}

/// Why a transaction failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped<E> {
    /// It gave way to a stop.
    GaveWay,
    /// The bus failed.
    Bus(E),
}

impl<E: fmt::Display> fmt::Display for Stopped<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GaveWay => formatter.write_str("gave way to a stop"),
            Self::Bus(error) => error.fmt(formatter),
        }
    }
}

impl<E: Error> Error for Stopped<E> {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::GaveWay => ErrorKind::Other,
            Self::Bus(error) => error.kind(),
        }
    }
}

impl<B: I2c> ErrorType for Stoppable<B> {
    type Error = Stopped<B::Error>;
}

impl<B: I2c> I2c for Stoppable<B> {
    fn transaction(&mut self, address: u8, operations: &mut [Operation<'_>]) -> Result<(), Self::Error> {
        if self.is_refused(address, operations) {
            return Err(Stopped::GaveWay);
        }
        let begun = monotonic_now();
        self.line.liveness().leave_round();
        let result = self.bus.transaction(address, operations);
        let ended = monotonic_now();
        self.line.liveness().come_round(ended);
        let took = ended.saturating_sub(begun);
        self.timing.busy += took;
        self.timing.longest = self.timing.longest.max(took);
        result.map_err(Stopped::Bus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_servo::SimulatedBus;

    const LED0_ON_FOR_300_COUNTS: [u8; 5] = [0x06, 0x00, 0x00, 0x2C, 0x01];

    #[test]
    fn when_this_process_has_stood_still_expect_no_pulse_to_pass_and_everything_else_to() {
        let line = StopLine::default();
        let mut bus = Stoppable::new(SimulatedBus::new(&[0x40]), line.clone());
        bus.permit(line.ticket(monotonic_now()));
        let mut pulse = || bus.transaction(0x40, &mut [Operation::Write(&LED0_ON_FOR_300_COUNTS)]);
        line.liveness().begin(true, monotonic_now());
        assert!(pulse().is_ok());
        line.liveness().look(monotonic_now().saturating_sub(Duration::from_secs(1)));
        assert!(matches!(pulse(), Err(Stopped::GaveWay)));
        assert!(bus.transaction(0x40, &mut [Operation::Write(&[0x00, 0x20])]).is_ok());
    }
}
