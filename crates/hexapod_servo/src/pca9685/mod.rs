//! The PCA9685 on the wire: least bytes, and no half-written state that could hurt a servo.
//!
//! Section numbers are those of the NXP datasheet "PCA9685", Rev. 4, 16 April 2015.
//!
//! # Bytes
//! A channel is four registers, ON_L, ON_H, OFF_L, OFF_H (7.3.3). ON is set once at start, so a new pulse needs only
//! OFF. A run of `n` neighbours whose registers change is one auto-increment write that begins at OFF_L of the first:
//! `2 + 2 + 4 (n - 1)` bytes with address and register number, four a changed channel in every tick, and never more.
//! Bridging an unchanged channel would cost as much as a write of its own, so runs are never joined. A burst never
//! passes register 69: there auto-increment wraps round into MODE1 (7.2).
//!
//! # Torn writes
//! Outputs follow their registers at STOP (7.3.2, OCH = 0) and then from the next PWM period on (7.3.4). A write torn
//! before its STOP therefore changes nothing until the next STOP on the bus, and a write torn by a missing
//! acknowledge is followed by a STOP and leaves a prefix of its bytes in force. In a prefix every channel is old, new,
//! or *mixed*: new OFF_L under old OFF_H. ON bytes in a burst are rewritten with what they are. So the mix is the one
//! state to think about, and three rules make it harmless:
//!
//! 1. ON is chosen so that OFF_H does not change near the middle of a channel's range ([`PulseRange`]). A range shorter
//!    than 256 counts lies in one page of OFF_H and has no mix. In a longer one (625 us from the middle at 50 Hz) steps
//!    away from the middle mix to pulses within the range, small steps back do not, and long ones may or may not.
//! 2. Where the mix of two pulses would be beyond the hard limits, which is found number by number, the channel is left
//!    out for one step of its motion: its four bytes say full-off under the OFF_L it has, so that one register changes
//!    and nothing can tear; the next step's four bytes give the new pulse, and their mix is full-off.
//! 3. A channel whose write failed is written again with the *same* bytes until that succeeds ([`Shadow`]), so no
//!    third value can mix with the first two.
//!
//! What decides rule 2: auto-increment sends OFF_L before OFF_H, so no single burst of four bytes is free of the mix, and
//! every way round it within one tick has two transactions of at least three bytes each. Repairing the mix at once in
//! the same tick leaves it in force meanwhile, and smaller steps do not help: a step over a page change always mixes
//! to a pulse 256 counts off. So either a tick has more than four bytes for a channel, or a servo goes without a pulse
//! for one step, 10 ms with commands at 100 Hz and two ticks at most, which it bears: it stands still that long.
//!
//! Full-off is bit 4 of OFF_H and wins over full-on (7.3.3); full-on, bit 4 of ON_H, is never written. OFF is ON plus
//! a count in 1..=4095, so the two are never equal (7.3.4 forbids it).

mod gate;
mod link;
mod range;
pub mod registers;
mod shadow;
mod start;

pub use gate::effect;
pub use link::{BusError, Link};
pub use range::PulseRange;
pub use shadow::{Level, Shadow};
pub use start::{SETTLE, all_call_off, read_channel, start, verify, wake};
