//! Requests: who may ask, and what for.

use super::shared::Shared;
use super::{assets, files, socket};
use crate::gate::Barred;
use crate::protocol::{MOST_BYTES, SUBPROTOCOL, TOKEN_PREFIX};
use axum::Router;
use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts, Query, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG, HOST, HeaderName, IF_NONE_MATCH, ORIGIN,
    SEC_WEBSOCKET_PROTOCOL,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use hexapod_ros::monotonic_now;
use std::collections::HashMap;
use std::sync::Arc;

/// Read at once from a client's socket, and most that is held back for it, bytes.
const READ_BUFFER: usize = 4096;
const WRITE_BUFFER: usize = 256 * 1024;

/// Sent with everything: nothing from elsewhere is loaded, and no other page shows this one.
const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; \
         connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
];

/// All that is served.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new().fallback(answer).layer(from_fn_with_state(Arc::clone(&shared), guard)).with_state(shared)
}

/// Checks who asks before anything else, and adds the headers.
async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match admit(&shared, &request) {
        Ok(()) => next.run(request).await,
        Err(refused) => refused.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
    response
}

type Refused = (StatusCode, &'static str);

fn admit(shared: &Shared, request: &Request) -> Result<(), Refused> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err((StatusCode::METHOD_NOT_ALLOWED, "GET and HEAD only\n"));
    }
    let (headers, path) = (request.headers(), request.uri().path());
    let is_socket = path == "/ws";
    let origin = only(headers, &ORIGIN).map_err(|()| bar(Barred::Origin))?;
    let host = only(headers, &HOST).map_err(|()| bar(Barred::Host))?;
    shared.gate.pass(host, origin, is_socket).map_err(bar)?;
    let given = match path {
        "/ws" => offered(headers).find_map(|protocol| protocol.strip_prefix(TOKEN_PREFIX)),
        "/robot.urdf" | "/mesh" | "/camera" | "/recording" => {
            let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()?.split_once(' '));
            given.and_then(|(scheme, token)| scheme.eq_ignore_ascii_case("Bearer").then_some(token))
        }
        _ => return Ok(()),
    };
    shared.gate.show(given).map_err(bar)
}

fn bar(barred: Barred) -> Refused {
    match barred {
        Barred::Host => (StatusCode::FORBIDDEN, "this is not the host that is served here (allowed_origins)\n"),
        Barred::Origin => (StatusCode::FORBIDDEN, "pages of this origin may not connect (allowed_origins)\n"),
        Barred::Token => (StatusCode::UNAUTHORIZED, "the token is missing or wrong\n"),
    }
}

/// The one value of a header; an error where there are several, or it is no text.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| ()),
        (Some(_), Some(_)) => Err(()),
    }
}

/// The subprotocols that a client offers.
fn offered(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim)
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    match request.uri().path() {
        "/ws" => connect(shared, request).await,
        "/robot.urdf" => description(&shared, request.headers()),
        "/mesh" => mesh(&shared, request).await,
        "/camera" => picture(&shared),
        "/recording" => recording(&shared),
        path => assets::answer(path, request.headers()),
    }
}

/// Makes the connection a WebSocket.
async fn connect(shared: Arc<Shared>, request: Request) -> Response {
    if !offered(request.headers()).any(|protocol| protocol == SUBPROTOCOL) {
        return (StatusCode::BAD_REQUEST, "offer the subprotocol hexapod.v1\n").into_response();
    }
    let (mut parts, _) = request.into_parts();
    let upgrade = match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
        Ok(upgrade) => upgrade,
        Err(_) => return (StatusCode::BAD_REQUEST, "this is for WebSockets\n").into_response(),
    };
    let Ok(permit) = Arc::clone(&shared.room).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many clients are connected\n").into_response();
    };
    let upgrade = upgrade
        .protocols([SUBPROTOCOL])
        .max_message_size(MOST_BYTES)
        .max_frame_size(MOST_BYTES)
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER);
    upgrade.on_upgrade(move |socket| async move {
        socket::serve(&shared, socket).await;
        drop(permit);
    })
}

fn description(shared: &Shared, headers: &HeaderMap) -> Response {
    let Some(description) = shared.shelf.description() else {
        return (StatusCode::NOT_FOUND, "no robot has told of itself yet\n").into_response();
    };
    let known = headers.get(IF_NONE_MATCH).is_some_and(|tag| tag.as_bytes() == description.tag.as_bytes());
    if known {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    ([(CONTENT_TYPE, "application/xml".to_owned()), (ETAG, description.tag)], Body::from(description.text))
        .into_response()
}

async fn mesh(shared: &Shared, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    let missing = || (StatusCode::NOT_FOUND, "no such mesh\n").into_response();
    let Ok(Query(query)) = Query::<HashMap<String, String>>::from_request_parts(&mut parts, &()).await else {
        return missing();
    };
    let (Some(uri), Some(description)) = (query.get("uri"), shared.shelf.description()) else { return missing() };
    if !description.meshes.contains(uri) {
        return missing();
    }
    let Some(path) = files::mesh(uri, &shared.folder, &files::prefixes()) else { return missing() };
    files::open(path).await.map_or_else(missing, |(file, size)| files::send(file, size, "application/octet-stream"))
}

fn picture(shared: &Shared) -> Response {
    let Some(picture) = shared.shelf.picture(monotonic_now()) else { return StatusCode::NO_CONTENT.into_response() };
    let tag = format!("\"{}\"", picture.at.as_nanos());
    let headers = [(CONTENT_TYPE, picture.kind.to_owned()), (ETAG, tag), (CACHE_CONTROL, "no-store".to_owned())];
    (headers, Body::from(picture.data)).into_response()
}

fn recording(shared: &Shared) -> Response {
    match shared.recorder.file() {
        (Some((file, size)), _) => {
            let mut response = files::send(file, size, "application/octet-stream");
            let name = HeaderValue::from_static("attachment; filename=\"hexapod.mcap\"");
            response.headers_mut().insert(CONTENT_DISPOSITION, name);
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            response
        }
        (None, true) => (StatusCode::CONFLICT, "the recording is being written\n").into_response(),
        (None, false) => (StatusCode::NOT_FOUND, "nothing was recorded\n").into_response(),
    }
}
