//! GPIO lines of the character device. They are found by their name, or by the label of their chip, and never by the number
//! of a chip, which changed between kernels. The only file that names gpiocdev.

use crate::pins::{Holder, PinError};
use gpiocdev::chip::chips;
use gpiocdev::line::{Bias, Direction, Info, Value};
use gpiocdev::{Chip, Request};
use gpiocdev_uapi::v2::{LineValues, get_line_values, set_line_values};
use hexapod_ros::monotonic_now;
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::time::Duration;

/// The chips of the 40-pin header: of a Raspberry Pi 5, of a Pi 4, and of those before it.
const CHIPS: [&str; 3] = ["pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"];
/// What `gpioinfo` calls the user of our lines, before the number of the process that requested them.
const USER: &str = "hexapod ";
/// The guard of the driver before this one gives its lines back in that time.
const GIVEN_BACK: Duration = Duration::from_secs(2);
const RETRY: Duration = Duration::from_millis(5);

const ABSENT: &str = "pins need a Raspberry Pi, or a board that names its lines as one does (`gpioinfo` lists them)";
const FORBIDDEN: &str = "let this user in: `sudo groupadd -f gpio && sudo usermod -aG gpio $USER`, then log in again";
const TAKEN: &str = "end the program or switch off the overlay that has it (`gpioinfo` says which), use another pin, or set \
    gpio:=registers, with which both use it";
const TAKEN_BY_US: &str = "that is another driver, or one that has gone but whose guard stands still: end it (`pgrep -af hexapod` \
    shows both)";
/// A kernel of before 5.10 knows none of these requests.
const TOO_OLD: &str = "this needs Linux 5.10 or newer (`uname -r`): update the system, or set gpio:=registers";
const OTHER: &str = "see what the kernel says with `dmesg`, or choose another way to the pins with the parameter gpio";

/// A line that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its BCM number.
    pub number: u8,
    chip: PathBuf,
    label: String,
    offset: u32,
    user: Option<User>,
}

/// Who has a line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct User {
    name: String,
    /// Whether it is an output.
    drives: bool,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, chip, label, offset, .. } = self;
        write!(formatter, "GPIO{number} (line {offset} of {}, {label})", chip.display())
    }
}

/// What there is to choose from.
#[derive(Debug)]
struct Candidate {
    chip: PathBuf,
    label: String,
    /// The name of each line, and its user.
    lines: Vec<(String, Option<User>)>,
}

/// Where the lines of these BCM numbers are. None of them is requested.
///
/// # Errors
/// The first that is not there, or cannot be looked at.
pub fn find(numbers: impl IntoIterator<Item = u8>) -> Result<Vec<Place>, PinError> {
    let (mut candidates, mut refused) = (Vec::new(), None);
    for chip in chips().map_err(|error| refusal("GPIO chips in /dev".into(), &error))? {
        match look(chip.clone()) {
            Ok(candidate) => candidates.push(candidate),
            Err(error) => refused = Some(refusal(chip.display().to_string(), &error)),
        }
    }
    numbers.into_iter().map(|number| choose(&candidates, number, refused.as_ref())).collect()
}

fn look(path: PathBuf) -> gpiocdev::Result<Candidate> {
    let chip = Chip::from_path(&path)?;
    let label = chip.info()?.label;
    let seen = |line: Info| (line.name.clone(), user(line));
    let lines = chip.line_info_iter()?.map(|line| line.map(seen)).collect::<gpiocdev::Result<_>>()?;
    Ok(Candidate { chip: path, label, lines })
}

fn user(line: Info) -> Option<User> {
    line.used.then_some(User { name: line.consumer, drives: line.direction == Direction::Output })
}

/// The line of a number. One that is not on a header's chip is not taken while there is a chip that `refused` to be looked at,
/// which may be the header's.
fn choose(candidates: &[Candidate], number: u8, refused: Option<&PinError>) -> Result<Place, PinError> {
    let unknown = |reason| PinError { what: format!("GPIO{number}"), reason, remedy: ABSENT.into(), holder: None };
    match (named(candidates, number), refused) {
        (Ok(place), Some(refused)) if !CHIPS.contains(&place.label.as_str()) => Err(refused.clone()),
        (Err(_), Some(refused)) => Err(refused.clone()),
        (found, _) => found.map_err(unknown),
    }
}

/// The line that is named for the number, first of all on a header's chip, where the number is else the line's own: device
/// trees of old call some lines by their first use, such as `SDA1`.
fn named(candidates: &[Candidate], number: u8) -> Result<Place, String> {
    let name = format!("GPIO{number}");
    let by_name = |of: &Candidate| of.lines.iter().position(|(line, _)| *line == name);
    let is_another = |line: &str| {
        line.strip_prefix("GPIO").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let by_number = |of: &Candidate| {
        let index = usize::from(number);
        of.lines.get(index).filter(|(line, _)| !is_another(line)).map(|_| index)
    };
    let headers = || candidates.iter().filter(|of| CHIPS.contains(&of.label.as_str()));
    let on = |find: &dyn Fn(&Candidate) -> Option<usize>| headers().find_map(|of| Some((of, find(of)?)));
    let mut elsewhere = candidates.iter().filter_map(|of| Some((of, by_name(of)?)));
    let (of, index) = match on(&by_name).or_else(|| on(&by_number)) {
        Some(found) => found,
        None => {
            let absent = if candidates.is_empty() {
                "there is no /dev/gpiochip* that could have a"
            } else {
                "no GPIO chip has a"
            };
            let found = elsewhere.next().ok_or_else(|| format!("{absent} line {name}"))?;
            if let Some((other, _)) = elsewhere.next() {
                let (one, other) = (found.0.chip.display(), other.chip.display());
                return Err(format!("{one} and {other} both have a line {name}"));
            }
            found
        }
    };
    let user = of.lines.get(index).and_then(|(_, user)| user.clone());
    let offset = u32::try_from(index).map_err(|_| format!("{name} is out of range"))?;
    Ok(Place { number, chip: of.chip.clone(), label: of.label.clone(), offset, user })
}

impl Place {
    /// That a stranger has the line, if one does. One who only reads it would share it, unless it is to be an `output`.
    pub fn stranger(&self, output: bool) -> Option<PinError> {
        let user = self.user.as_ref().filter(|user| !user.is_ours())?;
        Some(self.taken(user, output))
    }

    /// The line as an output that is high, if need be once a guard has given it back.
    pub fn output_high(&self) -> Result<Line, PinError> {
        self.request(GIVEN_BACK, true)
    }

    /// The same at once, or not at all.
    pub fn output_high_now(&self) -> Result<Line, PinError> {
        self.request(Duration::ZERO, true)
    }

    /// The line as an input that is pulled up: a contact that closes to ground reads low, and one that opens, or breaks, high.
    pub fn input(&self) -> Result<Line, PinError> {
        self.request(GIVEN_BACK, false)
    }

    fn request(&self, within: Duration, output: bool) -> Result<Line, PinError> {
        let deadline = monotonic_now() + within;
        loop {
            let mut builder = Request::builder();
            let line =
                builder.on_chip(&self.chip).with_consumer(format!("{USER}{}", process::id())).with_line(self.offset);
            let line = if output { line.as_output(Value::Active) } else { line.as_input().with_bias(Bias::PullUp) };
            let error = match line.request().and_then(|request| Ok(request.as_fd().try_clone_to_owned()?)) {
                Ok(file) => return Ok(Line::from(file)),
                Err(error) => error,
            };
            if reason_of(&error) != Some(ErrorKind::ResourceBusy) {
                return Err(refusal(self.to_string(), &error));
            }
            let user = self.user_now();
            if !user.is_ours() || monotonic_now() >= deadline {
                return Err(self.taken(&user, output));
            }
            std::thread::sleep(RETRY);
        }
    }

    fn taken(&self, user: &User, output: bool) -> PinError {
        let holder = match user.is_ours() {
            true => Holder::Hexapod,
            false if output || user.drives => Holder::Stranger,
            false => Holder::Reader,
        };
        let name = if user.name.is_empty() { "somebody who gives no name" } else { &user.name };
        let remedy = if holder == Holder::Hexapod { TAKEN_BY_US } else { TAKEN };
        let reason = format!("{name} has it");
        PinError { what: self.to_string(), reason, remedy: remedy.into(), holder: Some(holder) }
    }

    /// One that cannot be asked about may do anything.
    fn user_now(&self) -> User {
        let info = Chip::from_path(&self.chip).and_then(|chip| chip.line_info(self.offset));
        info.ok().and_then(user).unwrap_or(User { name: String::new(), drives: true })
    }
}

impl User {
    fn is_ours(&self) -> bool {
        self.name.starts_with(USER)
    }
}

/// A line that was requested, by this process or by one that has handed it over.
#[derive(Clone, Debug)]
pub struct Line(Arc<File>);

impl From<OwnedFd> for Line {
    fn from(file: OwnedFd) -> Self {
        Self(Arc::new(file.into()))
    }
}

impl Line {
    /// Sets an output. It does not wait.
    pub fn set(&self, high: bool) -> io::Result<()> {
        set_line_values(&self.0, &LineValues::from_slice(&[high])).map_err(|error| os_error(&error))
    }

    /// Reads its level. It does not wait.
    pub fn is_high(&self) -> io::Result<bool> {
        let mut values = LineValues::from_slice(&[false]);
        get_line_values(&self.0, &mut values).map_err(|error| os_error(&error))?;
        Ok(values.get(0) == Some(true))
    }

    /// What to hand over.
    pub fn file(&self) -> Arc<File> {
        self.0.clone()
    }
}

fn os_error(error: &gpiocdev_uapi::Error) -> io::Error {
    match error {
        gpiocdev_uapi::Error::Os(errno) => io::Error::from_raw_os_error(errno.0),
        other => io::Error::other(other.to_string()),
    }
}

fn reason_of(error: &gpiocdev::Error) -> Option<ErrorKind> {
    match error {
        gpiocdev::Error::Uapi(_, error) => Some(os_error(error).kind()),
        gpiocdev::Error::Os(errno) => Some(io::Error::from_raw_os_error(errno.0).kind()),
        _ => None,
    }
}

fn refusal(what: String, error: &gpiocdev::Error) -> PinError {
    let remedy = match reason_of(error) {
        Some(ErrorKind::PermissionDenied) => FORBIDDEN,
        Some(ErrorKind::NotFound) => ABSENT,
        Some(ErrorKind::InvalidInput) => TOO_OLD,
        _ => OTHER,
    };
    PinError { what, reason: error.to_string(), remedy: remedy.into(), holder: None }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests;
