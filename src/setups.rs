//! All files of a robot, read and checked for all nodes.

use crate::agreement::{check_clock, check_robots};
use crate::cli::{BusArgs, FileArgs};
use crate::exit::Failure;
use crate::parameters::{AllParams, read_parameters};
use crate::torque_check;
use hexapod_config::{ConfigError, Faults};

/// All that the nodes run with.
pub struct Setups {
    /// Of `gait_planner`.
    pub planner: gait_planner::Setup,
    /// Of `servo_driver`.
    pub driver: servo_driver::Setup,
    /// Of `state_publisher`.
    pub publisher: state_publisher::Setup,
    /// Of `web_teleop`.
    pub web: web_teleop::Setup,
    /// Of `simulator`, where the servos are those of a robot in physics.
    pub simulator: Option<simulator::Setup>,
}

impl Setups {
    /// Reads and checks every file.
    ///
    /// # Errors
    /// File, line and key of all that does not hold.
    pub fn load(all: &AllParams) -> Result<Self, Failure> {
        // The planner has most to work out; the others read their files meanwhile.
        std::thread::scope(|scope| {
            let others = || (servo_driver::Setup::load(&all.driver), state_publisher::Setup::load(&all.publisher));
            let others = std::thread::Builder::new().name("files".into()).spawn_scoped(scope, others)?;
            let planner = gait_planner::Setup::load(&all.planner);
            let (driver, publisher) = others.join().map_err(|_| Failure::Running("reading files panicked".into()))?;
            let mut faults = Faults::default();
            faults.note(check_robots(all));
            faults.note(check_clock(all));
            // The planner may have its frames of the publisher, which says so where they do not hold.
            let reported = publisher.as_ref().err().cloned();
            let is_reported = |error: &ConfigError| {
                reported.iter().flat_map(ConfigError::each).any(|known| error.message().ends_with(known.message()))
            };
            let planner = match planner {
                Err(error) if error.each().all(is_reported) => None,
                planner => faults.note(planner),
            };
            let web = faults.note(web_teleop::Setup::load(&all.web));
            let driver = faults.note(driver);
            let wants_physics = driver.as_ref().is_some_and(servo_driver::Setup::wants_physics);
            let simulator = wants_physics.then(|| {
                let loaded = simulator::Setup::load(&all.simulator);
                faults.note(loaded.and_then(simulator::Setup::with_mass))
            });
            let simulator = simulator.flatten();
            let read = planner.zip(driver).zip(faults.note(publisher)).zip(web);
            let (((mut planner, driver), publisher), web) = faults.or(read)?;
            planner.notes.extend(torque_check::note(&planner.engine));
            let simulator = simulator.map(|setup| setup.from_angles(&planner.engine.last().angles));
            Ok(Self { planner, driver, publisher, web, simulator })
        })
    }
}

/// Reads `hexapod.yaml` and lays the command line over it. Where that does not hold, the other files are read all the
/// same, so that all is reported at once.
///
/// # Errors
/// File, line and key of what does not hold, in the other files too; arguments that do not.
pub fn parameters(arguments: &BusArgs) -> Result<AllParams, Failure> {
    let mut faults = Faults::default();
    let all = read_parameters(arguments, &mut faults)?;
    if !faults.is_empty() {
        match Setups::load(&all) {
            Err(Failure::Input(error)) => faults.add(error),
            Err(other) => return Err(other),
            Ok(_) => {}
        }
    }
    Ok(faults.or(Some(all))?)
}

/// The same, as the files have it.
///
/// # Errors
/// As [`parameters`].
pub fn parameters_of(files: &FileArgs) -> Result<AllParams, Failure> {
    parameters(&BusArgs { files: files.clone(), ..BusArgs::default() })
}
