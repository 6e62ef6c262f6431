//! What went over a simulated bus.

use std::time::Duration;

/// Speed the wire time is modelled for, in hertz.
const BUS_HZ: u64 = 400_000;

/// How a transfer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was acknowledged.
    Done,
    /// The address was not acknowledged.
    NotAcknowledged,
    /// So many written bytes were taken, then there was no acknowledge.
    Torn(usize),
    /// The bus hung.
    TimedOut,
}

/// One transfer from START to STOP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Seven-bit address.
    pub address: u8,
    /// Bytes to be written, register number first.
    pub written: Vec<u8>,
    /// Bytes read.
    pub read: Vec<u8>,
    /// How it ended.
    pub outcome: Outcome,
}

/// Totals of a simulated bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BusTally {
    /// Attempts, failed ones included.
    pub attempts: u64,
    /// Transfers that succeeded.
    pub transactions: u64,
    /// Bytes of transfers that succeeded, address bytes included.
    pub bytes: u64,
    /// Attempts that met no acknowledge, torn writes included.
    pub nacks: u64,
    /// Clock cycles of transfers that succeeded.
    bits: u64,
}

impl BusTally {
    /// Counts a transfer that succeeded; `reads` tells whether it had a repeated START and a second address byte.
    pub(super) fn add(&mut self, written: usize, read: usize) {
        let addresses = usize::from(written > 0 || read == 0) + usize::from(read > 0);
        let bytes = (addresses + written + read) as u64;
        self.transactions += 1;
        self.bytes += bytes;
        self.bits += 9 * bytes + addresses as u64 + 1;
    }

    /// Time the successful transfers take at 400 kHz: nine clocks a byte and one for each START and STOP.
    pub fn wire_time(&self) -> Duration {
        Duration::from_nanos(self.bits * 1_000_000_000 / BUS_HZ)
    }
}
