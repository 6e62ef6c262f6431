//! The servos: files, groups, the bus and what answers on it, serial adapters.

use crate::doctor::facts::{Adapter, Bus, Config, Facts};
use crate::doctor::finding::Finding;
use servo_driver::{Part, Probed};

/// Below this an I2C bus is late with 18 servos at 100 Hz.
const FAST_I2C_HZ: u32 = 400_000;
/// A serial adapter that keeps bytes back for longer delays every reply.
const LATENCY_MS: u32 = 2;

/// Whether the files hold, and whose servos they describe.
pub(super) fn config(facts: &Facts) -> Vec<Finding> {
    const ABOUT: &str = "files";
    let wrong = facts.config.as_ref().err().or(Some(&facts.faults).filter(|faults| !faults.is_empty()));
    let check = format!("hexapod check{}", facts.files);
    let cure =
        if facts.is_as_checked { check.clone() } else { format!("correct that; `{check}` looks at the files alone") };
    let mut findings: Vec<Finding> = wrong.map(|why| Finding::problem(ABOUT, why, &cure)).into_iter().collect();
    if let Ok(config @ Config { device: Some(_), joints, uncalibrated, is_serial, bus, .. }) = &facts.config
        && *uncalibrated > 0
    {
        let (lacks, cure) = match is_serial {
            false => ("are not calibrated", format!("hexapod calibrate --bus {bus}{}", facts.files)),
            true => (
                "have no servo in your servos.yaml",
                format!("{}; then `hexapod config copy servos.yaml`, and edit it", scan(config)),
            ),
        };
        findings.push(Finding::problem(ABOUT, format!("{uncalibrated} of {joints} joints {lacks}"), cure));
    }
    if let Ok(config @ Config { joints, uncalibrated: 0, at_middle: 1.., .. }) = &facts.config {
        let says = format!(
            "{} of {joints} joints have no zero_step: each is taken to be at 0 in its middle step",
            config.at_middle
        );
        let cure = format!("turn each joint to its zero by hand, and write the step that `{}` shows", scan(config));
        findings.push(Finding::note(ABOUT, says, cure));
    }
    if findings.is_empty() {
        findings.push(Finding::ok(ABOUT, format!("they hold; `{check}` walks the robot they describe")));
    }
    findings
}

/// The stop button is not read: its pin may be a driver's that is running.
pub(super) fn stop_button(facts: &Facts) -> Option<Finding> {
    let pin = facts.config.as_ref().ok()?.stop_pin?;
    let says = format!("the button on pin {pin} was not looked at: press it once `hexapod run` has the servos enabled");
    Some(Finding::ok("stop", says))
}

/// How the pins are reached.
pub(super) fn pins(facts: &Facts) -> Option<Finding> {
    const ABOUT: &str = "pins";
    Some(match facts.pins.as_ref()? {
        Ok(words) => Finding::ok(ABOUT, words),
        Err(why) => {
            let (says, cure) = why.rsplit_once("; ").unwrap_or((why, ""));
            Finding::problem(ABOUT, says, cure)
        }
    })
}

/// Whether this user may use the bus and its pins.
pub(super) fn groups(facts: &Facts) -> Vec<Finding> {
    const ABOUT: &str = "groups";
    let Ok(Config { device: Some(_), is_serial, has_pins, .. }) = &facts.config else { return vec![] };
    let bus = if *is_serial { "dialout" } else { "i2c" };
    let needed: Vec<&str> = [bus].into_iter().chain(has_pins.then_some("gpio")).collect();
    let has = |groups: &[String], name: &str| groups.iter().any(|group| group == name);
    let missing: Vec<&str> = needed.iter().copied().filter(|name| !has(&facts.user.groups, name)).collect();
    // A bus that was opened needs no group, whatever its file says.
    let is_open = matches!(facts.bus, Bus::Answered(_)) && missing == [bus];
    if facts.user.is_root || missing.is_empty() || is_open {
        return vec![Finding::ok(ABOUT, format!("the servos may be used ({})", needed.join(", ")))];
    }
    let says = format!("you are not in {}", missing.join(" and "));
    if missing.iter().all(|name| has(&facts.user.listed, name)) {
        return vec![Finding::problem(ABOUT, format!("{says} in this session"), "log out and in again")];
    }
    let made = missing.iter().map(|group| format!("sudo groupadd -f {group} && ")).collect::<String>();
    let cure = format!("{made}sudo usermod -aG {} $USER   # then log in again", missing.join(","));
    vec![Finding::problem(ABOUT, says, cure)]
}

/// What answers.
pub(super) fn bus(facts: &Facts) -> Vec<Finding> {
    const ABOUT: &str = "bus";
    let Ok(config) = &facts.config else { return vec![] };
    let Some(device) = &config.device else {
        let says = format!("{}: no real servo moves", config.bus);
        let cure = format!("hexapod doctor --bus i2c{}   # or the bus of your servos", facts.files);
        return vec![Finding::note(ABOUT, says, cure)];
    };
    let mut findings = match &facts.bus {
        Bus::Unasked => vec![],
        Bus::Refused(why) => {
            let (says, cure) = why.split_once("; ").unwrap_or((why, ""));
            vec![Finding::problem(ABOUT, says, cure)]
        }
        Bus::Hangs => {
            let cure =
                "cut the servos' power, and check SDA and SCL, or the adapter's cable, for shorts and wrong plugs";
            vec![Finding::problem(ABOUT, format!("{device} hangs"), cure)]
        }
        Bus::Answered(Probed::Simulated) => vec![],
        Bus::Answered(Probed::Driven(by)) => vec![Finding::ok(ABOUT, format!("{device} is in use: {by}"))],
        Bus::Answered(Probed::Asked(parts)) => parts_of(config, device, parts),
    };
    if let Some(hz) = config.clock_hz.filter(|hz| !config.is_serial && *hz < FAST_I2C_HZ) {
        let says = format!("{device} runs at {} kHz, and 18 servos want 400", hz / 1000);
        let cure =
            "echo dtparam=i2c_arm=on,i2c_arm_baudrate=400000 | sudo tee -a /boot/firmware/config.txt   # then restart";
        findings.push(Finding::note(ABOUT, says, cure));
    }
    findings
}

/// The command that looks for servos on the configured port.
fn scan(config: &Config) -> String {
    let port = config.device.as_ref().map(|port| format!(" -p servo_driver.port:={port}")).unwrap_or_default();
    format!("hexapod servo scan --bus {}{port}", config.bus)
}

fn parts_of(config: &Config, device: &str, parts: &[Part]) -> Vec<Finding> {
    const ABOUT: &str = "bus";
    let ill: Vec<_> = parts.iter().filter_map(|part| Some((&part.name, part.answer.as_ref().err()?))).collect();
    let Some((_, why)) = ill.first() else {
        if let ([Part { name, answer: Ok(found) }], true) = (parts, config.is_serial) {
            return vec![Finding::ok(ABOUT, format!("{name} on {device}: {found}"))];
        }
        let kind = if config.is_serial { "servos" } else { "boards" };
        return vec![Finding::ok(ABOUT, format!("all {} {kind} answer on {device}", parts.len()))];
    };
    let number = device.rsplit('-').next().unwrap_or("1");
    let look = match config.is_serial {
        true => format!("{}   # who answers", scan(config)),
        false => format!("i2cdetect -y {number}   # who answers; from the package i2c-tools"),
    };
    if ill.len() == parts.len() && parts.len() > 1 && ill.iter().all(|(_, other)| other == why) {
        let cure = format!("check supply, ground and cable, then {look}");
        return vec![Finding::problem(
            ABOUT,
            format!("nothing answers on {device}: each of {} {why}", parts.len()),
            cure,
        )];
    }
    let found = |(index, (name, why)): (usize, &(&String, &String))| {
        Finding::problem(
            ABOUT,
            format!("{name} on {device}: {why}"),
            if index == 0 { look.clone() } else { String::new() },
        )
    };
    ill.iter().enumerate().map(found).collect()
}

/// Serial adapters, and whether they hand on at once what they hear.
pub(super) fn adapters(facts: &Facts) -> Vec<Finding> {
    const ABOUT: &str = "adapter";
    let used = facts.config.as_ref().ok().filter(|config| config.is_serial).and_then(|config| config.device.as_deref());
    let judged = |adapter: &Adapter| {
        let Adapter { name, by_id, latency_ms } = adapter;
        let lasting = by_id.as_ref().map_or_else(String::new, |id| format!(" (/dev/serial/by-id/{id})"));
        match latency_ms {
            Some(ms) if *ms > LATENCY_MS => {
                let says = format!("{name}{lasting} keeps replies back for {ms} ms");
                let cure = format!("echo 1 | sudo tee /sys/bus/usb-serial/devices/{name}/latency_timer");
                Finding::note(ABOUT, says, cure)
            }
            _ => Finding::ok(ABOUT, format!("{name}{lasting}")),
        }
    };
    let mut findings: Vec<Finding> = facts.adapters.iter().map(judged).collect();
    if let Some(adapter) = used.and_then(|port| {
        let several = facts.adapters.len() > 1;
        facts.adapters.iter().find(|adapter| several && port.ends_with(&format!("/{}", adapter.name)))
    }) {
        let cure = match &adapter.by_id {
            Some(id) => format!("port: /dev/serial/by-id/{id}   # in hexapod.yaml, servo_driver"),
            None => "ls -l /dev/serial/by-id".into(),
        };
        findings.push(Finding::note(
            ABOUT,
            format!("{} may be another adapter after the next start", adapter.name),
            cure,
        ));
    }
    findings
}
