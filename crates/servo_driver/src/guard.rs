//! The guard: a process of its own that switches all channels off when the driver is gone. A PCA9685 goes on with its
//! last pulses for ever, so a driver that is killed leaves servos straining.

use crate::bus::{Bus, BusChoice, BusOpenError};
use crate::lease::{Lease, LeaseError};
use crate::setup::Setup;
use embedded_hal::i2c::I2c;
use hexapod_ros::{Shutdown, Stage};
use hexapod_servo::ServoConfig;
use hexapod_servo::pca9685::{Link, Shadow, Tally, all_call_off};
use hexapod_setup::Files;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How often the guard looks after the driver.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Attempts at switching off, one each [`LOOK_EVERY`], before the guard says that it cannot; it goes on trying.
const LOUD_AFTER: u32 = 25;
/// Attempts of a guard for one driver: boards that answer are off by then, and one that is not there stays so.
const GIVEN_UP_AFTER: u32 = 75;
const RETRIES: u8 = 2;

/// Why the guard cannot guard.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// There are no boards.
    #[error("the bus is simulated: there is nothing to guard; use --bus i2c")]
    Simulated,
    /// Whether there is a driver cannot be seen.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// The bus cannot be opened.
    #[error(transparent)]
    Bus(#[from] BusOpenError),
}

/// How long a guard is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// Until a signal, whatever drivers come and go.
    Always,
    /// Until the driver that started it has gone and everything is off.
    OneDriver,
}

/// Watches over the driver on the bus of `setup` until `shutdown`.
///
/// # Errors
/// The bus or the lease cannot be used.
pub fn guard(setup: &Setup, term: Term, shutdown: &Shutdown) -> Result<(), GuardError> {
    let BusChoice::I2c { device } = setup.bus else { return Err(GuardError::Simulated) };
    // Opened now, so that a missing bus is told at the start and not when it is needed.
    let mut bus = Bus::unleased(device)?;
    let mut watch = Watch::default();
    tracing::info!("watching over the driver of /dev/i2c-{device}");
    crate::systemd::ready();
    while !shutdown.wait(Stage::Stopping, LOOK_EVERY) {
        let free = Lease::is_free(device)?;
        if watch.sees(free) {
            let off = switch_off(&setup.servos, &mut bus);
            watch.tried(off);
            if term == Term::OneDriver && (off || watch.attempts >= GIVEN_UP_AFTER) {
                break;
            }
        }
        crate::systemd::alive();
    }
    Ok(())
}

/// Starts a guard for this process, in a process group of its own: Ctrl-C is not for it. Without one the driver works
/// all the same, and the log says so.
pub(crate) fn start(device: u8, files: &Files) {
    let started = std::env::current_exe().and_then(|executable| {
        Command::new(executable.with_file_name("hexapod"))
            .args(["guard", "--one-driver", "--bus", "i2c", "-p", &format!("servo_driver.i2c_device:={device}")])
            .arg("--config")
            .arg(&files.config)
            .arg("--urdf")
            .arg(&files.urdf)
            // systemd's messages are this process's own to send.
            .env_remove("NOTIFY_SOCKET")
            .stdin(Stdio::null())
            .process_group(0)
            .spawn()
    });
    match started {
        Ok(child) => tracing::info!("guarded by process {}", child.id()),
        Err(error) => tracing::warn!("no guard: {error}; if this process is killed, the servos keep their pulses"),
    }
}

/// What the guard has seen and done.
#[derive(Debug, Default)]
struct Watch {
    /// Everything was switched off since the last driver was seen.
    off: bool,
    attempts: u32,
}

impl Watch {
    /// Looks whether a driver is there; true if everything is to be switched off now.
    fn sees(&mut self, free: bool) -> bool {
        if !free {
            *self = Self::default();
        }
        free && !self.off
    }

    fn tried(&mut self, off: bool) {
        self.off = off;
        self.attempts = self.attempts.saturating_add(1);
        if off {
            tracing::warn!("no driver has the bus: all channels are off");
        } else if self.attempts == LOUD_AFTER {
            tracing::error!(
                "no driver has the bus and not every board acknowledges being switched off; cut the servos' power"
            );
        }
    }
}

/// One frame to all boards, then each by itself; true if each acknowledged.
fn switch_off<B: I2c>(servos: &ServoConfig, bus: &mut B) -> bool {
    let mut tally = Tally::default();
    let _ = all_call_off(&mut Link::new(bus, &mut tally, RETRIES));
    servos.boards().iter().fold(true, |off, board| {
        let mut link = Link::new(bus, &mut tally, RETRIES);
        Shadow::new(board.address()).all_off(&mut link).is_ok() && off
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_driver_goes_expect_one_switching_off_that_is_seen_to_work() {
        let mut watch = Watch::default();
        assert!(watch.sees(true), "no driver at the start");
        watch.tried(false);
        assert!(watch.sees(true), "a board did not answer");
        watch.tried(true);
        assert!(!watch.sees(true), "all are off");
        assert!(!watch.sees(false), "a driver has come");
        assert!(watch.sees(true), "it has gone");
    }
}
