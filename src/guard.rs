//! `hexapod guard`: switches all channels off when the driver dies or stands still, or now. It needs no ROS.

use crate::cli::GuardArgs;
use crate::exit::{Failure, say};
use crate::parameters::tell_files;
use crate::setups::parameters;
use hexapod_ros::{Shutdown, log};
use servo_driver::Setup;
use servo_driver::guard::Term;

/// Lets the guard log as nodes do, under a name of its own.
pub fn start_log() {
    log::start(NAME);
    log::call(servo_driver::NAME, NAME);
}

/// What the guard is called in the log.
const NAME: &str = "hexapod_guard";

/// Watches over the driver until a signal, or switches everything off.
///
/// # Errors
/// The files do not hold, or there is no bus.
pub fn guard(arguments: &GuardArgs) -> Result<(), Failure> {
    let params = parameters(&arguments.bus)?.driver;
    let setup = Setup::load(&params)?;
    if arguments.off {
        log::begin();
        servo_driver::guard::off(&setup).map_err(|error| Failure::Running(error.to_string()))?;
        return say("all channels are off");
    }
    let shutdown = Shutdown::on_signals()?;
    log::begin();
    tell_files([&params]);
    let term = if arguments.one_driver { Term::OneDriver } else { Term::Always };
    servo_driver::guard::guard(&setup, term, &shutdown).map_err(|error| Failure::Running(error.to_string()))
}
