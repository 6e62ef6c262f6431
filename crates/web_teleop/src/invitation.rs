//! How the user gets to the page: its URL, and for a phone a QR code, in the terminal. Not in the log: it holds the token.

use crate::params::Setup;
use nix::ifaddrs::getifaddrs;
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};
use std::fmt::Write;
use std::net::{IpAddr, SocketAddr};

/// What the user is told of a server at `address`.
#[must_use]
pub fn words(setup: &Setup, address: SocketAddr) -> String {
    let hosts = if address.ip().is_unspecified() { addresses() } else { vec![address.ip()] };
    let urls: Vec<String> = hosts.iter().map(|host| url(setup, SocketAddr::new(*host, address.port()))).collect();
    let mut out = String::new();
    for url in &urls {
        let _ = writeln!(out, "drive it in a browser: {url}");
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
    let token = setup.gate.token().map(|token| format!("#token={token}")).unwrap_or_default();
    format!("{scheme}://{host}/{token}")
}

/// A QR code that a phone reads from a terminal, dark on light or light on dark.
fn drawn(url: &str) -> String {
    match QrCode::with_error_correction_level(url, EcLevel::L) {
        // Terminals are dark, mostly: what is printed is what is light.
        Ok(code) => code.render::<Dense1x2>().dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build(),
        Err(error) => format!("(no QR code: {error})"),
    }
}

/// This computer's addresses on its networks, IPv4 first.
fn addresses() -> Vec<IpAddr> {
    let Ok(interfaces) = getifaddrs() else { return vec![] };
    let mut found: Vec<IpAddr> = interfaces
        .filter_map(|interface| {
            let address = interface.address?;
            let v4 = address.as_sockaddr_in().map(|address| IpAddr::from(address.ip()));
            v4.or_else(|| address.as_sockaddr_in6().map(|address| IpAddr::from(address.ip())))
        })
        // Link-local ones of IPv6 need the interface's name, which browsers do not take.
        .filter(|address| !address.is_loopback() && !matches!(address, IpAddr::V6(v6) if v6.is_unicast_link_local()))
        .collect();
    found.sort_by_key(IpAddr::is_ipv6);
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::params::specs;

    fn setup(address: &str) -> Setup {
        let mut params: hexapod_config::ros_params::Params =
            specs().iter().map(|spec| (spec.name, spec.default.clone())).collect();
        params.insert("bind_address", address.into());
        Setup::load(&params).unwrap()
    }

    #[test]
    fn when_the_page_is_for_this_computer_expect_its_url_alone() {
        let setup = setup("127.0.0.1");
        assert_eq!(words(&setup, setup.address), "drive it in a browser: http://localhost:8080/\n");
    }

    #[test]
    fn when_the_page_is_for_the_network_expect_the_token_in_the_fragment_and_a_code_of_equal_lines() {
        let setup = setup("192.0.2.7");
        let told = words(&setup, setup.address);
        let token = setup.gate.token().unwrap();
        assert!(told.contains(&format!("http://192.0.2.7:8080/#token={token}\n")), "{told}");
        let widths: Vec<usize> =
            told.lines().filter(|line| line.contains('█')).map(|line| line.chars().count()).collect();
        assert!(widths.len() > 10 && widths.iter().all(|width| *width == widths[0] && *width < 80), "{widths:?}");
    }
}
