//! `hexapod servo scan`: which servos answer on a serial port.

use crate::cli::BusArgs;
use crate::exit::{Failure, say};
use crate::setups::parameters;
use hexapod_config::ros_params::ParamValue;
use hexapod_servo::feetech::Answer;
use hexapod_setup::params::text;

/// Rates that a servo can be set to.
const RATES: &str = "1000000, 500000, 250000, 128000 or 115200";

/// Asks every ID, and prints what each servo reports.
///
/// # Errors
/// There is no serial bus chosen, or its port cannot be used, or nothing answers.
pub fn servo_scan(bus: &BusArgs) -> Result<(), Failure> {
    let params = parameters(bus)?.driver;
    if text(&params, "bus") != "feetech" {
        let words = "scan looks for servos on a serial port: add --bus feetech -p servo_driver.port:=/dev/ttyUSB0";
        return Err(Failure::Words(words.into()));
    }
    let port = text(&params, "port");
    let baud = if let Some(ParamValue::Integer(baud)) = params.get("baud_rate") { *baud } else { 0 };
    let (mut servos, mut unclear) = (0, 0);
    let report = |id: u8, answer: Answer| {
        let words = match answer {
            Answer::Servo(found) => {
                servos += 1;
                let alarm = found.alarm.map_or(String::new(), |alarm| format!(", complains of {alarm}"));
                format!(
                    "model {}, step {}, {:.1} V, {} C{alarm}",
                    found.model, found.step, found.voltage_v, found.temperature_c
                )
            }
            Answer::Garbage => {
                unclear += 1;
                "answers with bytes that make no reply: two servos with this ID, or another baud_rate".into()
            }
            Answer::Silence => return,
        };
        let _ = say(format_args!("servo {id:>3}  {words}"));
    };
    servo_driver::scan(&port, u32::try_from(baud).unwrap_or_default(), report)
        .map_err(|error| Failure::Running(error.to_string()))?;
    if servos + unclear == 0 {
        let words = format!(
            "no servo answers on {port} at {baud} baud: check their supply and the cable, or try another baud_rate ({RATES})"
        );
        return Err(Failure::Running(words));
    }
    say(format_args!("{servos} servos answer on {port}"))
}
