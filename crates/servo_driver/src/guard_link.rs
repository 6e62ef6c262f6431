//! The connection between a driver and its guards, by which each knows the other to be alive. Single bytes go over a Unix
//! socket whose name is held as the lease is (`lease.rs`); neither side ever waits for the other. GPIO lines go over it, too:
//! the open file itself (unix(7), SCM_RIGHTS), with a byte that says which one it is.

use crate::device::Device;
use crate::lease::{address, bind, is_trusted, peer};
use crate::liveness::Liveness;
use crate::pins::Lines;
use crate::process_state::process_state;
use crate::stop::{By, StopLine};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use std::fs::File;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::time::Duration;

/// The one who sends it does its work.
const ALIVE: u8 = b'.';
/// A guard has switched everything off, because it heard nothing from the driver.
const CUT_SILENT: u8 = b'S';
/// A guard has, because the stop button is pressed and the driver does nothing about it.
const CUT_BUTTON: u8 = b'B';
/// The driver knows that everything is off, and keeps it so.
const KNOWN: u8 = b'K';
/// The line of OE comes with it.
const OUTPUT_ENABLE: u8 = b'O';
/// The line of the stop button does.
const STOP_BUTTON: u8 = b'P';
/// The driver ends in order, and wants its lines let go of.
const ENDS: u8 = b'E';

/// Bytes read at a look: more than a socket keeps, each with its overhead, for a process that stands still.
const MOST_BYTES: usize = 1024;

/// Why a guard has switched everything off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The driver was silent.
    Silent,
    /// The stop button was pressed.
    Button,
}

/// The driver's end.
#[derive(Debug)]
pub(crate) struct ToGuards {
    device: Device,
    name: UnixListener,
    guards: Vec<OneGuard>,
}

#[derive(Debug)]
struct OneGuard {
    stream: UnixStream,
    /// The stop that its cut became, as long as it has not been notified.
    unreported: Option<u64>,
    /// Lines that it has not been given yet: until then it does not count as one.
    owed: Vec<(u8, Arc<File>)>,
}

impl ToGuards {
    /// Lets guards of `device` connect, which from then on want to hear of this process.
    pub fn open(device: Device) -> io::Result<Self> {
        let name = bind(&address(&device, ".life")?)?.ok_or(ErrorKind::AddrInUse)?;
        name.set_nonblocking(true)?;
        Ok(Self { device, name, guards: vec![] })
    }

    /// Takes in what guards say, and says that this process is alive if it `is_well`.
    pub fn attend(&mut self, is_well: bool, (line, liveness): (&StopLine, &Liveness), now: Duration) {
        if let Ok((stream, _)) = self.name.accept()
            && is_trusted(&stream, &self.device)
            && stream.set_nonblocking(true).is_ok()
        {
            let Lines { output_enable, stop } = line.pins().lines();
            let owed = [(OUTPUT_ENABLE, output_enable), (STOP_BUTTON, stop)];
            let owed = owed.into_iter().filter_map(|(byte, file)| Some((byte, file?))).collect();
            let mut guard = OneGuard { stream, unreported: None, owed };
            if let Err(error) = guard.takes() {
                tracing::error!("the guard could not be given the pins ({error}): no arming before it has them");
            }
            self.guards.push(guard);
        }
        self.guards.retain_mut(|guard| guard.hears(line, liveness, now));
        for guard in &mut self.guards {
            if guard.unreported.is_some_and(|number| line.is_done(number)) && guard.says(KNOWN) {
                guard.unreported = None;
            }
            if is_well {
                guard.says(ALIVE);
            }
        }
    }
}

impl Drop for ToGuards {
    fn drop(&mut self) {
        // A guard of a process that is in disorder keeps what it can do something with.
        if !std::thread::panicking() {
            for guard in &self.guards {
                guard.says(ENDS);
            }
        }
    }
}

impl OneGuard {
    /// Gives it what it is owed.
    fn takes(&mut self) -> Result<(), Errno> {
        while let Some((byte, file)) = self.owed.last() {
            send(&self.stream, *byte, file)?;
            self.owed.pop();
        }
        Ok(())
    }

    /// False if it has gone.
    fn hears(&mut self, line: &StopLine, liveness: &Liveness, now: Duration) -> bool {
        let mut bytes = [0; MOST_BYTES];
        let Some(read) = read(&self.stream, &mut bytes) else { return false };
        if read.contains(&ALIVE) && self.takes().is_ok() {
            liveness.hear_guard(now);
        }
        let by = [(CUT_SILENT, By::Guard), (CUT_BUTTON, By::Button)].into_iter().find(|(byte, _)| read.contains(byte));
        if let Some((_, by)) = by {
            self.unreported = Some(line.emergency_stop(by, now));
        }
        true
    }

    fn says(&self, byte: u8) -> bool {
        (&self.stream).write(&[byte]).is_ok()
    }
}

/// The guard's end.
#[derive(Debug)]
pub(crate) struct ToDriver {
    device: Device,
    stream: Option<UnixStream>,
    /// The process at the other end, now or last.
    process: Option<i32>,
    handed: Handed,
}

/// Lines that a driver has handed over since they were last taken, and whether it wants them back.
#[derive(Debug, Default)]
pub(crate) struct Handed {
    pub output_enable: Option<OwnedFd>,
    pub stop: Option<OwnedFd>,
    pub is_over: bool,
}

/// What a guard has heard since it last listened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    /// A driver lets itself be watched.
    pub is_linked: bool,
    /// It does its work.
    pub is_alive: bool,
    /// It knows that everything is off.
    pub knows: bool,
}

impl ToDriver {
    /// Towards the driver of `device`.
    pub fn new(device: Device) -> Self {
        Self { device, stream: None, process: None, handed: Handed::default() }
    }

    /// What the driver has said.
    pub fn listen(&mut self) -> Heard {
        if self.stream.is_none() {
            self.stream = self.connect().ok().flatten();
        }
        let mut bytes = [0; MOST_BYTES];
        let Some(stream) = &self.stream else { return Heard::default() };
        let Some((read, file)) = receive(stream, &mut bytes) else {
            self.stream = None;
            return Heard::default();
        };
        match (read.last(), file) {
            (Some(&OUTPUT_ENABLE), Some(file)) => self.handed.output_enable = Some(file),
            (Some(&STOP_BUTTON), Some(file)) => self.handed.stop = Some(file),
            // This process had no room for the file: it is given one anew with the link.
            (Some(&(OUTPUT_ENABLE | STOP_BUTTON)), None) => {
                self.stream = None;
                return Heard::default();
            }
            _ => {}
        }
        if read.contains(&ENDS) {
            (self.handed.is_over, self.stream) = (true, None);
            return Heard::default();
        }
        Heard { is_linked: true, is_alive: read.contains(&ALIVE), knows: read.contains(&KNOWN) }
    }

    fn connect(&mut self) -> io::Result<Option<UnixStream>> {
        let stream = UnixStream::connect_addr(&address(&self.device, ".life")?)?;
        stream.set_nonblocking(true)?;
        let is_trusted = is_trusted(&stream, &self.device);
        if is_trusted {
            self.process = peer(&stream);
        }
        Ok(is_trusted.then_some(stream))
    }

    /// What has been handed over since this was last asked.
    pub fn take_handed(&mut self) -> Handed {
        std::mem::take(&mut self.handed)
    }

    /// Whether the process that was linked is gone, with all that it had open.
    pub fn is_gone(&self) -> bool {
        let Some(process) = self.process.filter(|_| self.stream.is_none()) else { return false };
        match process_state(process) {
            Ok(state) => matches!(state, Some('Z' | 'X')),
            Err(error) => error.kind() == ErrorKind::NotFound,
        }
    }

    /// Says that the guard is there.
    pub fn say_alive(&self) {
        self.say(ALIVE);
    }

    /// Says that everything has been switched off, and why.
    pub fn say_cut(&self, cut: Cut) {
        self.say(if cut == Cut::Button { CUT_BUTTON } else { CUT_SILENT });
    }

    fn say(&self, byte: u8) {
        if let Some(mut stream) = self.stream.as_ref() {
            // Where it does not get through nobody reads it: the driver stands still, and finds that out by itself.
            let _ = stream.write(&[byte]);
        }
    }
}

/// What has come in; nothing if the other end has gone.
fn read<'a>(mut stream: &UnixStream, into: &'a mut [u8]) -> Option<&'a [u8]> {
    match stream.read(into) {
        Ok(0) => None,
        Ok(count) => into.get(..count),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Some(&[]),
        Err(_) => None,
    }
}

/// Sends `byte` with a file, or neither.
fn send(stream: &UnixStream, byte: u8, file: &File) -> Result<(), Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let files = [file.as_fd()];
    if !control.push(SendAncillaryMessage::ScmRights(&files)) {
        return Err(Errno::NOBUFS);
    }
    sendmsg(stream, &[IoSlice::new(&[byte])], &mut control, SendFlags::NOSIGNAL).map(drop)
}

/// What has come in, and a file that came with the last byte of it; nothing if the other end has gone. The kernel ends a
/// read after the byte that a file came with.
fn receive<'a>(stream: &UnixStream, into: &'a mut [u8]) -> Option<(&'a [u8], Option<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(stream, &mut [IoSliceMut::new(into)], &mut control, RecvFlags::CMSG_CLOEXEC);
    let count = match received {
        Ok(received) if received.bytes == 0 => return None,
        Ok(received) => received.bytes,
        Err(Errno::AGAIN | Errno::INTR) => 0,
        Err(_) => return None,
    };
    let files = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files),
        _ => None,
    });
    let file = files.flatten().last();
    into.get(..count).map(|bytes| (bytes, file))
}

#[cfg(test)]
mod tests;
