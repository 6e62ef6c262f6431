//! Servos with registers and IDs on a half-duplex serial bus: all that does not depend on whose they are. A [`Family`] says
//! what [`Series`] there are, and a series which protocol its servos speak and where their registers are.

mod backend;
mod block;
mod commands;
mod config;
mod crc;
mod effect;
mod family;
mod frame;
mod identity;
mod letting_go;
mod pace;
mod parser;
mod port;
mod replies;
mod rounds;
mod scan;
mod sensed;
mod series;
mod servos;
mod settings;
mod simulated;
mod standing;
mod trouble;
mod trusted;
mod unit;

pub use block::Block;
pub(crate) use commands::register;
pub use config::{ConfigError, RawSerial, RawServo, SerialConfig, Servo};
pub use crc::crc16;
pub use family::Family;
pub use frame::{BROADCAST, Frame, Instruction, MAX_PARAMETERS, Protocol, Request, checksum};
pub use identity::{IdError, change_id};
pub use pace::Pace;
pub use parser::{Parser, Reply};
pub(crate) use port::on_the_wire;
pub use port::{Line, Port, PortError};
pub use scan::{Answer, Found, look_for};
pub use series::{Field, Model, Order, Rule, Series, Sign, Watchdog};
pub use servos::SerialServos;
pub use simulated::{Fault, Simulated};
