//! What can go wrong with servos on a line.

use std::time::Duration;

use crate::serial::series::Field;

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// A servo neither hears nor answers, or does so again.
    Silent(u8, bool),
    /// The adapter is gone, or back.
    Unplugged(bool),
    /// The adapter hands back what it sends.
    Echo(bool),
    /// Replies begin later by so much.
    Late(Duration),
    /// The adapter hands bytes over later by so much.
    Slow(Duration),
    /// Part of the bytes that come in that are lost.
    Lost(f64),
    /// Part of the bytes that come in that are turned into others.
    Garbled(f64),
    /// Part of the replies before which some bytes of garbage come in.
    Garbage(f64),
    /// A servo's supply sinks: it is limp, and has lost what it was commanded.
    BrownOut(u8),
    /// A second servo has the same ID: both answer at once.
    Twin(u8),
    /// A second servo has the same ID: one answers after the other.
    Twice(u8, bool),
    /// What a servo complains of from now on, as its error byte.
    Alarm(u8, u8),
    /// Somebody else writes a register of a servo.
    Written(u8, u16, u8),
    /// A servo says in so many replies that it is so many steps from where it is.
    Misread {
        /// Its ID.
        id: u8,
        /// So many steps.
        steps: f64,
        /// So many replies.
        replies: u32,
    },
    /// A servo is silent for so long once it has written this register.
    Writes(u8, u16, Duration),
    /// In replies of a servo its position, or this other number, is any.
    Wild(u8, Field, bool),
    /// Servos answer a request to several only once the one that is named before them has, or do not wait for it again.
    Chained(bool),
    /// A servo hears so many frames more, and then misses some.
    Deaf {
        /// Its ID.
        id: u8,
        /// So many it hears.
        after: u32,
        /// So many it misses then.
        frames: u32,
    },
}
