//! Which servos answer on a serial port, before there is a configuration of them.

use crate::bus_error::BusOpenError;
use crate::device::Device;
use crate::hardware::HardwareError;
use crate::i2c_bus::I2cBus;
use crate::lease::Lease;
use crate::serial::SerialPort;
use embedded_hal::i2c::I2c;
use hexapod_servo::serial::{Answer, Family, Found, IdError, Line, PortError, Protocol, Series, change_id, look_for};
use hexapod_servo::{pca9685, servo2040};

/// What was asked of servos on a port could not be done.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The port cannot be had.
    #[error(transparent)]
    Hardware(#[from] HardwareError),
    /// The port fails.
    #[error(transparent)]
    Port(#[from] PortError),
    /// A servo does not get another ID.
    #[error(transparent)]
    Id(#[from] IdError),
}

/// The port, if nobody else has it.
fn open(port: &str, baud: u32) -> Result<(SerialPort, Lease), HardwareError> {
    let device = Device::at(port);
    let lease = Lease::take(&device).map_err(|error| BusOpenError::leased(device.clone(), &error))?;
    Ok((SerialPort::open(&device, baud)?, lease))
}

/// Gives a servo that is alone on a bus another ID; no driver may have the port.
///
/// # Errors
/// The port cannot be opened, another process has it, or the servo does not get the ID.
pub fn change_servo_id(
    family: &Family,
    (port, baud): (&str, u32),
    series: Option<&'static Series>,
    ids: (u8, u8),
    ends: impl Fn() -> bool,
) -> Result<Found, ScanError> {
    let (port, _lease) = open(port, baud)?;
    let protocol = family.series.first().map_or(Protocol::One, |first| first.protocol);
    Ok(change_id(Line::new(port, protocol, baud), family, series, ids, ends)?)
}

/// Asks every ID of a family's bus, in each protocol that it has, and reports those that answer. Only reads; no driver may have the port.
///
/// # Errors
/// The port cannot be opened, another process has it, or it fails.
pub fn scan(family: &Family, port: &str, baud: u32, mut report: impl FnMut(u8, Answer)) -> Result<(), ScanError> {
    let (port, _lease) = open(port, baud)?;
    let Some(first) = family.series.first() else { return Ok(()) };
    let mut line = Line::new(port, first.protocol, baud);
    for protocol in family.protocols() {
        line = line.speaking(protocol);
        for id in 0..=family.of_model(protocol, 0).map_or(0, |series| series.max_id) {
            let answer = look_for(&mut line, (family, protocol), id)?;
            if answer != Answer::Silence {
                report(id, answer);
            }
        }
    }
    Ok(())
}

/// Addresses on `/dev/i2c-<number>` that answer where PCA9685 boards may be, and whether each is one, by its registers. Only
/// reads; no driver may have the bus.
///
/// # Errors
/// The bus cannot be opened, or another process has it.
pub fn scan_boards(number: u8) -> Result<Vec<(u8, bool)>, HardwareError> {
    let device = Device::i2c(number);
    let _lease = Lease::take(&device).map_err(|error| BusOpenError::leased(device.clone(), &error))?;
    let mut bus = I2cBus::real(number)?;
    let mut register = |address: u8, register: u8| {
        let mut value = [0];
        bus.write_read(address, &[register], &mut value).ok().map(|()| value[0])
    };
    // 0x70 is the address of all boards at once.
    let addresses = (0x40..=0x7F).filter(|address| *address != 0x70);
    let found = addresses.filter_map(|address| {
        register(address, pca9685::registers::MODE1)?;
        let is_slow = register(address, pca9685::registers::PRE_SCALE).is_some_and(|prescale| prescale >= 3);
        // Its upper bits are reserved, and read 0.
        Some((address, is_slow && register(address, pca9685::registers::MODE2).is_some_and(|mode| mode & 0xE0 == 0)))
    });
    Ok(found.collect())
}

/// The Servo2040 on a port, if one answers. Only reads; no driver may have the port.
///
/// # Errors
/// The port cannot be opened, another process has it, or it fails.
pub fn find_servo2040(port: &str, baud: u32) -> Result<Option<servo2040::Found>, ScanError> {
    let (port, _lease) = open(port, baud)?;
    Ok(servo2040::identify(port, baud)?)
}
