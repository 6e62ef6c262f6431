//! Which servos there are on a line.

use super::frame::Frame;
use super::port::{Line, Port, PortError};
use super::registers::{MODEL, PRESENT, TEMPERATURE, VOLTAGE, alarms, signed};
use crate::backend::Tally;

/// A servo that answers, and what it reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Its model number: 777 is an STS3215.
    pub model: u16,
    /// Where it is.
    pub step: i32,
    /// Its supply.
    pub voltage_v: f64,
    /// Degrees Celsius.
    pub temperature_c: u8,
    /// What it complains of.
    pub alarm: Option<&'static str>,
}

/// What answers to an ID.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// Nothing.
    Silence,
    /// A servo.
    Servo(Found),
    /// Bytes that nobody understands, as of two servos that answer at once.
    Garbage,
}

const STATE: usize = (TEMPERATURE + 1 - PRESENT) as usize;

/// Asks for an ID; only reads, and moves nothing.
///
/// # Errors
/// The line cannot be used.
pub fn look_for<P: Port>(line: &mut Line<P>, id: u8) -> Result<Answer, PortError> {
    let (mut tally, before) = (Tally::default(), line.skipped());
    let (mut model, mut found) = (None, None);
    line.ask(&mut Frame::read(id, MODEL, 2), (1, 2), &mut tally, |reply| {
        model = <[u8; 2]>::try_from(reply.values).ok().filter(|_| reply.id == id).map(u16::from_le_bytes);
    })?;
    if let Some(model) = model {
        line.ask(&mut Frame::read(id, PRESENT, STATE as u8), (1, STATE), &mut tally, |reply| {
            let Ok(values) = <[u8; STATE]>::try_from(reply.values) else { return };
            let byte = |register: u8| values[usize::from(register - PRESENT)];
            let step = signed([values[0], values[1]], 15);
            let (voltage_v, temperature_c) = (f64::from(byte(VOLTAGE)) / 10.0, byte(TEMPERATURE));
            found = Some(Found { model, step, voltage_v, temperature_c, alarm: alarms(reply.error).last() });
        })?;
    }
    Ok(match found {
        Some(found) => Answer::Servo(found),
        None if line.skipped() > before => Answer::Garbage,
        None => Answer::Silence,
    })
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{Fault, Simulated};
    use super::*;

    #[test]
    fn when_servos_are_looked_for_expect_those_that_answer_and_two_of_one_id_told_from_none() {
        let servos = Simulated::new([1, 4, 9], 1_000_000);
        servos.turn(4, 1234.0);
        servos.inject(Fault::Twin(9));
        servos.inject(Fault::Alarm(4, 0b100));
        let mut line = Line::new(servos.clone(), 1_000_000);
        let answers: Vec<Answer> = (0..12).map(|id| look_for(&mut line, id).expect("works")).collect();
        let found = Found { model: 777, step: 1234, voltage_v: 7.4, temperature_c: 31, alarm: Some("temperature") };
        assert_eq!(answers[4], Answer::Servo(found));
        assert!(matches!(answers[1], Answer::Servo(_)));
        assert_eq!((answers[9], answers[2]), (Answer::Garbage, Answer::Silence));
        servos.inject(Fault::Unplugged(true));
        assert!(look_for(&mut line, 1).is_err());
    }
}
