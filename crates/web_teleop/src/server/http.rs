//! Requests: who may ask, and what for.

use super::door::{Door, Visitor, offered};
use super::shared::Shared;
use super::{assets, files, pieces, upgrade};
use crate::gate::Barred;
use crate::protocol::TOKEN_PREFIX;
use crate::visit::{Visit, is_foreign};
use axum::Router;
use axum::extract::{FromRequestParts, Query, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_TYPE, ETAG, FORWARDED, HOST,
    HeaderName, ORIGIN, VARY, VIA,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use hexapod_ros::monotonic_now;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// How long a download waits for its place.
const PLACE_TIME: Duration = Duration::from_secs(10);

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
pub(super) fn router(door: Door) -> Router {
    Router::new().fallback(answer).layer(from_fn_with_state(door.clone(), guard)).with_state(door)
}

/// Checks who asks before anything else, and adds the headers.
async fn guard(State(door): State<Door>, request: Request, next: Next) -> Response {
    let mut response = match admit(&door.shared, &request) {
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

/// What a browser says of who asks, and what for.
static FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
static FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
static FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

type Refused = (StatusCode, &'static str);

fn admit(shared: &Shared, request: &Request) -> Result<(), Refused> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err((StatusCode::METHOD_NOT_ALLOWED, "GET and HEAD only\n"));
    }
    let (headers, path) = (request.headers(), request.uri().path());
    let is_public = !matches!(path, "/ws" | "/robot.urdf" | "/mesh" | "/camera" | "/elevation" | "/recording");
    let origin = only(headers, &ORIGIN).map_err(|()| bar(Barred::Origin))?;
    let host = only(headers, &HOST).map_err(|()| bar(Barred::Host))?;
    let site = only(headers, &FETCH_SITE).map_err(|()| bar(Barred::Site))?;
    // What a browser says to be of the same origin is that, also behind a proxy which names another host.
    let is_own = is_public && site == Some("same-origin");
    shared.gate.pass(host, origin.filter(|_| !is_own), path == "/ws").map_err(bar)?;
    // An origin that is named was checked; where none is, the browser tells of other sites in this way.
    if origin.is_none() && is_foreign(site) && !opens_page(headers, path) {
        return Err(bar(Barred::Site));
    }
    if is_public {
        return Ok(());
    }
    let given = match path {
        "/ws" => offered(headers).find_map(|protocol| protocol.strip_prefix(TOKEN_PREFIX)),
        _ => {
            let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()?.split_once(' '));
            given.and_then(|(scheme, token)| scheme.eq_ignore_ascii_case("Bearer").then_some(token))
        }
    };
    let visitor = request.extensions().get::<Visitor>();
    let from = visitor.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |visitor| visitor.from);
    shared.gate.show(given, Visit { from, host, origin, is_forwarded: is_forwarded(headers) }).map_err(bar)?;
    if let Some(visitor) = visitor {
        visitor.place.is_known();
    }
    Ok(())
}

/// Whether a person opens the page, maybe by a link of another site.
fn opens_page(headers: &HeaderMap, path: &str) -> bool {
    let says = |name: &HeaderName, value: &str| headers.get(name).is_some_and(|said| said == value);
    let is_page = matches!(path, "/" | "/index.html" | "/playground.html");
    is_page && says(&FETCH_MODE, "navigate") && says(&FETCH_DEST, "document")
}

/// Whether a proxy has passed the request on.
fn is_forwarded(headers: &HeaderMap) -> bool {
    const MORE: [&str; 4] = ["x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip"];
    headers.keys().any(|name| {
        name == FORWARDED || name == VIA || name.as_str().starts_with("x-forwarded") || MORE.contains(&name.as_str())
    })
}

fn bar(barred: Barred) -> Refused {
    match barred {
        Barred::Host => (StatusCode::FORBIDDEN, "this is not the host that is served here (allowed_origins)\n"),
        Barred::Origin => (StatusCode::FORBIDDEN, "pages of this origin may not connect (allowed_origins)\n"),
        Barred::Site => (StatusCode::FORBIDDEN, "pages of other sites may not ask for this\n"),
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

async fn answer(State(door): State<Door>, request: Request) -> Response {
    let shared = Arc::clone(&door.shared);
    match request.uri().path() {
        "/ws" => return upgrade::connect(door, request),
        "/robot.urdf" | "/mesh" | "/camera" | "/elevation" | "/recording" => {}
        path => return assets::answer(path, request.headers()),
    }
    let place = tokio::time::timeout(PLACE_TIME, Arc::clone(&shared.downloads).acquire_owned()).await;
    let Ok(Ok(place)) = place else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many downloads at a time\n").into_response();
    };
    match request.uri().path() {
        "/robot.urdf" => description(&shared, request.headers(), place),
        "/mesh" => mesh(&shared, request, place).await,
        "/camera" => picture(&shared, place),
        "/elevation" => elevation(&shared, request.headers(), place),
        _ => recording(&shared, place),
    }
}

fn description(shared: &Shared, headers: &HeaderMap, place: OwnedSemaphorePermit) -> Response {
    let Some(description) = shared.shared_description.description() else {
        return (StatusCode::NOT_FOUND, "no robot has described itself yet\n").into_response();
    };
    if assets::is_known(headers, &description.tag) {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    let kind =
        [(CONTENT_TYPE, "application/xml".to_owned()), (ETAG, description.tag), (VARY, "accept-encoding".into())];
    if assets::takes_gzip(headers) {
        return (kind, [(CONTENT_ENCODING, "gzip")], pieces::at_a_place(description.packed, place)).into_response();
    }
    (kind, pieces::at_a_place(description.text, place)).into_response()
}

async fn mesh(shared: &Shared, request: Request, place: OwnedSemaphorePermit) -> Response {
    let (mut parts, _) = request.into_parts();
    let missing = || (StatusCode::NOT_FOUND, "no such mesh\n").into_response();
    let Ok(Query(query)) = Query::<HashMap<String, String>>::from_request_parts(&mut parts, &()).await else {
        return missing();
    };
    let (Some(uri), Some(description)) = (query.get("uri"), shared.shared_description.description()) else {
        return missing();
    };
    if !description.meshes.contains(uri) {
        return missing();
    }
    let Some(path) = files::mesh(uri, &shared.folder, &files::prefixes()) else { return missing() };
    files::open(path)
        .await
        .map_or_else(missing, |(file, size)| files::send(file, size, "application/octet-stream", place))
}

fn picture(shared: &Shared, place: OwnedSemaphorePermit) -> Response {
    let Some(picture) = shared.shared_description.picture(monotonic_now()) else {
        return StatusCode::NO_CONTENT.into_response();
    };
    let tag = format!("\"{}\"", picture.at.as_nanos());
    let headers = [(CONTENT_TYPE, picture.kind.to_owned()), (ETAG, tag), (CACHE_CONTROL, "no-store".to_owned())];
    (headers, pieces::at_a_place(picture.data, place)).into_response()
}

fn elevation(shared: &Shared, headers: &HeaderMap, place: OwnedSemaphorePermit) -> Response {
    let Some((tag, bytes)) = shared.elevation.ask(monotonic_now()) else {
        return StatusCode::NO_CONTENT.into_response();
    };
    if assets::is_known(headers, &tag) {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    let kind = [(CONTENT_TYPE, "application/octet-stream".to_owned()), (ETAG, tag)];
    (kind, [(CACHE_CONTROL, "no-cache")], pieces::at_a_place(bytes, place)).into_response()
}

fn recording(shared: &Shared, place: OwnedSemaphorePermit) -> Response {
    match shared.recorder.file() {
        (Some((file, size)), _) => {
            let mut response = files::send(file, size, "application/octet-stream", place);
            let name = HeaderValue::from_static("attachment; filename=\"hexapod.mcap\"");
            response.headers_mut().insert(CONTENT_DISPOSITION, name);
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            response
        }
        (None, true) => (StatusCode::CONFLICT, "the recording is being written\n").into_response(),
        (None, false) => (StatusCode::NOT_FOUND, "nothing was recorded\n").into_response(),
    }
}
