//! Connections: how many, how long, and what they cost.

use super::door::{Door, Visitor};
use super::http;
use super::lobby::Lobby;
use super::wire::Wire;
use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrStorage, setsockopt, sockopt};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

/// Time for the head of a request, and for the handshake of TLS before it.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// Time for a connection that does not become a WebSocket.
const CONNECTION_TIME: Duration = Duration::from_secs(300);
/// Longest head of a request, bytes.
const MOST_HEAD: usize = 16 * 1024;
/// What the kernel holds back for a client that does not read: a second or two of states.
const SEND_BUFFER: usize = 32 * 1024;
/// Connections that wait to be accepted.
const BACKLOG: i32 = 64;

/// Binds, with small send buffers for what is accepted.
pub(super) fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let family = if address.is_ipv6() { AddressFamily::Inet6 } else { AddressFamily::Inet };
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let socket = nix::sys::socket::socket(family, SockType::Stream, flags, None)?;
    setsockopt(&socket, sockopt::ReuseAddr, &true)?;
    setsockopt(&socket, sockopt::SndBuf, &SEND_BUFFER)?;
    nix::sys::socket::bind(socket.as_raw_fd(), &SockaddrStorage::from(address))?;
    nix::sys::socket::listen(&socket, nix::sys::socket::Backlog::new(BACKLOG)?)?;
    Ok(socket.into())
}

/// Accepts connections for good.
pub(super) async fn serve(listener: TcpListener, tls: Option<TlsAcceptor>, door: Door) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (router, lobby) = (http::router(door), Lobby::default());
    loop {
        let (stream, from) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, mostly: others need a moment to close theirs.
                tracing::debug!("accept: {error}");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let place = Arc::new(lobby.enter(from.ip()));
        let visitor = Visitor { place: Arc::clone(&place), from: from.ip() };
        let (router, tls) = (router.clone(), tls.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = connection(stream, tls, router, visitor) => {}
                () = place.is_lost() => {}
            }
        });
    }
}

async fn connection(stream: TcpStream, tls: Option<TlsAcceptor>, router: Router, visitor: Visitor) {
    let _ = stream.set_nodelay(true);
    match tls {
        None => speak(Wire::Plain(stream), router, visitor).await,
        Some(tls) => {
            if let Ok(Ok(stream)) = timeout(HEAD_TIME, tls.accept(stream)).await {
                speak(Wire::Tls(Box::new(stream)), router, visitor).await;
            }
        }
    }
}

async fn speak(wire: Wire, router: Router, visitor: Visitor) {
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(visitor.clone());
        router.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(MOST_HEAD)
        .serve_connection(TokioIo::new(wire), service)
        .with_upgrades();
    // How a connection ended is its client's affair.
    let _ = timeout(CONNECTION_TIME, connection).await;
}
