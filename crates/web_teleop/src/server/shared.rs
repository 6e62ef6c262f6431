//! What all connections share.

use crate::gate::Gate;
use crate::input::Input;
use crate::out::States;
use crate::recording::Recorder;
use crate::shelf::Shelf;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::Sender;
use tokio::sync::Semaphore;

/// What all connections share.
pub(crate) struct Shared {
    pub gate: Gate,
    pub desk: Sender<Input>,
    pub states: States,
    pub shelf: Shelf,
    pub recorder: Recorder,
    /// Folder of the robot's description.
    pub folder: PathBuf,
    /// Room for clients.
    pub room: Arc<Semaphore>,
    pub next_id: AtomicU64,
}
