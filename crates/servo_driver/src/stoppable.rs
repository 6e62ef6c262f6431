//! The wire behind the stop line: nothing that may move a servo passes without a permit that is still good.

use crate::stop::{StopLine, Ticket};
use embedded_hal::i2c::{Error, ErrorKind, ErrorType, I2c, Operation};
use hexapod_ros::monotonic_now;
use hexapod_servo::backend::Effect;
use hexapod_servo::pca9685;
use hexapod_servo::serial::{Port, PortError};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Where every transfer passes that a driver or tool sends: what may move a servo only with a permit that no stop has come
/// after, and nothing but the stop while one waits. So a stop waits for one transfer at most, and not for a whole tick with
/// its retries. Whatever the wire, the stops are looked at last of all before it. Clones are the same gate.
#[derive(Clone, Debug, Default)]
pub struct Gate(Arc<Passage>);

#[derive(Debug)]
struct Passage {
    line: StopLine,
    /// The generation of stops that the permit was given in.
    permit: AtomicU64,
    busy_ns: AtomicU64,
    longest_ns: AtomicU64,
}

/// No stop is ever counted so high.
const NO_PERMIT: u64 = u64::MAX;

/// How long transfers take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Time in transfers since the start.
    pub busy: Duration,
    /// The longest transfer since this was last asked for.
    pub longest: Duration,
}

impl Default for Passage {
    fn default() -> Self {
        Self::new(StopLine::default())
    }
}

impl Passage {
    fn new(line: StopLine) -> Self {
        let [busy_ns, longest_ns] = [(); 2].map(|()| AtomicU64::new(0));
        Self { line, permit: AtomicU64::new(NO_PERMIT), busy_ns, longest_ns }
    }
}

impl Gate {
    /// A gate behind `line`, without a permit.
    pub fn new(line: StopLine) -> Self {
        Self(Arc::new(Passage::new(line)))
    }

    /// The bus behind this gate.
    pub fn before<B>(&self, bus: B) -> Stoppable<B> {
        Stoppable { bus, gate: self.clone() }
    }

    /// A line behind this gate, where `effect` knows by its bytes what a frame does.
    pub fn before_line<P, C: Fn(&[u8]) -> Effect>(&self, port: P, effect: C) -> StoppableLine<P, C> {
        StoppableLine { port, effect, gate: self.clone() }
    }

    /// Lets motion pass until the next stop.
    pub fn permit(&self, ticket: Ticket) {
        self.0.permit.store(ticket.generation(), Ordering::SeqCst);
    }

    /// Lets no motion pass any more.
    pub fn revoke(&self) {
        self.0.permit.store(NO_PERMIT, Ordering::SeqCst);
    }

    /// How long transfers took; the longest is counted from the last call.
    pub fn take_timing(&self) -> Timing {
        let busy = Duration::from_nanos(self.0.busy_ns.load(Ordering::SeqCst));
        Timing { busy, longest: Duration::from_nanos(self.0.longest_ns.swap(0, Ordering::SeqCst)) }
    }

    fn is_refused(&self, effect: Effect) -> bool {
        let line = &self.0.line;
        // Freshness first: what stood still counts a stop before it looks again.
        let stood_still = line.liveness().lapse(monotonic_now()).is_some();
        (effect != Effect::Stop && line.is_pulled())
            || (effect == Effect::Motion && (stood_still || self.0.permit.load(Ordering::SeqCst) != line.generation()))
    }

    /// Makes a transfer, unless stops forbid it.
    ///
    /// # Errors
    /// It gave way to a stop, or it failed.
    pub fn pass<T, E>(&self, effect: Effect, transfer: impl FnOnce() -> Result<T, E>) -> Result<T, Stopped<E>> {
        if self.is_refused(effect) {
            return Err(Stopped::GaveWay);
        }
        let begun = monotonic_now();
        self.0.line.liveness().leave_round();
        let result = transfer();
        let ended = monotonic_now();
        self.0.line.liveness().come_round(ended);
        let took_ns = u64::try_from(ended.saturating_sub(begun).as_nanos()).unwrap_or(u64::MAX);
        self.0.busy_ns.fetch_add(took_ns, Ordering::SeqCst);
        self.0.longest_ns.fetch_max(took_ns, Ordering::SeqCst);
        result.map_err(Stopped::Bus)
    }
}

/// A bus behind a gate.
#[derive(Debug)]
pub struct Stoppable<B> {
    bus: B,
    gate: Gate,
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
        let Self { bus, gate } = self;
        gate.pass(pca9685::effect(address, operations), || bus.transaction(address, operations))
    }
}

/// A serial line behind a gate.
pub struct StoppableLine<P, C> {
    port: P,
    effect: C,
    gate: Gate,
}

impl<P: Port, C: Fn(&[u8]) -> Effect> Port for StoppableLine<P, C> {
    fn now(&self) -> Duration {
        self.port.now()
    }

    fn write(&mut self, frame: &[u8]) -> Result<(), PortError> {
        let Self { port, effect, gate } = self;
        gate.pass(effect(frame), || port.write(frame)).map_err(port_error)
    }

    /// Waiting for replies gives way, too.
    fn read(&mut self, into: &mut [u8], until: Duration) -> Result<usize, PortError> {
        let Self { port, gate, .. } = self;
        gate.pass(Effect::Other, || port.read(into, until)).map_err(port_error)
    }

    fn pause(&mut self, until: Duration) {
        self.port.pause(until);
    }

    fn discard(&mut self) -> Result<(), PortError> {
        self.port.discard()
    }
}

fn port_error(stopped: Stopped<PortError>) -> PortError {
    match stopped {
        Stopped::GaveWay => PortError::GaveWay,
        Stopped::Bus(error) => error,
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
        let gate = Gate::new(line.clone());
        let mut bus = gate.before(SimulatedBus::new(&[0x40]));
        gate.permit(line.ticket(monotonic_now()));
        let mut pulse = || bus.transaction(0x40, &mut [Operation::Write(&LED0_ON_FOR_300_COUNTS)]);
        line.liveness().begin(true, monotonic_now());
        assert!(pulse().is_ok());
        line.liveness().look(monotonic_now().saturating_sub(Duration::from_secs(1)));
        assert!(matches!(pulse(), Err(Stopped::GaveWay)));
        assert!(bus.transaction(0x40, &mut [Operation::Write(&[0x00, 0x20])]).is_ok());
    }
}
