//! What a machine reports of itself in files and by commands, below a root that is another in tests.

use super::facts::{Adapter, Limits, Power, Ros, User};
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use nix::unistd::{self, Gid, Group, geteuid, getgrouplist, getgroups};
use std::ffi::CString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A machine's file system.
#[derive(Clone, Debug)]
pub struct Machine(PathBuf);

impl Machine {
    /// The one below `root`.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self(root.into())
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    /// Text without the NUL that ends a text in the device tree.
    fn text(&self, path: &str) -> Option<String> {
        let text = fs::read_to_string(self.path(path)).ok()?;
        Some(text.trim_end_matches(['\0', '\n']).to_owned())
    }

    /// A number of the device tree: big-endian.
    fn cell(&self, path: &str) -> Option<u32> {
        let bytes = fs::read(self.path(path)).ok()?;
        bytes.first_chunk().copied().map(u32::from_be_bytes)
    }

    /// Operating system, processor and computer.
    #[must_use]
    pub fn system(&self) -> String {
        let release = self.text("etc/os-release").unwrap_or_default();
        let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
        let name = name.map_or("unknown system", |name| name.trim_matches('"'));
        let model = self.text("proc/device-tree/model").map_or_else(String::new, |model| format!(", {model}"));
        format!("{name}, {}{model}", std::env::consts::ARCH)
    }

    /// The serial adapters, by name.
    #[must_use]
    pub fn adapters(&self) -> Vec<Adapter> {
        let names = |folder: &str| {
            let entries = fs::read_dir(self.path(folder)).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        let lasting = names("dev/serial/by-id");
        let adapter = |name: String| {
            let leads_here = |id: &&String| {
                let link = fs::read_link(self.path(&format!("dev/serial/by-id/{id}")));
                link.is_ok_and(|link| link.file_name().is_some_and(|end| end == name.as_str()))
            };
            let latency = self.text(&format!("sys/bus/usb-serial/devices/{name}/latency_timer"));
            let latency_ms = latency.and_then(|ms| ms.trim().parse().ok());
            Adapter { by_id: lasting.iter().find(leads_here).cloned(), latency_ms, name }
        };
        let is_adapter = |name: &String| name.starts_with("ttyUSB") || name.starts_with("ttyACM");
        let mut adapters: Vec<Adapter> = names("sys/class/tty").into_iter().filter(is_adapter).map(adapter).collect();
        adapters.sort_by(|a, b| a.name.cmp(&b.name));
        adapters
    }

    /// Numbers of the I2C buses.
    #[must_use]
    pub fn i2c_buses(&self) -> Vec<u8> {
        let entries = fs::read_dir(self.path("dev")).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut numbers: Vec<u8> = names.filter_map(|name| name.strip_prefix("i2c-")?.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    }

    /// What a Raspberry Pi reports of its supply.
    #[must_use]
    pub fn power(&self) -> Power {
        let model = self.text("proc/device-tree/model");
        let pi = model.filter(|model| model.starts_with("Raspberry Pi"));
        if pi.is_none() {
            return Power::default();
        }
        let of_kernel = self.text("sys/devices/platform/soc/soc:firmware/get_throttled");
        let throttled = of_kernel.and_then(|bits| u32::from_str_radix(bits.trim(), 16).ok());
        let throttled = throttled.or_else(|| bits(&said("vcgencmd", &["get_throttled"])?));
        Power { pi, throttled, max_current_ma: self.cell("proc/device-tree/chosen/power/max_current") }
    }

    /// The clock of an I2C bus, Hz.
    #[must_use]
    pub fn i2c_clock(&self, device: &str) -> Option<u32> {
        let number = device.strip_prefix("/dev/i2c-")?;
        self.cell(&format!("sys/class/i2c-dev/i2c-{number}/device/of_node/clock-frequency"))
    }

    /// Available memory, MB.
    #[must_use]
    pub fn memory_mb(&self) -> Option<u64> {
        let text = self.text("proc/meminfo")?;
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
    }
}

/// The bits of `throttled=0x50005`.
fn bits(words: &str) -> Option<u32> {
    u32::from_str_radix(words.trim().strip_prefix("throttled=0x")?, 16).ok()
}

/// What a command says, if it ends in order within two seconds.
fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=1", "2", program]).args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

/// Free space where `folder` is, MB.
pub(super) fn disk_mb(folder: &Path) -> Option<u64> {
    let table = said("df", &["-Pk", &folder.display().to_string()])?;
    Some(table.lines().nth(1)?.split_whitespace().nth(3)?.parse::<u64>().ok()? / 1024)
}

/// The user of this process.
pub(super) fn user() -> User {
    let names = |groups: Vec<Gid>| {
        let name = |gid| Group::from_gid(gid).ok().flatten().map(|group| group.name);
        groups.into_iter().filter_map(name).collect::<Vec<_>>()
    };
    let listed = || {
        let user = unistd::User::from_uid(geteuid()).ok().flatten()?;
        getgrouplist(&CString::new(user.name).ok()?, user.gid).ok()
    };
    let of_process = getgroups().unwrap_or_default().into_iter().chain([unistd::getegid()]).collect();
    User { is_root: geteuid().is_root(), groups: names(of_process), listed: names(listed().unwrap_or_default()) }
}

/// The limits of this process.
pub(super) fn limits() -> Limits {
    let most = |resource| {
        let (soft, _) = getrlimit(resource).ok()?;
        (soft != RLIM_INFINITY).then_some(soft)
    };
    Limits { rtprio: most(Resource::RLIMIT_RTPRIO), memlock: most(Resource::RLIMIT_MEMLOCK) }
}

/// The ROS 2 of this process; `reach` says how far it hears.
pub(super) fn ros(reach: String) -> Ros {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let rmw = hexapod_middleware::chosen().unwrap_or_else(|| "rmw_fastrtps_cpp".into());
    Ros {
        built_with: option_env!("ROS_DISTRO").map(Into::into),
        sourced: variable("ROS_DISTRO"),
        has_rmw: libraries().iter().any(|folder| folder.join(format!("lib{rmw}.so")).is_file()),
        lost_profile: hexapod_middleware::lost_profile(),
        domain: variable("ROS_DOMAIN_ID").unwrap_or_else(|| "0".into()),
        rmw,
        reach,
        range: variable("ROS_AUTOMATIC_DISCOVERY_RANGE").unwrap_or_default(),
    }
}

/// Where the libraries of ROS are looked for: those of the environment, and where those of this process came from.
fn libraries() -> Vec<PathBuf> {
    let listed = |name: &str| std::env::split_paths(&std::env::var_os(name).unwrap_or_default()).collect::<Vec<_>>();
    let mut folders = listed("LD_LIBRARY_PATH");
    folders.extend(listed("AMENT_PREFIX_PATH").iter().map(|prefix| prefix.join("lib")));
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let loaded = maps.lines().filter_map(|line| line.find('/').and_then(|start| line.get(start..)));
    let rcl = loaded.map(Path::new).find(|path| path.file_name().is_some_and(|name| name == "librcl.so"));
    folders.extend(rcl.and_then(Path::parent).map(Path::to_owned));
    folders
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    #[test]
    fn when_a_raspberry_pi_5_is_read_expect_its_supply_adapters_and_clock() {
        let root = std::env::temp_dir().join(format!("hexapod_machine_{}", std::process::id()));
        let put = |path: &str, bytes: &[u8]| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        };
        put("etc/os-release", b"NAME=Ubuntu\nPRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\n");
        put("proc/device-tree/model", b"Raspberry Pi 5 Model B Rev 1.0\0");
        put("proc/device-tree/chosen/power/max_current", &3000_u32.to_be_bytes());
        put("proc/meminfo", b"MemTotal: 8000000 kB\nMemAvailable: 4096000 kB\n");
        put("sys/devices/platform/soc/soc:firmware/get_throttled", b"50005\n");
        put("sys/class/i2c-dev/i2c-1/device/of_node/clock-frequency", &100_000_u32.to_be_bytes());
        put("sys/bus/usb-serial/devices/ttyUSB0/latency_timer", b"16\n");
        for tty in ["ttyUSB0", "ttyACM1", "tty1", "ttyS0"] {
            put(&format!("sys/class/tty/{tty}/dev"), b"");
        }
        fs::create_dir_all(root.join("dev/serial/by-id")).unwrap();
        std::os::unix::fs::symlink("../../ttyUSB0", root.join("dev/serial/by-id/usb-FTDI_1")).unwrap();
        let machine = Machine::at(&root);
        assert_eq!(
            machine.power(),
            Power {
                pi: Some("Raspberry Pi 5 Model B Rev 1.0".into()),
                throttled: Some(0x50005),
                max_current_ma: Some(3000)
            }
        );
        let ftdi = Adapter { name: "ttyUSB0".into(), by_id: Some("usb-FTDI_1".into()), latency_ms: Some(16) };
        assert_eq!(machine.adapters(), [Adapter { name: "ttyACM1".into(), ..Adapter::default() }, ftdi]);
        assert_eq!((machine.i2c_clock("/dev/i2c-1"), machine.memory_mb()), (Some(100_000), Some(4000)));
        assert!(machine.system().starts_with("Ubuntu 24.04.1 LTS, ") && machine.system().ends_with("Rev 1.0"));
        let nothing = Machine::at(root.join("none"));
        assert_eq!((nothing.power(), nothing.adapters(), nothing.memory_mb()), (Power::default(), vec![], None));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn when_a_command_hangs_or_fails_or_is_missing_expect_its_end_and_nothing() {
        let began = std::time::Instant::now();
        assert_eq!([said("sleep", &["60"]), said("false", &[]), said("no_such_command", &[])], [None, None, None]);
        assert!(began.elapsed().as_secs_f64() < 10.0);
        assert_eq!(said("echo", &["throttled=0x50000"]).and_then(|words| bits(&words)), Some(0x50000));
        assert!(disk_mb(Path::new("/")).is_some_and(|free| free > 0));
    }
}
