//! The way to a client: a short queue for what it must not miss, and one slot for the newest state, shared by all.
//! Nobody waits for a client: one that does not read is dropped.

use crate::protocol::Close;
use std::sync::Arc;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Notify, watch};
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// Messages other than states that may wait for a client.
const WAITING: usize = 128;

/// What is sent to a client.
#[derive(Debug)]
pub(crate) enum Down {
    State(Utf8Bytes),
    Text(Utf8Bytes),
    /// The answer to `hello`, after which states are sent.
    Welcome(Utf8Bytes),
    Close(Close),
}

/// The sending end of a client's queue. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Out {
    queue: Sender<Down>,
    dropped: Arc<Notify>,
}

impl Out {
    /// A queue, and its other end.
    pub fn new() -> (Self, Receiver<Down>) {
        let (queue, waiting) = channel(WAITING);
        (Self { queue, dropped: Arc::default() }, waiting)
    }

    /// Sends, or drops the client if it does not read.
    pub fn send(&self, down: Down) {
        if self.queue.try_send(down).is_err() {
            self.dropped.notify_one();
        }
    }

    /// Sends a message.
    pub fn text(&self, text: &Utf8Bytes) {
        self.send(Down::Text(text.clone()));
    }

    /// Ends when the client is to be dropped.
    pub async fn is_dropped(&self) {
        self.dropped.notified().await;
    }
}

/// The newest state as text; empty before the first.
pub(crate) type States = watch::Receiver<Utf8Bytes>;
