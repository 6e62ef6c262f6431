//! Which servos there are on a line.

use std::fmt;
use std::time::Duration;

use super::family::Family;
use super::frame::{Frame, Protocol};
use super::port::{Line, Port, PortError};
use super::series::{Field, Series};
use crate::backend::Tally;

/// A servo that answers, and what it reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Its model number: 777 is an STS3215.
    pub model: u16,
    /// The series it is taken for.
    pub series: &'static Series,
    /// Where it is.
    pub step: i64,
    /// Its supply.
    pub voltage_v: f64,
    /// Degrees Celsius.
    pub temperature_c: i64,
    /// What it complains of.
    pub alarm: Option<&'static str>,
}

impl fmt::Display for Found {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, series, step, voltage_v, temperature_c, alarm } = self;
        match series.model(*model) {
            Some(known) if series.model == Field::NONE => formatter.write_str(known.name),
            Some(known) => write!(formatter, "{} (model {model})", known.name),
            None => write!(formatter, "model {model}, which is not known"),
        }?;
        write!(formatter, ", step {step}, {voltage_v:.1} V, {temperature_c} C")?;
        alarm.map_or(Ok(()), |alarm| write!(formatter, ", complains of {alarm}"))
    }
}

/// What answers to an ID.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// Nothing.
    Silence,
    /// A servo.
    Servo(Found),
    /// Two servos, one after the other.
    Several,
    /// Bytes that nobody understands, as of two servos that answer at once.
    Garbage,
}

/// Reads all of a servo's state, if it answers, and whether it did so twice.
fn state_of<P: Port>(
    line: &mut Line<P>,
    (series, model): (&'static Series, u16),
    id: u8,
    tally: &mut Tally,
) -> Result<Option<(Found, bool)>, PortError> {
    let mut is_twice = false;
    let mut found = Found { model, series, step: 0, voltage_v: 0.0, temperature_c: 0, alarm: None };
    for (index, &block) in series.state.iter().enumerate() {
        if series.state.iter().take(index).any(|before| *before == block) {
            continue;
        }
        let mut is_heard = false;
        let mut frame = Frame::read(series.protocol, id, block);
        is_twice |= line.ask(&mut frame, (2, usize::from(block.count)), tally, |reply| {
            let number = |field| series.number(field, block, reply.values);
            let alarm = series.alarm.map_or(Some(i64::from(reply.error)), number);
            found.alarm = alarm.map_or(found.alarm, |bits| series.alarm(bits as u8));
            found.step = number(series.position).unwrap_or(found.step);
            found.temperature_c = number(series.temperature).unwrap_or(found.temperature_c);
            let volts = number(series.voltage.0).map(|volts| volts as f64 * series.voltage.1);
            found.voltage_v = volts.unwrap_or(found.voltage_v);
            is_heard |= reply.id == id;
            reply.id == id
        })? > 1;
        if !is_heard {
            return Ok(None);
        }
    }
    Ok(Some((found, is_twice)))
}

/// So often a servo is asked before it counts as silent: a computer at work, or an adapter, may be late with one reply.
pub(super) const LOOKS: usize = 3;
/// A reply is late by no more than this: adapters keep bytes for 16 ms where nobody has set their latency timer.
const LATE: Duration = Duration::from_millis(30);

/// Asks servos of a family that speak one protocol for an ID; only reads, and moves nothing. What sounds like two servos is
/// asked once more when all is quiet: a reply that came too late for one request would be the second to the next.
///
/// # Errors
/// The line cannot be used.
pub fn look_for<P: Port>(line: &mut Line<P>, asked: (&Family, Protocol), id: u8) -> Result<Answer, PortError> {
    let mut is_doubted = false;
    for _ in 1..LOOKS {
        match look_once(line, asked, id)? {
            Answer::Silence => {}
            Answer::Several | Answer::Garbage if !is_doubted => {
                is_doubted = true;
                let quiet = line.free_at() + LATE;
                line.port_mut().pause(quiet);
            }
            answer => return Ok(answer),
        }
    }
    look_once(line, asked, id)
}

fn look_once<P: Port>(
    line: &mut Line<P>,
    (family, protocol): (&Family, Protocol),
    id: u8,
) -> Result<Answer, PortError> {
    let Some(first) = family.of_model(protocol, 0) else { return Ok(Answer::Silence) };
    let (mut tally, before) = (Tally::default(), line.skipped());
    let mut named = (first.model == Field::NONE).then_some((first, 0));
    let mut answers = 0;
    if named.is_none() {
        let block = first.model.block();
        answers =
            line.ask(&mut Frame::read(protocol, id, block), (2, usize::from(block.count)), &mut tally, |reply| {
                named = (reply.id == id).then(|| family.named_by(protocol, block, reply.values)).flatten().or(named);
                reply.id == id
            })?;
    }
    let found = match named {
        Some(named) => state_of(line, named, id, &mut tally)?,
        None => None,
    };
    Ok(match found {
        Some((_, is_twice)) if is_twice || answers > 1 => Answer::Several,
        Some((found, _)) => Answer::Servo(found),
        None if line.skipped() > before => Answer::Garbage,
        None => Answer::Silence,
    })
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{Fault, Simulated};
    use super::*;
    use crate::feetech::{FAMILY, STS};

    #[test]
    fn when_servos_are_looked_for_expect_those_that_answer_and_two_of_one_id_told_from_none() {
        let servos = Simulated::new(&STS, [1, 4, 9], 1_000_000);
        servos.turn(4, 1234.0);
        servos.inject(Fault::Twin(9));
        servos.inject(Fault::Alarm(4, 0b100));
        let mut line = Line::new(servos.clone(), Protocol::One, 1_000_000);
        let asked = (&FAMILY, Protocol::One);
        let answers: Vec<Answer> = (0..12).map(|id| look_for(&mut line, asked, id).expect("works")).collect();
        let found = Found {
            model: 777,
            series: &STS,
            step: 1234,
            voltage_v: 7.4,
            temperature_c: 31,
            alarm: Some("temperature"),
        };
        assert_eq!(answers[4], Answer::Servo(found));
        assert!(matches!(answers[1], Answer::Servo(_)));
        assert_eq!((answers[9], answers[2]), (Answer::Garbage, Answer::Silence));
        servos.inject(Fault::Deaf { id: 1, after: 0, frames: 2 });
        assert!(matches!(look_for(&mut line, asked, 1), Ok(Answer::Servo(_))), "it misses two requests, no more");
        servos.inject(Fault::Unplugged(true));
        assert!(look_for(&mut line, asked, 1).is_err());
    }
}
