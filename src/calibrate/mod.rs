//! `hexapod calibrate`: a guided calibration in the terminal, joint by joint.

mod file;
mod page;

use crate::cli::CalibrateArgs;
use crate::composed::parameters;
use crate::exit::Failure;
use file::CalibrationFile;
use hexapod_ros::Shutdown;
use hexapod_servo::calibration::{Key, Outcome, Session};
use hexapod_setup::{Description, Files, params};
use hexapod_view::{PageKey, is_terminal, run_page};
use servo_driver::Setup;
use servo_driver::bench::Bench;
use std::cell::RefCell;

/// Guides through the calibration until every joint is done or a key leaves it for another day.
///
/// # Errors
/// There is no terminal, the files do not hold, or there is no bus.
pub fn calibrate(arguments: &CalibrateArgs) -> Result<(), Failure> {
    let params = parameters(&arguments.bus.as_run())?.driver;
    let setup = Setup::load(&params)?;
    let files = Files::find(&params::text(&params, "config"), &params::text(&params, "urdf"))?;
    let robot = Description::read(&files)?.robot;
    let mut file = CalibrationFile::open(files.in_config("servos.yaml"), robot)?;
    if arguments.anew {
        file.forget_progress()?;
    }
    let mut session = file.session()?;
    if let Some(joint) = &arguments.joint {
        start_at(&mut session, joint)?;
    }
    if !is_terminal() {
        return Err(Failure::Words("calibrating needs a terminal: somebody has to look at the robot".into()));
    }
    let shutdown = Shutdown::on_signals()?;
    let bench = Bench::open(&setup).map_err(|error| Failure::Running(error.to_string()))?;
    let work = RefCell::new(Work { session, file, said: None });
    let shown = || work.borrow().page(&bench, &setup);
    run_page(shown, |key| work.borrow_mut().take(key, &bench), || !shutdown.is_running())?;
    drop(bench);
    let work = work.into_inner();
    work.leave()
}

fn start_at(session: &mut Session, joint: &str) -> Result<(), Failure> {
    let servos = &session.config().servos.0;
    let names = || servos.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let wanted = servos.iter().position(|(name, _)| name == joint);
    let wanted =
        wanted.ok_or_else(|| Failure::Words(format!("no joint is called `{joint}`; there are {}", names())))?;
    session.key(Key::Joint(wanted as isize - session.joint() as isize));
    Ok(())
}

/// What is under way.
struct Work {
    session: Session,
    file: CalibrationFile,
    /// What was last said: true if it is good.
    said: Option<(bool, String)>,
}

impl Work {
    /// Takes a key; false when it leaves.
    fn take(&mut self, key: PageKey, bench: &Bench) -> bool {
        if matches!(key, PageKey::Escape | PageKey::Char('q')) {
            bench.want(None);
            return false;
        }
        let Some(key) = page::meaning(key) else { return true };
        self.said = None;
        let outcome = self.session.key(key);
        self.keep(outcome);
        bench.want(self.session.pulse_us().map(|pulse_us| (self.session.joint(), pulse_us)));
        !(self.session.is_finished() && matches!(outcome, Outcome::Joint(_)))
    }

    fn keep(&mut self, outcome: Outcome) {
        if let Outcome::Joint(joint) = outcome {
            let name = self.session.config().servos.0[joint].0.clone();
            self.said = Some(match self.file.write(self.session.config()) {
                Ok(()) => (true, format!("{name} is calibrated and written to {}", self.file.name())),
                Err(reason) => {
                    self.session.reject(joint);
                    (false, format!("{name} was not written: {reason}"))
                }
            });
        }
        if outcome != Outcome::Same
            && let Err(error) = self.file.keep_progress(&self.session.progress())
        {
            self.said = Some((false, format!("where you are could not be noted: {error}")));
        }
    }

    fn leave(mut self) -> Result<(), Failure> {
        if self.session.is_finished() {
            self.file.forget_progress()?;
            println!("all joints are calibrated: {}", self.file.name());
        } else {
            self.file.keep_progress(&self.session.progress())?;
            let (done, of) = self.session.count();
            println!("{done} of {of} joints are calibrated; `hexapod calibrate` goes on where you left");
        }
        Ok(())
    }
}
