//! One board in service: what it puts out, what is read back, and when it counts as lost.

use std::time::Duration;

use embedded_hal::i2c::I2c;

use super::fault::Fault;
use crate::backend::Service;
use crate::calibration::Board;
use crate::pca9685::registers::{CHANNELS, MODE1, MODE1_RUNNING, PRE_SCALE};
use crate::pca9685::{self, BusError, Link, Shadow};

/// A board whose traffic fails for longer than this is lost. With [`IDLE`] and a tick of 20 ms that is within 100 ms
/// of the board's last good answer.
pub(super) const LOST_AFTER: Duration = Duration::from_millis(60);
/// A live board with pulses that was not spoken to for this long is asked for a register, so that silence is noticed.
pub(super) const IDLE: Duration = Duration::from_millis(20);
/// MODE1 and PRE_SCALE are each read at least this often.
pub(super) const READ_BACK: Duration = Duration::from_millis(250);
/// The LED registers of one channel after the other are read this often, all of a board's within a second.
const VERIFY: Duration = Duration::from_millis(40);
/// A board that did not acknowledge being switched off gets the command again after this time.
const OFF_RETRY: Duration = Duration::from_millis(20);
/// And one that did after this: nobody else may switch it on unseen.
const OFF_AGAIN: Duration = Duration::from_millis(400);

#[derive(Debug)]
pub(super) struct BoardUnit {
    pub shadow: Shadow,
    /// What was found wrong and not told yet.
    pub lost: Option<Fault>,
    prescale: u8,
    /// To be switched off, and kept so.
    off: bool,
    failing_since: Option<Duration>,
    last_spoken: Duration,
    next_off: Duration,
    next_read: Duration,
    read_prescale: bool,
    next_verified: Duration,
    /// The channel whose registers are read next.
    verified: u8,
}

impl BoardUnit {
    pub fn new(board: &Board) -> Self {
        Self {
            shadow: Shadow::new(board.address()),
            lost: None,
            prescale: board.clock().prescale(),
            off: true,
            failing_since: None,
            last_spoken: Duration::ZERO,
            next_off: Duration::ZERO,
            next_read: Duration::ZERO,
            read_prescale: false,
            next_verified: Duration::ZERO,
            verified: 0,
        }
    }

    pub fn address(&self) -> u8 {
        self.shadow.address()
    }

    /// What its servos do.
    pub fn service(&self) -> Service {
        match (self.off, self.failing_since) {
            (true, _) => Service::Off,
            (false, Some(_)) => Service::Failing,
            (false, None) if self.shadow.is_off() => Service::Ready,
            (false, None) => Service::Holding,
        }
    }

    /// One tick: what is due, or off once more. False if it could not be reached.
    pub fn exchange<B: I2c>(&mut self, now: Duration, link: &mut Link<'_, B>) -> bool {
        if self.off {
            return self.keep_off(now, link).is_ok();
        }
        self.lost = self.serve(now, link).err();
        self.failing_since.is_none()
    }

    /// Tells it to be off: at once, again soon after a failure, and now and then when it is known to be.
    fn keep_off<B: I2c>(&mut self, now: Duration, link: &mut Link<'_, B>) -> Result<(), BusError> {
        if now < self.next_off {
            return Ok(());
        }
        let result = self.shadow.all_off(link);
        self.next_off = now + if result.is_ok() { OFF_AGAIN } else { OFF_RETRY };
        result
    }

    /// Forgets what was written to the board, so that it is commanded off at the next chance.
    pub fn drop_pulses(&mut self) {
        if self.off {
            return;
        }
        self.off = true;
        self.next_off = Duration::ZERO;
        self.failing_since = None;
        if !self.shadow.is_off() {
            self.shadow.forget();
        }
    }

    /// After a refused arming: a board that was prepared but has no pulse yet gets none.
    pub fn stay_off(&mut self) {
        self.off |= self.shadow.is_off();
    }

    /// One tick of a live board: what is due, then the register whose turn it is.
    fn serve<B: I2c>(&mut self, now: Duration, link: &mut Link<'_, B>) -> Result<(), Fault> {
        let due = self.shadow.is_due();
        let mut result = self.shadow.flush(link);
        if due && result.is_ok() {
            self.last_spoken = now;
        }
        let idle = !self.shadow.is_off() && now.saturating_sub(self.last_spoken) >= IDLE;
        let mut reset = None;
        if result.is_ok() && (now >= self.next_read || idle || self.failing_since.is_some()) {
            (result, reset) = match self.read_back(now, link) {
                Ok(reset) => (Ok(()), reset),
                Err(error) => (Err(error), None),
            };
        } else if result.is_ok() && now >= self.next_verified {
            (result, reset) = match self.verify_output(now, link) {
                Ok(changed) => (Ok(()), changed),
                Err(error) => (Err(error), None),
            };
        }
        self.judge(now, result)?;
        reset.map_or(Ok(()), Err)
    }

    fn judge(&mut self, now: Duration, result: Result<(), BusError>) -> Result<(), Fault> {
        let Err(error) = result else {
            self.failing_since = None;
            return Ok(());
        };
        let since = *self.failing_since.get_or_insert(now);
        if now.saturating_sub(since) >= LOST_AFTER { Err(Fault::BoardLost(error)) } else { Ok(()) }
    }

    /// Reads MODE1 and PRE_SCALE in turn.
    fn read_back<B: I2c>(&mut self, now: Duration, link: &mut Link<'_, B>) -> Result<Option<Fault>, BusError> {
        let (register, expected) = if self.read_prescale { (PRE_SCALE, self.prescale) } else { (MODE1, MODE1_RUNNING) };
        let address = self.address();
        let found = pca9685::verify(address, register, expected, link)?;
        self.last_spoken = now;
        self.next_read = now + READ_BACK / 2;
        self.read_prescale = !self.read_prescale;
        Ok(found.map(|read| Fault::BoardReset { address, register, read, expected }))
    }

    /// Reads what the next channel really puts out; twice, if it is not what was written.
    fn verify_output<B: I2c>(&mut self, now: Duration, link: &mut Link<'_, B>) -> Result<Option<Fault>, BusError> {
        let (address, channel) = (self.address(), self.verified);
        self.next_verified = now + VERIFY;
        self.verified = (channel + 1) % CHANNELS as u8;
        let Some(expected) = self.shadow.registers(channel) else { return Ok(None) };
        let mut read = || pca9685::read_channel(address, channel, link);
        let found = read()?;
        self.last_spoken = now;
        if found == expected || read()? == expected {
            return Ok(None);
        }
        // A board that was reset has lost its channels, too.
        self.read_prescale = false;
        let reset = self.read_back(now, link)?;
        Ok(reset.or(Some(Fault::OutputChanged { address, channel, read: found, expected })))
    }

    /// Brings the board into service for arming. One that is in service and has pulses keeps them. `stagger` puts off
    /// its first read-back. Returns a register that reads otherwise than written.
    pub fn prepare<B: I2c>(
        &mut self,
        now: Duration,
        stagger: Duration,
        link: &mut Link<'_, B>,
    ) -> Result<Option<u8>, BusError> {
        let address = self.address();
        if self.off || !self.in_service(link)? {
            self.off = true;
            pca9685::start(&mut self.shadow, self.prescale, link)?;
        }
        if let Some(read) = pca9685::verify(address, PRE_SCALE, self.prescale, link)? {
            return Ok(Some(read));
        }
        pca9685::wake(address, link)?;
        self.off = false;
        self.failing_since = None;
        self.last_spoken = now;
        self.next_read = now + stagger;
        self.next_verified = now + stagger;
        Ok(None)
    }

    fn in_service<B: I2c>(&self, link: &mut Link<'_, B>) -> Result<bool, BusError> {
        Ok(pca9685::verify(self.address(), MODE1, MODE1_RUNNING, link)?.is_none()
            && pca9685::verify(self.address(), PRE_SCALE, self.prescale, link)?.is_none())
    }
}
