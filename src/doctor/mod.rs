//! `hexapod doctor`: what is missing between this computer and a walking robot, and how to get it.

pub mod facts;
pub mod finding;
pub mod judge;
pub mod machine;

use crate::check;
use crate::cli::BusArgs;
use crate::discovery_hint::Reach;
use crate::exit::{Failure, is_coloured, say};
use crate::parameters::{AllParams, files_of, read_parameters};
use facts::{Bus, Config, Facts, Page};
use finding::Level;
use hexapod_config::Faults;
use hexapod_setup::params::{number, text};
use hexapod_setup::{MEASURED_PULSES, MEASURED_STEPS, own_servos};
use machine::Machine;
use servo_driver::{ServoMap, Setup};
use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// A bus that has not answered by then hangs. A lease is waited for a second; 254 silent servos take less than the rest.
const BUS_WITHIN: Duration = Duration::from_secs(6);
/// The section of `servos.yaml` for servos on boards.
const BOARDS: &str = "servos";
/// Pins that may be in use.
const PINS: [&str; 5] = ["oe_pin", "stop_pin", "battery_pin", "sda_pin", "scl_pin"];

/// Prints what was found, and its cures. Only reads; no servo gets a pulse or torque.
///
/// # Errors
/// Something is in the way of walking.
pub fn doctor(arguments: &BusArgs) -> Result<(), Failure> {
    let findings = judge::judge(&look(arguments)?);
    let is_coloured = is_coloured(&std::io::stdout());
    for finding in &findings {
        say(finding.line(is_coloured))?;
    }
    match findings.iter().filter(|finding| finding.level == Level::Problem).count() {
        0 => say("\nnothing is in the way of walking"),
        1 => Err(Failure::Running("1 problem is in the way of walking".into())),
        count => Err(Failure::Running(format!("{count} problems are in the way of walking"))),
    }
}

/// Looks at this machine.
fn look(arguments: &BusArgs) -> Result<Facts, Failure> {
    let machine = Machine::at("/");
    let mut faults = Faults::default();
    let read = read_parameters(arguments, &mut faults).map_err(|error| faults.add(error)).ok();
    let page =
        read.as_ref().map_or(Page { is_built: web_teleop::is_page_built(), port: 8080, ..Page::default() }, page);
    let driver = read.as_ref().and_then(|all| Some((all, faults.note(Setup::load(&all.driver))?)));
    let (config, bus, pins) = match driver {
        Some((all, setup)) if faults.is_empty() => {
            let pins = setup.pin_access().map(|pins| pins.map_err(|error| error.to_string()));
            (Ok(config(all, &setup, &machine)), ask(setup.map().clone()), pins)
        }
        _ => (Err(in_words(std::mem::take(&mut faults))), Bus::Unasked, None),
    };
    if let Some(all) = read.as_ref().filter(|_| config.is_ok()) {
        match check::load(all) {
            Ok(_) => {}
            Err(Failure::Input(error)) => faults.add(error),
            Err(other) => return Err(other),
        }
    }
    Ok(Facts {
        system: machine.system(),
        ros: machine::ros(Reach::of_process().words()),
        user: machine::user(),
        limits: machine::limits(),
        config,
        faults: in_words(faults),
        files: arguments.files.typed(),
        is_as_checked: arguments.bus.is_none() && arguments.params.is_empty(),
        bus,
        pins,
        adapters: machine.adapters(),
        power: machine.power(),
        page,
        log: hexapod_middleware::log_folder(),
        disk_mb: machine::disk_mb(Path::new(&std::env::var("HOME").unwrap_or_else(|_| "/".into()))),
        memory_mb: machine.memory_mb(),
    })
}

/// The first fault, and how many more there are; nothing where there is none.
fn in_words(faults: Faults) -> String {
    let Err(error) = faults.into_result() else { return String::new() };
    let error = error.in_order();
    let first = error.each().next().map(ToString::to_string).unwrap_or_default();
    match error.each().count() {
        0 | 1 => first,
        count => format!("{first} ({} more)", count - 1),
    }
}

fn config(all: &AllParams, setup: &Setup, machine: &Machine) -> Config {
    let device = setup.map().device().map(|device| device.to_string());
    let (bus, joints) = (text(&all.driver, "bus"), setup.map().joints().joints);
    let is_serial = !matches!(setup.map(), ServoMap::Boards { .. });
    let pin = number(&all.driver, "stop_pin");
    let section = if is_serial { format!("{bus}.{BOARDS}") } else { BOARDS.to_owned() };
    let own = |keys: &[&str]| files_of(&all.driver).map(|files| own_servos(&files, &section, keys)).unwrap_or_default();
    let without = |own: &[String]| joints.iter().filter(|joint| !own.contains(&joint.name)).count();
    Config {
        is_serial,
        has_pins: PINS.iter().any(|pin| number(&all.driver, pin) >= 0.0),
        joints: joints.len(),
        uncalibrated: without(&own(if is_serial { &[] } else { &MEASURED_PULSES })),
        at_middle: if matches!(setup.map(), ServoMap::Serial { .. }) { without(&own(&MEASURED_STEPS)) } else { 0 },
        stop_pin: (pin >= 0.0).then_some(pin as u32),
        clock_hz: device.as_deref().and_then(|device| machine.i2c_clock(device)),
        device,
        bus,
    }
}

/// Asks the bus, from a thread of its own: one that hangs must not keep this process.
fn ask(map: ServoMap) -> Bus {
    let (sender, answers) = mpsc::channel();
    let asking = std::thread::Builder::new().name("bus".into()).spawn(move || {
        let _ = sender.send(servo_driver::probe(&map));
    });
    if let Err(error) = asking {
        return Bus::Refused(error.to_string());
    }
    match answers.recv_timeout(BUS_WITHIN) {
        Ok(Ok(probed)) => Bus::Answered(probed),
        Ok(Err(error)) => Bus::Refused(error.to_string()),
        Err(_) => Bus::Hangs,
    }
}

fn page(all: &AllParams) -> Page {
    let (is_built, port) = (web_teleop::is_page_built(), number(&all.web, "port") as u16);
    let address = text(&all.web, "bind_address");
    let error = TcpListener::bind(format!("{address}:{port}")).err();
    let is_foreign = error.as_ref().is_some_and(|error| error.kind() == ErrorKind::AddrNotAvailable);
    let refused = error.map_or_else(String::new, |error| error.to_string());
    Page { is_built, port, foreign_address: is_foreign.then_some(address), refused }
}
