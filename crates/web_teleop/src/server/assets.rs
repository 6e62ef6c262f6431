//! The page's own files, embedded: found by name, so there is no path to leave.

use axum::body::Bytes;
use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;
use std::io::Read;

/// A file of the page.
struct Asset {
    name: &'static str,
    tag: &'static str,
    /// Compressed with gzip.
    is_packed: bool,
    data: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Served in place of the page where it was not built.
const NO_PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
content=\"width=device-width\"><title>hexapod</title><h1>The page was not built</h1><p>The robot runs, and its server, \
too; the page needs Node.js 20 or later to be built:</p><pre>cargo xtask page\ncargo build --release</pre><p>Meanwhile \
<code>hexapod drive</code> drives the robot from a terminal.</p></html>\n";

/// Answers a request for a file of the page.
pub(super) fn answer(path: &str, headers: &HeaderMap) -> Response {
    let name = path.trim_start_matches('/');
    let name = if name.is_empty() { "index.html" } else { name };
    if ASSETS.is_empty() && name == "index.html" {
        return ([(CONTENT_TYPE, kind(name))], Bytes::from_static(NO_PAGE.as_bytes())).into_response();
    }
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => send(asset, headers),
        None => (StatusCode::NOT_FOUND, "not found\n").into_response(),
    }
}

fn send(asset: &Asset, headers: &HeaderMap) -> Response {
    let has = |name, value: &str| headers.get(name).is_some_and(|held| held.as_bytes() == value.as_bytes());
    let mut response =
        if has(IF_NONE_MATCH, asset.tag) { StatusCode::NOT_MODIFIED.into_response() } else { content(asset, headers) };
    let headers = response.headers_mut();
    headers.insert(ETAG, HeaderValue::from_static(asset.tag));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    // Names below assets/ change with their content.
    let keep = if asset.name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
    response
}

fn content(asset: &Asset, headers: &HeaderMap) -> Response {
    let kind = [(CONTENT_TYPE, kind(asset.name))];
    if !asset.is_packed {
        return (kind, Bytes::from_static(asset.data)).into_response();
    }
    let takes_gzip =
        headers.get_all(ACCEPT_ENCODING).iter().any(|value| value.to_str().is_ok_and(|v| v.contains("gzip")));
    if takes_gzip {
        return (kind, [(CONTENT_ENCODING, "gzip")], Bytes::from_static(asset.data)).into_response();
    }
    let mut plain = vec![];
    match GzDecoder::new(asset.data).read_to_end(&mut plain) {
        Ok(_) => (kind, plain).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// The media type of a file.
fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "urdf" | "xml" => "application/xml",
        "txt" | "yaml" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_path_would_leave_the_page_expect_nothing_there() {
        for path in
            ["/../Cargo.toml", "//etc/passwd", "/assets/..", "/%2e%2e/Cargo.toml", "/index.html/", "/assets", "/\\"]
        {
            assert_eq!(answer(path, &HeaderMap::new()).status(), StatusCode::NOT_FOUND, "{path}");
        }
        assert_eq!(answer("/", &HeaderMap::new()).status(), StatusCode::OK);
    }

    #[test]
    fn when_a_client_takes_no_gzip_expect_the_file_as_it_was() {
        let packed = include_bytes!("../../Cargo.toml");
        let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, packed).ok();
        let data: &'static [u8] = Box::leak(encoder.finish().unwrap_or_default().into_boxed_slice());
        let asset = Asset { name: "assets/a.js", tag: "\"1\"", is_packed: true, data };
        let plain = send(&asset, &HeaderMap::new());
        assert!(
            plain.headers().get(CONTENT_ENCODING).is_none()
                && plain.headers()[CACHE_CONTROL].to_str().is_ok_and(|v| v.contains("immutable"))
        );
        let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("br, gzip"))]);
        assert_eq!(send(&asset, &headers).headers()[CONTENT_ENCODING], "gzip");
        let headers = HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::from_static("\"1\""))]);
        assert_eq!(send(&asset, &headers).status(), StatusCode::NOT_MODIFIED);
    }
}
