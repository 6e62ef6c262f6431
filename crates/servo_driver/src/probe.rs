//! Whether the boards or servos of a configuration answer. Only reads: nothing gets a pulse or torque.

use crate::bus::ServoMap;
use crate::bus_error::BusOpenError;
use crate::hardware::HardwareError;
use crate::i2c_bus::{BoardBus, I2cBus};
use crate::lease::{Lease, LeaseError};
use crate::scan::ScanError;
use crate::serial::SerialPort;
use embedded_hal::i2c::I2c;
use hexapod_servo::ServoConfig;
use hexapod_servo::backend::Tally;
use hexapod_servo::pca9685::registers::MODE1;
use hexapod_servo::serial::{Answer, Line, Port, PortError, SerialConfig, SerialServos, look_for};
use hexapod_servo::servo2040::{NOBODY, identify};

/// What is known of a bus that was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Probed {
    /// Nothing real is on it.
    Simulated,
    /// A driver has it, and says in `/diagnostics` what answers.
    Driven(String),
    /// Each board or servo that the configuration names.
    Asked(Vec<Part>),
}

/// A board or servo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is called, such as `board 0x40`.
    pub name: String,
    /// What it reports, or why it does not.
    pub answer: Result<String, String>,
}

/// Asks each board for a register, and each servo for its state.
///
/// # Errors
/// The bus cannot be opened, or fails as a whole.
pub fn probe(map: &ServoMap) -> Result<Probed, ScanError> {
    let Some(device) = map.device() else { return Ok(Probed::Simulated) };
    let _lease = match Lease::take(&device) {
        Ok(lease) => lease,
        Err(error @ LeaseError::Taken { .. }) => return Ok(Probed::Driven(error.to_string())),
        Err(error) => return Err(HardwareError::Bus(BusOpenError::leased(device, &error)).into()),
    };
    let asked = match map {
        ServoMap::Boards { bus: BoardBus::I2c { device }, servos } => {
            boards(I2cBus::real(*device).map_err(HardwareError::Bus)?, servos)
        }
        ServoMap::Boards { .. } => return Ok(Probed::Simulated),
        ServoMap::Serial { port, baud, servos: config } => {
            servos(SerialPort::open(port, *baud).map_err(HardwareError::Bus)?, *baud, config)?
        }
        ServoMap::Servo2040 { port, baud, .. } => {
            vec![servo2040(SerialPort::open(port, *baud).map_err(HardwareError::Bus)?, *baud)?]
        }
    };
    Ok(Probed::Asked(asked))
}

fn boards(mut bus: impl I2c, servos: &ServoConfig) -> Vec<Part> {
    let ask = |address: u8| {
        let mut register = [0];
        let answer = bus.write_read(address, &[MODE1], &mut register);
        let answer = answer.map(|()| format!("MODE1 {:#04x}", register[0])).map_err(|_| "does not answer".into());
        Part { name: format!("board {address:#04x}"), answer }
    };
    servos.boards().iter().map(|board| board.address()).map(ask).collect()
}

fn servos<P: Port>(port: P, baud: u32, config: &SerialConfig) -> Result<Vec<Part>, PortError> {
    let Some(first) = config.servos().first() else { return Ok(vec![]) };
    let (family, protocol) = (config.family(), first.series.protocol);
    let mut line = Line::new(port, protocol, baud);
    let mut parts = Vec::new();
    for (servo, joint) in config.servos().iter().zip(&config.joints().joints) {
        let answer = match look_for(&mut line, (family, protocol), servo.id)? {
            Answer::Servo(found) if found.alarm.is_some() => Err(found.to_string()),
            Answer::Servo(found) => Ok(found.to_string()),
            Answer::Garbage => Err("answers with bytes that make no reply: two servos may have this ID".into()),
            Answer::Several => Err("answers twice: two servos have this ID".into()),
            Answer::Silence => Err("does not answer".into()),
        };
        parts.push(Part { name: format!("servo {} ({})", servo.id, joint.name), answer });
    }
    // As `enable` does.
    let mut servos = SerialServos::new(config, line.into_port(), baud);
    for (index, part) in parts.iter_mut().enumerate().filter(|(_, part)| part.answer.is_ok()) {
        if let Err(wrong) = servos.check_setting(index, &mut Tally::default())? {
            part.answer = Err(wrong);
        }
    }
    Ok(parts)
}

fn servo2040(port: impl Port, baud: u32) -> Result<Part, PortError> {
    let found = identify(port, baud)?.map(|found| found.to_string());
    Ok(Part { name: "Servo2040".into(), answer: found.ok_or_else(|| NOBODY.into()) })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::params::specs;
    use crate::setup::Setup;
    use hexapod_config::ros_params::Params;
    use hexapod_servo::SimulatedBus;
    use hexapod_servo::simulated::Output;

    #[test]
    fn when_boards_are_asked_expect_those_that_answer_and_not_one_register_written() {
        let mut params: Params = specs().iter().map(|spec| (spec.name, spec.default.clone())).collect();
        let root = env!("CARGO_MANIFEST_DIR");
        params.insert("config", format!("{root}/../../config").as_str().into());
        params.insert("urdf", format!("{root}/../../urdf/hexapod.urdf").as_str().into());
        let setup = Setup::load(&params).unwrap();
        let config = setup.servos().unwrap();
        let bus = SimulatedBus::new(&[config.boards()[0].address()]);
        bus.record();
        let parts = boards(bus.clone(), config);
        let answers: Vec<bool> = parts.iter().map(|part| part.answer.is_ok()).collect();
        assert_eq!((answers, parts[1].name.as_str()), (vec![true, false], "board 0x41"));
        let transcript = bus.take_transcript();
        assert!(!transcript.is_empty() && transcript.iter().all(|transfer| transfer.written == [MODE1]));
        assert!((0..16).all(|channel| bus.output(0x40, channel) == Output::Low), "no pulse");
    }
}
