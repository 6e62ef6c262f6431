//! What can go wrong with a board.

use std::time::Duration;

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The board neither hears nor answers, or does so again; its servos keep what they have.
    Silent(bool),
    /// The cable is pulled, or put back; the servos keep what they have.
    Unplugged(bool),
    /// The board starts anew: relay open, pulses forgotten.
    Reset,
    /// It trips at this current, A: relay open until it is switched. Chica's firmware does not.
    Tripped(f64),
    /// What its servos draw from now on, A.
    Draws(f64),
    /// Their supply from now on, V.
    Supplied(f64),
    /// A foot presses its switch, which connects this touch input with the supply, or releases it.
    Pressed(usize, bool),
    /// Replies come later by so much.
    Late(Duration),
    /// Part of the bytes that come in that are lost.
    Lost(f64),
    /// Part of the bytes that come in that are turned into others.
    Garbled(f64),
    /// Part of the writes of the host that are lost.
    Deaf(f64),
    /// Somebody else gives a servo this pulse, us.
    Written(usize, u16),
    /// Somebody else opens the relay.
    Opened,
}
