//! Who has the bus: one driver at a time, and guards that see when there is none.
//!
//! A lease is a listening Unix socket with an abstract name (unix(7)). The kernel gives the name to one process at a time
//! and takes it back when that dies, however that comes. There is no file that anybody could remove, lock or hide, and no
//! folder that two users see differently. Whoever connects knows the other to be alive for as long as the connection holds,
//! and learns from the kernel which user that is.
//!
//! | name | held by |
//! |---|---|
//! | `hexapod-i2c-1` | the driver, as long as it has the bus |
//! | `hexapod-i2c-1.off` | a guard, while it switches off: a driver that starts waits |
//! | `hexapod-i2c-1.guard` | a guard, as long as it watches |
//! | `hexapod-i2c-1.life` | the driver, to tell guards that it does its work (`guard_link.rs`) |

use crate::device::Device;
use hexapod_config::fnv1a;
use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use nix::unistd::{Gid, Uid, User, geteuid, getgrouplist};
use std::ffi::CString;
use std::io::{self, ErrorKind, Read};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::time::{Duration, Instant};

/// Set to any text, robots of a machine get names of their own: tests are robots of a machine.
const SPACE: &str = "HEXAPOD_LOCK_DIR";
/// A driver that starts waits this long: a guard may be switching off after the one before.
const LEASE_TIMEOUT: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_millis(10);

/// The right to speak to the boards on a bus, held until it is dropped or its process is gone.
#[derive(Debug)]
pub struct Lease {
    _name: UnixListener,
}

/// The lease could not be had.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Another process has it.
    #[error("another servo_driver has the bus{holder}")]
    Taken {
        /// Which one, if that is known: ` (process 1234)`.
        holder: String,
    },
    /// A guard has not come to its end.
    #[error("the last servo_driver is gone, but a guard is still switching its servos off")]
    Guarded,
    /// There are no such sockets.
    #[error("cannot get the lease of the bus: {0}")]
    Socket(#[from] io::Error),
}

impl Lease {
    /// Takes the lease of `device` if nobody has it.
    pub(crate) fn take_free(device: &Device) -> Option<Self> {
        bind(&address(device, "").ok()?).ok()?.map(|name| Self { _name: name })
    }

    /// Takes the lease of `device`; waits a second for the one who has it.
    ///
    /// # Errors
    /// Another process has it, or there are no Unix sockets.
    pub fn take(device: &Device) -> Result<Self, LeaseError> {
        let name = patiently(&address(device, "")?)?;
        let lease = name.ok_or_else(|| LeaseError::Taken { holder: holder(device) })?;
        // From here on no guard begins to switch off; one that has begun comes to its end.
        let off = address(device, ".off")?;
        if patiently(&off)?.is_none() && Peer::new(device).is_there(&off)? {
            return Err(LeaseError::Guarded);
        }
        Ok(Self { _name: lease })
    }
}

/// Sees whether a driver is there.
#[derive(Debug)]
pub struct DriverWatch {
    device: Device,
    driver: Peer,
}

/// The time in which a guard may switch off: no driver starts in it.
#[derive(Debug)]
pub struct NoDriver {
    _name: Option<UnixListener>,
}

/// Who has the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A driver.
    Driver,
    /// Another guard, which switches off.
    Guard,
}

impl DriverWatch {
    /// Watches the driver of `device`.
    #[must_use]
    pub fn new(device: &Device) -> Self {
        Self { device: device.clone(), driver: Peer::new(device) }
    }

    /// Sees that there is no driver, and keeps it so until what is returned is dropped; or says who has the bus.
    ///
    /// # Errors
    /// There are no Unix sockets.
    pub fn keep_free(&mut self) -> io::Result<Result<NoDriver, Holder>> {
        let driver = address(&self.device, "")?;
        if self.driver.is_there(&driver)? {
            return Ok(Err(Holder::Driver));
        }
        let off = address(&self.device, ".off")?;
        let name = bind(&off)?;
        // Whoever else has the name is not to keep this one from its work, unless it is a guard, too.
        if name.is_none() && Peer::new(&self.device).is_there(&off)? {
            return Ok(Err(Holder::Guard));
        }
        // A driver may have come before the name was ours.
        Ok(if self.driver.is_there(&driver)? { Err(Holder::Driver) } else { Ok(NoDriver { _name: name }) })
    }
}

/// Says that a guard is there, until it is dropped.
#[derive(Debug, Default)]
pub struct OnGuard(Option<UnixListener>);

impl OnGuard {
    /// Takes the guard's name, unless another guard has it; to be tried again, for that one may go.
    pub fn stand(&mut self, device: &Device) {
        if self.0.is_none() {
            self.0 = address(device, ".guard").and_then(|name| bind(&name)).unwrap_or_default();
        }
    }
}

/// Sees whether a guard is there.
#[derive(Debug)]
pub struct GuardWatch {
    device: Device,
    guard: Peer,
}

impl GuardWatch {
    /// Watches the guard of `device`.
    #[must_use]
    pub fn new(device: &Device) -> Self {
        Self { device: device.clone(), guard: Peer::new(device) }
    }

    /// Why nobody would switch the servos off if this process died; `None` while a guard is there, and not `silent`.
    pub fn missing(&mut self, silent: bool) -> Option<String> {
        let there = address(&self.device, ".guard").and_then(|name| self.guard.is_there(&name));
        let remedy = "start `hexapod guard`, or set guard:=false to run without one";
        match there {
            Ok(true) if silent => Some(format!("it does not answer; it may be halted; {remedy}")),
            Ok(true) => None,
            Ok(false) => {
                Some(format!("there is none, and nothing would switch the servos off if this process died; {remedy}"))
            }
            Err(error) => Some(format!("cannot tell whether there is one ({error}); {remedy}")),
        }
    }

    /// Waits for a guard that has just been started.
    pub fn wait(&mut self, timeout: Duration) {
        let deadline = Instant::now() + timeout;
        while self.missing(false).is_some() && Instant::now() < deadline {
            std::thread::sleep(RETRY);
        }
    }
}

/// Somebody who holds a name, and whom we know to live by a connection.
#[derive(Debug)]
struct Peer {
    device: Device,
    connection: Option<UnixStream>,
}

impl Peer {
    fn new(device: &Device) -> Self {
        Self { device: device.clone(), connection: None }
    }

    fn is_there(&mut self, name: &SocketAddr) -> io::Result<bool> {
        if self.connection.as_ref().is_some_and(is_open) {
            return Ok(true);
        }
        self.connection = match UnixStream::connect_addr(name) {
            Ok(stream) if is_trusted(&stream, &self.device) => Some(stream),
            Ok(_) => None,
            // Whoever has bound the name and does not listen is nobody that we know.
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::WouldBlock) => None,
            Err(error) => return Err(error),
        };
        match &self.connection {
            Some(stream) => stream.set_nonblocking(true).map(|()| true),
            None => Ok(false),
        }
    }
}

/// Nothing is ever sent: what can be read is the end.
fn is_open(mut stream: &UnixStream) -> bool {
    matches!(stream.read(&mut [0]), Err(error) if error.kind() == ErrorKind::WouldBlock)
}

/// Another user's process that only says it were a driver or a guard is none: it must be root's, of this user, or of one
/// who may use the bus.
pub(crate) fn is_trusted(stream: &UnixStream, device: &Device) -> bool {
    getsockopt(stream, PeerCredentials).is_ok_and(|peer| {
        let uid = Uid::from_raw(peer.uid());
        uid.is_root() || uid == geteuid() || may_use(device, uid)
    })
}

/// The process at the other end, where it is one that this process can see.
pub(crate) fn peer(stream: &UnixStream) -> Option<i32> {
    getsockopt(stream, PeerCredentials).ok().map(|peer| peer.pid()).filter(|process| *process > 0)
}

/// Whether a user may read and write the device.
fn may_use(device: &Device, uid: Uid) -> bool {
    const READ_WRITE: u32 = 0o6;
    let Ok(file) = std::fs::metadata(device.path()) else { return false };
    let may = |shift: u32| file.mode() >> shift & READ_WRITE == READ_WRITE;
    let in_group = || {
        let user = User::from_uid(uid).ok().flatten()?;
        let name = CString::new(user.name).ok()?;
        getgrouplist(&name, user.gid).ok().map(|groups| groups.contains(&Gid::from_raw(file.gid())))
    };
    may(0) || (may(6) && uid.as_raw() == file.uid()) || (may(3) && in_group() == Some(true))
}

/// ` (process 1234)`, for whoever has the bus.
fn holder(device: &Device) -> String {
    let stream = address(device, "").and_then(|name| UnixStream::connect_addr(&name));
    let peer = stream.ok().and_then(|stream| getsockopt(&stream, PeerCredentials).ok());
    peer.map_or_else(String::new, |peer| format!(" (process {})", peer.pid()))
}

/// The name, once it is free; `None` if that takes too long.
fn patiently(name: &SocketAddr) -> io::Result<Option<UnixListener>> {
    let deadline = Instant::now() + LEASE_TIMEOUT;
    loop {
        match bind(name)? {
            None if Instant::now() < deadline => std::thread::sleep(RETRY),
            bound => return Ok(bound),
        }
    }
}

/// The name, if nobody has it.
pub(crate) fn bind(name: &SocketAddr) -> io::Result<Option<UnixListener>> {
    match UnixListener::bind_addr(name) {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if error.kind() == ErrorKind::AddrInUse => Ok(None),
        Err(error) => Err(error),
    }
}

pub(crate) fn address(device: &Device, role: &str) -> io::Result<SocketAddr> {
    // Names have 107 bytes at most, paths may have more.
    let space =
        std::env::var_os(SPACE).map_or_else(String::new, |space| format!("@{:016x}", fnv1a(space.as_encoded_bytes())));
    SocketAddr::from_abstract_name(format!("hexapod-{}{space}{role}", device.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bus that no machine has, one for each test.
    fn bus(number: u8) -> Device {
        Device::i2c(number)
    }

    #[test]
    fn when_one_driver_has_the_bus_expect_another_refused_by_its_process_and_taken_when_it_has_gone() {
        let lease = Lease::take(&bus(251)).unwrap();
        let refused = Lease::take(&bus(251)).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        drop(lease);
        Lease::take(&bus(251)).unwrap();
    }

    #[test]
    fn when_a_driver_comes_and_goes_expect_the_guard_to_see_it_and_to_keep_others_out_while_it_works() {
        let mut watch = DriverWatch::new(&bus(252));
        let free = watch.keep_free().unwrap().unwrap();
        assert_eq!(DriverWatch::new(&bus(252)).keep_free().unwrap().err(), Some(Holder::Guard), "one at a time");
        assert!(matches!(Lease::take(&bus(252)), Err(LeaseError::Guarded)));
        drop(free);
        for _ in 0..3 {
            let lease = Lease::take(&bus(252)).unwrap();
            // More looks than a socket has room for connections.
            for _ in 0..300 {
                assert_eq!(watch.keep_free().unwrap().err(), Some(Holder::Driver));
            }
            drop(lease);
            assert!(watch.keep_free().unwrap().is_ok());
        }
    }

    #[test]
    fn when_a_guard_comes_and_goes_expect_the_driver_to_see_it() {
        let mut watch = GuardWatch::new(&bus(253));
        assert!(watch.missing(false).unwrap().contains("hexapod guard"));
        let mut guard = OnGuard::default();
        guard.stand(&bus(253));
        assert_eq!(watch.missing(false), None);
        let mut second = OnGuard::default();
        second.stand(&bus(253));
        drop(guard);
        assert!(watch.missing(false).is_some());
        second.stand(&bus(253));
        assert_eq!(watch.missing(false), None);
    }
}
