//! `hexapod servo scan`: which servos answer on a serial port; `hexapod servo id`: one of them gets another ID.

use crate::cli::{BusArgs, IdArgs};
use crate::exit::{Failure, say};
use crate::servo_answers::{Heard, say_answers};
use crate::servo_search::{search, search_boards};
use crate::setups::parameters;
use hexapod_config::ros_params::Params;
use hexapod_ros::Shutdown;
use hexapod_servo::families::{FAMILIES, family};
use hexapod_servo::serial::Family;
use hexapod_servo::servo2040::{BAUD, NOBODY};
use hexapod_setup::params::{number, text};
use servo_driver::bus::SERVO2040;
use servo_driver::{is_real, serial_port};
use std::fmt::Write as _;

/// Asks every ID, and prints what each servo reports; where no bus is chosen, on every bus there is.
///
/// # Errors
/// The port cannot be used, or nothing answers.
pub fn servo_scan(bus: &BusArgs) -> Result<(), Failure> {
    let params = parameters(bus)?.driver;
    match text(&params, "bus").as_str() {
        name if !is_real(name) => return search(Some(text(&params, "port")).filter(|port| !port.is_empty())),
        "i2c" => {
            let device = number(&params, "i2c_device");
            let any = search_boards(device as u8)?;
            return if any { Ok(()) } else { Err(Failure::Running("check the boards' supply and wires".into())) };
        }
        name if name == SERVO2040.0 => {
            return scan_servo2040(&serial_port(&params)?.to_string(), servo_driver::baud_rate(BAUD, &params));
        }
        _ => {}
    }
    let (family, port, baud) = serial_bus(&params, "scan looks for")?;
    let mut heard = Heard::default();
    servo_driver::scan(family, &port, baud, |id, answer| heard.take(id, answer))
        .map_err(|error| Failure::Running(error.to_string()))?;
    say_answers(&heard)?;
    if heard.is_empty() {
        let mut words = format!("no servo answers on {port} at {baud} baud: check their supply and the cable");
        if family.rates != baud.to_string() {
            let _ = write!(words, ", or try another baud_rate ({})", family.rates);
        }
        words += "; an FTDI adapter needs a latency_timer of 1 ms (hexapod doctor shows it)";
        return Err(Failure::Running(words));
    }
    let servos = heard.servos;
    say(format_args!("{servos} {} on {port}", if servos == 1 { "servo answers" } else { "servos answer" }))
}

/// The family, port and rate of a serial bus.
fn serial_bus(params: &Params, what: &str) -> Result<(&'static Family, String, u32), Failure> {
    let Some(family) = family(&text(params, "bus")) else {
        let names = FAMILIES.map(|family| family.name).join(" or ");
        let words = format!("{what} servos on a serial port: add --bus {names} -p servo_driver.port:=/dev/ttyUSB0");
        return Err(Failure::Words(words));
    };
    Ok((family, serial_port(params)?.to_string(), servo_driver::baud_rate(family.usual_rate, params)))
}

/// Which firmware a Servo2040 has, and what it measures.
fn scan_servo2040(port: &str, baud: u32) -> Result<(), Failure> {
    let found = servo_driver::find_servo2040(port, baud).map_err(|error| Failure::Running(error.to_string()))?;
    let found = found.ok_or_else(|| Failure::Running(format!("{port}: {NOBODY}")))?;
    say(format_args!("Servo2040  {found}"))
}

/// Gives a servo another ID.
///
/// # Errors
/// There is no serial bus chosen, it is not alone on it, or it does not take the ID.
pub fn servo_id(arguments: &IdArgs) -> Result<(), Failure> {
    let (family, port, baud) = serial_bus(&parameters(&arguments.bus)?.driver, "id changes")?;
    let series = arguments.series.as_deref().map(|name| {
        let known = || family.series.iter().map(|series| series.name).collect::<Vec<_>>().join(", ");
        family.named(name).ok_or_else(|| Failure::Words(format!("there is no series {name}; there are {}", known())))
    });
    let (series, ids) = (series.transpose()?, (arguments.old, arguments.new));
    // A signal must not leave the servo with its settings unlocked.
    let shutdown = Shutdown::on_signals()?;
    let found = servo_driver::change_servo_id(family, (&port, baud), series, ids, || !shutdown.is_running())
        .map_err(|error| Failure::Running(error.to_string()))?;
    say(format_args!("servo {:>3}  {found}; it had ID {}", arguments.new, arguments.old))
}
