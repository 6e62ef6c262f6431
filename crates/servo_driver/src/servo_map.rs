//! Which servos there are, by the bus that is chosen and what `servos.yaml` says of it.

use crate::bus::{SERVO2040, ServoMap, baud_rate};
use crate::device::Device;
use crate::i2c_bus::BoardBus;
use crate::owners::MAX_JOINTS;
use hexapod_config::ConfigError;
use hexapod_config::ros_params::{ParamValue, Params};
use hexapod_servo::ServoConfig;
use hexapod_servo::calibration::Board;
use hexapod_servo::families::family;
use hexapod_servo::pca9685::registers::ALL_CALL_ADDRESS;
use hexapod_servo::servo2040;
use hexapod_setup::params::{text, wrong};
use hexapod_setup::{
    ConfigFile, Description, Files, MEASURED_PULSES, MEASURED_STEPS, Servos, own_servos, read_serial, read_servo2040,
    read_servos, simulated_servos,
};

/// The servo map for the bus that is chosen, and what the user should know of it.
pub(crate) fn servo_map(
    file: &ConfigFile,
    params: &Params,
    description: &Description,
) -> Result<(ServoMap, Option<String>), ConfigError> {
    let integer = |name: &str| if let Some(ParamValue::Integer(value)) = params.get(name) { *value } else { 0 };
    let robot = &description.robot;
    let bus = text(params, "bus");
    // What moves real servos is what the user wrote, and nothing else.
    let (map, remark) = match (bus.as_str(), family(&bus)) {
        ("i2c", _) => {
            let servos = read_servos(file, robot)?;
            check_reachable(file, &servos)?;
            let device = u8::try_from(integer("i2c_device")).unwrap_or(1);
            (ServoMap::Boards { bus: BoardBus::I2c { device }, servos }, None)
        }
        (_, Some(family)) => {
            let servos = read_serial(family, file, robot)?;
            let (port, baud) = (serial_port(params)?, baud_rate(family.usual_rate, params));
            (ServoMap::Serial { port, baud, servos }, None)
        }
        (chosen, None) if chosen == SERVO2040.0 => {
            let (servos, touch) = read_servo2040(file, robot)?;
            let (port, baud) = (serial_port(params)?, baud_rate(servo2040::BAUD, params));
            (ServoMap::Servo2040 { port, baud, servos, touch }, None)
        }
        (chosen, None) => {
            let Servos { config: servos, remark } = simulated_servos(file, robot)?;
            let bus = if chosen == "physics" { BoardBus::Physics } else { BoardBus::Simulated };
            (ServoMap::Boards { bus, servos }, remark)
        }
    };
    let count = map.joints().joints.len();
    if count > MAX_JOINTS {
        let message = format!("{count} servos are more than {MAX_JOINTS}");
        let help = "drive the others with a second servo_driver and bus";
        return Err(ConfigError::whole_file(&file.path().display().to_string(), message, help));
    }
    Ok((map, remark))
}

/// That real servos were not measured, which would move a joint elsewhere or the other way round.
pub(crate) fn unmeasured(map: &ServoMap, files: &Files) -> Option<String> {
    let (section, keys, what) = match map {
        ServoMap::Boards { bus: BoardBus::I2c { .. }, .. } => {
            ("servos".to_owned(), &MEASURED_PULSES[..], "are not calibrated (`hexapod calibrate`)")
        }
        ServoMap::Serial { servos, .. } => {
            let what = "have no zero_step in servos.yaml: each is taken to be at 0 in its middle step";
            (format!("{}.servos", servos.family().name), &MEASURED_STEPS[..], what)
        }
        _ => return None,
    };
    let (joints, own) = (map.joints().joints, own_servos(files, &section, keys));
    let count = joints.iter().filter(|joint| !own.contains(&joint.name)).count();
    (count > 0).then(|| format!("{count} of {} joints {what}", joints.len()))
}

/// That the bus is too slow for its servos.
pub(crate) fn slow_bus(map: &ServoMap) -> Option<String> {
    let ServoMap::Serial { baud, servos, .. } = map else { return None };
    let hz = map.pace()?.short_hz()?;
    Some(format!(
        "at {baud} baud the bus has time for {hz:.0} goals and positions of {} servos a second, and 100 are meant: set the \
         servos and baud_rate to {}",
        servos.servos().len(),
        servos.family().usual_rate
    ))
}

/// The serial port, which this bus needs.
///
/// # Errors
/// There is none.
pub fn serial_port(params: &Params) -> Result<Device, ConfigError> {
    let port = text(params, "port");
    if port.is_empty() {
        let help = "give the serial port of the servos, as in servo_driver.port:=/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0";
        let reason = format!("is empty, and bus {} needs one", text(params, "bus"));
        return Err(wrong(crate::NAME, params, "port", reason, help));
    }
    Ok(Device::at(&port))
}

/// The I2C specification keeps 0x78 to 0x7f for itself, and rppal does not speak to them. Another way to `/dev/i2c-N`
/// for the last seven of 62 boards would be of no use: a bus bears 400 pF, and a board has 10 pF and its wires.
fn check_reachable(file: &ConfigFile, servos: &ServoConfig) -> Result<(), ConfigError> {
    const RESERVED: u8 = 0x78;
    let addresses: Vec<_> = servos.boards().iter().map(Board::address).collect();
    let Some(index) = addresses.iter().position(|&address| address >= RESERVED) else { return Ok(()) };
    let free = (0x40..RESERVED).find(|&address| address != ALL_CALL_ADDRESS && !addresses.contains(&address));
    let message = format!("the board at {:#04x} cannot be reached on a real bus", addresses[index]);
    let free = free.map_or("all are taken".into(), |free| format!("{free:#04x} is free"));
    let help = format!(
        "set its address jumpers to one between 0x40 and 0x77, but not 0x70 ({free}): I2C reserves 0x78 to 0x7f, so a real bus \
        has room for 55 boards"
    );
    Err(file.read()?.error_at(&format!("boards[{index}].address"), message, help))
}
