//! A Raspberry Pi's bus and pins. The only file that names rppal.

use crate::bus_error::BusOpenError;
use crate::device::Device;
use crate::outputs::OutputEnable;
use crate::pins::{Input, Inputs, PinChoice, PinError, Pins};
use embedded_hal::i2c::{ErrorKind, NoAcknowledgeSource, Operation};
use rppal::gpio::{Gpio, InputPin, IoPin, Level, Mode, OutputPin, Pin};
use std::io;
use std::sync::Mutex;
use std::time::Duration;

const MISSING: &str = "enable I2C: put `dtparam=i2c_arm=on` into /boot/firmware/config.txt and start the computer \
    again, and check the parameter `i2c_device` against `ls /dev/i2c-*`; without boards use bus:=simulated";
const FORBIDDEN: &str = "let this user in: `sudo groupadd -f i2c && sudo usermod -aG i2c $USER`, then log in again";
const FORBIDDEN_PINS: &str = "pins need a Raspberry Pi, the group gpio, and BCM numbers nobody else uses";
const OTHER: &str = "check that no other program or kernel driver holds the bus";

/// `/dev/i2c-N`.
#[derive(Debug)]
pub struct RaspberryBus {
    bus: rppal::i2c::I2c,
    /// The address the kernel was last set to speak to.
    address: Option<u8>,
}

/// Longest transaction, in steps of 10 ms. A board's 66 bytes take 6 ms at 100 kHz; the kernel's default is a second.
const TIMEOUT: u32 = 1;

impl RaspberryBus {
    /// Opens it. Nothing goes over it yet.
    pub fn open(device: u8) -> Result<Self, BusOpenError> {
        let bus = rppal::i2c::I2c::with_bus(device).map_err(|error| refused(device, &error))?;
        if let Err(error) = bus.set_timeout(TIMEOUT) {
            tracing::warn!("/dev/i2c-{device} keeps its own timeout: {error}");
        }
        Ok(Self { bus, address: None })
    }

    /// One transfer from START to STOP.
    pub fn transaction(&mut self, address: u8, operations: &mut [Operation<'_>]) -> Result<(), ErrorKind> {
        self.transfer(address, operations).map_err(|error| kind(&error))
    }

    /// A transfer that was cut short is one that failed.
    fn transfer(&mut self, address: u8, operations: &mut [Operation<'_>]) -> rppal::i2c::Result<()> {
        if self.address != Some(address) {
            self.address = None;
            self.bus.set_slave_address(u16::from(address))?;
            self.address = Some(address);
        }
        // One transfer with a repeated START; rppal's own implementation sends two.
        if let [Operation::Write(bytes), Operation::Read(into)] = operations {
            return self.bus.write_read(bytes, into);
        }
        for operation in operations {
            let (done, wanted) = match operation {
                Operation::Read(into) => (self.bus.read(into)?, into.len()),
                Operation::Write(bytes) => (self.bus.write(bytes)?, bytes.len()),
            };
            if done != wanted {
                return Err(io::Error::from_raw_os_error(EIO).into());
            }
        }
        Ok(())
    }
}

/// The pins of a [`PinChoice`].
#[derive(Debug)]
pub struct RaspberryPins {
    output_enable: Option<OutputPin>,
    inputs: RaspberryInputs,
}

#[derive(Debug)]
struct RaspberryInputs {
    stop: Option<(InputPin, Level)>,
    battery: Option<(InputPin, Level)>,
    bus: Option<BusPins>,
}

/// SDA and SCL, by number: they are the bus controller's but for the moment in which a bus is clocked free. A GPIO
/// character device gives no pin back to such a controller, so these are always reached through the registers.
#[derive(Debug)]
pub struct BusPins {
    gpio: Gpio,
    sda: u8,
    scl: u8,
}

fn refused_pin(what: String, error: &rppal::gpio::Error) -> PinError {
    PinError { what, reason: error.to_string(), remedy: FORBIDDEN_PINS.into(), holder: None }
}

fn gpio() -> Result<Gpio, PinError> {
    Gpio::new().map_err(|error| refused_pin("GPIO as a whole".into(), &error))
}

fn pin(gpio: &Gpio, pin: u8) -> Result<Pin, PinError> {
    gpio.get(pin).map_err(|error| refused_pin(format!("GPIO {pin}"), &error))
}

/// An input that is pulled up: a contact that closes to ground reads low, and one that opens, or breaks, reads high. It
/// stays so when it is given back, for another process may use it, too.
fn input(gpio: &Gpio, Input { pin: number, active_high }: Input) -> Result<(InputPin, Level), PinError> {
    let mut input = pin(gpio, number)?.into_input_pullup();
    input.set_reset_on_drop(false);
    Ok((input, if active_high { Level::High } else { Level::Low }))
}

/// The stop button, for whoever guards the driver that reads it, too: levels are everybody's.
#[derive(Debug)]
pub struct RegisterButton(InputPin, Level);

impl RegisterButton {
    /// Claims it for this process.
    pub fn open(stop: Input) -> Result<Self, PinError> {
        let (pin, active) = input(&gpio()?, stop)?;
        Ok(Self(pin, active))
    }

    /// Whether it is pressed or its wire is broken.
    pub fn is_pressed(&self) -> bool {
        self.0.read() == self.1
    }
}

/// OE of a driver that has gone, or stands still. The pin of a process that is killed or stopped stays as it was, and
/// rppal writes to registers, which no process has for itself.
#[derive(Debug)]
pub struct OrphanedRegisters {
    gpio: Gpio,
    output_enable: u8,
    /// rppal gives a pin to one at a time.
    cutting: Mutex<()>,
}

impl OrphanedRegisters {
    /// Sees that the pin can be had, and leaves it as it is.
    pub fn open(output_enable: u8) -> Result<Self, PinError> {
        let gpio = gpio()?;
        pin(&gpio, output_enable)?;
        Ok(Self { gpio, output_enable, cutting: Mutex::new(()) })
    }

    /// Sets OE high, and leaves it so: the next driver takes it from there.
    pub fn cut(&self) -> Result<(), PinError> {
        // Another thread that is at it does the same.
        let Ok(_cutting) = self.cutting.try_lock() else { return Ok(()) };
        pin(&self.gpio, self.output_enable)?.into_output_high().set_reset_on_drop(false);
        Ok(())
    }
}

impl RaspberryPins {
    /// Sees that the pins can be had, and leaves them as they are.
    pub fn look(choice: &PinChoice) -> Result<(), PinError> {
        let gpio = gpio()?;
        choice.numbers().try_for_each(|number| pin(&gpio, number).map(drop))
    }

    /// Claims the pins. Outputs are not let through yet.
    pub fn open(choice: PinChoice) -> Result<Self, PinError> {
        let gpio = gpio()?;
        let get = |number: u8| pin(&gpio, number);
        let input = |of: Option<Input>| of.map(|of| input(&gpio, of)).transpose();
        // A process that ends in order gives the pin back; for one that is killed the guard sets it high.
        let output_enable = choice.output_enable.map(|pin| Ok(get(pin)?.into_output_high())).transpose()?;
        let bus = choice.bus.map(BusPins::open).transpose()?;
        let (stop, battery) = (input(choice.stop)?, input(choice.battery)?);
        Ok(Self { output_enable, inputs: RaspberryInputs { stop, battery, bus } })
    }
}

/// Half a clock at 100 kHz.
const HALF_CLOCK: Duration = Duration::from_micros(5);
/// A board that was interrupted in the middle of a byte has let go of SDA after so many clocks (UM10204, 3.1.16).
const CLOCKS: u32 = 9;

/// Clocks a board out of the transfer it thinks it is in, and ends that with a STOP. The lines are open drain: low is
/// driven, high is let go. rppal gives the pins back to the controller when they are dropped.
fn clock_free(gpio: &Gpio, sda: u8, scl: u8) -> rppal::gpio::Result<bool> {
    let mut sda = gpio.get(sda)?.into_io(Mode::Input);
    if sda.read() == Level::High {
        return Ok(false);
    }
    let mut scl = gpio.get(scl)?.into_io(Mode::Input);
    let set = |line: &mut IoPin, level: Level| {
        // The level first: a line must not be driven high for a moment.
        line.set_low();
        line.set_mode(if level == Level::Low { Mode::Output } else { Mode::Input });
        std::thread::sleep(HALF_CLOCK);
    };
    for _ in 0..CLOCKS {
        set(&mut scl, Level::Low);
        set(&mut scl, Level::High);
    }
    set(&mut scl, Level::Low);
    set(&mut sda, Level::Low);
    set(&mut scl, Level::High);
    set(&mut sda, Level::High);
    Ok(true)
}

impl Pins for RaspberryPins {
    fn split(self) -> (Option<Box<dyn OutputEnable>>, Box<dyn Inputs>) {
        (self.output_enable.map(|pin| Box::new(pin) as Box<dyn OutputEnable>), Box::new(self.inputs))
    }
}

impl OutputEnable for OutputPin {
    fn let_through(&mut self, on: bool) {
        self.write(if on { Level::Low } else { Level::High });
    }
}

impl Inputs for RaspberryInputs {
    fn stop_pressed(&self) -> bool {
        is_active(self.stop.as_ref())
    }

    fn battery_low(&self) -> bool {
        is_active(self.battery.as_ref())
    }

    fn free_bus(&self) -> bool {
        self.bus.as_ref().is_some_and(BusPins::free)
    }
}

impl BusPins {
    /// Sees that they can be had, and leaves them as they are.
    pub fn open((sda, scl): (u8, u8)) -> Result<Self, PinError> {
        let gpio = gpio()?;
        pin(&gpio, sda)?;
        pin(&gpio, scl)?;
        Ok(Self { gpio, sda, scl })
    }

    /// Clocks the bus free if a board holds it low; whether one did.
    pub fn free(&self) -> bool {
        match clock_free(&self.gpio, self.sda, self.scl) {
            Ok(true) => {
                tracing::warn!("a board held the bus low; it was clocked free");
                true
            }
            Ok(false) => false,
            Err(error) => {
                tracing::warn!("the bus cannot be clocked free: {error}");
                false
            }
        }
    }
}

fn is_active(input: Option<&(InputPin, Level)>) -> bool {
    input.is_some_and(|(pin, active)| pin.read() == *active)
}

fn refused(device: u8, error: &rppal::i2c::Error) -> BusOpenError {
    let remedy = match error {
        rppal::i2c::Error::Io(error) if error.kind() == io::ErrorKind::NotFound => MISSING,
        rppal::i2c::Error::Io(error) if error.kind() == io::ErrorKind::PermissionDenied => FORBIDDEN,
        _ => OTHER,
    };
    BusOpenError { device: Device::i2c(device), reason: error.to_string(), remedy }
}

const EIO: i32 = 5;

/// What the kernel's fault codes mean (Documentation/i2c/fault-codes.rst).
fn kind(error: &rppal::i2c::Error) -> ErrorKind {
    const ENXIO: i32 = 6;
    const EAGAIN: i32 = 11;
    const EREMOTEIO: i32 = 121;
    let code = if let rppal::i2c::Error::Io(error) = error { error.raw_os_error() } else { None };
    match code {
        Some(ENXIO | EREMOTEIO) => ErrorKind::NoAcknowledge(NoAcknowledgeSource::Unknown),
        Some(EAGAIN) => ErrorKind::ArbitrationLoss,
        Some(EIO) => ErrorKind::Bus,
        _ => ErrorKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_kernel_reports_a_fault_expect_its_kind() {
        let cases = [
            (6, ErrorKind::NoAcknowledge(NoAcknowledgeSource::Unknown)),
            (121, ErrorKind::NoAcknowledge(NoAcknowledgeSource::Unknown)),
            (11, ErrorKind::ArbitrationLoss),
            (5, ErrorKind::Bus),
            (110, ErrorKind::Other),
        ];
        for (code, expected) in cases {
            let error = rppal::i2c::Error::Io(io::Error::from_raw_os_error(code));
            assert_eq!(kind(&error), expected, "errno {code}");
        }
    }

    #[test]
    fn when_the_device_cannot_be_opened_expect_what_to_do() {
        for (reason, words) in [
            (io::ErrorKind::NotFound, "i2c_arm"),
            (io::ErrorKind::PermissionDenied, "usermod"),
            (io::ErrorKind::Other, "holds"),
        ] {
            let error = refused(3, &rppal::i2c::Error::Io(reason.into())).to_string();
            assert!(error.contains("/dev/i2c-3") && error.contains(words), "{error}");
        }
    }
}
