//! The connection between a driver and its guards, by which each knows the other to be alive. Single bytes go over a Unix
//! socket whose name is held as the lease is (`lease.rs`); neither side ever waits for the other.

use crate::device::Device;
use crate::lease::{address, bind, is_trusted, peer};
use crate::line_link::{receive, send};
use crate::liveness::Liveness;
use crate::pins::Lines;
use crate::stop::{By, StopLine};
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
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

/// More guards than these nobody has.
const MOST_GUARDS: usize = 8;
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
        if self.guards.len() < MOST_GUARDS
            && let Ok((stream, _)) = self.name.accept()
            && is_trusted(&stream, &self.device)
            && stream.set_nonblocking(true).is_ok()
        {
            let guard = OneGuard { stream, unreported: None };
            guard.takes(&line.pins().lines());
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
    fn takes(&self, lines: &Lines) {
        let of_each = [(OUTPUT_ENABLE, &lines.output_enable), (STOP_BUTTON, &lines.stop)];
        for (byte, file) in of_each.into_iter().filter_map(|(byte, line)| Some((byte, line.as_ref()?))) {
            if !send(&self.stream, byte, file) {
                tracing::error!(
                    "a guard could not be given the pins: it cannot set OE while this process stands still"
                );
            }
        }
    }

    /// False if it has gone.
    fn hears(&mut self, line: &StopLine, liveness: &Liveness, now: Duration) -> bool {
        let mut bytes = [0; MOST_BYTES];
        let Some(read) = read(&self.stream, &mut bytes) else { return false };
        if read.contains(&ALIVE) {
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
        match read.last() {
            Some(&OUTPUT_ENABLE) => self.handed.output_enable = file,
            Some(&STOP_BUTTON) => self.handed.stop = file,
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
        match fs::read_to_string(format!("/proc/{process}/stat")) {
            // The second field is the name, in parentheses, and may hold any character.
            Ok(stat) => stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X'])),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::OutputEnable;
    use crate::pins::{Inputs, Pins};
    use crate::stop::Outcome;
    use std::fs::File;
    use std::sync::Arc;

    /// A bus that no machine has.
    const BUS: u8 = 250;
    const NOW: Duration = Duration::from_secs(10);

    #[test]
    fn when_driver_and_guard_are_linked_expect_life_both_ways_and_a_cut_to_become_a_stop_that_is_known() {
        let (line, liveness) = (StopLine::default(), Liveness::default());
        liveness.begin(true, NOW);
        let mut guard = ToDriver::new(Device::i2c(BUS));
        assert_eq!(guard.listen(), Heard::default(), "there is no driver");
        let mut driver = ToGuards::open(Device::i2c(BUS)).unwrap();
        let linked = Heard { is_linked: true, ..Heard::default() };
        assert_eq!(guard.listen(), linked, "it has said nothing yet");
        driver.attend(true, (&line, &liveness), NOW);
        assert_eq!(guard.listen(), Heard { is_alive: true, ..linked });
        driver.attend(false, (&line, &liveness), NOW);
        assert!(guard.listen() == linked && liveness.misses_guard(NOW), "a thread does not come round");
        guard.say_alive();
        guard.say_cut(Cut::Silent);
        driver.attend(true, (&line, &liveness), NOW);
        assert!(!liveness.misses_guard(NOW) && line.by() == By::Guard);
        let (_, number) = line.take().unwrap();
        assert!(!guard.listen().knows, "the boards have not been switched off");
        line.done(number, Outcome { acknowledged: true, latched: true });
        driver.attend(true, (&line, &liveness), NOW);
        assert!(guard.listen().knows);
        drop(driver);
        assert_eq!(guard.listen(), Heard::default());
    }

    #[test]
    fn when_a_driver_comes_while_a_guard_waits_expect_it_linked_and_a_second_guard_beside_it() {
        const OTHER: u8 = 249;
        let (line, liveness) = (StopLine::default(), Liveness::default());
        let mut guards = [ToDriver::new(Device::i2c(OTHER)), ToDriver::new(Device::i2c(OTHER))];
        for _ in 0..3 {
            let mut driver = ToGuards::open(Device::i2c(OTHER)).unwrap();
            guards.iter_mut().for_each(|guard| assert!(guard.listen().is_linked));
            (0..2).for_each(|_| driver.attend(true, (&line, &liveness), NOW));
            guards.iter_mut().for_each(|guard| assert!(guard.listen().is_alive));
            drop(driver);
            guards.iter_mut().for_each(|guard| assert!(!guard.listen().is_linked));
        }
    }

    #[test]
    fn when_a_driver_hands_its_lines_over_expect_the_guard_to_have_the_same_until_it_ends_in_order() {
        const THIRD: u8 = 248;
        let line = StopLine::default();
        let liveness = Liveness::default();
        let mut guard = ToDriver::new(Device::i2c(THIRD));
        let mut driver = ToGuards::open(Device::i2c(THIRD)).unwrap();
        let [one, other] = [(); 2].map(|()| UnixStream::pair().unwrap());
        let file = |end: &UnixStream| Arc::new(File::from(OwnedFd::from(end.try_clone().unwrap())));
        line.pins().connect(Handing(Lines { output_enable: Some(file(&one.0)), stop: Some(file(&other.0)) }));
        guard.listen();
        driver.attend(true, (&line, &liveness), NOW);
        (0..3).for_each(|_| assert!(guard.listen().is_linked));
        let handed = guard.take_handed();
        for (held, mut far) in [(handed.output_enable, &one.1), (handed.stop, &other.1)] {
            File::from(held.unwrap()).write_all(b"!").unwrap();
            let mut byte = [0];
            far.read_exact(&mut byte).unwrap();
            assert_eq!(byte, *b"!");
        }
        assert!(!handed.is_over && !guard.is_gone());
        drop(driver);
        guard.listen();
        assert!(guard.take_handed().is_over, "it ended in order");
    }

    struct Handing(Lines);

    impl Pins for Handing {
        fn split(self) -> (Option<Box<dyn OutputEnable>>, Box<dyn Inputs>) {
            None::<Self>.split()
        }

        fn lines(&self) -> Lines {
            self.0.clone()
        }
    }
}
