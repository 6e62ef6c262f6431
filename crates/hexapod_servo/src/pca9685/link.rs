//! The bus with retries and counts.

use embedded_hal::i2c::{Error, ErrorKind, I2c, NoAcknowledgeSource};
use thiserror::Error;

use crate::backend::Tally;

/// A transaction that failed, retries included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("I2C address {address:#04x}: {}", describe(*kind))]
pub struct BusError {
    /// Seven-bit address spoken to.
    pub address: u8,
    /// What the last attempt met.
    pub kind: ErrorKind,
}

fn describe(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NoAcknowledge(NoAcknowledgeSource::Data) => "a data byte was not acknowledged",
        ErrorKind::NoAcknowledge(_) => "no acknowledge",
        ErrorKind::ArbitrationLoss => "arbitration lost",
        ErrorKind::Bus => "bus error",
        _ => "transaction failed (timeout or driver error)",
    }
}

/// A bus with a budget of retries and a tally.
#[derive(Debug)]
pub struct Link<'a, B> {
    bus: &'a mut B,
    tally: &'a mut Tally,
    retries: u8,
}

impl<'a, B: I2c> Link<'a, B> {
    /// A link that may retry `retries` times in all.
    pub fn new(bus: &'a mut B, tally: &'a mut Tally, retries: u8) -> Self {
        Self { bus, tally, retries }
    }

    /// Writes `bytes` (register number first) in one transaction.
    pub fn write(&mut self, address: u8, bytes: &[u8]) -> Result<(), BusError> {
        self.attempt(address, 1 + bytes.len() as u64, |bus| bus.write(address, bytes))
    }

    /// Reads one register: its number written, repeated START, one byte read; four bytes on the wire.
    pub fn read(&mut self, address: u8, register: u8) -> Result<u8, BusError> {
        let mut value = [0];
        self.read_into(address, register, &mut value)?;
        Ok(value[0])
    }

    /// Reads registers from `first` on, with auto-increment: three bytes on the wire, and one for each register.
    pub fn read_into(&mut self, address: u8, first: u8, into: &mut [u8]) -> Result<(), BusError> {
        self.attempt(address, 3 + into.len() as u64, |bus| bus.write_read(address, &[first], into))
    }

    fn attempt(
        &mut self,
        address: u8,
        bytes: u64,
        mut transact: impl FnMut(&mut B) -> Result<(), B::Error>,
    ) -> Result<(), BusError> {
        loop {
            let Err(error) = transact(self.bus) else {
                self.tally.bytes += bytes;
                self.tally.transactions += 1;
                return Ok(());
            };
            let kind = error.kind();
            match kind {
                ErrorKind::NoAcknowledge(_) => self.tally.nacks += 1,
                _ => self.tally.bus_errors += 1,
            }
            if self.retries == 0 {
                return Err(BusError { address, kind });
            }
            self.retries -= 1;
            self.tally.retries += 1;
        }
    }
}
