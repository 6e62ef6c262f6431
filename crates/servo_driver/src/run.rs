//! The node, from its parts to its end.

use crate::front::Front;
use crate::hardware::{Hardware, HardwareError};
use crate::io::{Ends, Io};
use crate::io_thread::IoEnd;
use crate::lease::GuardWatch;
use crate::pin_access::HeaderPins;
use crate::publish::{Sources, Teller};
use crate::services;
use crate::setup::{Ros2Control, Setup};
use crate::stop_monitor::MonitorConfig;
use crate::supervise::Supervisor;
use crate::targets::Intake;
use hexapod_ros::ending::UNSEATED;
use hexapod_ros::realtime::{self, priority};
use hexapod_ros::{RosError, RosNode, Shutdown, Stage, monotonic_now};
use std::sync::{Arc, Mutex};

/// Why the node could not run, or did not end in order.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The bus or a pin could not be had.
    #[error(transparent)]
    Hardware(#[from] HardwareError),
    /// A topic or service could not be opened.
    #[error(transparent)]
    Ros(#[from] RosError),
    /// A thread could not be started.
    #[error("a thread could not be started: {0}")]
    Thread(#[from] std::io::Error),
    /// The I/O thread did not end in order.
    #[error(transparent)]
    Io(#[from] IoEnd),
    /// The robot stood, or walked.
    #[error("{UNSEATED}")]
    NotSeated,
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
    setup.notes().iter().for_each(|note| tracing::warn!("{note}"));
    // Dropped last: nobody else has the bus before the pins are given back, too.
    let Hardware { bus, pins, guard, own_guard, lease: _lease } = Hardware::open(&setup)?;
    let (post, live) = (MonitorConfig::of(&setup), setup.live());
    let config = setup.map.joints();
    let (count, pin_words) = (config.joints.len(), pins.as_ref().map_or("none", HeaderPins::words).to_owned());
    let joints: Vec<_> = config.joints.iter().map(|joint| joint.name.clone()).collect();
    let (groups, off_after, rate_hz) = (config.groups.clone(), config.timing.fault_off_after, setup.rate_hz);
    let pace = setup.map.pace();
    let (io, Ends { intake, front, call_queue, snapshots }) = Io::new(config);
    let intake = of_source(intake.of_robot(&setup.urdf.display().to_string()), &front, setup.ros2_control.clone());
    front.heartbeats().want(setup.stop_timeout);
    let io = as_set_up(io, &setup, pins, guard);
    let line = front.line.clone();
    let sources = Sources {
        joints,
        snapshots,
        intake: intake.count(),
        state_rate_hz: setup.state_rate_hz,
        front: front.clone(),
        base_link: setup.base_link.clone(),
        load: setup.load,
        pace,
        measures_supply: setup.map.measures_supply(),
        pins: pin_words.clone(),
        legs_with_switches: setup.map.legs_with_switches(),
    };
    let teller = Arc::new(Mutex::new(Teller::new(&mut node, &setup.map.hardware_id(), sources, monotonic_now())?));
    services::open(&mut node, intake, &front, &groups, &teller)?;
    tracing::info!("{count} joints on {}, disarmed: call enable (pins: {pin_words})", setup.map);

    let ended = Shutdown::default();
    let _ends_with_this = ended.drop_guard();
    let stop_monitor = post.watch(line.clone(), ended.clone())?;
    let (shutdown, spinning, letting_go) = (shutdown.clone(), ended.clone(), node.exit_guard());
    let (graph, roll_called) = (node.graph(), 0);
    let supervisor = std::thread::Builder::new().name("servo-publish".into()).spawn(move || {
        // It shares the middleware with those that publish commands, and cuts the outputs when the bus hangs.
        let _ = realtime::join_loops(priority::PUBLISHING);
        // Lets the node go when this thread ends, panics included.
        let _node_goes = spinning.drop_guard();
        let _until_then = letting_go;
        let io = io.spawn(|gate| bus.backend(gate), rate_hz)?;
        let teller = &teller;
        Supervisor { teller, io, call_queue, front, off_after, live, own_guard, graph, roll_called }
            .run(&shutdown, &spinning)
            .map_err(RunError::from)
            .and_then(|in_order| if in_order { Ok(()) } else { Err(RunError::NotSeated) })
    })?;
    node.spin(&ended, Stage::Stopping);
    let panicked = || IoEnd::Panicked("the publishing thread ended".into());
    let result = supervisor.join().map_err(|_| panicked().into()).flatten();
    drop(stop_monitor.join());
    line.pins().disconnect();
    result
}

/// Commands as whoever sends them means them.
fn of_source(intake: Intake, front: &Front, ros2_control: Option<Ros2Control>) -> Intake {
    let Some(Ros2Control { joints, on_change }) = ros2_control else { return intake };
    if on_change {
        front.silent_sources().allow();
    }
    intake.of_ros2_control(joints)
}

fn as_set_up(io: Io, setup: &Setup, pins: Option<HeaderPins>, guard: Option<GuardWatch>) -> Io {
    let io = io.with_pins(pins).with_spare_parts(setup.spare_parts).with_servo_time(setup.servo_time());
    let io = io.with_supply_limits(setup.supply_limits);
    match guard {
        Some(guard) => io.with_guard(guard),
        None => io,
    }
}
