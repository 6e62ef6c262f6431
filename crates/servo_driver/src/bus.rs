//! The buses there are, chosen at run time: where a new one is made known.

use crate::bus_error::BusOpenError;
use crate::device::Device;
use crate::i2c_bus::{BoardBus, I2cBus};
use crate::serial::SerialPort;
use crate::stoppable::Gate;
use embedded_hal::i2c::I2c;
use hexapod_config::ros_params::{ParamValue, Params};
use hexapod_servo::calibration::{Servo, Touch};
use hexapod_servo::families::FAMILIES;
use hexapod_servo::serial::{Pace, Port, SerialConfig, SerialServos};
use hexapod_servo::servo2040::{self, Servo2040};
use hexapod_servo::{Backend, JointConfig, Pca9685Boards, ServoConfig};
use std::fmt;
use std::sync::LazyLock;

/// Boards, and what they are.
const BOARDS: [(&str, &str); 3] = [
    ("simulated", "boards in memory"),
    ("physics", "the same, and a robot that moves with them"),
    ("i2c", "PCA9685 boards on /dev/i2c-<i2c_device>"),
];
/// The bus of a Servo2040, and what it is.
pub const SERVO2040: (&str, &str) = ("servo2040", "a Servo2040 board on the serial port `port`");
/// Buses on which nothing real moves.
const UNREAL: [&str; 2] = ["simulated", "physics"];

/// What the parameter `bus` can be, and what each is: boards, and every family of servos on a serial bus.
pub fn buses() -> impl Iterator<Item = (&'static str, String)> {
    let boards = BOARDS.into_iter().map(|(name, about)| (name, about.to_owned()));
    let serial = FAMILIES.iter().map(|family| (family.name, format!("{} on the serial port `port`", family.about)));
    boards.chain(serial).chain([(SERVO2040.0, SERVO2040.1.to_owned())])
}

/// What the parameter `bus` can be.
#[must_use]
pub fn bus_names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| buses().map(|(name, _)| name).collect());
    &NAMES
}

/// Whether servos that exist move when `bus` is this.
#[must_use]
pub fn is_real(bus: &str) -> bool {
    !UNREAL.contains(&bus)
}

/// The rate of a serial bus: as it is set, or what is usual.
#[must_use]
pub fn baud_rate(usual: u32, params: &Params) -> u32 {
    let given = params.get("baud_rate").and_then(ParamValue::as_i64).and_then(|baud| u32::try_from(baud).ok());
    given.filter(|baud| *baud > 0).unwrap_or(usual)
}

/// The servos of a robot, and the bus that they are on.
#[derive(Clone, Debug)]
pub enum ServoMap {
    /// On PCA9685 boards.
    Boards {
        /// Where the boards are.
        bus: BoardBus,
        /// Boards and servos.
        servos: ServoConfig,
    },
    /// Servos on a serial bus.
    Serial {
        /// The serial port.
        port: Device,
        /// Bits a second.
        baud: u32,
        /// The servos.
        servos: SerialConfig,
    },
    /// On a Servo2040.
    Servo2040 {
        /// The serial port.
        port: Device,
        /// Bits a second.
        baud: u32,
        /// The servos.
        servos: ServoConfig,
        /// Its touch inputs, if feet have any.
        touch: Option<Touch>,
    },
}

/// The servos of a driver or tool, whatever bus they are on.
pub type Servos = Box<dyn Backend + Send>;

impl fmt::Display for ServoMap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boards { bus: BoardBus::Simulated, .. } => formatter.write_str("a simulated bus"),
            Self::Boards { bus: BoardBus::Physics, .. } => formatter.write_str("a simulated bus, with physics"),
            Self::Boards { bus: BoardBus::I2c { device }, .. } => Device::i2c(*device).fmt(formatter),
            Self::Serial { port, .. } | Self::Servo2040 { port, .. } => port.fmt(formatter),
        }
    }
}

impl ServoMap {
    /// Whether there is something to break.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.device().is_some()
    }

    /// The device file, where there is one.
    #[must_use]
    pub fn device(&self) -> Option<Device> {
        match self {
            Self::Boards { bus: BoardBus::Simulated | BoardBus::Physics, .. } => None,
            Self::Boards { bus: BoardBus::I2c { device }, .. } => Some(Device::i2c(*device)),
            Self::Serial { port, .. } | Self::Servo2040 { port, .. } => Some(port.clone()),
        }
    }

    /// What gives a tool this bus on its command line.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let (bus, params) = match self {
            Self::Boards { bus: BoardBus::Simulated, .. } => ("simulated", vec![]),
            Self::Boards { bus: BoardBus::Physics, .. } => ("physics", vec![]),
            Self::Boards { bus: BoardBus::I2c { device }, .. } => ("i2c", vec![format!("i2c_device:={device}")]),
            Self::Serial { port, baud, servos } => (servos.family().name, at_port(port, *baud)),
            Self::Servo2040 { port, baud, .. } => (SERVO2040.0, at_port(port, *baud)),
        };
        let params = params.into_iter().flat_map(|param| ["-p".to_owned(), format!("servo_driver.{param}")]);
        ["--bus".to_owned(), bus.to_owned()].into_iter().chain(params).collect()
    }

    /// What diagnostics call the hardware, e.g. `pca9685@/dev/i2c-1`.
    #[must_use]
    pub fn hardware_id(&self) -> String {
        match self {
            Self::Boards { bus: BoardBus::Simulated, .. } => "pca9685@simulated".into(),
            Self::Boards { bus: BoardBus::Physics, .. } => "pca9685@physics".into(),
            Self::Boards { .. } => format!("pca9685@{self}"),
            Self::Serial { servos, .. } => format!("{}@{self}", servos.family().name),
            Self::Servo2040 { .. } => format!("{}@{self}", SERVO2040.0),
        }
    }

    /// What the state machine knows of the servos.
    #[must_use]
    pub fn joints(&self) -> JointConfig {
        match self {
            Self::Boards { servos, .. } | Self::Servo2040 { servos, .. } => servos.joints(),
            Self::Serial { servos, .. } => servos.joints().clone(),
        }
    }

    /// The servos of boards, if they are on boards.
    #[must_use]
    pub fn boards(&self) -> Option<&ServoConfig> {
        match self {
            Self::Boards { servos, .. } => Some(servos),
            Self::Serial { .. } | Self::Servo2040 { .. } => None,
        }
    }

    /// What the ends of a servo's range are in, for people.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Boards { .. } | Self::Servo2040 { .. } => "pulse (us)",
            Self::Serial { .. } => "step",
        }
    }

    /// For people, which servo a joint has, and the ends of its range.
    #[must_use]
    pub fn plug(&self, joint: &str) -> Option<(String, String)> {
        let index = self.joints().index(joint)?;
        match self {
            Self::Boards { servos, .. } => {
                let servo = servos.servos().get(index)?;
                let (address, ends) = (servos.boards().get(servo.board())?.address(), servo.pulse_limits_us());
                Some((format!("{address:#04x} channel {}", servo.channel()), format!("{:.0}..{:.0}", ends.0, ends.1)))
            }
            Self::Servo2040 { servos, .. } => {
                let servo = servos.servos().get(index)?;
                let (shortest, longest) = servo.pulse_limits_us();
                Some((format!("channel {}", servo.channel()), format!("{shortest:.0}..{longest:.0}")))
            }
            Self::Serial { servos, .. } => {
                let servo = servos.servos().get(index)?;
                let (lowest, highest) = servo.steps();
                Some((format!("servo {}", servo.id), format!("{lowest}..{highest}")))
            }
        }
    }

    /// How often servos on a serial bus get goals and are read.
    #[must_use]
    pub fn pace(&self) -> Option<Pace> {
        match self {
            Self::Boards { .. } | Self::Servo2040 { .. } => None,
            Self::Serial { baud, servos, .. } => Some(Pace::of(servos.series(), *baud, servos.servos().len())),
        }
    }

    /// The legs that have a switch under the foot which the servos' board reads.
    #[must_use]
    pub fn legs_with_switches(&self) -> Vec<String> {
        let touch = if let Self::Servo2040 { touch, .. } = self { touch.as_ref() } else { None };
        touch.map(|touch| touch.legs().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// Whether volts and amperes are measured.
    #[must_use]
    pub fn measures_supply(&self) -> bool {
        !matches!(self, Self::Boards { .. })
    }

    /// Of each joint the part that its servo belongs to.
    pub(crate) fn parts(&self) -> Vec<usize> {
        match self {
            Self::Boards { servos, .. } | Self::Servo2040 { servos, .. } => {
                servos.servos().iter().map(Servo::board).collect()
            }
            Self::Serial { servos, .. } => (0..servos.servos().len()).collect(),
        }
    }

    /// The angle at which a joint's servo is in its middle, before a limit of the joint.
    #[must_use]
    pub fn neutral_rad(&self, joint: usize) -> Option<f64> {
        match self {
            Self::Boards { servos, .. } | Self::Servo2040 { servos, .. } => {
                servos.servos().get(joint).map(|servo| servo.angle_rad(servo.neutral_us()))
            }
            Self::Serial { servos, .. } => {
                servos.servos().get(joint).map(|servo| servo.angle_rad(f64::from(servo.series.middle_step)))
            }
        }
    }

    /// Opens the bus, if it is that of real servos. Nothing goes over it yet.
    ///
    /// # Errors
    /// There is no such device, or this user may not use it; says what to do.
    pub fn open(&self) -> Result<Option<Bus>, BusOpenError> {
        match self {
            Self::Boards { bus: BoardBus::Simulated | BoardBus::Physics, .. } => Ok(None),
            Self::Boards { bus: BoardBus::I2c { device }, servos } => {
                Ok(Some(Bus::Boards { bus: I2cBus::real(*device)?, servos: servos.clone() }))
            }
            Self::Serial { port, baud, servos, .. } => {
                let (port, baud, servos) = (SerialPort::open(port, *baud)?, *baud, servos.clone());
                Ok(Some(Bus::Serial { port, baud, servos }))
            }
            Self::Servo2040 { port, baud, servos, touch } => {
                let (port, baud, servos) = (SerialPort::open(port, *baud)?, *baud, servos.clone());
                Ok(Some(Bus::Servo2040 { port, baud, servos, touch: touch.clone() }))
            }
        }
    }
}

/// What gives a tool a serial port and its rate.
fn at_port(port: &Device, baud: u32) -> Vec<String> {
    vec![format!("port:={port}"), format!("baud_rate:={baud}")]
}

/// An open bus, and the servos on it.
#[derive(Debug)]
pub enum Bus {
    /// Of PCA9685 boards.
    Boards {
        /// The bus.
        bus: I2cBus,
        /// Boards and servos.
        servos: ServoConfig,
    },
    /// Serial.
    Serial {
        /// The port.
        port: SerialPort,
        /// Bits a second.
        baud: u32,
        /// The servos.
        servos: SerialConfig,
    },
    /// Of a Servo2040.
    Servo2040 {
        /// The port.
        port: SerialPort,
        /// Bits a second.
        baud: u32,
        /// The servos.
        servos: ServoConfig,
        /// Its touch inputs, if feet have any.
        touch: Option<Touch>,
    },
}

impl Bus {
    /// These joints alone, in this order: the others need not be there.
    #[must_use]
    pub fn only(self, joints: &[usize]) -> Self {
        match self {
            Self::Boards { bus, servos } => Self::Boards { bus, servos: servos.only(joints) },
            Self::Serial { port, baud, servos } => Self::Serial { port, baud, servos: servos.only(joints) },
            Self::Servo2040 { port, baud, servos, touch } => {
                Self::Servo2040 { port, baud, servos: servos.only(joints), touch }
            }
        }
    }

    /// The servos on this bus. What may move them passes `gate`.
    #[must_use]
    pub fn backend(self, gate: &Gate) -> Servos {
        match self {
            Self::Boards { bus, servos } => on_boards(&servos, bus)(gate),
            Self::Serial { port, baud, servos } => on_line(&servos, port, baud)(gate),
            Self::Servo2040 { port, baud, servos, touch } => on_servo2040(&servos, touch, port, baud)(gate),
        }
    }
}

/// The servos of a configuration on this line, once there is a gate to put before it.
pub fn on_line<P: Port + Send + 'static>(servos: &SerialConfig, port: P, baud: u32) -> impl FnOnce(&Gate) -> Servos {
    let series = servos.series();
    move |gate| Box::new(SerialServos::new(servos, gate.before_line(port, |frame| series.effect(frame)), baud))
}

/// The Servo2040 of a configuration on this line, once there is a gate to put before it.
pub fn on_servo2040<P: Port + Send + 'static>(
    servos: &ServoConfig,
    touch: Option<Touch>,
    port: P,
    baud: u32,
) -> impl FnOnce(&Gate) -> Servos {
    move |gate| {
        let board = Servo2040::new(servos, gate.before_line(port, servo2040::effect), baud);
        Box::new(board.with_touch(touch))
    }
}

/// The PCA9685 boards of a configuration on this bus, once there is a gate to put before it.
pub fn on_boards<B: I2c + Send + 'static>(servos: &ServoConfig, bus: B) -> impl FnOnce(&Gate) -> Servos {
    move |gate| Box::new(Pca9685Boards::new(servos, gate.before(bus)))
}
