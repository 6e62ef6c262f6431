//! `hexapod servo scan` where no bus is named: every adapter and bus of this computer, for all that may be on it.

use crate::doctor::machine::Machine;
use crate::exit::{Failure, say};
use crate::servo_answers::{Heard, say_answers};
use hexapod_servo::families::FAMILIES;
use hexapod_servo::serial::Family;
use hexapod_servo::servo2040::BAUD;
use servo_driver::bus::SERVO2040;

/// What answers on a port, and what it is asked in.
struct Found {
    family: &'static Family,
    baud: u32,
    heard: Heard,
}

/// Looks on one port, or on every adapter and I2C bus, and says how each that answers is named to the driver.
///
/// # Errors
/// Nothing answers anywhere.
pub fn search(port: Option<String>) -> Result<(), Failure> {
    let machine = Machine::at("/");
    let adapters = || machine.adapters().into_iter().map(|adapter| adapter.path());
    let (ports, buses) = match port {
        Some(port) => (vec![port], vec![]),
        None => (adapters().collect(), machine.i2c_buses()),
    };
    let places: Vec<String> =
        ports.iter().cloned().chain(buses.iter().map(|number| format!("/dev/i2c-{number}"))).collect();
    let mut any = false;
    for port in &ports {
        any |= search_port(port)?;
    }
    for number in buses {
        any |= search_boards(number)?;
    }
    match (any, places.is_empty()) {
        (true, _) => Ok(()),
        (false, true) => Err(Failure::Running("there is no serial adapter and no I2C bus: is it plugged in?".into())),
        (false, false) => {
            let places = places.join(", ");
            Err(Failure::Running(format!("nothing answers on {places}: check the supply of the servos and the cable")))
        }
    }
}

/// True if anything answers. A Servo2040 is asked for first: it might take requests to servos for pulses.
fn search_port(port: &str) -> Result<bool, Failure> {
    let found = match servo_driver::find_servo2040(port, BAUD) {
        Ok(Some(found)) => {
            let bus = SERVO2040.0;
            say(format_args!("Servo2040  {found}\non {port}: --bus {bus} -p servo_driver.port:={port}"))?;
            return Ok(true);
        }
        Ok(None) => servos_on(port),
        Err(error) => Err(error),
    };
    match found {
        Ok(Some(Found { family, baud, heard })) => {
            say_answers(&heard)?;
            let (name, count, usual) = (family.name, heard.servos, family.usual_rate);
            let rate = if baud == usual { String::new() } else { format!(" -p servo_driver.baud_rate:={baud}") };
            say(format_args!("{count} on {port}: --bus {name} -p servo_driver.port:={port}{rate}"))?;
            Ok(true)
        }
        Ok(None) => say(format_args!("{port}: nothing answers")).map(|()| false),
        Err(error) => say(format_args!("{port}: {error}")).map(|()| false),
    }
}

/// Servos answer in the protocols of other families, too: those whose models are known count before all others.
fn servos_on(port: &str) -> Result<Option<Found>, servo_driver::ScanError> {
    let mut unknown = None;
    for family in FAMILIES {
        for baud in [family.usual_rate, family.factory_rate] {
            let mut heard = Heard::default();
            servo_driver::scan(family, port, baud, |id, answer| heard.take(id, answer))?;
            let found = Found { family, baud, heard };
            if found.heard.any_known() {
                return Ok(Some(found));
            }
            if !found.heard.is_empty() {
                unknown.get_or_insert(found);
            }
            if family.factory_rate == family.usual_rate {
                break;
            }
        }
    }
    Ok(unknown)
}

/// True if any board answers.
pub fn search_boards(number: u8) -> Result<bool, Failure> {
    let found = match servo_driver::scan_boards(number) {
        Ok(found) => found,
        Err(error) => return say(format_args!("/dev/i2c-{number}: {error}")).map(|()| false),
    };
    for (address, is_board) in &found {
        let what = if *is_board { "PCA9685" } else { "something else than a PCA9685" };
        say(format_args!("{address:#04x}  {what}"))?;
    }
    let boards: Vec<_> =
        found.iter().filter(|(_, is_board)| *is_board).map(|(address, _)| format!("{address:#04x}")).collect();
    if boards.is_empty() {
        say(format_args!("/dev/i2c-{number}: no PCA9685 answers"))?;
        return Ok(false);
    }
    let bus = format!("--bus i2c -p servo_driver.i2c_device:={number}");
    say(format_args!(
        "on /dev/i2c-{number}: {bus}, with address {} under `boards` in servos.yaml",
        boards.join(" and ")
    ))?;
    Ok(true)
}
