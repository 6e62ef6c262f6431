//! Faults a simulated bus can be given.

use std::time::Duration;

/// One thing that goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BusFault {
    /// So many transactions from now on are not acknowledged.
    Nack {
        /// Number of transactions.
        transactions: u32,
    },
    /// A board stops acknowledging; its outputs go on as they are.
    Dead {
        /// Its address.
        address: u8,
    },
    /// A dead board acknowledges again.
    Alive {
        /// Its address.
        address: u8,
    },
    /// The next transaction takes this long and then fails; the hang hook is called with the time.
    Hang {
        /// How long.
        time: Duration,
    },
    /// The next write ends with no acknowledge after so many bytes (register number included, address not).
    Tear {
        /// Bytes that are taken.
        bytes: usize,
        /// Whether the controller still sends STOP, which puts those bytes in force.
        stop: bool,
    },
    /// A board is reset: asleep, all channels off, prescaler and modes as after power-up.
    BrownOut {
        /// Its address.
        address: u8,
    },
    /// From now on transactions are not acknowledged with this probability.
    NackProbability(f64),
    /// From now on writes are torn at a random byte with this probability, with or without STOP.
    TearProbability(f64),
}

/// When a scheduled fault happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// Just before the attempt of this number, counted from 0.
    Transaction(u64),
    /// Just before the first attempt at or after this time, see [`SimulatedBus::advance_to`](super::SimulatedBus).
    Time(Duration),
}
