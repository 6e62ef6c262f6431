//! What a machine is like, as far as walking depends on it. `None` and empty where the machine does not tell.

use servo_driver::Probed;
use std::path::PathBuf;

/// All that is judged.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The operating system and the computer, for people.
    pub system: String,
    /// ROS 2.
    pub ros: Ros,
    /// Who runs this.
    pub user: User,
    /// What real-time threads are allowed.
    pub limits: Limits,
    /// What the files say of the servos, or why they do not hold.
    pub config: Result<Config, String>,
    /// What else is wrong in the files; empty if nothing.
    pub faults: String,
    /// The options that name them, each after a space.
    pub files: String,
    /// Whether no option says otherwise than the files.
    pub is_as_checked: bool,
    /// What came of asking the bus.
    pub bus: Bus,
    /// How the pins are reached, or why they are not; `None` without pins.
    pub pins: Option<Result<String, String>>,
    /// Serial adapters.
    pub adapters: Vec<Adapter>,
    /// Of a Raspberry Pi.
    pub power: Power,
    /// The page to drive from.
    pub page: Page,
    /// The folder of ROS's log files, or why they cannot be written.
    pub log: Result<PathBuf, String>,
    /// Free disk space where logs and bags go, MB.
    pub disk_mb: Option<u64>,
    /// Available memory, MB.
    pub memory_mb: Option<u64>,
}

/// ROS 2 and how it reaches others.
#[derive(Clone, Debug, Default)]
pub struct Ros {
    /// The distribution that this program was built with.
    pub built_with: Option<String>,
    /// The one that is sourced.
    pub sourced: Option<String>,
    /// The middleware that is asked for.
    pub rmw: String,
    /// Whether its library is there.
    pub has_rmw: bool,
    /// A profile of it that is not there, and the variable that names it.
    pub lost_profile: Option<(&'static str, PathBuf)>,
    /// `ROS_DOMAIN_ID`.
    pub domain: String,
    /// How far robots are looked for, for people.
    pub reach: String,
    /// `ROS_AUTOMATIC_DISCOVERY_RANGE`; empty if it is not set.
    pub range: String,
}

/// A user, and the groups by name.
#[derive(Clone, Debug, Default)]
pub struct User {
    /// May do everything.
    pub is_root: bool,
    /// Those this process has.
    pub groups: Vec<String>,
    /// Those a new login would have.
    pub listed: Vec<String>,
}

/// Limits of this process; `None` is no limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Highest real-time priority.
    pub rtprio: Option<u64>,
    /// Memory that may be locked, bytes.
    pub memlock: Option<u64>,
}

/// What the files say of the servos.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The parameter `bus`.
    pub bus: String,
    /// Its device file, if it is real.
    pub device: Option<String>,
    /// Whether it is a serial port.
    pub is_serial: bool,
    /// Whether pins are in use.
    pub has_pins: bool,
    /// How many joints there are.
    pub joints: usize,
    /// How many of them the owner's `servos.yaml` says nothing measured of.
    pub uncalibrated: usize,
    /// How many servos of a serial bus are taken to be at 0 in their middle step.
    pub at_middle: usize,
    /// The pin of the stop button, if it is wired.
    pub stop_pin: Option<u32>,
    /// I2C clock, Hz.
    pub clock_hz: Option<u32>,
}

/// What came of asking the bus.
#[derive(Clone, Debug, Default)]
pub enum Bus {
    /// It was not asked.
    #[default]
    Unasked,
    /// It cannot be used: why, and what to do.
    Refused(String),
    /// It did not come back.
    Hangs,
    /// It answered.
    Answered(Probed),
}

/// A USB adapter with a serial port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adapter {
    /// Its name, such as `ttyUSB0`.
    pub name: String,
    /// Its lasting name below `/dev/serial/by-id`.
    pub by_id: Option<String>,
    /// How long it keeps bytes back, ms.
    pub latency_ms: Option<u32>,
}

impl Adapter {
    /// The path that lasts, where it has one.
    #[must_use]
    pub fn path(&self) -> String {
        self.by_id.as_ref().map_or_else(|| format!("/dev/{}", self.name), |id| format!("/dev/serial/by-id/{id}"))
    }
}

/// What a Raspberry Pi reports of its supply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Power {
    /// Which one it is, such as `Raspberry Pi 5 Model B Rev 1.0`.
    pub pi: Option<String>,
    /// Bits of `vcgencmd get_throttled`.
    pub throttled: Option<u32>,
    /// What its supply says it can give, mA.
    pub max_current_ma: Option<u32>,
}

/// The page to drive from.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Whether this program has one.
    pub is_built: bool,
    /// Its port.
    pub port: u16,
    /// Its `bind_address`, where this computer has no such address.
    pub foreign_address: Option<String>,
    /// Why the port cannot be had; empty if it can.
    pub refused: String,
}
