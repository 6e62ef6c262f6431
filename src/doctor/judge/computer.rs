//! The computer: ROS 2, real time, power, the page, disk and memory.

use crate::doctor::facts::{Limits, Page, Power, Ros, User};
use crate::doctor::finding::Finding;
use hexapod_ros::environment::LAST_DOMAIN;
use hexapod_ros::realtime::priority;
use std::path::PathBuf;

const FAST_DDS: &str = "rmw_fastrtps_cpp";
/// Domains up to here have ports below those that the system hands out (ROS 2 documentation, "The ROS_DOMAIN_ID").
const SAFE_DOMAIN: u32 = 101;
/// How far robots may be looked for (REP-2016).
const RANGES: [&str; 4] = ["SUBNET", "LOCALHOST", "OFF", "SYSTEM_DEFAULT"];
/// Locked memory that the robot's process may come to; it has 42 MB.
const MEMLOCK: u64 = 256 << 20;
/// A log or bag that finds less space ends early, MB.
const LEAST_DISK_MB: u64 = 100;
const LITTLE_DISK_MB: u64 = 1000;
/// All nodes take 42 MB; a browser or rviz beside them takes more.
const LEAST_MEMORY_MB: u64 = 100;
const LITTLE_MEMORY_MB: u64 = 300;

/// Which ROS 2, which middleware, and who is heard.
pub(super) fn ros(ros: &Ros) -> Vec<Finding> {
    let source = |distro: &str| format!("source /opt/ros/{distro}/setup.bash");
    let built = ros.built_with.as_deref().unwrap_or("unknown");
    let distro = match ros.sourced.as_deref() {
        Some(sourced) if sourced == built || built == "unknown" => Finding::ok("ROS 2", sourced),
        Some(sourced) => {
            let says = format!("{sourced} is sourced, and this program was built with {built}");
            Finding::problem("ROS 2", says, format!("{}   # in a new shell", source(built)))
        }
        None => {
            let says = format!("{built}; it is not sourced, so `ros2` and launch files are not at hand");
            Finding::note("ROS 2", says, source(built))
        }
    };
    vec![distro, middleware(ros, built), network(ros)]
}

fn middleware(ros: &Ros, distro: &str) -> Finding {
    let Ros { rmw, has_rmw, lost_profile, .. } = ros;
    if !has_rmw && !rmw.starts_with("rmw_") {
        let says = format!("{rmw} is no middleware: no robot starts with this RMW_IMPLEMENTATION");
        return Finding::problem("middleware", says, "unset RMW_IMPLEMENTATION");
    }
    if !has_rmw {
        let package = format!("ros-{distro}-{}", rmw.replace('_', "-"));
        return Finding::problem(
            "middleware",
            format!("{rmw} is not installed"),
            format!("sudo apt install {package}"),
        );
    }
    if let Some((name, file)) = lost_profile.as_ref().filter(|_| rmw == FAST_DDS) {
        let says =
            format!("{name} names {}, which is not there: {rmw} runs without the robot's profile", file.display());
        return Finding::problem("middleware", says, format!("unset {name}"));
    }
    if rmw == FAST_DDS {
        return Finding::ok("middleware", rmw);
    }
    let says = format!("{rmw}: the robot has been tested with {FAST_DDS} only");
    Finding::note("middleware", says, "unset RMW_IMPLEMENTATION   # on every computer that drives the robot")
}

fn network(ros: &Ros) -> Finding {
    let Ros { domain, reach, range, .. } = ros;
    let says = format!("ROS_DOMAIN_ID {domain}, {reach}");
    match domain.parse::<u32>() {
        Ok(0..=SAFE_DOMAIN) if reach.contains("discovery is off") => {
            let says = format!("{says}: no other process finds the robot");
            Finding::note("network", says, "export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST")
        }
        Ok(0..=SAFE_DOMAIN) if !range.is_empty() && !RANGES.contains(&range.as_str()) => {
            let says = format!("ROS_AUTOMATIC_DISCOVERY_RANGE={range} is no range: ROS takes it for LOCALHOST");
            Finding::note(
                "network",
                says,
                format!("export ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET   # {}", RANGES.join(", ")),
            )
        }
        Ok(0..=SAFE_DOMAIN) => Finding::ok("network", says),
        Ok(..=LAST_DOMAIN) => {
            let says = format!("{says}: its ports may be taken by other programs");
            Finding::note("network", says, "export ROS_DOMAIN_ID=1   # 0 to 101")
        }
        _ => Finding::problem(
            "network",
            format!("{says}: there is no such domain"),
            "export ROS_DOMAIN_ID=1   # 0 to 101",
        ),
    }
}

/// Whether the loops may run ahead of everything else.
pub(super) fn real_time(user: &User, limits: &Limits) -> Finding {
    const ABOUT: &str = "real time";
    let needed = u64::from(priority::STOP);
    let (has_priority, has_memory) =
        (limits.rtprio.is_none_or(|most| most >= needed), limits.memlock.is_none_or(|most| most >= MEMLOCK));
    if user.is_root || (has_priority && has_memory) {
        return Finding::ok(ABOUT, "real-time scheduling and locked memory are allowed");
    }
    let lacks = match (has_priority, has_memory) {
        (false, false) => format!("priority {needed} and locked memory are not allowed"),
        (false, true) => format!("priority {needed} is not allowed"),
        _ => "locked memory is not allowed".into(),
    };
    let says = format!("{lacks}: on a busy computer the robot stutters");
    let cure = "sudo groupadd -f realtime && sudo usermod -aG realtime $USER\n\
                printf '@realtime - rtprio 80\\n@realtime - memlock unlimited\\n' | sudo tee /etc/security/limits.d/realtime.conf\n\
                then log in again";
    let is_member = user.listed.iter().any(|group| group == "realtime");
    let is_new = is_member && !user.groups.iter().any(|group| group == "realtime");
    Finding::note(ABOUT, says, if is_new { "log in again: you were added to the group realtime" } else { cure })
}

/// Bits of `get_throttled` (Raspberry Pi documentation, "vcgencmd"): the low ones are now, the high ones since boot.
const UNDER_VOLTAGE: u32 = 1;
const SLOWED: u32 = 0b1110;
const SINCE_BOOT: u32 = 16;
/// What a Raspberry Pi 5 asks of its supply, mA.
const PI_5_MA: u32 = 5000;

/// What a Raspberry Pi reports of its supply.
pub(super) fn power(power: &Power) -> Vec<Finding> {
    const ABOUT: &str = "power";
    const SUPPLY: &str = "give the servos a supply of their own, and the computer one with a short, thick cable; \
                          then look again: vcgencmd get_throttled";
    let Some(pi) = &power.pi else { return vec![] };
    let mut findings = Vec::new();
    let bits = power.throttled.unwrap_or_default();
    if bits & UNDER_VOLTAGE != 0 {
        findings.push(Finding::problem(ABOUT, "the computer's supply is below 4.63 V now: it may restart", SUPPLY));
    } else if bits >> SINCE_BOOT & UNDER_VOLTAGE != 0 {
        findings.push(Finding::note(ABOUT, "the computer's supply has been below 4.63 V since it was started", SUPPLY));
    }
    if bits & SLOWED != 0 {
        let cure = "cool it with a fan; then look again: vcgencmd measure_temp";
        findings.push(Finding::note(ABOUT, "the processor is slowed down by heat or low voltage", cure));
    }
    if let Some(most) = power.max_current_ma.filter(|most| pi.contains("Raspberry Pi 5") && *most < PI_5_MA) {
        let amperes = f64::from(most) / 1e3;
        let says =
            format!("the supply offers {amperes} A where a Raspberry Pi 5 asks for 5 A: USB ports get 0.6 A together");
        let cure = "use the 27 W supply; if a regulator gives 5 A without saying so: \
                    echo usb_max_current_enable=1 | sudo tee -a /boot/firmware/config.txt";
        findings.push(Finding::note(ABOUT, says, cure));
    }
    if power.throttled.is_none() {
        let says = "the computer does not say whether its supply is strong enough";
        findings.push(Finding::note(ABOUT, says, "sudo usermod -aG video $USER   # for vcgencmd; then log in again"));
    } else if findings.is_empty() {
        findings.push(Finding::ok(ABOUT, "no under-voltage since the computer was started"));
    }
    findings
}

/// Whether there is a page, and a port for it.
pub(super) fn page(page: &Page) -> Finding {
    const ABOUT: &str = "page";
    let Page { is_built, port, foreign_address, refused } = page;
    if !is_built {
        return Finding::note(ABOUT, "it was not built into this program", "cargo xtask page && cargo build --release");
    }
    if refused.is_empty() {
        return Finding::ok(ABOUT, format!("port {port} is free; `hexapod run --web` serves it"));
    }
    if let Some(address) = foreign_address {
        let says = format!("bind_address {address} is no address of this computer");
        return Finding::note(
            ABOUT,
            says,
            "ip -brief address   # its own; 0.0.0.0 is all of them, 127.0.0.1 this computer alone",
        );
    }
    let says = format!("port {port} cannot be used ({refused}); a robot that runs with --web has it, too");
    Finding::note(
        ABOUT,
        says,
        format!("ss -ltnp 'sport = :{port}'   # who has it; -p web_teleop.port:=8081 takes another"),
    )
}

/// Whether ROS can write its log files.
pub(super) fn log(log: &Result<PathBuf, String>) -> Finding {
    match log {
        Ok(folder) => Finding::ok("log", folder.display().to_string()),
        Err(why) => Finding::note(
            "log",
            format!("{why}: the robot's log files go to a new folder below /tmp at each start"),
            "export ROS_LOG_DIR=/var/tmp/ros_log   # or another folder that you may write",
        ),
    }
}

/// Disk and memory.
pub(super) fn room(disk_mb: Option<u64>, memory_mb: Option<u64>) -> Vec<Finding> {
    const DISK: &str = "du -xh ~ 2>/dev/null | sort -h | tail   # what takes it";
    const MEMORY: &str = "ps -eo rss,comm --sort=-rss | head   # who takes it";
    let judged = |about, free: Option<u64>, (least, little): (u64, u64), cure: &str| {
        let free = free?;
        let says = format!("{free} MB free");
        Some(match free {
            _ if free < least => Finding::problem(about, says, cure),
            _ if free < little => Finding::note(about, says, cure),
            _ => Finding::ok(about, says),
        })
    };
    let disk = judged("disk", disk_mb, (LEAST_DISK_MB, LITTLE_DISK_MB), DISK);
    disk.into_iter().chain(judged("memory", memory_mb, (LEAST_MEMORY_MB, LITTLE_MEMORY_MB), MEMORY)).collect()
}
