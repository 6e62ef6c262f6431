//! `hexapod guard`: switches all channels off when the driver dies. It needs no ROS.

use crate::cli::GuardArgs;
use crate::composed::parameters;
use crate::exit::Failure;
use hexapod_ros::Shutdown;
use servo_driver::Setup;
use servo_driver::guard::Term;

/// Watches over the driver until a signal.
///
/// # Errors
/// The files do not hold, or there is no bus.
pub fn guard(arguments: &GuardArgs) -> Result<(), Failure> {
    let setup = Setup::load(&parameters(&arguments.bus.as_run())?.driver)?;
    let shutdown = Shutdown::on_signals()?;
    let term = if arguments.one_driver { Term::OneDriver } else { Term::Always };
    servo_driver::guard::guard(&setup, term, &shutdown).map_err(|error| Failure::Running(error.to_string()))
}
