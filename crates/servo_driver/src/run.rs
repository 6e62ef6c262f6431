//! The node, from its parts to its end.

use crate::bus::BusOpenError;
use crate::io::{Ends, Io, IoEnd};
use crate::publish::{Sources, Teller};
use crate::raspberry::PinError;
use crate::services;
use crate::setup::Setup;
use crate::supervise::supervise;
use hexapod_ros::realtime::{self, priority};
use hexapod_ros::{RosError, RosNode, Shutdown, Stage, monotonic_now};
use std::sync::{Arc, Mutex};

/// Why the node could not run, or did not end in order.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The bus could not be opened.
    #[error(transparent)]
    Bus(#[from] BusOpenError),
    /// A pin could not be had.
    #[error(transparent)]
    Pin(#[from] PinError),
    /// A topic or service could not be opened.
    #[error(transparent)]
    Ros(#[from] RosError),
    /// A thread could not be started.
    #[error("a thread could not be started: {0}")]
    Thread(#[from] std::io::Error),
    /// The I/O thread did not end in order.
    #[error(transparent)]
    Io(#[from] IoEnd),
}

/// Runs the node until `shutdown` asks for its end and the robot has sat down (or relaxes at once, if asked to). All
/// channels are off when this returns, or the error says that they may not be.
///
/// # Errors
/// The bus, a topic or a thread could not be opened, or the I/O thread did not end in order.
pub fn run(setup: Setup, mut node: RosNode, shutdown: &Shutdown) -> Result<(), RunError> {
    if let Some(remark) = setup.remark() {
        tracing::warn!("{remark}");
    }
    let pins = setup.open_pins()?;
    let bus = setup.open_bus()?;
    let joints = setup.servos.servos().iter().map(|servo| servo.joint().to_owned()).collect();
    let groups = setup.servos.groups().to_vec();
    let off_after = setup.servos.timing().fault_off_after;
    let (mut io, Ends { intake, control, stop_topic, snapshots }) = Io::new(setup.servos);
    stop_topic.want_heartbeat(setup.stop_timeout);
    io = io.with_pins(pins);
    let sources = Sources { joints, snapshots, intake: intake.count(), state_rate_hz: setup.state_rate_hz };
    let teller = Teller::new(&mut node, &setup.bus.hardware_id(), sources, monotonic_now())?;
    let teller = Arc::new(Mutex::new(teller));
    services::open(&mut node, intake, control, stop_topic, &groups, &teller)?;

    let ended = AskedAtEnd(Shutdown::default());
    let (shutdown, spinning) = (shutdown.clone(), ended.0.clone());
    let supervisor = std::thread::Builder::new().name("servo-publish".into()).spawn(move || {
        // It shares the middleware with those that publish commands, and cuts the outputs when the bus hangs.
        let _ = realtime::join_loops(priority::PUBLISHING);
        // Lets the node go when this thread ends, panics included.
        let spinning = AskedAtEnd(spinning);
        let io = io.spawn(bus, setup.rate_hz)?;
        supervise(&teller, io, off_after, &shutdown, &spinning.0).map_err(RunError::from)
    })?;
    node.spin(&ended.0, Stage::Stopping);
    let panicked = || IoEnd::Panicked("the publishing thread ended".into());
    supervisor.join().map_err(|_| panicked())?
}

/// Asks for the end when it is dropped, however that comes.
struct AskedAtEnd(Shutdown);

impl Drop for AskedAtEnd {
    fn drop(&mut self) {
        self.0.ask();
    }
}
