//! The network side: one thread, which nothing of the robot waits for.

mod accept;
mod assets;
mod files;
mod http;
mod shared;
mod socket;

pub(crate) use shared::Shared;

use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::Notify;

/// A server that is bound, and runs until it is dropped.
pub(crate) struct Server {
    pub address: SocketAddr,
    end: Arc<Notify>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    /// Binds and serves on a thread of its own.
    ///
    /// # Errors
    /// The address is taken, or there is no thread.
    pub fn start(address: SocketAddr, tls: Option<tokio_rustls::TlsAcceptor>, shared: Shared) -> std::io::Result<Self> {
        let listener = accept::bind(address)?;
        let address = listener.local_addr()?;
        let (shared, end) = (Arc::new(shared), Arc::new(Notify::new()));
        let ends = Arc::clone(&end);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_io().enable_time().max_blocking_threads(4).build()?;
        let serve = move || {
            runtime.block_on(async {
                tokio::select! {
                    () = ends.notified() => {}
                    served = accept::serve(listener, tls, shared) => {
                        if let Err(error) = served {
                            tracing::error!("the page is not served any more: {error}");
                        }
                    }
                }
            });
            // Connections say goodbye.
            runtime.shutdown_timeout(std::time::Duration::from_millis(300));
        };
        let thread = std::thread::Builder::new().name("web-net".into()).spawn(serve)?;
        Ok(Self { address, end, thread: Some(thread) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end.notify_one();
        let _ = self.thread.take().map(std::thread::JoinHandle::join);
    }
}
