//! A Pimoroni Servo2040 on a serial port: 18 servos with pulses, a relay for their supply, its current and voltage.
//!
//! # Firmwares
//! Two firmwares share one framing, a third speaks in packets, and [`Dialect`] says what differs:
//! - "Chica": EddieCarrera/chica-servo2040-simpleDriver, `chica-servo2040/chica-servo2040.cpp`.
//! - olli-io/hexapod-servo2040-driver, `protocol.md` and `src/hexapod-servo2040-firmware`.
//! - enjoykin/hexapod_servo_driver, `PROTOCOL.md` and `src/main.cpp`, and its host's
//!   `servo2040_protocol.hpp` in enjoykin/hexapod_ws.
//!
//! `D3 first count {low7 high7}` sets values, `C7 first count` is answered by itself and the values, and only the first byte of
//! a frame has its highest bit set. Values 0 to 17 are pulses in microseconds, 18 to 23 touch inputs, 24 current, 25 voltage,
//! 26 the relay, 27 (olli-io) the fault word. Nothing that is set is acknowledged, and the relay cannot be read. So each tick
//! reads something: the answer says that the board lives, and what it read that it has the pulses it was given.
//!
//! Packets (enjoykin's): number, command, length, payload, CRC-16, stuffed between zeros. The reply has the number of its request,
//! and each order is acknowledged. A state says all at once: pulses, current, voltage, flags.
//!
//! # Traps
//! - enjoykin's turns pulses no faster than 20 us in 10 ms, for servos that are off too in older versions, and switches a servo on
//!   with the pulse it has come to: so a servo is switched on only once the board says that this is the one it was given.
//! - It stands still for 20 ms with each servo that it switches on: so they go one by one, and nothing is sent meanwhile.
//! - Behind an open relay it soon finds the supply too low, and refuses servos until it is reset: so each closing begins with that.
//! - Chica gives every servo a pulse as the relay goes on: its last one, or 1500 us. So the frame that switches the relay on is
//!   followed, in one packet of USB, by one that sets the pulses of servos that are to stay off to 0.
//! - Chica takes a byte that is 100 us late for 0x7F, and a pulse made of those turns a servo to its end. So what belongs together
//!   is written at once, in no more than one packet of USB.
//! - olli-io ignores pulses while the relay is off, and pulses below 500 us: a servo that was driven holds until the relay
//!   goes off. So [`relax`](crate::ServoDriver::relax) takes effect there only once it is true for all servos.
//! - Beside an open relay the board may not see the servos' supply. So current and voltage count only while it is closed.

mod backend;
mod board;
mod cobs;
mod dialect;
mod effect;
mod exchange;
mod frame;
mod judge;
mod link;
mod outputs;
mod packet;
mod reading;
mod reply;
mod simulated;
mod talk;
mod trip;
mod trouble;

pub use board::{BAUD, Servo2040};
pub use dialect::Dialect;
pub use effect::effect;
pub use frame::{CHANNELS, Frame, Request};
pub use link::{Found, NOBODY, identify};
pub use simulated::{Fault, Simulated};
