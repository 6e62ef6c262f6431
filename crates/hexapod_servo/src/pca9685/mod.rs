//! The PCA9685 on the wire: least bytes, and no half-written state that could hurt a servo.
//!
//! Section numbers are those of the NXP datasheet "PCA9685", Rev. 4, 16 April 2015.
//!
//! # Bytes
//! A channel is four registers, ON_L, ON_H, OFF_L, OFF_H (7.3.3). ON is set once at start, so a new pulse needs only
//! OFF. A run of `n` neighbours whose pulses changed is one auto-increment write that begins at OFF_L of the first:
//! `2 + 2 + 4 (n - 1)` bytes with address and register number. Bridging an unchanged channel would cost as much as a
//! write of its own, so runs are never joined. A burst never passes register 69: there auto-increment wraps round
//! into MODE1 (7.2).
//!
//! # Torn writes
//! Outputs follow their registers at STOP (7.3.2, OCH = 0) and then from the next PWM period on (7.3.4). A write torn
//! before its STOP therefore changes nothing until the next STOP on the bus, and a write torn by a missing
//! acknowledge is followed by a STOP and leaves a prefix of its bytes in force. In a prefix every channel is old, new,
//! or *mixed*: new OFF_L under old OFF_H. ON bytes in a burst are rewritten with what they are. So the mix is the one
//! state to think about, and three rules make it harmless:
//!
//! 1. ON is chosen so that the middle of a channel's range is the middle of a page of 256 OFF counts ([`PulseRange`]).
//!    A range shorter than 256 counts then lies in one page and has no mix. In a longer one OFF_H changes far from the
//!    middle (625 us from it at 50 Hz), and steps away from the middle mix to pulses within the range.
//! 2. What is left, small steps back into the middle page and some long ones, is found number by number: where the
//!    mix would be out of range, the channel is first set full-off (one register, three bytes, nothing to tear) and
//!    then written. The mix is then full-off too, and since outputs change only with the period, at worst one pulse
//!    is left out.
//! 3. A channel whose write failed is written again with the *same* bytes until that succeeds ([`Shadow`]), so no
//!    third value can mix with the first two.
//!
//! Full-off is bit 4 of OFF_H and wins over full-on (7.3.3); full-on, bit 4 of ON_H, is never written. OFF is ON plus
//! a count in 1..=4095, so the two are never equal (7.3.4 forbids it).

mod link;
mod range;
pub mod registers;
mod shadow;
mod start;

pub use link::{BusError, Link, Tally};
pub use range::PulseRange;
pub use shadow::{Level, Shadow};
pub use start::{SETTLE, all_call_off, start, verify, wake};
