//! What a request tells of who asks: somebody at this computer, somebody elsewhere, or a page of another site.

use std::net::IpAddr;

/// Who asks for what needs the token, and through what.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// Where the connection comes from.
    pub from: IpAddr,
    /// The request's `Host`.
    pub host: Option<&'a str>,
    /// Its `Origin`.
    pub origin: Option<&'a str>,
    /// Whether a proxy says that it has passed the request on.
    pub is_forwarded: bool,
}

impl Visit<'_> {
    /// Whether somebody at this computer asks, as far as is known. What comes through a proxy does not, though the
    /// proxy may well be here.
    pub(crate) fn is_at_home(&self) -> bool {
        let is_here = |host: &str| {
            let host = host.to_ascii_lowercase();
            let name = name_of(&host);
            name.is_some_and(|name| name == "localhost" || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()))
        };
        let origin_is_here = |origin: &str| origin.split_once("://").is_some_and(|(_, host)| is_here(host));
        self.from.to_canonical().is_loopback()
            && !self.is_forwarded
            && self.host.is_some_and(is_here)
            && self.origin.is_none_or(origin_is_here)
    }
}

/// Whether a browser that says `site` in `Sec-Fetch-Site` asks for a page of another site. Old ones say nothing.
#[must_use]
pub fn is_foreign(site: Option<&str>) -> bool {
    site.is_some_and(|site| !matches!(site, "same-origin" | "none"))
}

/// The name or address of a `Host`, without its port; `None` where it is malformed.
pub(crate) fn name_of(host: &str) -> Option<&str> {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let (name, rest) = match host.strip_prefix('[') {
        Some(address) => address.split_once(']')?,
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    match rest.strip_prefix(':') {
        None if rest.is_empty() => Some(name),
        Some(port) if is_port(port) => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_browser_says_that_another_site_asks_expect_that_reported_from_its_own_pages() {
        assert!(["cross-site", "same-site", "anything"].iter().all(|site| is_foreign(Some(site))));
        assert!([None, Some("same-origin"), Some("none")].iter().all(|site| !is_foreign(*site)));
    }
}
