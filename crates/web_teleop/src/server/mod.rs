//! The network side: two threads, which nothing of the robot waits for. One lets in and sends files; clients, who drive and
//! stop, have the other to themselves. Their stops are not to wait for what else the machine does, so it has the priority of
//! the middleware's threads: there are few clients, and none may send more than so many messages.

mod accept;
mod assets;
mod door;
mod files;
mod http;
mod lobby;
mod pieces;
mod shared;
mod socket;
#[cfg(test)]
mod tests;
mod upgrade;
mod wire;

pub use assets::is_page_built;
pub(crate) use shared::{DOWNLOADS, STOP_ROOM, Shared};

use door::Door;
use hexapod_ros::realtime::{self, priority};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::runtime::{Builder, Handle};
use tokio::sync::Notify;

/// Time for connections to say goodbye.
const GOODBYE: Duration = Duration::from_millis(300);

/// A server that is bound, and runs until it is dropped.
pub(crate) struct Server {
    pub address: SocketAddr,
    /// The door goes first: nobody comes in to whom nobody would listen.
    _door: Runner,
    _clients: Runner,
}

impl Server {
    /// Binds and serves on threads of its own.
    ///
    /// # Errors
    /// The address is taken, or there is no thread.
    pub fn start(address: SocketAddr, tls: Option<tokio_rustls::TlsAcceptor>, shared: Shared) -> io::Result<Self> {
        let listener = accept::bind(address)?;
        let address = listener.local_addr()?;
        let (clients, handle) = Runner::start("web-net", Some(priority::MESSAGES), std::future::pending())?;
        let door = Door { shared: Arc::new(shared), clients: handle };
        let serve = async move {
            if let Err(error) = accept::serve(listener, tls, door).await {
                tracing::error!("the page is not served any more: {error}");
            }
        };
        Ok(Self { address, _door: Runner::start("web-door", None, serve)?.0, _clients: clients })
    }
}

/// A thread that runs tasks until it is dropped.
struct Runner {
    end: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl Runner {
    /// Runs `first`, and what is given to the handle, at a real-time priority where one is given and granted.
    fn start(
        name: &str,
        priority: Option<u8>,
        first: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<(Self, Handle)> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().max_blocking_threads(4).build()?;
        let (handle, end) = (runtime.handle().clone(), Arc::new(Notify::new()));
        let ends = Arc::clone(&end);
        let run = move || {
            let _ = priority.map(realtime::fifo);
            runtime.block_on(async {
                tokio::select! {
                    () = ends.notified() => {}
                    () = first => {}
                }
            });
            runtime.shutdown_timeout(GOODBYE);
        };
        let thread = std::thread::Builder::new().name(name.into()).spawn(run)?;
        Ok((Self { end, thread: Some(thread) }, handle))
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.end.notify_one();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
