//! Who may come in: hosts, origins and the token, checked before anything else is done with a request.
//!
//! A page of another site can open a WebSocket to any address (the same-origin policy does not hold there), and by DNS
//! rebinding give this robot's address a name of its own, so both `Origin` and `Host` are checked.

use crate::visit::{Visit, name_of};
use std::net::IpAddr;
use subtle::ConstantTimeEq;

/// Least characters of a token.
pub const LEAST_TOKEN: usize = 16;
/// Most characters of a token.
pub const MOST_TOKEN: usize = 64;

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barred {
    /// No `Host`, or one that is not ours.
    Host,
    /// An `Origin` that is not ours, or none where one is needed.
    Origin,
    /// A browser says that a page of another site asks.
    Site,
    /// No token, or a wrong one.
    Token,
}

/// What is let in.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    /// Names of this computer.
    names: Vec<String>,
    /// Further origins, as `https://robot.example`.
    origins: Vec<String>,
    token: Option<String>,
    /// Whether whoever is at this computer needs no token.
    is_open_at_home: bool,
    /// Whether this server speaks TLS: no page of its own comes without it then.
    speaks_tls: bool,
}

impl Gate {
    /// Lets in what comes to this computer, called `computer`, and from `origins`; with `token` only who has it.
    #[must_use]
    pub fn new(computer: &str, origins: Vec<String>, token: Option<String>) -> Self {
        let computer = computer.trim().to_ascii_lowercase();
        let mut names = vec!["localhost".to_owned()];
        if !computer.is_empty() {
            names.push(format!("{computer}.local"));
            names.push(computer);
        }
        Self { names, origins, token, is_open_at_home: false, speaks_tls: false }
    }

    /// The same for a server that speaks TLS, or does not. Anybody on the network could pretend to be its page without TLS.
    #[must_use]
    pub fn speaking_tls(self, speaks_tls: bool) -> Self {
        Self { speaks_tls, ..self }
    }

    /// The same, but whoever is at this computer, and does not come through a proxy, needs no token.
    #[must_use]
    pub fn open_at_home(self, is_open_at_home: bool) -> Self {
        Self { is_open_at_home, ..self }
    }

    /// Whether whoever is at this computer needs no token.
    #[must_use]
    pub fn is_open_at_home(&self) -> bool {
        self.is_open_at_home
    }

    /// From whom the token is demanded, in words.
    #[must_use]
    pub fn demands(&self) -> &'static str {
        match (&self.token, self.is_open_at_home) {
            (None, _) => "none",
            (Some(_), true) => "needed from elsewhere",
            (Some(_), false) => "needed",
        }
    }

    /// Further origins of the page.
    #[must_use]
    pub fn origins(&self) -> &[String] {
        &self.origins
    }

    /// The token.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Checks a request's `Host` and `Origin`; a WebSocket needs an `Origin`.
    ///
    /// # Errors
    /// One of them is not ours.
    pub fn pass(&self, host: Option<&str>, origin: Option<&str>, is_socket: bool) -> Result<(), Barred> {
        let host = host.ok_or(Barred::Host)?.to_ascii_lowercase();
        if !self.is_ours(&host) {
            return Err(Barred::Host);
        }
        match origin {
            None if is_socket => Err(Barred::Origin),
            None => Ok(()),
            Some(origin) if self.is_known(&origin.to_ascii_lowercase(), &host) => Ok(()),
            Some(_) => Err(Barred::Origin),
        }
    }

    /// Checks a request's token, in a time that does not depend on where it differs.
    ///
    /// # Errors
    /// It is another one.
    pub fn show(&self, given: Option<&str>, visit: Visit<'_>) -> Result<(), Barred> {
        let Some(token) = self.token.as_ref().filter(|_| !(self.is_open_at_home && visit.is_at_home())) else {
            return Ok(());
        };
        let is_same = given.is_some_and(|given| bool::from(given.as_bytes().ct_eq(token.as_bytes())));
        if is_same { Ok(()) } else { Err(Barred::Token) }
    }

    /// Whether a `Host` is this computer: an address (which no foreign name server can give), one of its names, or the host
    /// of an origin that is allowed.
    fn is_ours(&self, host: &str) -> bool {
        let allowed = |origin: &String| origin.split_once("://").is_some_and(|(_, allowed)| allowed == host);
        let Some(name) = name_of(host) else { return false };
        name.parse::<IpAddr>().is_ok()
            || self.names.iter().any(|known| known == name)
            || self.origins.iter().any(allowed)
    }

    fn is_known(&self, origin: &str, host: &str) -> bool {
        // Without TLS of its own it may stand behind a proxy that has it.
        let schemes: &[&str] = if self.speaks_tls { &["https://"] } else { &["http://", "https://"] };
        let own = schemes.iter().any(|scheme| origin.strip_prefix(scheme) == Some(host));
        own || self.origins.iter().any(|allowed| allowed == origin)
    }
}

/// Checks an origin that is to be allowed, and returns it as it is compared.
///
/// # Errors
/// It is none.
pub fn origin(text: &str) -> Result<String, String> {
    let text = text.trim().to_ascii_lowercase();
    let host = ["http://", "https://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    match host {
        Some(host) if name_of(host).is_some_and(|name| !name.is_empty()) && !host.contains(['/', '*', ' ', '@']) => {
            Ok(text)
        }
        _ => Err(format!("`{text}` is no origin; one is as https://robot.example or http://10.0.0.7:9000")),
    }
}

/// Checks a token.
///
/// # Errors
/// It is too short or too long, or has other characters than URLs and subprotocols take as they are.
pub fn token(text: &str) -> Result<(), String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if (LEAST_TOKEN..=MOST_TOKEN).contains(&text.len()) && text.bytes().all(is_plain) {
        return Ok(());
    }
    Err(format!("a token has {LEAST_TOKEN} to {MOST_TOKEN} of A-Z a-z 0-9 _ -"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gate() -> Gate {
        let origins = ["https://robot.example", "http://proxy:81"].map(|text| origin(text).unwrap());
        Gate::new("Pi", origins.to_vec(), Some("0123456789abcdef".into()))
    }

    #[test]
    fn when_a_host_is_not_this_computer_expect_it_barred() {
        for host in [
            "localhost:8080",
            "LOCALHOST",
            "127.0.0.1:8080",
            "[::1]:8080",
            "192.168.4.1",
            "pi:8080",
            "pi.local",
            "robot.example",
            "proxy:81",
        ] {
            assert_eq!(gate().pass(Some(host), None, false), Ok(()), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "localhost:",
            "localhost:80a",
            "pi:8080:1",
            "[::1",
            "proxy",
            "127.0.0.1.evil",
            "127.1",
            "0x7f.1",
        ] {
            assert_eq!(gate().pass(Some(host), None, false), Err(Barred::Host), "{host}");
        }
        assert_eq!(gate().pass(None, None, false), Err(Barred::Host));
    }

    #[test]
    fn when_the_server_speaks_tls_expect_its_own_page_only_over_tls() {
        let pass = |origin| gate().speaking_tls(true).pass(Some("pi:8080"), Some(origin), true);
        assert_eq!(pass("https://pi:8080"), Ok(()));
        assert_eq!(pass("http://pi:8080"), Err(Barred::Origin));
        assert_eq!(pass("http://proxy:81"), Ok(()), "allowed by name");
    }

    #[test]
    fn when_an_origin_is_foreign_or_none_expect_no_socket() {
        let pass = |host, origin| gate().pass(Some(host), origin, true);
        for (host, origin) in [
            ("localhost:8080", "http://localhost:8080"),
            ("pi.local:8080", "https://PI.local:8080"),
            ("127.0.0.1:8080", "https://robot.example"),
            ("robot.example", "https://robot.example"),
        ] {
            assert_eq!(pass(host, Some(origin)), Ok(()), "{host} {origin}");
        }
        for origin in [
            "null",
            "",
            "http://evil.example",
            "http://localhost",
            "http://localhost:8081",
            "http://127.0.0.1:8080",
            "ftp://localhost:8080",
            "localhost:8080",
            "http://localhost:8080/",
            "http://localhost:8080.evil.example",
            "http://robot.example",
        ] {
            assert_eq!(pass("localhost:8080", Some(origin)), Err(Barred::Origin), "{origin}");
        }
        assert_eq!(pass("localhost:8080", None), Err(Barred::Origin));
        assert_eq!(gate().pass(Some("localhost"), None, false), Ok(()), "not every request has one");
    }

    #[test]
    fn when_a_token_is_needed_expect_no_other_let_in() {
        for given in [None, Some(""), Some("0123456789abcde"), Some("0123456789abcdeF"), Some("0123456789abcdef0")] {
            assert_eq!(gate().show(given, AT_HOME), Err(Barred::Token), "{given:?}");
        }
        assert_eq!(gate().show(Some("0123456789abcdef"), AT_HOME), Ok(()));
        assert_eq!(Gate::new("", vec![], None).show(None, AT_HOME), Ok(()));
    }

    const AT_HOME: Visit<'_> = Visit {
        from: IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
        host: Some("localhost:8080"),
        origin: Some("http://localhost:8080"),
        is_forwarded: false,
    };

    #[test]
    fn when_no_token_was_given_expect_it_demanded_of_whoever_comes_through_a_proxy() {
        let open = gate().open_at_home(true);
        for visit in [
            AT_HOME,
            Visit { origin: None, ..AT_HOME },
            Visit { host: Some("[::1]:8080"), origin: None, from: "::1".parse().unwrap(), ..AT_HOME },
            Visit { host: Some("127.0.0.1"), from: "::ffff:127.0.0.1".parse().unwrap(), ..AT_HOME },
        ] {
            assert_eq!(open.show(None, visit), Ok(()), "{visit:?}");
            assert_eq!(gate().show(None, visit), Err(Barred::Token), "a token that was given is always demanded");
        }
        for visit in [
            Visit { is_forwarded: true, ..AT_HOME },
            Visit { from: [10, 0, 0, 7].into(), ..AT_HOME },
            Visit { host: Some("robot.example"), ..AT_HOME },
            Visit { host: Some("pi.local:8080"), ..AT_HOME },
            Visit { host: Some("192.168.4.1:8080"), ..AT_HOME },
            Visit { host: Some("localhost.robot.example"), ..AT_HOME },
            Visit { host: None, ..AT_HOME },
            Visit { origin: Some("https://robot.example"), ..AT_HOME },
            Visit { origin: Some("null"), ..AT_HOME },
        ] {
            assert_eq!(open.show(None, visit), Err(Barred::Token), "{visit:?}");
            assert_eq!(open.show(Some("0123456789abcdef"), visit), Ok(()), "{visit:?}");
        }
    }

    #[test]
    fn when_a_token_or_an_origin_is_configured_expect_what_cannot_work_refused() {
        for good in ["0123456789abcdef", "AZaz09_-AZaz09_-"] {
            assert_eq!(token(good), Ok(()));
        }
        for bad in ["", "short", "0123456789abcde,", "0123456789abcde\u{e9}", &"x".repeat(65)] {
            assert!(token(bad).is_err(), "{bad}");
        }
        for bad in ["", "*", "robot.example", "https://", "https://*", "https://robot.example/page", "https://a@b"] {
            assert!(origin(bad).is_err(), "{bad}");
        }
        assert_eq!(origin(" HTTPS://Robot.Example "), Ok("https://robot.example".into()));
    }

    proptest! {
        #[test]
        fn when_a_host_is_any_text_expect_no_foreign_name_let_in(host in "\\PC{0,40}", name in "[a-z]{1,9}\\.(com|net|example)") {
            let _ = gate().pass(Some(&host), Some(&host), true);
            let foreign = name != "robot.example";
            let origin = format!("http://{name}");
            prop_assert!(!foreign || gate().pass(Some(&name), Some(&origin), true).is_err());
        }
    }
}
