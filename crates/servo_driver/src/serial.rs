//! A serial port with servos on it. The only file that names serial2.

use crate::bus_error::BusOpenError;
use crate::device::Device;
use crate::lease::Lease;
use hexapod_ros::monotonic_now;
use hexapod_servo::serial::{Port, PortError};
use serial2::SerialPort as Tty;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileTypeExt;
use std::time::Duration;

const MISSING: &str = "check the adapter's plug and the parameter `port` against `ls /dev/serial/by-id`; without servos use \
                       bus:=simulated";
const FORBIDDEN: &str = "let this user in: `sudo usermod -aG dialout $USER`, then log in again";
const OTHER: &str = "check that the adapter knows this baud_rate and that no other program holds the port";
/// A frame of 259 bytes takes 23 ms at 115200 baud. A port that takes none for longer hangs.
const WRITE_TIMEOUT: Duration = Duration::from_millis(50);
/// It looks up so often while it waits, for stops. serial2 counts in milliseconds.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// A port whose device has gone is opened anew so often, should the adapter be back.
const REOPEN_EVERY: Duration = Duration::from_millis(250);

/// An open port. When its device goes away, as with a cable that is pulled, it is let go of at once, so that the system may
/// give its name to the adapter that comes back, and opened anew as soon as that is there.
#[derive(Debug)]
pub struct SerialPort {
    device: Device,
    baud: u32,
    tty: Option<Tty>,
    reopen_at: Duration,
    /// Names by which the adapter came back, and their leases; whoever opened it has that of the first.
    names: Vec<(Device, Option<Lease>)>,
}

impl SerialPort {
    /// Opens it. Nothing goes over it yet.
    pub fn open(device: &Device, baud: u32) -> Result<Self, BusOpenError> {
        let refused = |error: io::Error| {
            let remedy = match error.kind() {
                ErrorKind::NotFound => MISSING,
                ErrorKind::PermissionDenied => FORBIDDEN,
                _ => OTHER,
            };
            BusOpenError { device: device.clone(), reason: error.to_string(), remedy }
        };
        // Before it is opened: a named pipe would keep this process waiting.
        if !std::fs::metadata(device.path()).map_err(refused)?.file_type().is_char_device() {
            let reason = "it is not a serial port".into();
            return Err(BusOpenError { device: device.clone(), reason, remedy: MISSING });
        }
        let tty = Some(open(device, baud).map_err(refused)?);
        Ok(Self { device: device.clone(), baud, tty, reopen_at: Duration::ZERO, names: vec![(device.clone(), None)] })
    }

    /// Whether nobody else has the adapter that is there now.
    fn has_lease(&mut self) -> bool {
        let device = self.device.anew();
        if !self.names.iter().any(|(name, _)| *name == device) {
            let Some(lease) = Lease::take_free(&device) else { return false };
            self.names.push((device, Some(lease)));
        }
        true
    }

    /// Uses the device, if it is there.
    fn on_tty<T>(&mut self, what: impl FnOnce(&Tty) -> io::Result<T>) -> Result<T, PortError> {
        if self.tty.is_none() {
            let now = monotonic_now();
            if now < self.reopen_at {
                return Err(PortError::Gone);
            }
            self.reopen_at = now + REOPEN_EVERY;
            let tty = open(&self.device, self.baud).ok();
            self.tty = tty.filter(|_| self.has_lease());
        }
        let tty = self.tty.as_ref().ok_or(PortError::Gone)?;
        what(tty).map_err(|error| {
            // One that takes nothing for a while is there.
            if error.kind() == ErrorKind::TimedOut {
                return PortError::Failed(error.raw_os_error());
            }
            self.tty = None;
            PortError::Gone
        })
    }
}

fn open(device: &Device, baud: u32) -> io::Result<Tty> {
    let mut tty = Tty::open(device.path(), baud)?;
    tty.set_write_timeout(WRITE_TIMEOUT)?;
    tty.set_read_timeout(LOOK_EVERY)?;
    Ok(tty)
}

impl Port for SerialPort {
    fn now(&self) -> Duration {
        monotonic_now()
    }

    fn write(&mut self, frame: &[u8]) -> Result<(), PortError> {
        self.on_tty(|tty| tty.write_all(frame))
    }

    fn read(&mut self, into: &mut [u8], _until: Duration) -> Result<usize, PortError> {
        self.on_tty(|tty| match tty.read(into) {
            // The other end has gone.
            Ok(0) => Err(ErrorKind::BrokenPipe.into()),
            Err(error)
                if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
            {
                Ok(0)
            }
            read => read,
        })
    }

    fn pause(&mut self, until: Duration) {
        std::thread::sleep(until.saturating_sub(monotonic_now()));
    }

    fn discard(&mut self) -> Result<(), PortError> {
        self.on_tty(Tty::discard_input_buffer)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    #[test]
    fn when_the_port_is_a_folder_a_file_or_not_there_expect_it_said() {
        for path in ["/tmp", "/proc/self/cmdline"] {
            let error = SerialPort::open(&Device::at(path), 1_000_000).map(drop).unwrap_err().to_string();
            assert!(error.contains(&format!("{path} cannot be opened (it is not a serial port)")), "{error}");
        }
        let error = SerialPort::open(&Device::at("/dev/none"), 1_000_000).map(drop).unwrap_err().to_string();
        assert!(!error.contains("not a serial port") && error.contains("by-id"), "{error}");
    }
}
