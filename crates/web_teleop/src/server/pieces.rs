//! Bodies in small pieces: of what a client is sent, only one piece is held back for it, however slowly it reads.

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_LENGTH;
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use std::convert::Infallible;
use tokio::sync::OwnedSemaphorePermit;

/// Bytes of a piece.
const PIECE: usize = 16 * 1024;

/// Sends what is in memory anyway.
pub(super) fn of(bytes: Bytes) -> Response {
    cut(bytes, None)
}

/// The same for a client that has a place among those that download, which it keeps until all is sent.
pub(super) fn at_a_place(bytes: Bytes, place: OwnedSemaphorePermit) -> Response {
    cut(bytes, Some(place))
}

fn cut(bytes: Bytes, place: Option<OwnedSemaphorePermit>) -> Response {
    let length = bytes.len().to_string();
    let body = Body::from_stream(unfold((bytes, place), |(mut rest, place)| async move {
        let piece = rest.split_to(rest.len().min(PIECE));
        (!piece.is_empty()).then_some((Ok::<_, Infallible>(piece), (rest, place)))
    }));
    ([(CONTENT_LENGTH, length)], body).into_response()
}
