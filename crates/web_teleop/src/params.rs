//! What `web_teleop` can be set to.

use crate::gate::{self, Gate};
use crate::tls::{self, Tls};
use hexapod_config::ros_params::{ParamSpec, Params};
use hexapod_config::{ConfigError, Faults};
use hexapod_setup::params::{common, number, switch, text, wrong};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The node's name.
pub const NAME: &str = "web_teleop";

/// The node's parameters.
#[must_use]
pub fn specs() -> Vec<ParamSpec> {
    let mut specs = common();
    specs.extend([
        ParamSpec::new("port", 8080_i64, "Port of the page").range(0.0, 65535.0).read_only(),
        ParamSpec::new(
            "bind_address",
            "127.0.0.1",
            "Address the page is served on; 0.0.0.0 for all of the network, which needs a token",
        )
        .read_only(),
        ParamSpec::new(
            "token",
            "",
            "What a client has to know, 16 to 64 of A-Z a-z 0-9 _ -; empty: a new one at each start, which is not asked for \
             on this computer itself",
        )
        .read_only(),
        ParamSpec::new(
            "allowed_origins",
            "",
            "Other origins of the page, such as https://robot.example behind a proxy, separated by commas",
        )
        .read_only(),
        ParamSpec::new("tls_cert", "", "File of the certificate chain, PEM; empty: no TLS").read_only(),
        ParamSpec::new("tls_key", "", "File of the certificate's key, PEM").read_only(),
        ParamSpec::new("max_clients", 8_i64, "Clients at a time").range(1.0, 32.0).read_only(),
        ParamSpec::new("state_rate", 30.0, "States sent to each client, per second").range(5.0, 30.0).read_only(),
        ParamSpec::new("dead_man", 0.3, "Time after the last command of a client that the robot is stopped, s")
            .range(0.1, 1.0)
            .read_only(),
        ParamSpec::new("full_stick_linear", 0.15, "Speed of a fully deflected stick, m/s").range(0.01, 5.0).read_only(),
        ParamSpec::new("full_stick_angular", 0.8, "Turn of a fully deflected stick, rad/s")
            .range(0.01, 10.0)
            .read_only(),
        ParamSpec::new("stamped_cmd_vel", false, "true: cmd_vel is geometry_msgs/TwistStamped, as the planner's parameter")
            .read_only(),
        ParamSpec::new("recording_size", 64_i64, "Largest recording, MiB").range(1.0, 1024.0).read_only(),
    ]);
    specs
}

/// Who may connect, where to, and how the robot is driven.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Where the page is served.
    pub address: SocketAddr,
    /// Who is let in.
    pub gate: Gate,
    /// Whether the token was made for this run.
    pub is_new_token: bool,
    /// Certificate and key.
    pub tls: Option<Tls>,
    /// Clients at a time.
    pub max_clients: usize,
    /// Time between two states.
    pub state_period: Duration,
    /// How long a motion counts.
    pub dead_man: Duration,
    /// m/s and rad/s of a fully deflected stick.
    pub full_stick: (f64, f64),
    /// Whether `cmd_vel` has stamps.
    pub is_stamped: bool,
    /// Largest recording, bytes.
    pub recording_size: u64,
    /// File of the robot's description, beside which its meshes may be.
    pub urdf: PathBuf,
}

impl Setup {
    /// Reads and checks the parameters.
    ///
    /// # Errors
    /// All that does not hold.
    pub fn load(params: &Params) -> Result<Self, ConfigError> {
        let mut faults = Faults::default();
        let refuse =
            |name: &'static str, help: &'static str| move |reason: String| wrong(NAME, params, name, reason, help);
        let address = text(params, "bind_address").trim().parse::<IpAddr>().map_err(|error| error.to_string());
        let address = address.map_err(refuse("bind_address", "give an address as 127.0.0.1, 0.0.0.0 or ::"));
        let address = faults.note(address);
        let origins: Result<Vec<String>, String> = text(params, "allowed_origins")
            .split(',')
            .filter(|text| !text.trim().is_empty())
            .map(gate::origin)
            .collect();
        let origins = faults.note(origins.map_err(refuse("allowed_origins", "")));
        let given = text(params, "token");
        let checked = if given.is_empty() { Ok(()) } else { gate::token(&given) };
        faults.note(checked.map_err(refuse("token", "leave it empty for one that is made at each start")));
        let tls = faults.note(tls_of(params));
        let (address, origins) = (address.unwrap_or([127, 0, 0, 1].into()), origins.unwrap_or_default());
        // Nobody drives the robot from the network without a token, nor through a proxy on this computer.
        let is_new_token = given.is_empty();
        let is_open_at_home = is_new_token && address.is_loopback() && origins.is_empty();
        let token = if is_new_token { faults.note(new_token()).unwrap_or_default() } else { given };
        faults.into_result()?;
        let tls = tls.flatten();
        Ok(Self {
            address: SocketAddr::new(address, whole(params, "port") as u16),
            gate: Gate::new(&computer(), origins, Some(token))
                .open_at_home(is_open_at_home)
                .speaking_tls(tls.is_some()),
            is_new_token,
            tls,
            max_clients: whole(params, "max_clients") as usize,
            state_period: Duration::from_secs_f64(1.0 / number(params, "state_rate")),
            dead_man: Duration::from_secs_f64(number(params, "dead_man")),
            full_stick: (number(params, "full_stick_linear"), number(params, "full_stick_angular")),
            is_stamped: switch(params, "stamped_cmd_vel"),
            recording_size: u64::from(whole(params, "recording_size")) << 20,
            urdf: text(params, "urdf").into(),
        })
    }
}

/// A whole number that is not negative, as its range says.
fn whole(params: &Params, name: &str) -> u32 {
    number(params, name) as u32
}

fn tls_of(params: &Params) -> Result<Option<Tls>, ConfigError> {
    let [cert, key] = ["tls_cert", "tls_key"].map(|name| text(params, name));
    let missing = |name: &str, other: &str| {
        Err(wrong(NAME, params, other, format!("{name} is missing"), "give both files of a certificate, or neither"))
    };
    match (cert.is_empty(), key.is_empty()) {
        (true, true) => Ok(None),
        (true, false) => missing("tls_cert", "tls_key"),
        (false, true) => missing("tls_key", "tls_cert"),
        (false, false) => {
            let loaded = Tls::load(Path::new(&cert), Path::new(&key));
            loaded
                .map(Some)
                .map_err(|(name, reason)| wrong(NAME, params, name, reason, "give PEM files that go together"))
        }
    }
}

/// A token that nobody guesses: 120 random bits.
fn new_token() -> Result<String, ConfigError> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    let random: [u8; 20] = tls::random()
        .map_err(|_| ConfigError::whole_file(NAME, "the system has no random numbers for a token", "give one"))?;
    Ok(random.iter().map(|byte| char::from(LETTERS[usize::from(byte % 64)])).collect())
}

/// What this computer is called.
fn computer() -> String {
    nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok()).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use hexapod_config::ros_params::ParamValue;

    fn defaults() -> Params {
        specs().iter().map(|spec| (spec.name, spec.default.clone())).collect()
    }

    fn with(values: &[(&'static str, &str)]) -> Result<Setup, ConfigError> {
        let mut params = defaults();
        for (name, value) in values {
            params.insert(*name, (*value).into());
        }
        Setup::load(&params)
    }

    #[test]
    fn when_nothing_is_set_expect_this_computer_alone_to_be_served() {
        let setup = Setup::load(&defaults()).unwrap();
        assert_eq!(setup.address.to_string(), "127.0.0.1:8080");
        assert!(setup.gate.token().is_some() && setup.is_new_token && setup.gate.is_open_at_home());
    }

    #[test]
    fn when_the_page_is_served_to_the_network_expect_a_token_whether_one_is_given_or_not() {
        let tokens: Vec<String> =
            (0..2).map(|_| with(&[("bind_address", "0.0.0.0")]).unwrap().gate.token().unwrap().into()).collect();
        assert!(tokens[0] != tokens[1] && tokens.iter().all(|token| gate::token(token).is_ok()), "{tokens:?}");
        let own = with(&[("bind_address", "::"), ("token", "my_own_token_1234")]).unwrap();
        assert_eq!((own.gate.token(), own.is_new_token), (Some("my_own_token_1234"), false));
        assert_eq!(with(&[("token", "my_own_token_1234")]).unwrap().gate.token(), Some("my_own_token_1234"));
        for (name, value) in
            [("bind_address", "0.0.0.0"), ("token", "my_own_token_1234"), ("allowed_origins", "https://robot.example")]
        {
            assert!(!with(&[(name, value)]).unwrap().gate.is_open_at_home(), "{name}");
        }
    }

    #[test]
    fn when_values_do_not_hold_expect_each_of_them_named() {
        let error = with(&[
            ("bind_address", "everywhere"),
            ("token", "short"),
            ("allowed_origins", "https://a.example, robot"),
            ("tls_cert", "cert.pem"),
        ]);
        let words = error.unwrap_err().each().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        for name in ["bind_address", "token", "allowed_origins", "tls_key"] {
            assert!(words.contains(name), "{name}: {words}");
        }
        let error = with(&[("tls_cert", "/no/such.pem"), ("tls_key", "/no/such.key")]).unwrap_err();
        assert!(error.to_string().contains("/no/such.pem"), "{error}");
        let spec = specs().into_iter().find(|spec| spec.name == "port").unwrap();
        assert!(spec.check(&ParamValue::Integer(70_000)).is_err());
    }
}
