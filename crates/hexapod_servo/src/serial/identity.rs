//! A servo gets another ID. Only one that is alone on its line does: two with the same ID would both get it.

use std::time::Duration;

use thiserror::Error;

use super::block::Block;
use super::family::Family;
use super::frame::{Frame, Protocol};
use super::port::{Line, Port, PortError};
use super::scan::{Answer, Found, LOOKS, look_for};
use super::series::{Order, Series};
use crate::backend::Tally;

/// A servo takes so long to keep what it is set to.
const KEEPING: Duration = Duration::from_millis(100);
/// What was written is read back for so long: a servo may be silent while it keeps what it is set to.
const READ_BACK: Duration = Duration::from_secs(1);

/// Why a servo did not get another ID.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IdError {
    /// There is no such ID.
    #[error("ID {0} is no servo's; use 0 to {1}")]
    None(u8, u8),
    /// It is the same.
    #[error("the servo has ID {0} already")]
    Same(u8),
    /// Nothing answers.
    #[error("no servo answers to ID {0}: check its supply, its plug and baud_rate")]
    Silent(u8),
    /// Something answers, and cannot be understood.
    #[error("what answers to ID {0} makes no reply: two servos with this ID; leave one servo alone on the bus")]
    Unclear(u8),
    /// Others answer, too.
    #[error("servo {0} answers, too: leave one servo alone on the bus")]
    NotAlone(u8),
    /// Another has the same ID.
    #[error("two servos answer to ID {0}: leave one servo alone on the bus")]
    Several(u8),
    /// A signal came in time.
    #[error("ended before anything was changed")]
    Ended,
    /// It may be of one series or another.
    #[error(
        "model {model} is not known, and a wrong series has ID and lock elsewhere: say which it is with --series ({known})"
    )]
    Unknown {
        /// What the servo reports.
        model: u16,
        /// The series there are.
        known: String,
    },
    /// It is of another series.
    #[error("the servo is a {0} of the series {1}")]
    Other(&'static str, &'static str),
    /// Its registers lie elsewhere.
    #[error("register {0} holds {1}, and should hold {2}: the servo is of another series. Nothing was changed")]
    Elsewhere(u16, u8, &'static str),
    /// It holds.
    #[error("the servo did not let go of its torque; nothing was changed")]
    Holds,
    /// It cannot be unlocked.
    #[error("the servo did not unlock its settings (register {0}): is it of this series? Nothing was changed")]
    Locked(u16),
    /// It has another ID, or none.
    #[error("the servo does not answer to ID {0} after the change: scan the bus to see which it has")]
    Lost(u8),
    /// It answers as before.
    #[error("the servo still answers to ID {0}: it did not take the new one")]
    Unchanged(u8),
    /// It is not locked.
    #[error(
        "the settings of the servo may be unlocked (register {lock}): `hexapod servo id {new} {old}` locks them, or \
         `hexapod servo id {old} {new}` if it still has ID {old}"
    )]
    Unlocked {
        /// Where its lock is.
        lock: u16,
        /// The ID that it had.
        old: u8,
        /// The ID that it was given.
        new: u8,
    },
    /// The line cannot be used.
    #[error(transparent)]
    Port(#[from] PortError),
}

/// What talks to one servo.
struct Wire<'a, P> {
    line: &'a mut Line<P>,
    series: &'static Series,
    tally: Tally,
}

impl<P: Port> Wire<'_, P> {
    /// Writes one register. Whether it was taken is read back.
    fn write(&mut self, id: u8, register: u16, value: u8) -> Result<(), PortError> {
        let mut frame = Frame::write(self.series.protocol, id, register, &[value]);
        if self.series.protocol == Protocol::Lx {
            self.line.send(&mut frame, &mut self.tally)?;
        } else {
            self.line.ask(&mut frame, (1, 0), &mut self.tally, |_| true)?;
        }
        let until = self.line.free_at() + KEEPING;
        self.line.port_mut().pause(until);
        Ok(())
    }

    /// What a register holds, if the servo says.
    fn value(&mut self, id: u8, register: u16) -> Result<Option<u8>, PortError> {
        let mut frame = Frame::read(self.series.protocol, id, Block::new(register, 1));
        let mut value = None;
        self.line.ask(&mut frame, (1, 1), &mut self.tally, |reply| {
            value = reply.values.first().copied().filter(|_| reply.id == id);
            reply.id == id
        })?;
        Ok(value)
    }

    fn reads(&mut self, id: u8, register: u16, value: u8) -> Result<bool, PortError> {
        let until = self.line.free_at() + READ_BACK;
        while self.line.free_at() < until {
            if self.value(id, register)? == Some(value) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What a register holds, which must be as `right` says, else the servo is of another series.
    fn check(&mut self, id: u8, register: u16, right: &'static str, fits: impl Fn(u8) -> bool) -> Result<u8, IdError> {
        for _ in 0..LOOKS {
            match self.value(id, register)? {
                Some(value) if fits(value) => return Ok(value),
                Some(value) => return Err(IdError::Elsewhere(register, value, right)),
                None => {}
            }
        }
        Err(IdError::Silent(id))
    }

    /// Locks its settings under either ID, for as long as what is written is read back. True if it says that they are locked.
    fn lock(&mut self, lock: u16, value: u8, ids: [u8; 2]) -> bool {
        let until = self.line.free_at() + READ_BACK;
        loop {
            for id in ids {
                if self.write(id, lock, value).is_ok() && self.value(id, lock) == Ok(Some(value)) {
                    return true;
                }
            }
            if self.line.free_at() >= until {
                return false;
            }
        }
    }
}

/// Gives the servo `old` the ID `new`, if it is alone on the line, and reads it back. `series` says what it is, where its model
/// does not. Ends where `ends` says so, but not once anything is written.
///
/// # Errors
/// Whatever keeps it from that; what was changed by then, it says.
pub fn change_id<P: Port>(
    mut line: Line<P>,
    family: &Family,
    series: Option<&'static Series>,
    (old, new): (u8, u8),
    ends: impl Fn() -> bool,
) -> Result<Found, IdError> {
    if old == new {
        return Err(IdError::Same(old));
    }
    let most = family.series.iter().map(|series| series.max_id).max().unwrap_or_default();
    if new > most {
        return Err(IdError::None(new, most));
    }
    let mut alone = None;
    for protocol in family.protocols() {
        line = line.speaking(protocol);
        for id in 0..=family.of_model(protocol, 0).map_or(0, |series| series.max_id) {
            if ends() {
                return Err(IdError::Ended);
            }
            match look_for(&mut line, (family, protocol), id)? {
                Answer::Silence => {}
                Answer::Several => return Err(IdError::Several(id)),
                Answer::Garbage => return Err(IdError::Unclear(id)),
                Answer::Servo(found) if id == old && alone.is_none() => alone = Some((protocol, found)),
                Answer::Servo(_) => return Err(IdError::NotAlone(id)),
            }
        }
    }
    let Some((protocol, found)) = alone else { return Err(IdError::Silent(old)) };
    line = line.speaking(protocol);
    // Two that are alike may answer alike, but not time and again.
    for _ in 0..LOOKS {
        match look_for(&mut line, (family, protocol), old)? {
            Answer::Garbage => return Err(IdError::Unclear(old)),
            Answer::Several => return Err(IdError::Several(old)),
            Answer::Servo(_) | Answer::Silence => {}
        }
    }
    let is_known = found.series.model(found.model).is_some();
    let series = chosen(family, series, found)?;
    if new > series.max_id {
        return Err(IdError::None(new, series.max_id));
    }
    if ends() {
        return Err(IdError::Ended);
    }
    write_id(&mut Wire { line: &mut line, series, tally: Tally::default() }, (old, new), is_known)?;
    if let Answer::Servo(_) = look_for(&mut line, (family, protocol), old)? {
        return Err(IdError::Unchanged(old));
    }
    for _ in 0..LOOKS {
        if let Answer::Servo(found) = look_for(&mut line, (family, protocol), new)? {
            return Ok(found);
        }
    }
    Err(IdError::Lost(new))
}

/// The series of a servo: as its model says, else as the user does.
fn chosen(family: &Family, given: Option<&'static Series>, found: Found) -> Result<&'static Series, IdError> {
    let known = found.series.model(found.model).map(|model| model.name);
    let spoken = || family.series.iter().filter(|series| series.protocol == found.series.protocol);
    match (known, given) {
        (Some(name), Some(given)) if given != found.series => Err(IdError::Other(name, found.series.name)),
        (None, Some(given)) => Ok(given),
        (None, None) => {
            let known = spoken().map(|series| series.name).collect::<Vec<_>>().join(", ");
            Err(IdError::Unknown { model: found.model, known })
        }
        _ => Ok(found.series),
    }
}

/// Writes the ID. A lock that was opened is closed again, whatever comes; for a model that is not known it is left as it was.
fn write_id<P: Port>(wire: &mut Wire<'_, P>, (old, new): (u8, u8), is_known: bool) -> Result<(), IdError> {
    let Series { id, lock, torque, high_first, order, .. } = *wire.series;
    if let Some(register) = high_first {
        let is_high = order == Order::HighFirst;
        wire.check(old, register, if is_high { "1" } else { "0" }, |value| (value == 1) == is_high)?;
    }
    wire.check(old, id, "its ID", |value| value == old)?;
    let held = lock.map(|lock| wire.check(old, lock, "0 or 1", |value| value <= 1)).transpose()?;
    wire.write(old, torque, 0)?;
    if !wire.reads(old, torque, 0)? {
        return Err(IdError::Holds);
    }
    let Some((lock, held)) = lock.zip(held) else { return take_id(wire, old, new) };
    let taken = unlock(wire, old, lock).and_then(|()| take_id(wire, old, new));
    let kept = if is_known || taken.is_ok() { 1 } else { held };
    if wire.lock(lock, kept, [new, old]) { taken } else { Err(IdError::Unlocked { lock, old, new }) }
}

fn unlock<P: Port>(wire: &mut Wire<'_, P>, id: u8, lock: u16) -> Result<(), IdError> {
    wire.write(id, lock, 0)?;
    if wire.reads(id, lock, 0)? { Ok(()) } else { Err(IdError::Locked(lock)) }
}

fn take_id<P: Port>(wire: &mut Wire<'_, P>, old: u8, new: u8) -> Result<(), IdError> {
    let id = wire.series.id;
    wire.write(old, id, new)?;
    if wire.reads(new, id, new)? {
        return Ok(());
    }
    Err(if wire.reads(old, id, old)? { IdError::Unchanged(old) } else { IdError::Lost(new) })
}

#[cfg(test)]
mod tests;
