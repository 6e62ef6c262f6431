use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::decode::{Decoder, Input};

/// How long the rest of a sequence may take; after it an escape byte is the Escape key.
const ESCAPE_TIMEOUT: Duration = Duration::from_millis(50);

/// The keyboard of the terminal at standard input, which is read without std's buffer.
#[derive(Debug, Default)]
pub(crate) struct Keyboard {
    decoder: Decoder,
    last_byte: Option<Instant>,
}

impl Keyboard {
    /// Waits for input until `deadline`, and looks once when that has passed; `None` when there is none.
    ///
    /// # Errors
    /// When the terminal has gone away.
    pub(crate) fn wait(&mut self, deadline: Instant) -> io::Result<Option<Vec<Input>>> {
        let give_up = self.last_byte.filter(|_| self.decoder.is_waiting()).map(|time| time + ESCAPE_TIMEOUT);
        if is_readable(give_up.map_or(deadline, |time| time.min(deadline)))? {
            self.last_byte = Some(Instant::now());
            return read().map(|bytes| Some(self.decoder.feed(&bytes)));
        }
        let gives_up = give_up.is_some_and(|time| time <= Instant::now());
        Ok(gives_up.then(|| self.decoder.give_up()))
    }
}

fn is_readable(deadline: Instant) -> io::Result<bool> {
    let stdin = io::stdin();
    let mut inputs = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
    // Rounded up, or the last part of a millisecond would be spent in a spin.
    let left = deadline.saturating_duration_since(Instant::now()) + Duration::from_micros(999);
    let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
    match poll(&mut inputs, timeout) {
        Ok(_) | Err(Errno::EINTR) => {}
        Err(error) => return Err(error.into()),
    }
    let events = inputs.iter().filter_map(PollFd::revents).fold(PollFlags::empty(), PollFlags::union);
    if events.intersects(PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL) {
        return Err(gone());
    }
    Ok(events.contains(PollFlags::POLLIN))
}

fn read() -> io::Result<Vec<u8>> {
    let mut buffer = [0; 1024];
    match nix::unistd::read(io::stdin(), &mut buffer) {
        Ok(0) | Err(Errno::EIO) => Err(gone()),
        Ok(count) => Ok(buffer.into_iter().take(count).collect()),
        Err(Errno::EINTR | Errno::EAGAIN) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

fn gone() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal has gone away")
}
