//! The page's own files, embedded: found by name, so there is no path to leave. They are sent as they were packed when this
//! was built: a request costs no more than what is sent.

use super::pieces;
use axum::body::Bytes;
use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

/// A file of the page.
struct Asset {
    name: &'static str,
    tag: &'static str,
    /// Compressed with gzip, where that makes it smaller.
    packed: Option<&'static [u8]>,
    /// As it is: where it was not compressed, or is small.
    plain: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Served in place of the page where it was not built.
const NO_PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
content=\"width=device-width\"><title>hexapod</title><h1>The page was not built</h1><p>The robot runs, and its server, \
too; the page needs Node.js 20 or later to be built:</p><pre>cargo xtask page\ncargo build --release</pre><p>Meanwhile \
<code>hexapod drive</code> drives the robot from a terminal.</p></html>\n";

/// Whether there is a page: it was built before this was.
#[must_use]
pub fn is_page_built() -> bool {
    !ASSETS.is_empty()
}

/// Answers a request for a file of the page.
pub(super) fn answer(path: &str, headers: &HeaderMap) -> Response {
    let name = path.trim_start_matches('/');
    let name = if name.is_empty() { "index.html" } else { name };
    if !is_page_built() && name == "index.html" {
        return ([(CONTENT_TYPE, kind(name))], Bytes::from_static(NO_PAGE.as_bytes())).into_response();
    }
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => send(asset, headers),
        None => (StatusCode::NOT_FOUND, "not found\n").into_response(),
    }
}

fn send(asset: &Asset, headers: &HeaderMap) -> Response {
    let mut response =
        if is_known(headers, asset.tag) { StatusCode::NOT_MODIFIED.into_response() } else { content(asset, headers) };
    let headers = response.headers_mut();
    headers.insert(ETAG, HeaderValue::from_static(asset.tag));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    // Names below assets/ change with their content.
    let keep = if asset.name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
    response
}

/// Whether the client has what has this tag: one of a list, weak or not (RFC 9110, 13.1.2).
pub(super) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get_all(IF_NONE_MATCH).iter().filter_map(|known| known.to_str().ok());
    let mut known = known.flat_map(|list| list.split(',')).map(str::trim);
    known.any(|known| known == "*" || known.trim_start_matches("W/") == tag)
}

fn content(asset: &Asset, headers: &HeaderMap) -> Response {
    let kind = [(CONTENT_TYPE, kind(asset.name))];
    match (asset.packed.filter(|_| takes_gzip(headers)), asset.plain) {
        (Some(packed), _) => {
            (kind, [(CONTENT_ENCODING, "gzip")], pieces::of(Bytes::from_static(packed))).into_response()
        }
        (None, Some(plain)) => (kind, pieces::of(Bytes::from_static(plain))).into_response(),
        (None, None) => (StatusCode::NOT_ACCEPTABLE, "ask with Accept-Encoding: gzip\n").into_response(),
    }
}

/// Whether a client takes what is compressed with gzip: every browser does, but not for sounds and films.
pub(super) fn takes_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        is_gzip && !parts.any(|part| part.strip_prefix("q=").is_some_and(|q| q.parse::<f32>().is_ok_and(|q| q <= 0.0)))
    })
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
    fn when_a_client_takes_no_gzip_expect_a_small_file_as_it_was_and_a_large_one_refused() {
        let small = Asset { name: "assets/a.js", tag: "\"1\"", packed: Some(b"packed"), plain: Some(b"plain") };
        let large = Asset { name: "hexapod.wasm", plain: None, ..small };
        let ask = |coding: &'static str| HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(coding))]);
        for coding in ["identity;q=1, *;q=0", "br", "gzip;q=0", "gzip;q=0.0, br", "x-gzip-not"] {
            let plain = send(&small, &ask(coding));
            assert!(plain.headers().get(CONTENT_ENCODING).is_none() && plain.status() == StatusCode::OK, "{coding}");
            assert!(plain.headers()[CACHE_CONTROL].to_str().is_ok_and(|v| v.contains("immutable")));
            assert_eq!(send(&large, &ask(coding)).status(), StatusCode::NOT_ACCEPTABLE, "{coding}");
        }
        for coding in ["gzip", "br, GZIP;q=0.5", "deflate , gzip ; q=1"] {
            for asset in [&small, &large] {
                assert_eq!(send(asset, &ask(coding)).headers()[CONTENT_ENCODING], "gzip", "{coding}");
            }
        }
        for (known, status) in [
            ("\"1\"", StatusCode::NOT_MODIFIED),
            ("W/\"1\"", StatusCode::NOT_MODIFIED),
            ("\"0\", W/\"1\"", StatusCode::NOT_MODIFIED),
            ("*", StatusCode::NOT_MODIFIED),
            ("\"11\"", StatusCode::OK),
            ("1", StatusCode::OK),
        ] {
            let mut headers = ask("gzip");
            headers.insert(IF_NONE_MATCH, HeaderValue::from_static(known));
            assert_eq!(send(&large, &headers).status(), status, "{known}");
        }
    }

    #[test]
    fn when_the_page_is_built_expect_the_large_files_only_as_they_are_sent() {
        for asset in ASSETS {
            assert!(asset.packed.is_some() || asset.plain.is_some(), "{}", asset.name);
            assert!(
                asset.packed.is_none() || asset.plain.is_none_or(|plain| plain.len() <= 64 * 1024),
                "{}",
                asset.name
            );
        }
    }
}
