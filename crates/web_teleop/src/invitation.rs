//! How the user gets to the page: its URL, and for a phone a QR code, in the terminal. Not in the log: it holds the token.

use crate::params::Setup;
use nix::ifaddrs::getifaddrs;
use nix::sys::socket::SockaddrStorage;
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};
use std::fmt::Write;
use std::net::{IpAddr, SocketAddr};

/// What the user reads of a server at `address`.
#[must_use]
pub fn words(setup: &Setup, address: SocketAddr) -> String {
    let hosts = if address.ip().is_unspecified() { addresses(address.is_ipv6()) } else { vec![address.ip()] };
    let urls: Vec<String> = hosts.iter().map(|host| url(setup, SocketAddr::new(*host, address.port()))).collect();
    let mut out = String::new();
    for url in urls.iter().chain(&elsewhere(setup)) {
        let _ = writeln!(out, "drive it in a browser: {url}");
    }
    if let (Some(token), true) = (setup.gate.token(), setup.gate.is_open_at_home()) {
        let _ = writeln!(out, "through a proxy or a tunnel it needs a token: add #token={token} to its address");
    }
    // A page that is only on this computer is of no use to a phone.
    if let (Some(token), Some(url)) = (setup.gate.token(), urls.first().filter(|_| !address.ip().is_loopback())) {
        let _ = writeln!(out, "{}", drawn(url));
        let until = if setup.is_new_token { "until this process ends" } else { "as the parameter `token` says" };
        let _ = writeln!(
            out,
            "whoever has this code may drive the robot; its token is {} characters, {until}",
            token.len()
        );
    }
    out
}

fn url(setup: &Setup, address: SocketAddr) -> String {
    let scheme = if setup.tls.is_some() { "https" } else { "http" };
    let host = if address.ip().is_loopback() { format!("localhost:{}", address.port()) } else { address.to_string() };
    format!("{scheme}://{host}/{}", fragment(setup))
}

/// The page's addresses behind proxies, as far as they are known: the path below which one serves it is not.
fn elsewhere(setup: &Setup) -> Vec<String> {
    setup.gate.origins().iter().map(|origin| format!("{origin}/{}", fragment(setup))).collect()
}

/// The token, where whoever opens the page here needs it.
fn fragment(setup: &Setup) -> String {
    let token = setup.gate.token().filter(|_| !setup.gate.is_open_at_home());
    token.map(|token| format!("#token={token}")).unwrap_or_default()
}

/// A QR code that a phone reads from a terminal, dark on light or light on dark.
fn drawn(url: &str) -> String {
    match QrCode::with_error_correction_level(url, EcLevel::L) {
        // Terminals are dark, mostly: what is printed is what is light.
        Ok(code) => code.render::<Dense1x2>().dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build(),
        Err(error) => format!("(no QR code: {error})"),
    }
}

/// This computer's addresses on its networks, IPv4 first; those of IPv6 only where the server listens to that.
fn addresses(listens_to_v6: bool) -> Vec<IpAddr> {
    let Ok(interfaces) = getifaddrs() else { return vec![] };
    let mut found = usable(interfaces.filter_map(|interface| interface.address), listens_to_v6);
    found.sort_by_key(IpAddr::is_ipv6);
    found
}

fn usable(addresses: impl Iterator<Item = SockaddrStorage>, listens_to_v6: bool) -> Vec<IpAddr> {
    addresses
        .filter_map(|address| {
            let v4 = address.as_sockaddr_in().map(|address| IpAddr::from(address.ip()));
            v4.or_else(|| address.as_sockaddr_in6().map(|address| IpAddr::from(address.ip())))
        })
        // Link-local ones of IPv6 need the interface's name, which browsers do not take.
        .filter(|address| match address {
            IpAddr::V4(v4) => !v4.is_loopback(),
            IpAddr::V6(v6) => listens_to_v6 && !v6.is_loopback() && !v6.is_unicast_link_local(),
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::params::specs;

    fn setup(address: &str) -> Setup {
        with(&[("bind_address", address)])
    }

    fn with(values: &[(&'static str, &str)]) -> Setup {
        let mut params: hexapod_config::ros_params::Params =
            specs().iter().map(|spec| (spec.name, spec.default.clone())).collect();
        params.extend(values.iter().map(|(name, value)| (*name, (*value).into())));
        Setup::load(&params).unwrap()
    }

    #[test]
    fn when_the_page_is_for_this_computer_expect_its_url_and_what_a_proxy_needs() {
        let setup = setup("127.0.0.1");
        let token = setup.gate.token().unwrap();
        let reported = words(&setup, setup.address);
        let lines: Vec<&str> = reported.lines().collect();
        assert_eq!(lines[0], "drive it in a browser: http://localhost:8080/");
        assert!(lines.len() == 2 && lines[1].contains(&format!("#token={token}")), "{reported}");
    }

    #[test]
    fn when_the_page_is_behind_a_proxy_expect_its_address_there_with_the_token() {
        let setup = with(&[("allowed_origins", "https://robot.example"), ("token", "my_own_token_1234")]);
        let reported = words(&setup, setup.address);
        for host in ["http://localhost:8080", "https://robot.example"] {
            assert!(reported.contains(&format!(": {host}/#token=my_own_token_1234\n")), "{reported}");
        }
    }

    #[test]
    fn when_the_server_listens_to_ipv4_alone_expect_no_address_of_ipv6() {
        let addresses = ["192.0.2.7:0", "[2001:db8::7]:0", "[fe80::1]:0", "127.0.0.1:0", "[::1]:0"];
        let found = |listens_to_v6| {
            let all = addresses.iter().map(|text| SockaddrStorage::from(text.parse::<SocketAddr>().unwrap()));
            usable(all, listens_to_v6).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(found(false), ["192.0.2.7"]);
        assert_eq!(found(true), ["192.0.2.7", "2001:db8::7"]);
    }

    #[test]
    fn when_the_page_is_for_the_network_expect_the_token_in_the_fragment_and_a_code_of_equal_lines() {
        let setup = setup("192.0.2.7");
        let reported = words(&setup, setup.address);
        let token = setup.gate.token().unwrap();
        assert!(reported.contains(&format!("http://192.0.2.7:8080/#token={token}\n")), "{reported}");
        let widths: Vec<usize> =
            reported.lines().filter(|line| line.contains('█')).map(|line| line.chars().count()).collect();
        assert!(widths.len() > 10 && widths.iter().all(|width| *width == widths[0] && *width < 80), "{widths:?}");
    }
}
