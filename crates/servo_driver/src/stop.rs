//! The emergency stop's way past a busy bus.

use crate::pins::SharedPins;
use embedded_hal::i2c::{Error, ErrorKind, ErrorType, I2c, Operation};
use hexapod_ros::monotonic_now;
use hexapod_servo::pca9685::registers::ALL_CALL_ADDRESS;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Raised by whoever wants everything off, taken by the thread that owns the bus.
#[derive(Clone, Debug, Default)]
pub struct StopFlag {
    raised: Arc<AtomicBool>,
    pins: SharedPins,
}

impl StopFlag {
    /// Asks for the stop, and cuts the outputs if there is a pin for that.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::SeqCst);
        self.pins.cut();
    }

    /// The pins beside the bus.
    #[must_use]
    pub fn pins(&self) -> &SharedPins {
        &self.pins
    }

    /// True once for every time (or times) it was raised.
    #[must_use]
    pub fn take(&self) -> bool {
        self.raised.swap(false, Ordering::SeqCst)
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.raised.load(Ordering::SeqCst)
    }
}

/// A bus that refuses all but frames to all boards while a stop is asked for, so that the stop waits for one
/// transaction at most and not for a whole tick with its retries.
#[derive(Debug)]
pub struct Stoppable<B> {
    bus: B,
    stop: StopFlag,
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
    /// `bus`, given way to `stop`.
    pub fn new(bus: B, stop: StopFlag) -> Self {
        Self { bus, stop, timing: Timing::default() }
    }

    /// How long transactions took; the longest is counted from the last call.
    pub fn take_timing(&mut self) -> Timing {
        let timing = self.timing;
        self.timing.longest = Duration::ZERO;
        timing
    }
}

/// Why a transaction failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped<E> {
    /// It gave way to the emergency stop.
    GaveWay,
    /// The bus failed.
    Bus(E),
}

impl<E: fmt::Display> fmt::Display for Stopped<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GaveWay => formatter.write_str("gave way to the emergency stop"),
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
        if address != ALL_CALL_ADDRESS && self.stop.is_raised() {
            return Err(Stopped::GaveWay);
        }
        let begun = monotonic_now();
        let result = self.bus.transaction(address, operations);
        let took = monotonic_now().saturating_sub(begun);
        self.timing.busy += took;
        self.timing.longest = self.timing.longest.max(took);
        result.map_err(Stopped::Bus)
    }
}
