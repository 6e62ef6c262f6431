use std::io;
use std::time::{Duration, Instant};

use crate::decode::Input;
use crate::keyboard::Keyboard;
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
    let mut view = View { teleop: Teleop::default(), footfalls: Footfalls::default(), start: Instant::now() };
    let result = view.run(&mut guard, source, &mut sink, stop);
    view.teleop.release_all();
    view.drive(&mut sink);
    result
}

struct View {
    teleop: Teleop,
    footfalls: Footfalls,
    start: Instant,
}

impl View {
    fn run(
        &mut self,
        guard: &mut TerminalGuard,
        mut source: impl FnMut() -> Snapshot,
        sink: &mut impl FnMut(Action),
        stop: impl Fn() -> bool,
    ) -> io::Result<()> {
        let mut keyboard = Keyboard::default();
        while !stop() {
            if !guard.is_held() {
                return Err(io::Error::other("a panic took the terminal back"));
            }
            let next_frame = Instant::now() + FRAME;
            self.show(guard, source())?;
            self.drive(sink);
            while let Some(inputs) = keyboard.wait(next_frame)? {
                if self.take(inputs, sink) {
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

    /// Takes what the terminal said; true when a key quits. A resize needs nothing: each picture asks for the size.
    fn take(&mut self, inputs: Vec<Input>, sink: &mut impl FnMut(Action)) -> bool {
        for input in inputs {
            match input {
                Input::Key(key) => {
                    let Some(action) = self.teleop.key(&key, self.start.elapsed()) else { continue };
                    let quits = action == Action::Quit;
                    sink(action);
                    if quits {
                        return true;
                    }
                }
                Input::FocusLost => self.teleop.release_all(),
                _ => {}
            }
        }
        false
    }
}
