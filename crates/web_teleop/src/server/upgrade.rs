//! From a request to a WebSocket, on the thread of the clients.

use super::door::{Door, offered};
use super::socket;
use super::wire::Wire;
use crate::protocol::{MOST_BYTES, STOP_SUBPROTOCOL, SUBPROTOCOL};
use axum::extract::Request;
use axum::http::header::{
    CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use std::sync::Arc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

/// Read at once from a client's socket, and most that is held back for it, bytes.
const READ_BUFFER: usize = 4096;
const WRITE_BUFFER: usize = 256 * 1024;

/// Makes the connection a WebSocket.
pub(super) fn connect(door: Door, mut request: Request) -> Response {
    let refuse = |status: StatusCode, words: &'static str| (status, words).into_response();
    let is_offered = |name: &str| offered(request.headers()).any(|protocol| protocol == name);
    let only_stops = is_offered(STOP_SUBPROTOCOL);
    if !only_stops && !is_offered(SUBPROTOCOL) {
        return refuse(StatusCode::BAD_REQUEST, "offer the subprotocol hexapod.v1\n");
    }
    let Some(accept) = accept_key(request.headers()) else {
        return refuse(StatusCode::BAD_REQUEST, "this is for WebSockets\n");
    };
    let room = if only_stops { &door.shared.stop_room } else { &door.shared.room };
    let Ok(permit) = Arc::clone(room).try_acquire_owned() else {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "too many clients are connected\n");
    };
    let upgrade = hyper::upgrade::on(&mut request);
    let shared = door.shared;
    door.clients.spawn(async move {
        if let Some(socket) = taken(upgrade).await {
            if only_stops {
                socket::hear_stops(&shared, socket).await;
            } else {
                socket::serve(&shared, socket).await;
            }
        }
        drop(permit);
    });
    let protocol = if only_stops { STOP_SUBPROTOCOL } else { SUBPROTOCOL };
    let headers = [
        (CONNECTION, "upgrade"),
        (UPGRADE, "websocket"),
        (SEC_WEBSOCKET_ACCEPT, accept.as_str()),
        (SEC_WEBSOCKET_PROTOCOL, protocol),
    ];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}

/// What the server has to answer to the key of a request for a WebSocket; nothing where it is another request.
fn accept_key(headers: &HeaderMap) -> Option<String> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok();
    let is_upgrade = text(CONNECTION)?.split(',').any(|word| word.trim().eq_ignore_ascii_case("upgrade"));
    let is_socket = text(UPGRADE)?.eq_ignore_ascii_case("websocket") && text(SEC_WEBSOCKET_VERSION)? == "13";
    (is_upgrade && is_socket)
        .then(|| headers.get(SEC_WEBSOCKET_KEY))
        .flatten()
        .map(|key| derive_accept_key(key.as_bytes()))
}

/// The socket, on the runtime that this is called in: it was another one's until now.
async fn taken(upgrade: OnUpgrade) -> Option<WebSocketStream<Wire>> {
    let parts = upgrade.await.ok()?.downcast::<TokioIo<Wire>>().ok()?;
    let mut wire = parts.io.into_inner();
    wire.settle().ok()?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(MOST_BYTES))
        .max_frame_size(Some(MOST_BYTES))
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER);
    Some(WebSocketStream::from_partially_read(wire, parts.read_buf.to_vec(), Role::Server, Some(config)).await)
}
