//! GPIO lines of the character device. They are found by their name, or by the label of their chip, and never by the number
//! of a chip, which changed between kernels. The only file that names gpiocdev.

use crate::pins::PinError;
use gpiocdev::chip::chips;
use gpiocdev::line::{Bias, Value};
use gpiocdev::request::Builder;
use gpiocdev::{Chip, Request};
use gpiocdev_uapi::v2::{LineValues, get_line_values, set_line_values};
use hexapod_ros::monotonic_now;
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The chips of the 40-pin header: of a Raspberry Pi 5, of a Pi 4, and of those before it.
const CHIPS: [&str; 3] = ["pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"];
/// What `gpioinfo` calls the user of our lines.
const USER: &str = "hexapod";
/// The guard of the driver before this one gives its lines back in that time.
const GIVEN_BACK: Duration = Duration::from_secs(2);
const RETRY: Duration = Duration::from_millis(5);

const ABSENT: &str = "pins need a Raspberry Pi, or a board that names its lines as one does (`gpioinfo` lists them)";
const FORBIDDEN: &str = "let this user in: `sudo groupadd -f gpio && sudo usermod -aG gpio $USER`, then log in again";
const TAKEN: &str = "end the program or switch off the overlay that has it (`gpioinfo` says which), or use another pin";
const OTHER: &str = "see what the kernel says with `dmesg`, or choose another way to the pins with the parameter gpio";

/// A line that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    number: u8,
    chip: PathBuf,
    label: String,
    offset: u32,
    user: Option<String>,
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
    lines: Vec<(String, Option<String>)>,
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
    let mut found = Vec::new();
    for number in numbers {
        match (choose(&candidates, number), refused.take()) {
            (Ok(place), unread) => {
                refused = unread;
                found.push(place);
            }
            // It may be on the chip that could not be looked at.
            (Err(_), Some(refused)) => return Err(refused),
            (Err(reason), None) => {
                return Err(PinError { what: format!("GPIO{number}"), reason, remedy: ABSENT.into() });
            }
        }
    }
    Ok(found)
}

fn look(path: PathBuf) -> gpiocdev::Result<Candidate> {
    let chip = Chip::from_path(&path)?;
    let label = chip.info()?.label;
    let seen = |line: gpiocdev::line::Info| (line.name, line.used.then_some(line.consumer));
    let lines = chip.line_info_iter()?.map(|line| line.map(seen)).collect::<gpiocdev::Result<_>>()?;
    Ok(Candidate { chip: path, label, lines })
}

/// The line that is named for the number, first of all on a header's chip, where the number is else the line's own: device
/// trees of old call some lines by their first use, such as `SDA1`.
fn choose(candidates: &[Candidate], number: u8) -> Result<Place, String> {
    let name = format!("GPIO{number}");
    let named = |of: &Candidate| of.lines.iter().position(|(line, _)| *line == name);
    let is_another = |line: &str| {
        line.strip_prefix("GPIO").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let by_number = |of: &Candidate| {
        let index = usize::from(number);
        of.lines.get(index).filter(|(line, _)| !is_another(line)).map(|_| index)
    };
    let headers = || candidates.iter().filter(|of| CHIPS.contains(&of.label.as_str()));
    let on = |find: &dyn Fn(&Candidate) -> Option<usize>| headers().find_map(|of| Some((of, find(of)?)));
    let mut elsewhere = candidates.iter().filter_map(|of| Some((of, named(of)?)));
    let (of, index) = match on(&named).or_else(|| on(&by_number)) {
        Some(found) => found,
        None => {
            let found = elsewhere.next().ok_or_else(|| format!("no GPIO chip has a line {name}"))?;
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
    /// Who has the line, unless we do.
    pub fn stranger(&self) -> Option<&str> {
        self.user.as_deref().filter(|user| *user != USER)
    }

    /// The line as an output that is high, if need be once a guard has given it back.
    pub fn output_high(&self) -> Result<Line, PinError> {
        self.request(GIVEN_BACK, |builder| builder.as_output(Value::Active))
    }

    /// The same at once, or not at all.
    pub fn output_high_now(&self) -> Result<Line, PinError> {
        self.request(Duration::ZERO, |builder| builder.as_output(Value::Active))
    }

    /// The line as an input that is pulled up: a contact that closes to ground reads low, and one that opens, or breaks, high.
    pub fn input(&self) -> Result<Line, PinError> {
        self.request(GIVEN_BACK, |builder| builder.as_input().with_bias(Bias::PullUp))
    }

    fn request(&self, patience: Duration, kind: impl Fn(&mut Builder) -> &mut Builder) -> Result<Line, PinError> {
        let deadline = monotonic_now() + patience;
        loop {
            let mut builder = Request::builder();
            builder.on_chip(&self.chip).with_consumer(USER).with_line(self.offset);
            let error = match kind(&mut builder).request() {
                Ok(request) => {
                    let file = request.as_fd().try_clone_to_owned();
                    let file = file.map_err(|error| refusal(self.to_string(), &error.into()))?;
                    return Ok(Line::from(file));
                }
                Err(error) => error,
            };
            let user = reason_of(&error).filter(|kind| *kind == ErrorKind::ResourceBusy).map(|_| self.user_now());
            match user {
                None => return Err(refusal(self.to_string(), &error)),
                Some(user) if user != USER || monotonic_now() >= deadline => return Err(self.taken(&user)),
                Some(_) => std::thread::sleep(RETRY),
            }
        }
    }

    /// That `user` has it.
    pub fn taken(&self, user: &str) -> PinError {
        let user = if user.is_empty() { "somebody who gives no name" } else { user };
        PinError { what: self.to_string(), reason: format!("{user} has it"), remedy: TAKEN.into() }
    }

    fn user_now(&self) -> String {
        let info = Chip::from_path(&self.chip).and_then(|chip| chip.line_info(self.offset));
        info.map(|info| info.consumer).unwrap_or_default()
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
        _ => OTHER,
    };
    PinError { what, reason: error.to_string(), remedy: remedy.into() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    fn chip(path: &str, label: &str, names: &[&str]) -> Candidate {
        let lines = names.iter().map(|name| ((*name).to_owned(), None)).collect();
        Candidate { chip: path.into(), label: label.into(), lines }
    }

    /// The lines of a header, as the device trees of the firmware name them.
    fn header() -> Vec<String> {
        (0..28).map(|number| format!("GPIO{number}")).collect()
    }

    fn found(candidates: &[Candidate], number: u8) -> Result<(String, u32), String> {
        choose(candidates, number).map(|place| (place.chip.display().to_string(), place.offset))
    }

    #[test]
    fn when_chips_have_other_numbers_expect_the_line_of_the_header_all_the_same() {
        let names = header();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for label in CHIPS {
            for number in [0, 4, 11] {
                let path = format!("/dev/gpiochip{number}");
                let chips = [
                    chip("/dev/gpiochip1", "raspberrypi-exp-gpio", &["BT_ON", "GPIO17"]),
                    chip(&path, label, &names),
                    chip("/dev/gpiochip12", "gpio-brcmstb@107d508500", &["-", "GPIO17"]),
                ];
                assert_eq!(found(&chips, 17), Ok((path.clone(), 17)), "{label}");
                assert_eq!(found(&chips, 27), Ok((path, 27)), "{label}");
            }
        }
    }

    #[test]
    fn when_a_header_names_lines_by_their_use_or_not_at_all_expect_the_one_of_the_number() {
        let chips = [chip("/dev/gpiochip0", "pinctrl-bcm2711", &["ID_SDA", "", "SDA1", "GPIO9", "GPIO_GCLK"])];
        for number in [0_u8, 1, 2, 4] {
            assert_eq!(found(&chips, number), Ok(("/dev/gpiochip0".into(), u32::from(number))));
        }
        assert_eq!(found(&chips, 9), Ok(("/dev/gpiochip0".into(), 3)), "its name comes first");
        assert!(found(&chips, 3).is_err() && found(&chips, 5).is_err(), "that line is another, or there is none");
    }

    #[test]
    fn when_it_is_no_raspberry_pi_expect_the_one_line_of_that_name() {
        let chip = |path: &str| chip(path, "rk3588-gpio", &["PIN_3", "GPIO17"]);
        let (one, other) = (chip("/dev/gpiochip1"), chip("/dev/gpiochip2"));
        assert!(found(&[], 17).unwrap_err().contains("no GPIO chip has a line GPIO17"));
        assert_eq!(found(std::slice::from_ref(&one), 17), Ok(("/dev/gpiochip1".into(), 1)));
        assert!(found(&[one, other], 17).unwrap_err().contains("both have a line GPIO17"));
    }

    #[test]
    fn when_the_kernel_refuses_expect_where_and_what_to_do() {
        for (code, words) in [(13, "usermod"), (2, "gpioinfo"), (22, "dmesg")] {
            let error = gpiocdev::Error::Uapi(
                gpiocdev::UapiCall::GetLine,
                gpiocdev_uapi::Error::Os(gpiocdev_uapi::Errno(code)),
            );
            let error = refusal("GPIO17".into(), &error).to_string();
            assert!(error.starts_with("GPIO17 cannot be used") && error.contains(words), "{error}");
        }
    }
}
