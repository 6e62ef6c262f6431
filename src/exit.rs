//! How a process says why it ends: 0 in order, 1 something failed, 2 the input does not hold.

use hexapod_config::ConfigError;
use hexapod_ros::{RosError, log};
use hexapod_setup::SetupError;
use std::process::ExitCode;

/// Why a process ends.
#[derive(Debug)]
pub enum Failure {
    /// A file, a parameter or an argument does not hold.
    Input(Box<dyn miette::Diagnostic + Send + Sync>),
    /// The same, where there is no file to point into.
    Words(String),
    /// Something failed while running.
    Running(String),
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Input(Box::new(error))
    }
}

impl From<SetupError> for Failure {
    fn from(error: SetupError) -> Self {
        match error {
            SetupError::File(error) => error.into(),
            error @ SetupError::Parameter { .. } => Self::Words(error.to_string()),
        }
    }
}

impl From<RosError> for Failure {
    fn from(error: RosError) -> Self {
        match error {
            RosError::Arguments(_) | RosError::Parameter { .. } => Self::Words(error.to_string()),
            other => Self::Running(other.to_string()),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Running(error.to_string())
    }
}

/// The exit status of a process, after its failure has been told on standard error.
#[must_use]
pub fn status(result: Result<(), Failure>) -> ExitCode {
    log::flush();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Input(diagnostic)) => {
            // The plain line first: it is what tools and people search for.
            eprintln!("error: {diagnostic}");
            let mut drawn = String::new();
            if miette::GraphicalReportHandler::new().render_report(&mut drawn, diagnostic.as_ref()).is_ok() {
                eprintln!("{drawn}");
            }
            ExitCode::from(2)
        }
        Err(Failure::Words(words)) => {
            eprintln!("error: {words}");
            ExitCode::from(2)
        }
        Err(Failure::Running(words)) => {
            eprintln!("error: {words}");
            ExitCode::FAILURE
        }
    }
}

/// Warnings of a tool, on standard error: its own words say the rest. `RUST_LOG` chooses others. Nodes log as ROS does ([`hexapod_ros::log`]).
pub fn log() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "warn,r2r=off".into());
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time().try_init();
}
