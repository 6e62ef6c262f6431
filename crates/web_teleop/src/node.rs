//! The node: a server for the page, and what its clients ask for on the robot's topics.

use crate::bridge::Bridge;
use crate::description::SharedDescription;
use crate::elevation::SharedElevation;
use crate::fleet::Others;
use crate::heard::Heard;
use crate::input::Input;
use crate::invitation;
use crate::params::Setup;
use crate::publishers::Publishers;
use crate::recording::Recorder;
use crate::report::Report;
use crate::server::{DOWNLOADS, STOP_ROOM, Server, Shared};
use crate::subscriptions::Subscriptions;
use crate::teller::Teller;
use crate::tls::Tls;
use hexapod_ros::realtime::{self, priority};
use hexapod_ros::{RosError, RosNode, Shutdown, Stage};
use std::io::Write;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// Why the node failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A topic or a service could not be opened.
    #[error(transparent)]
    Ros(#[from] RosError),
    /// The server could not be started.
    #[error("the page cannot be served on {address}: {error}; another program may have the port (parameter `port`)")]
    Serve {
        /// Where.
        address: std::net::SocketAddr,
        /// Why not.
        error: std::io::Error,
    },
    /// A thread could not be started.
    #[error("no thread for web_teleop: {0}")]
    Thread(std::io::Error),
}

/// The robot's own nodes open their topics first: nobody drives before they are there.
const ROBOT_FIRST: Duration = Duration::from_millis(250);

/// Runs the node until `shutdown`.
///
/// # Errors
/// The server cannot be started, or a topic not opened.
pub fn run(setup: Setup, mut node: RosNode, shutdown: &Shutdown) -> Result<(), RunError> {
    let _ = shutdown.wait(Stage::Stopping, ROBOT_FIRST);
    let namespace = node.namespace();
    let recorder = Recorder::new(&namespace, setup.recording_size);
    let (shared_description, elevation) = (SharedDescription::default(), SharedElevation::default());
    let subscriptions = Subscriptions {
        heard: Arc::new(Mutex::new(Heard::new(&namespace))),
        shared_description: shared_description.clone(),
        elevation: elevation.clone(),
        recorder: recorder.clone(),
    };
    let (inbox, inputs) = mpsc::channel();
    let (states, newest) = watch::channel(Utf8Bytes::default());
    let publishers = Publishers::open(&mut node, setup.is_stamped, recorder.clone())?;
    let others = Others::new(node.graph(), node.lane_opener(), namespace.clone());
    let teller = Teller::new((subscriptions, node.graph(), others), namespace, states);
    let shared = Shared {
        gate: setup.gate.clone(),
        bridge: inbox.clone(),
        states: newest,
        shared_description,
        elevation,
        recorder,
        folder: setup.urdf.parent().map(Into::into).unwrap_or_default(),
        room: Arc::new(Semaphore::new(setup.max_clients)),
        stop_room: Arc::new(Semaphore::new(STOP_ROOM)),
        downloads: Arc::new(Semaphore::new(DOWNLOADS)),
        next_id: AtomicU64::new(1),
    };
    let served = Server::start(setup.address, setup.tls.as_ref().map(Tls::acceptor), shared);
    let server = served.map_err(|error| RunError::Serve { address: setup.address, error })?;
    let report = Report::new(&mut node, server.address, setup.gate.demands())?;
    tell(&setup, &server);
    let bridge = Bridge::new(setup, (teller, publishers, report), node.lane_opener(), inbox.clone());
    let work = move || {
        // It calls handlers of other nodes of this process, with which their threads share locks.
        let _ = realtime::fifo(priority::MESSAGES);
        bridge.work(&inputs);
    };
    let thread = std::thread::Builder::new().name("web-bridge".into()).spawn(work).map_err(RunError::Thread)?;
    node.spin(shutdown, Stage::Stopping);
    let _ = inbox.send(Input::End);
    if thread.join().is_err() {
        tracing::error!("the thread web-bridge has panicked");
    }
    drop(server);
    Ok(())
}

/// Tells the user where the page is; the log does not get the token.
fn tell(setup: &Setup, server: &Server) {
    tracing::info!("the page is served on {}", server.address);
    let _ = std::io::stdout().write_all(invitation::words(setup, server.address).as_bytes());
}
