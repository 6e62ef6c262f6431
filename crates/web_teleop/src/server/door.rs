//! What goes with every request: what it is answered from, whose it is, and what it offers to speak.

use super::lobby::Place;
use super::shared::Shared;
use axum::http::HeaderMap;
use axum::http::header::SEC_WEBSOCKET_PROTOCOL;
use std::net::IpAddr;
use std::sync::Arc;

/// What a request is answered from.
#[derive(Clone)]
pub(super) struct Door {
    pub shared: Arc<Shared>,
    /// Where clients are served.
    pub clients: tokio::runtime::Handle,
}

/// Whose request it is: goes with each.
#[derive(Clone)]
pub(super) struct Visitor {
    pub place: Arc<Place>,
    pub from: IpAddr,
}

/// The subprotocols that a client offers.
pub(super) fn offered(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim)
}
