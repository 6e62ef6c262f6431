//! `hexapod calibrate`: a guided calibration in the terminal, joint by joint; of servos that know their angle, by hand.

mod block;
mod by_hand;
mod file;
mod in_place;
mod page;

use crate::cli::CalibrateArgs;
use crate::exit::{Failure, say};
use crate::parameters::{files_of, tell_files};
use crate::servo::SIMULATED;
use crate::setups::parameters;
use file::CalibrationFile;
use hexapod_calibration::{Dialogue, Mode, Outcome, Tone};
use hexapod_config::ros_params::{Params, hint_for};
use hexapod_config::{ConfigError, Document};
use hexapod_ros::{Shutdown, monotonic_now};
use hexapod_servo::ServoConfig;
use hexapod_servo::simulated::{Mounting, MountingError, RawMounting};
use hexapod_setup::Description;
use hexapod_view::{Page, PageKey, is_terminal, run_page};
use servo_driver::single_servo::{Pulse, SingleServo};
use servo_driver::{ServoMap, Setup};
use std::cell::RefCell;
use std::path::Path;
use std::time::Duration;

/// Why simulated servos are not calibrated in the owner's own folder.
const PRACTICE: &str = "the bus is simulated, and practising writes servos.yaml as calibrating does: give it a folder of its own, as in \
                        --config practice. For real servos give --bus i2c, or set `bus` of servo_driver in hexapod.yaml";

/// A picture that comes later than this is no reason for a larger step.
const LONGEST_TICK: Duration = Duration::from_millis(100);

/// Guides through the calibration until every joint is done or a key leaves it for another day.
///
/// # Errors
/// There is no terminal, the files do not hold, or there is no bus.
pub fn calibrate(arguments: &CalibrateArgs) -> Result<(), Failure> {
    let all = parameters(&arguments.bus)?;
    let (params, planner) = (all.driver, all.planner);
    let setup = Setup::load(&params)?;
    if !setup.is_real() && arguments.bus.files.config.is_empty() {
        return Err(Failure::Words(PRACTICE.into()));
    }
    if setup.is_real() && arguments.mounting.is_some() {
        return Err(Failure::Words("--mounting is for simulated servos; add --bus simulated".into()));
    }
    let files = files_of(&params)?;
    let robot = Description::read(&files)?.robot;
    tell_files([&params]);
    if matches!(setup.map(), ServoMap::Serial { .. }) {
        check_terminal()?;
        if by_hand::by_hand(arguments, &setup, (&files, robot))? {
            tell_shortfalls(&planner);
        }
        return Ok(());
    }
    let mut file = CalibrationFile::open(files, robot, setup.is_real())?;
    if arguments.anew {
        file.forget_progress()?;
    }
    let mounting = arguments.mounting.as_deref().map(|path| mounting(path, &file.before()?)).transpose()?;
    let mut dialogue = file.dialogue(arguments.verify)?;
    if mounting.is_some() {
        file.keep_oldest();
    }
    if let Some(joint) = arguments.joint.as_ref().filter(|joint| !dialogue.go_to_joint(joint)) {
        let names = dialogue.names().join(", ");
        return Err(Failure::Words(format!("there is no joint `{joint}`; there are {names}")));
    }
    check_terminal()?;
    let shutdown = Shutdown::on_signals()?;
    let single_servo = SingleServo::open(&setup).map_err(|error| Failure::Running(error.to_string()))?;
    let is_real = setup.is_real();
    let work = RefCell::new(Work { dialogue, file, single_servo, mounting, is_real, at: monotonic_now() });
    let shown = || work.borrow_mut().page();
    run_page(shown, |key| work.borrow_mut().take(key), || !shutdown.is_running())?;
    let work = work.into_inner();
    let is_done = work.dialogue.mode() == Mode::Calibrate && work.dialogue.is_finished();
    work.leave(&format!("hexapod calibrate{}", arguments.typed()))?;
    if is_done {
        tell_shortfalls(&planner);
    }
    Ok(())
}

fn check_terminal() -> Result<(), Failure> {
    let words = "calibrating needs a terminal: somebody has to look at the robot";
    if is_terminal() { Ok(()) } else { Err(Failure::Words(words.into())) }
}

/// Tells which joints no longer reach what walking, postures and motions ask of them. Whether there is somebody left to read
/// it does not matter.
fn tell_shortfalls(planner: &Params) {
    let checked = gait_planner::Setup::load(planner).and_then(|setup| gait_planner::check_reach(&setup));
    for error in checked.err().iter().flat_map(ConfigError::each) {
        let _ = say(format_args!("note     {error:#}"));
    }
}

/// How simulated servos are mounted, against what `servos` says.
fn mounting(path: &Path, servos: &ServoConfig) -> Result<Mounting, Failure> {
    if !path.exists() {
        let words = format!("--mounting {}: no such file; give a YAML file, as in docs/servos.md", path.display());
        return Err(Failure::Words(words));
    }
    let document = Document::read(path)?;
    let raw: RawMounting = document.deserialize()?;
    let wrong = |error: MountingError| {
        let plugged = raw.0.iter().find(|(_, mount)| mount.plug_of.as_deref() == Some(error.joint()));
        let is_key = raw.0.contains_key(error.joint());
        let key = plugged.filter(|_| !is_key).map_or(error.joint().to_owned(), |(joint, _)| format!("{joint}.plug_of"));
        let joints: Vec<&str> = servos.servos().iter().map(|servo| servo.joint()).collect();
        let help = if matches!(error, MountingError::NoSuchJoint { .. }) {
            hint_for(error.joint(), &joints)
        } else {
            String::new()
        };
        let reported = error.to_string();
        let message = reported.strip_prefix(&format!("{}: ", error.joint())).unwrap_or(&reported);
        document.error_at(&key, message, help)
    };
    Ok(Mounting::try_new(servos, &raw).map_err(wrong)?)
}

/// What is under way.
struct Work {
    dialogue: Dialogue,
    file: CalibrationFile,
    single_servo: SingleServo,
    mounting: Option<Mounting>,
    /// Whether real servos move.
    is_real: bool,
    /// When the dialogue last heard of the time.
    at: Duration,
}

impl Work {
    /// Passes time on, and what comes of it.
    fn page(&mut self) -> Page {
        self.pass_time();
        let readout = self.single_servo.readout();
        let mut page = self.dialogue.view();
        if !self.is_real && self.mounting.is_none() {
            page.lines.insert(0, (Tone::Bad, SIMULATED.into()));
        }
        let counts = readout.commanded.map(|(_, counts)| format!("{counts} counts"));
        page.lines.extend(counts.map(|counts| (Tone::Plain, counts)));
        if let Some((mounting, bus)) = self.mounting.as_ref().zip(self.single_servo.simulated()) {
            page.lines.push((Tone::Plain, page::seen(mounting, bus)));
        }
        page
    }

    fn pass_time(&mut self) {
        let now = monotonic_now();
        self.dialogue.tick(now.saturating_sub(self.at).min(LONGEST_TICK));
        self.at = now;
        if let Some(trouble) = self.single_servo.readout().trouble {
            // Where the servo stands now nobody knows: it begins at neutral, when somebody asks for it.
            self.dialogue.cut();
            self.dialogue.say(Tone::Bad, trouble);
        }
        self.tell();
    }

    fn tell(&self) {
        self.single_servo.want(self.dialogue.commanded().map(|reported| Pulse {
            board: reported.board,
            channel: reported.channel,
            pulse_us: reported.pulse_us,
            rest_us: reported.rest_us,
        }));
    }

    /// Takes a key; false when it leaves.
    fn take(&mut self, key: PageKey) -> bool {
        if matches!(key, PageKey::Escape | PageKey::Char('q')) {
            self.single_servo.want(None);
            return false;
        }
        let Some(key) = page::meaning(key) else { return true };
        self.pass_time();
        let shown_us = self.single_servo.readout().commanded.map(|(pulse_us, _)| pulse_us);
        let outcome = self.dialogue.key(key, shown_us);
        self.keep(outcome);
        self.tell();
        !(self.dialogue.is_finished() && matches!(outcome, Outcome::Joint(_) | Outcome::Verified(_)))
    }

    fn keep(&mut self, outcome: Outcome) {
        let written = match outcome {
            Outcome::Joint(joint) => Some(format!("{} is calibrated", self.dialogue.names()[joint])),
            Outcome::Swapped(one, other) => {
                let names = self.dialogue.names();
                Some(format!("the plugs of {} and {} are swapped; test again", names[one], names[other]))
            }
            _ => None,
        };
        if let Some(words) = written {
            match self.file.write(self.dialogue.config(), &self.dialogue) {
                Ok(()) => self.dialogue.say(Tone::Good, format!("{words} and written")),
                Err(reason) => self.dialogue.reject(&reason),
            }
        }
        if outcome != Outcome::Same
            && let Err(error) = self.file.keep_progress(&self.dialogue)
        {
            self.dialogue.say(Tone::Bad, format!("progress could not be saved: {error}"));
        }
    }

    /// Says how far it is, and by which command it goes on.
    fn leave(self, command: &str) -> Result<(), Failure> {
        drop(self.single_servo);
        self.file.keep_progress(&self.dialogue)?;
        let (done, of) = self.dialogue.count();
        let name = self.file.name();
        match (self.dialogue.mode(), self.dialogue.is_finished()) {
            (Mode::Calibrate, true) => {
                let _ = say(format_args!("all joints are calibrated: {name}; `{command}` once more verifies them"));
            }
            (Mode::Calibrate, false) => {
                let _ =
                    say(format_args!("{done} of {of} joints are calibrated; `{command}` goes on where you left off"));
            }
            (Mode::Verify, true) => drop(say(format_args!("all joints are verified: {name}"))),
            (Mode::Verify, false) => {
                let _ = say(format_args!("{done} of {of} joints are verified; `{command}` goes on where you left off"));
            }
        }
        Ok(())
    }
}
