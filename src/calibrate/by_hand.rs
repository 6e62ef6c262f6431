//! The calibration of servos that know their angle: limp joints are turned by hand, and `servos.yaml` gets their zeros.

use super::in_place::{check_writable, lock_folder, put_in_place, sibling, write_through};
use crate::cli::CalibrateArgs;
use crate::exit::{Failure, say};
use hexapod_calibration::{ByHand, Page, Steps, Tone, Zero};
use hexapod_config::{ConfigError, Document, Edit, Source};
use hexapod_kinematics::{Leg, Robot};
use hexapod_ros::{Shutdown, monotonic_now};
use hexapod_servo::backend::{Off, Tally};
use hexapod_servo::serial::{Family, SerialConfig};
use hexapod_setup::Files;
use hexapod_view::{PageKey, run_page};
use servo_driver::bus::Servos;
use servo_driver::{Hardware, ServoMap, Setup, StopSwitch};
use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A reading that is older is none.
const FRESH: Duration = Duration::from_millis(500);
const UNFIT: &str =
    "--anew, --verify and --mounting are for servos with pulses; servos on a serial bus are turned by hand";

/// Guides through it until every joint is done or a key leaves it; whether all are.
///
/// # Errors
/// The bus or the owner's file cannot be used.
pub(super) fn by_hand(
    arguments: &CalibrateArgs,
    setup: &Setup,
    (files, robot): (&Files, Arc<Robot>),
) -> Result<bool, Failure> {
    let ServoMap::Serial { servos, .. } = setup.map() else { return Ok(false) };
    if arguments.anew || arguments.verify || arguments.mounting.is_some() {
        return Err(Failure::Words(UNFIT.into()));
    }
    let joints: Vec<String> = robot.legs().iter().flat_map(Leg::joints).map(|joint| joint.name().to_owned()).collect();
    let order: Vec<usize> = joints.iter().filter_map(|name| servos.joints().index(name)).collect();
    let series = servos.series();
    let steps = |index: &usize| servos.servos().get(*index).map(|servo| servo.id);
    let steps = order.iter().filter_map(steps);
    let steps = steps.map(|id| Steps { id, rad_per_step: series.rad_per_step, last: series.last_step }).collect();
    let mut dialogue = ByHand::new(robot, steps);
    if let Some(joint) = arguments.joint.as_ref().filter(|joint| !dialogue.go_to(joint)) {
        return Err(Failure::Words(format!("there is no joint `{joint}`; there are {}", joints.join(", "))));
    }
    let file = files.to_write("servos.yaml");
    let _lock = lock_folder(files.owner_folder()?)?;
    check_writable(&file)?;
    let shutdown = Shutdown::on_signals()?;
    let Hardware { bus, pins, own_guard, lease: _lease, .. } =
        Hardware::open(setup).map_err(|error| Failure::Running(error.to_string()))?;
    let stop = StopSwitch::new(setup, pins, own_guard)?;
    let limp = bus.backend(stop.gate());
    let work = RefCell::new(Work { dialogue, limp, servos, order, joints, family: servos.family(), file });
    run_page(|| work.borrow_mut().page(), |key| work.borrow_mut().take(key), || !shutdown.is_running())?;
    let mut work = work.into_inner();
    let (done, of) = work.dialogue.count();
    say(format_args!("{done} of {of} joints are calibrated: {}", work.file.display()))?;
    if work.limp.all_off(&mut Tally::default()) != Off::All {
        return Err(Failure::Running("not every servo said that it is limp; cut the servos' power".into()));
    }
    Ok(done == of)
}

/// What is under way.
struct Work<'a> {
    dialogue: ByHand,
    /// The servos, all of which are let go.
    limp: Servos,
    servos: &'a SerialConfig,
    /// Of each joint in the order of the legs, its place among the servos, and its name.
    order: Vec<usize>,
    joints: Vec<String>,
    family: &'static Family,
    file: PathBuf,
}

impl Work<'_> {
    fn page(&mut self) -> Page {
        self.limp.exchange(monotonic_now(), &mut Tally::default());
        self.dialogue.view(self.step())
    }

    /// The step at which the joint's servo says that it stands.
    fn step(&self) -> Option<f64> {
        let index = *self.order.get(self.dialogue.joint())?;
        let position = self.limp.measured(index).position_rad?.within(FRESH, monotonic_now())?;
        Some(f64::from(self.servos.servos().get(index)?.step(position)))
    }

    /// Takes a key; false when it leaves.
    fn take(&mut self, key: PageKey) -> bool {
        match key {
            PageKey::Escape | PageKey::Char('q') => return false,
            PageKey::Backspace => self.dialogue.back(),
            PageKey::Char('n') => self.dialogue.pass(1),
            PageKey::Char('p') => self.dialogue.pass(-1),
            PageKey::Enter => {
                if let Some(zero) = self.dialogue.enter(self.step()) {
                    return self.keep(zero);
                }
            }
            _ => {}
        }
        true
    }

    /// Writes what was found; false once all is.
    fn keep(&mut self, zero: Zero) -> bool {
        match self.write(zero) {
            Ok(()) => {
                let goes_on = self.dialogue.next_undone();
                let name = self.joints.get(zero.joint).map_or("", String::as_str);
                self.dialogue
                    .say(Tone::Good, format!("{name}: zero_step {}, direction {}, written", zero.step, zero.direction));
                goes_on
            }
            Err(reason) => {
                self.dialogue.say(Tone::Bad, reason);
                true
            }
        }
    }

    fn write(&self, zero: Zero) -> Result<(), String> {
        let words = |error: std::io::Error| format!("{}: {error}", self.file.display());
        let place = self.file.canonicalize().map_err(words)?;
        let text = fs::read_to_string(&place).map_err(words)?;
        let servo = format!("{}.servos.{}", self.family.name, self.joints.get(zero.joint).map_or("", String::as_str));
        let edited = edited(&self.file.display().to_string(), &text, &servo, zero)?;
        let kept = sibling(&place, "bak");
        if !kept.exists() {
            write_through(&kept, &text).map_err(words)?;
        }
        put_in_place(&place, &edited).map_err(words)
    }
}

/// The owner's file with a servo's zero and direction.
fn edited(name: &str, text: &str, servo: &str, zero: Zero) -> Result<String, String> {
    let words = |error: ConfigError| error.to_string();
    let document = Document::parse_layer(Source::new(name, text)).map_err(words)?;
    let document = document.ok_or_else(|| format!("{name} is empty, and has to name the servo of every joint"))?;
    let edit = |key: &str, value: String| Edit { path: format!("{servo}.{key}"), value, after: format!("{servo}.id") };
    let edits = [edit("zero_step", zero.step.to_string()), edit("direction", zero.direction.to_string())];
    document.edited(&edits).map_err(words)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    #[test]
    fn when_a_zero_is_written_expect_all_else_as_it_was_and_a_file_without_servos_refused() {
        let zero = Zero { joint: 0, step: 1990, direction: -1 };
        let text =
            "feetech:\n  servos:\n    a: {id: 1, zero_step: 5, speed_limit_rad_s: 5}  # mine\n    b:\n      id: 2\n";
        let a = edited("file", text, "feetech.servos.a", zero).unwrap();
        assert!(a.contains("zero_step: 1990, speed_limit_rad_s: 5}  # mine\n") && a.contains("direction: -1"), "{a}");
        let b = edited("file", text, "feetech.servos.b", zero).unwrap();
        assert!(b.contains("\n      zero_step: 1990\n") && b.contains("\n      direction: -1"), "{b}");
        assert!(edited("file", "", "feetech.servos.a", zero).unwrap_err().contains("is empty"));
        assert!(edited("file", "timing: {}\n", "feetech.servos.a", zero).is_err());
    }
}
