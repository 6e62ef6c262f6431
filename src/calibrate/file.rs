//! The owner's `servos.yaml` and what lies beside it: the one before (`.bak`) and where a calibration was left (`.progress`).

use super::block::with_servo;
use super::in_place::{check_writable, lock_folder, put_in_place, sibling, sync_folder, write_through};
use crate::exit::Failure;
use hexapod_calibration::{Dialogue, Progress};
use hexapod_config::ConfigError;
use hexapod_kinematics::Robot;
use hexapod_servo::{RawServoConfig, ServoConfig};
use hexapod_setup::{Files, check_servos, raw_servos};
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// The files of one calibration.
pub(super) struct CalibrationFile {
    /// All layers of the configuration.
    files: Files,
    /// The owner's file, the topmost layer. It need not be there yet.
    path: PathBuf,
    robot: Arc<Robot>,
    /// The file as it was before this calibration lies beside it.
    kept: bool,
    /// Whether real servos are calibrated.
    is_real: bool,
    /// The servos as this calibration has read or written them last: what else the file says by now is the owner's.
    known: RawServoConfig,
    /// The folder, locked for as long as this calibration goes on.
    _lock: File,
}

impl CalibrationFile {
    /// The owner's file, in a folder that is made where there is none.
    ///
    /// # Errors
    /// The owner has no folder, or it cannot be made.
    pub fn open(files: Files, robot: Arc<Robot>, is_real: bool) -> Result<Self, Failure> {
        let folder = files.owner_folder()?;
        let lock = lock_folder(folder)?;
        let path = folder.join("servos.yaml");
        // A link stays one: it is its target that is replaced.
        let path = path.canonicalize().unwrap_or(path);
        let known = raw_servos(&files.in_config("servos.yaml").read()?, &robot)?;
        check_writable(&path)?;
        Ok(Self { files, path, robot, kept: false, is_real, known, _lock: lock })
    }

    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The servos as they were before any calibration, the one kept in the `.bak`. How simulated servos are mounted is
    /// stated against these: a practice that is gone on with, or verified, has the robot it began with.
    pub fn before(&self) -> Result<ServoConfig, ConfigError> {
        let file = self.files.in_config("servos.yaml");
        let document = match fs::read_to_string(self.sibling("bak")) {
            Ok(text) => file.read_with(&self.topmost(), &text)?,
            Err(_) => file.read()?,
        };
        check_servos(&document, &self.robot)
    }

    /// Leaves the `.bak` that is there as it is: see [`before`](Self::before).
    pub fn keep_oldest(&mut self) {
        self.kept |= self.sibling("bak").exists();
    }

    /// A dialogue from what the file says, gone on with if one was left with such servos, real or simulated.
    pub fn dialogue(&mut self, verify: bool) -> Result<Dialogue, Failure> {
        let raw = raw_servos(&self.files.in_config("servos.yaml").read()?, &self.robot)?;
        self.known = raw.clone();
        let place = self.sibling("progress");
        let progress = match fs::read_to_string(&place) {
            Ok(text) => {
                let remedy = "start anew with --anew";
                text.parse().map_err(|error| Failure::Words(format!("{}: {error}; {remedy}", place.display())))?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Progress::default(),
            Err(error) => {
                let remedy = format!("move it away: what is done is in {} and is not lost", self.name());
                return Err(Failure::Words(format!("{}: {error}; {remedy}", place.display())));
            }
        };
        if progress.simulated == self.is_real && progress != Progress::default() {
            let words =
                if self.is_real { "simulated servos; for real ones" } else { "real servos; for simulated ones" };
            let words = format!("{}: a calibration of {words} give another folder with --config", place.display());
            return Err(Failure::Words(format!("{words}, or start anew with --anew")));
        }
        self.kept = progress.kept && self.sibling("bak").exists();
        let unfit = |error| Failure::Words(format!("{}: {error}", self.name()));
        Dialogue::new(raw, &self.robot, &progress, verify).map_err(unfit)
    }

    /// Writes what was found since the last time into the file, all at once or not at all: other joints stay as the owner
    /// may have edited them meanwhile. The first time, the old one is kept; a calibration that is gone on with does not take
    /// its own work for the old one.
    pub fn write(&mut self, found: &RawServoConfig, dialogue: &Dialogue) -> Result<(), String> {
        let words = |error: ConfigError| error.to_string();
        let file = self.files.in_config("servos.yaml");
        let before = raw_servos(&file.read().map_err(words)?, &self.robot).map_err(words)?;
        let mut text = self.text().map_err(|error| error.to_string())?;
        for (joint, servo) in found.servos.0.iter().filter(|entry| !self.known.servos.0.contains(entry)) {
            let old = before.servos.0.iter().find(|(name, _)| name == joint).map(|(_, old)| old);
            if let Some(old) = old.filter(|old| *old != servo) {
                text = with_servo(&self.name(), &text, joint, old, servo).map_err(words)?;
            }
        }
        let after = file.read_with(&self.topmost(), &text).map_err(words)?;
        check_servos(&after, &self.robot).map_err(words)?;
        self.replace(&text, dialogue).map_err(|error| error.to_string())?;
        self.known = found.clone();
        Ok(())
    }

    /// The owner's file as the configuration names it, were it a link.
    fn topmost(&self) -> PathBuf {
        self.files.to_write("servos.yaml")
    }

    /// What the owner's file says; nothing where there is none.
    fn text(&self) -> io::Result<String> {
        match fs::read_to_string(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            text => text,
        }
    }

    fn replace(&mut self, text: &str, dialogue: &Dialogue) -> io::Result<()> {
        if !self.kept {
            // What is noted as kept is kept, whenever this process is killed.
            let copy = self.sibling("bak.new");
            let before = self.text()?;
            write_through(&copy, if before.is_empty() { "# There was no file before.\n" } else { &before })?;
            fs::rename(copy, self.sibling("bak"))?;
            self.kept = true;
            self.keep_progress(dialogue)?;
        }
        put_in_place(&self.path, text)
    }

    /// Notes where the calibration is.
    pub fn keep_progress(&self, dialogue: &Dialogue) -> io::Result<()> {
        let new = self.sibling("progress.new");
        write_through(&new, &dialogue.progress(self.kept, !self.is_real).to_string())?;
        fs::rename(new, self.sibling("progress"))?;
        sync_folder(&self.path)
    }

    pub fn forget_progress(&mut self) -> io::Result<()> {
        match fs::remove_file(self.sibling("progress")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn sibling(&self, ending: &str) -> PathBuf {
        sibling(&self.path, ending)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use hexapod_setup::{Description, read_servos};
    use std::path::Path;

    const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/servos.yaml");

    /// A calibration in a folder of the owner's, with what is in its file.
    fn open(name: &str, text: Option<&str>) -> (CalibrationFile, PathBuf) {
        let folder = std::env::temp_dir().join(format!("hexapod_calibrate_{name}_{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        if let Some(text) = text {
            fs::write(folder.join("servos.yaml"), text).unwrap();
        }
        let files = Files::find(folder.to_str().unwrap(), "").unwrap();
        let robot = Description::read(&files).unwrap().robot;
        (CalibrationFile::open(files, robot, true).unwrap(), folder)
    }

    /// Writes a pulse for a joint of one leg and a plug for one of another.
    fn calibrate(file: &mut CalibrationFile, pulse_us: f64) -> RawServoConfig {
        let dialogue = file.dialogue(false).unwrap();
        let mut found = dialogue.config().clone();
        found.servos.0[1].1.points[2].pulse_us = pulse_us;
        found.servos.0[17].1.channel = 15;
        file.write(&found, &dialogue).unwrap();
        found
    }

    #[test]
    fn when_the_owner_edits_another_joint_meanwhile_expect_that_kept() {
        let (mut file, folder) = open("edited", Some("servos:\n  left_rear_tibia: {trim_rad: 0.01}  # glued\n"));
        let dialogue = file.dialogue(false).unwrap();
        let edited =
            "servos:\n  left_rear_tibia: {trim_rad: 0.03}  # glued better\n  right_rear_tibia: {trim_rad: -0.02}\n";
        fs::write(folder.join("servos.yaml"), edited).unwrap();
        let mut found = dialogue.config().clone();
        found.servos.0[0].1.points[2].pulse_us = 1987.0;
        file.write(&found, &dialogue).unwrap();
        let text = fs::read_to_string(folder.join("servos.yaml")).unwrap();
        assert!(edited.lines().all(|line| text.contains(line)) && text.contains("1987"), "{text}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn when_another_calibration_is_at_work_expect_it_refused_until_that_ends() {
        let (file, folder) = open("locked", None);
        let again = || {
            let files = Files::find(folder.to_str().unwrap(), "").unwrap();
            let robot = Description::read(&files).unwrap().robot;
            CalibrationFile::open(files, robot, true)
        };
        let Err(Failure::Words(words)) = again() else { unreachable!("the first is at work") };
        assert!(words.contains("another `hexapod calibrate`"), "{words}");
        drop(file);
        assert!(again().is_ok());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn when_the_progress_is_no_text_expect_its_name_and_the_way_out() {
        let (mut file, folder) = open("progress", None);
        fs::write(file.sibling("progress"), [0xff, 0xfe, 0x00]).unwrap();
        let Err(Failure::Words(words)) = file.dialogue(false) else { unreachable!("bytes are no progress") };
        assert!(words.contains("servos.yaml.progress: ") && words.contains("move it away"), "{words}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn when_real_servos_were_calibrated_here_expect_no_going_on_with_simulated_ones_or_the_other_way_round() {
        for (left, gone_on) in [(true, false), (false, true)] {
            let (mut file, folder) = open(&format!("other_{left}"), None);
            file.is_real = left;
            let dialogue = file.dialogue(false).unwrap();
            file.keep_progress(&dialogue).unwrap();
            assert!(file.dialogue(false).is_ok());
            file.is_real = gone_on;
            let Err(Failure::Words(words)) = file.dialogue(false) else { unreachable!("of other servos") };
            assert!(words.contains("another folder") && words.contains("--anew"), "{words}");
            file.forget_progress().unwrap();
            assert!(file.dialogue(false).is_ok());
            fs::remove_dir_all(folder).unwrap();
        }
    }

    #[test]
    fn when_nothing_can_be_written_expect_it_reported_before_any_work() {
        let (file, folder) = open("readable", None);
        let file = CalibrationFile { path: "/proc/self/servos.yaml".into(), ..file };
        let Err(Failure::Words(words)) = check_writable(&file.path) else {
            unreachable!("there are no files to be made")
        };
        assert!(words.contains("/proc/self/servos.yaml: cannot be written"), "{words}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn when_calibrated_expect_it_in_the_owners_folder_and_the_shipped_file_as_it_was() {
        let shipped = fs::read_to_string(SHIPPED).unwrap();
        for (name, text) in
            [("none", None), ("comments", Some("# mine")), ("timing", Some("timing: {sit_after_s: 2.0}"))]
        {
            let (mut file, folder) = open(name, text);
            let before = file.before().unwrap();
            for pulse_us in [2400.0, 2390.5] {
                let found = calibrate(&mut file, pulse_us);
                let merged = file.files.in_config("servos.yaml");
                assert_eq!(raw_servos(&merged.read().unwrap(), &file.robot).unwrap(), found, "{name}");
                read_servos(&merged, &file.robot).unwrap();
            }
            let text = fs::read_to_string(folder.join("servos.yaml")).unwrap();
            assert_eq!(text.matches("channel:").count(), 2, "only what was changed: {text}");
            assert!(folder.join("servos.yaml.bak").is_file());
            assert_eq!(file.before().unwrap(), before, "what simulated servos are mounted against: {name}");
            fs::remove_dir_all(folder).unwrap();
        }
        assert_eq!(fs::read_to_string(SHIPPED).unwrap(), shipped);
    }

    #[test]
    fn when_the_owner_has_said_something_of_a_servo_expect_it_kept_and_all_else_as_it_was() {
        let text = "# top\nservos:\n  # front\n  left_front_femur: {trim_rad: 0.05, kind: mg996r}  # bent\n  left_front_tibia:\n    trim_rad: 0.1   # twist\n\ntiming: {sit_after_s: 2.0}  # end\n";
        let (mut file, folder) = open("kept", Some(text));
        let found = calibrate(&mut file, 2400.0);
        assert_eq!((found.servos.0[1].1.trim_rad, found.servos.0[1].1.speed_limit_rad_s), (0.05, 6.1));
        let text = fs::read_to_string(folder.join("servos.yaml")).unwrap();
        let merged = file.files.in_config("servos.yaml").read().unwrap();
        assert_eq!(raw_servos(&merged, &file.robot).unwrap(), found, "{text}");
        for piece in ["# top\n", "# front\n", "    trim_rad: 0.1   # twist\n", "timing: {sit_after_s: 2.0}  # end\n"] {
            assert!(text.contains(piece), "{piece}: {text}");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn when_the_folder_is_the_shipped_one_expect_it_refused() {
        let shipped = Path::new(SHIPPED).parent().unwrap();
        let files = Files::find(shipped.to_str().unwrap(), "").unwrap();
        let robot = Description::read(&files).unwrap().robot;
        let refused = CalibrationFile::open(files, robot, true).err();
        assert!(matches!(refused, Some(Failure::Input(error)) if error.to_string().contains("next build")));
    }
}
