//! Warns of servos that do not reach what the robot will ask of them, and of a robot that does not walk, once it has
//! started.

use crate::setup::Setup;
use crate::walked::{Walked, nowhere};
use hexapod_config::{ConfigError, Faults};
use hexapod_ros::{RosError, Shutdown, Stage};
use hexapod_setup::params::text;
use hexapod_setup::{Files, check_reach, check_serial_reach, simulated_servos};
use std::time::Duration;

/// The start is over by then: nothing waits for what this works out.
const LOOK_AFTER: Duration = Duration::from_secs(2);

/// Looks on a thread of its own, which nobody waits for.
///
/// # Errors
/// The thread cannot be started.
pub(crate) fn look(setup: &Setup, shutdown: &Shutdown) -> Result<(), RosError> {
    let (setup, shutdown) = (setup.clone(), shutdown.clone());
    let look = move || {
        if shutdown.wait(Stage::Stopping, LOOK_AFTER) {
            return;
        }
        let walked = Walked::measure(&setup.engine, *setup.engine.gait());
        if walked.gets_nowhere() {
            tracing::warn!("{:#}", nowhere(&setup, &walked, None));
        }
        let reported = check(&setup).err();
        reported.iter().flat_map(ConfigError::each).for_each(|error| tracing::warn!("{error:#}"));
    };
    let thread = std::thread::Builder::new().name("reach".into()).spawn(look);
    thread.map(drop).map_err(|error| RosError::Thread(error.to_string()))
}

/// Whether the servos of `servos.yaml` reach what the robot asks of its joints; all do where that file is for another.
///
/// # Errors
/// Each servo that does not, with the key to change.
pub fn check(setup: &Setup) -> Result<(), ConfigError> {
    let files = Files::find(&text(&setup.params, "config"), &text(&setup.params, "urdf"))?;
    let file = files.in_config("servos.yaml");
    let robot = setup.engine.robot();
    let servos = simulated_servos(&file, robot)?;
    let (document, demand, mut faults) = (file.read()?, setup.demand(), Faults::default());
    if servos.remark.is_none() {
        faults.note(check_reach(&document, &servos.config, robot, &demand));
    }
    faults.note(check_serial_reach(&file, &document, robot, &demand));
    faults.into_result().map_err(|error| files.explained(error))
}
