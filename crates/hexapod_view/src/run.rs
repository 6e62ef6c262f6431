use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::{Action, Footfalls, Snapshot, Teleop, TerminalGuard, draw};

/// Time from one picture to the next: 15 a second.
const FRAME: Duration = Duration::from_micros(66_667);

/// Shows snapshots and passes on what keys ask for, until a key quits or `stop` says so.
///
/// `source` is called once a frame, `sink` as soon as a key asks for something. Whatever ends the loop, a robot that
/// was driven by keys gets a zero twist last; `Action::Quit` reaches `sink` too. The terminal is given back on return.
///
/// # Errors
/// When there is no terminal, or when it goes away.
pub fn run_loop(
    source: impl FnMut() -> Snapshot,
    mut sink: impl FnMut(Action),
    stop: impl Fn() -> bool,
) -> io::Result<()> {
    let mut guard = TerminalGuard::enter()?;
    let mut session = Session { teleop: Teleop::default(), footfalls: Footfalls::default(), start: Instant::now() };
    let result = session.run(&mut guard, source, &mut sink, stop);
    session.teleop.release_all();
    session.drive(&mut sink);
    result
}

struct Session {
    teleop: Teleop,
    footfalls: Footfalls,
    start: Instant,
}

impl Session {
    fn run(
        &mut self,
        guard: &mut TerminalGuard,
        mut source: impl FnMut() -> Snapshot,
        sink: &mut impl FnMut(Action),
        stop: impl Fn() -> bool,
    ) -> io::Result<()> {
        while !stop() {
            if !guard.is_held() {
                return Err(io::Error::other("a panic took the terminal back"));
            }
            let next_frame = Instant::now() + FRAME;
            self.show(guard, source())?;
            self.drive(sink);
            while wait_for_key(next_frame)? {
                if self.take_events(sink)? {
                    return Ok(());
                }
                self.drive(sink);
            }
        }
        Ok(())
    }

    fn show(&mut self, guard: &mut TerminalGuard, mut snapshot: Snapshot) -> io::Result<()> {
        self.teleop.observe(&snapshot);
        if snapshot.footfalls.is_empty() && !snapshot.legs.is_empty() {
            self.footfalls.record(self.start.elapsed(), snapshot.legs.iter().map(|leg| leg.down));
            std::mem::swap(&mut snapshot.footfalls, &mut self.footfalls);
            let result = guard.draw(|frame| draw(frame, &snapshot, &self.teleop));
            self.footfalls = snapshot.footfalls;
            return result;
        }
        guard.draw(|frame| draw(frame, &snapshot, &self.teleop))
    }

    fn drive(&mut self, sink: &mut impl FnMut(Action)) {
        if let Some(action) = self.teleop.tick(self.start.elapsed()) {
            sink(action);
        }
    }

    /// Takes all waiting events; true when one of them quits. A resize needs nothing: each picture asks for the size.
    fn take_events(&mut self, sink: &mut impl FnMut(Action)) -> io::Result<bool> {
        while event::poll(Duration::ZERO)? {
            match event::read()? {
                Event::Key(key) => {
                    let Some(action) = self.teleop.key(&key, self.start.elapsed()) else { continue };
                    let quits = action == Action::Quit;
                    sink(action);
                    if quits {
                        return Ok(true);
                    }
                }
                Event::FocusLost => self.teleop.release_all(),
                _ => {}
            }
        }
        Ok(false)
    }
}

/// Waits for input until `deadline`, and looks once when it has passed; true when there is some.
///
/// The waiting is done here because crossterm reads a terminal that hangs up (a closed window, a broken connection)
/// over and over and never returns.
fn wait_for_key(deadline: Instant) -> io::Result<bool> {
    let stdin = io::stdin();
    let mut inputs = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
    let left = deadline.saturating_duration_since(Instant::now());
    let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
    match poll(&mut inputs, timeout) {
        Ok(_) => {}
        Err(Errno::EINTR) => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    let events = inputs.iter().filter_map(PollFd::revents).fold(PollFlags::empty(), PollFlags::union);
    if events.intersects(PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL) {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal has gone away"));
    }
    Ok(events.contains(PollFlags::POLLIN))
}
