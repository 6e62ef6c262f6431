//! `servos.yaml` and what lies beside it: the one before (`.bak`) and where a calibration was left (`.progress`).

use crate::exit::Failure;
use hexapod_calibration::{Dialogue, Progress};
use hexapod_config::{Document, Edit, Source};
use hexapod_kinematics::Robot;
use hexapod_servo::RawServoConfig;
use hexapod_servo::calibration::RawServo;
use hexapod_setup::check_servos;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of one calibration.
pub(super) struct CalibrationFile {
    path: PathBuf,
    robot: Arc<Robot>,
    /// The file as it was before this calibration lies beside it.
    kept: bool,
}

impl CalibrationFile {
    pub fn open(path: PathBuf, robot: Arc<Robot>) -> io::Result<Self> {
        // A link stays one: it is its target that is replaced.
        Ok(Self { path: path.canonicalize()?, robot, kept: false })
    }

    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// A dialogue from what the file says, gone on with if one was left.
    pub fn dialogue(&mut self, verify: bool) -> Result<Dialogue, Failure> {
        let raw: RawServoConfig = Document::read(&self.path)?.deserialize()?;
        let place = self.beside("progress");
        let progress = match fs::read_to_string(&place) {
            Ok(text) => {
                let remedy = "start anew with --anew";
                text.parse().map_err(|error| Failure::Words(format!("{}: {error}; {remedy}", place.display())))?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Progress::default(),
            Err(error) => return Err(error.into()),
        };
        self.kept = progress.kept && self.beside("bak").exists();
        let unfit = |error| Failure::Words(format!("{}: {error}", self.name()));
        Dialogue::new(raw, &self.robot, &progress, verify).map_err(unfit)
    }

    /// Writes what was found into the file, all at once or not at all. The first time, the old one is kept; a
    /// calibration that is gone on with does not take its own work for the old one.
    pub fn write(&mut self, found: &RawServoConfig, dialogue: &Dialogue) -> Result<(), String> {
        let words = |error: hexapod_config::ConfigError| error.to_string();
        let document = Document::read(&self.path).map_err(words)?;
        let before: RawServoConfig = document.deserialize().map_err(words)?;
        let text = document.edited(&edits(&before, found)).map_err(words)?;
        let after = Document::parse(Source::new(self.name(), text)).map_err(words)?;
        check_servos(&after, &self.robot).map_err(words)?;
        self.replace(&after.source().text, dialogue).map_err(|error| error.to_string())
    }

    fn replace(&mut self, text: &str, dialogue: &Dialogue) -> io::Result<()> {
        if !self.kept {
            // What is noted as kept is kept, whenever this process is killed.
            let copy = self.beside("bak.new");
            write_through(&copy, &fs::read_to_string(&self.path)?)?;
            fs::rename(copy, self.beside("bak"))?;
            self.kept = true;
            self.keep_progress(dialogue)?;
        }
        let new = self.beside("new");
        write_through(&new, text)?;
        fs::set_permissions(&new, fs::metadata(&self.path)?.permissions())?;
        fs::rename(&new, &self.path)
    }

    /// Notes where the calibration is.
    pub fn keep_progress(&self, dialogue: &Dialogue) -> io::Result<()> {
        let new = self.beside("progress.new");
        write_through(&new, &dialogue.progress(self.kept).to_string())?;
        fs::rename(new, self.beside("progress"))
    }

    pub fn forget_progress(&mut self) -> io::Result<()> {
        match fs::remove_file(self.beside("progress")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{ending}"));
        name.into()
    }
}

/// On the disk when this returns, so that a rename never puts an empty file in place.
fn write_through(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// What differs between two configurations, as far as a calibration can change it.
fn edits(before: &RawServoConfig, after: &RawServoConfig) -> Vec<Edit> {
    let pairs = after.servos.0.iter().filter_map(|(joint, servo)| {
        let (_, old) = before.servos.0.iter().find(|(name, _)| name == joint)?;
        Some((joint, old, servo))
    });
    pairs.flat_map(|(joint, old, servo)| servo_edits(joint, old, servo)).collect()
}

fn servo_edits(joint: &str, old: &RawServo, new: &RawServo) -> Vec<Edit> {
    let edit = |key: &str, value: String| Edit {
        path: format!("servos.{joint}.{key}"),
        value,
        after: format!("servos.{joint}.max_pulse_us"),
    };
    let mut edits = vec![];
    for (index, (old, new)) in old.points.iter().zip(&new.points).enumerate() {
        if old.angle_rad != new.angle_rad {
            edits.push(edit(&format!("points[{index}].angle_rad"), format!("{:.4}", new.angle_rad)));
        }
        if old.pulse_us != new.pulse_us {
            edits.push(edit(&format!("points[{index}].pulse_us"), format!("{:.2}", new.pulse_us)));
        }
    }
    for (key, digits, old, new) in [
        ("min_pulse_us", 2, Some(old.min_pulse_us), Some(new.min_pulse_us)),
        ("max_pulse_us", 2, Some(old.max_pulse_us), Some(new.max_pulse_us)),
        ("neutral_us", 2, old.neutral_us, new.neutral_us),
        ("trim_rad", 4, Some(old.trim_rad), Some(new.trim_rad)),
    ] {
        if let Some(value) = new.filter(|_| old != new) {
            edits.push(edit(key, format!("{value:.digits$}")));
        }
    }
    for (key, old, new) in [
        ("board", old.board, new.board),
        ("channel", old.channel, new.channel),
        ("direction", old.direction, new.direction),
    ] {
        if old != new {
            edits.push(edit(key, new.to_string()));
        }
    }
    edits
}
