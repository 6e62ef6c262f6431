//! Counts of what went over a wire.

/// What went over the wire. All counts only ever grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Bytes of the transactions that succeeded, addresses and framing included.
    pub bytes: u64,
    /// Transactions that succeeded.
    pub transactions: u64,
    /// Attempts after a failed one.
    pub retries: u64,
    /// Attempts that nobody acknowledged or answered.
    pub nacks: u64,
    /// Attempts that failed in another way (timeout, arbitration, driver).
    pub bus_errors: u64,
}
