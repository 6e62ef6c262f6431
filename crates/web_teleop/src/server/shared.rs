//! What all connections share.

use crate::description::SharedDescription;
use crate::elevation::SharedElevation;
use crate::gate::Gate;
use crate::input::Input;
use crate::out::States;
use crate::recording::Recorder;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::Sender;
use tokio::sync::Semaphore;

/// Connections that only stop, and downloads, at a time.
pub(crate) const STOP_ROOM: usize = 16;
pub(crate) const DOWNLOADS: usize = 16;

/// What all connections share.
pub(crate) struct Shared {
    pub gate: Gate,
    pub bridge: Sender<Input>,
    pub states: States,
    pub shared_description: SharedDescription,
    pub elevation: SharedElevation,
    pub recorder: Recorder,
    /// Folder of the robot's description.
    pub folder: PathBuf,
    /// Room for clients.
    pub room: Arc<Semaphore>,
    /// Room for connections that may do nothing but stop the robot, also when there is none for clients.
    pub stop_room: Arc<Semaphore>,
    /// Places for downloads of what is not the page's own.
    pub downloads: Arc<Semaphore>,
    pub next_id: AtomicU64,
}
