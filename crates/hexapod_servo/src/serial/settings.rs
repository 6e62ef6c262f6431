//! What servos are set to, looked at before they are brought into service.

use std::time::Duration;

use super::block::Block;
use super::config::Servo;
use super::family::Family;
use super::frame::Protocol;
use super::port::{Port, PortError};
use super::series::{Order, Rule, Series};
use super::servos::{ATTEMPTS, SerialServos};
use super::trouble::complaint;
use crate::backend::Tally;

/// So often at most a servo is asked where it is, until so many answers in a row agree: they differ by no more.
const PLACES: usize = 9;
const ALIKE: u32 = 3;
const ALIKE_RAD: f64 = 0.03;

/// A servo that cannot be heard.
pub(super) const SILENT: &str = "does not answer";
const GARBLED: &str = "answers with bytes that make no reply: two servos with this ID, or a poor cable";

/// What would be right, for people.
fn right(series: &Series, rule: &Rule) -> String {
    match series.protocol {
        Protocol::Lx => format!("set it to {}", rule.right),
        Protocol::One | Protocol::Two => format!("set its register {} to {}", rule.field.at, rule.right),
    }
}

/// Lowest and highest goal that a servo takes, where a block says so and there are any.
fn own_limits(series: &Series, block: Block, values: &[u8]) -> Option<(i64, i64)> {
    let number = |field| series.number(field, block, values);
    let limits = number(series.limits.0).zip(number(series.limits.1));
    limits.filter(|limits| !(series.zero_is_unlimited && *limits == (0, 0)))
}

/// What another series a servo is of, whose registers mean something else.
fn other_series(family: &Family, series: &Series, block: Block, values: &[u8]) -> Option<String> {
    let named = family.named_by(series.protocol, block, values);
    if let Some((other, model)) = named.and_then(|(other, number)| Some((other, other.model(number)?))) {
        let (is, wanted) = (other.name, series.name);
        return (is != wanted)
            .then(|| format!("is one of series {is} ({}), and not {wanted}: set `series: {is}`", model.name));
    }
    let at = usize::from(series.high_first?.checked_sub(block.first)?);
    let is_high_first = *values.get(at)? == 1;
    let says = if is_high_first { "high" } else { "low" };
    let is_other = is_high_first != (series.order == Order::HighFirst);
    is_other.then(|| {
        format!("says the {says} byte of a number first, as none of series {}: set another `series`", series.name)
    })
}

/// What is wrong with what a servo is set to, by one of the blocks that say it.
fn misfit(family: &Family, servo: &Servo, block: Block, values: &[u8]) -> Option<String> {
    let series = servo.series;
    if let Some(other) = other_series(family, series, block, values) {
        return Some(other);
    }
    let number = series.number(series.model, block, values);
    if let Some(foreign) = series.foreign.iter().find(|foreign| number == Some(foreign.number.into())) {
        return Some(format!("is a servo {}, whose registers are not those of series {}", foreign.name, series.name));
    }
    let value = |rule: &Rule| Some(series.number(rule.field, block, values)? & rule.mask);
    let mut rules = series.rules.iter().filter_map(|rule| Some((rule, value(rule)?)));
    if let Some((rule, value)) = rules.find(|(rule, value)| !(rule.least..=rule.most).contains(value)) {
        return Some(format!("{} {value}: {}", rule.does, right(series, rule)));
    }
    let (min, max) = servo.steps();
    let narrow = own_limits(series, block, values).filter(|own| own.0 > i64::from(min) || own.1 < i64::from(max));
    narrow.map(|(least, most)| {
        format!(
            "keeps itself to the steps {least} to {most}, and {min} to {max} are used: widen its limits, or narrow \
             min_step and max_step"
        )
    })
}

impl<P: Port> SerialServos<P> {
    /// Looks at what a servo is set to, and says what is wrong with that. Only reads.
    ///
    /// # Errors
    /// The line cannot be used.
    pub fn check_setting(&mut self, index: usize, tally: &mut Tally) -> Result<Result<(), String>, PortError> {
        for &block in self.series.setting {
            let wrong = self.check_block(index, block, tally)?;
            if wrong.is_err() {
                return Ok(wrong);
            }
        }
        Ok(Ok(()))
    }

    fn check_block(&mut self, index: usize, block: Block, tally: &mut Tally) -> Result<Result<(), String>, PortError> {
        let (series, family) = (self.series, self.config.family());
        let (skipped, mut wrong) = (self.line.skipped(), None);
        for attempt in 0..ATTEMPTS {
            tally.retries += u64::from(attempt > 0);
            let answered = self.read(index, block, tally, |unit, _, values| {
                let number = |field| series.number(field, block, values);
                if let Some(model) = number(series.model) {
                    unit.note_model(Some(model));
                }
                unit.shutdown = series.shutdown.and_then(number).map_or(unit.shutdown, |bits| bits as u8);
                unit.own_limits = own_limits(series, block, values).or(unit.own_limits);
                wrong = misfit(family, &unit.servo, block, values);
            })?;
            if answered {
                return Ok(wrong.map_or(Ok(()), Err));
            }
        }
        let is_garbled = self.line.skipped() > skipped;
        Ok(Err(if is_garbled { GARBLED } else { SILENT }.into()))
    }

    /// Asks a servo where it is until it says the same three times in a row: its first goal is there.
    fn find_place(&mut self, index: usize, now: Duration, tally: &mut Tally) -> Result<Result<(), String>, PortError> {
        let (mut places, mut alike, mut silent) = ((0.0, 0.0), 0, 0);
        for _ in 0..PLACES {
            self.servos[index].begin_anew();
            if !self.read_state(index, now, tally)? {
                silent += 1;
                if silent == ATTEMPTS {
                    return Ok(Err(SILENT.into()));
                }
                continue;
            }
            let unit = &self.servos[index];
            places = (places.1, unit.said());
            let apart_rad = (places.0 - places.1).abs() * self.series.rad_per_step;
            let is_there = unit.measured().position_rad.is_some_and(|sample| sample.at == now);
            alike = match alike {
                _ if !is_there => 0,
                1.. if apart_rad <= ALIKE_RAD => alike + 1,
                _ => 1,
            };
            if alike == ALIKE {
                return Ok(Ok(()));
            }
        }
        let (one, other) = places;
        if let Some(place) = [one, other].into_iter().find(|place| !self.series.has_place(*place as i64))
            && one == other
        {
            let last = self.series.last_step;
            return Ok(Err(format!(
                "says that it stands at step {place:.0}, and a turn has the steps 0 to {last}: it counts turns. Turn it \
                 back by hand, or switch its supply off and on"
            )));
        }
        Ok(Err(format!("says that it stands at step {one:.0}, then at {other:.0}: keep it still, and check its cable")))
    }

    /// Brings a servo into service: its setting fits, it is limp unless it holds from before, and where it is is known.
    pub(super) fn prepare_servo(
        &mut self,
        index: usize,
        now: Duration,
        tally: &mut Tally,
    ) -> Result<Result<(), String>, PortError> {
        let unit = &mut self.servos[index];
        unit.own_limits = None;
        if self.line.is_answered_twice(unit.servo.id, self.series.present)? {
            return Ok(Err("answers twice: two servos have this ID; give one of them another".into()));
        }
        if let Err(wrong) = self.check_setting(index, tally)? {
            return Ok(Err(wrong));
        }
        if let Err(wrong) = self.find_place(index, now, tally)? {
            return Ok(Err(wrong));
        }
        let unit = &mut self.servos[index];
        if unit.is_shut_down {
            let complaint = complaint(unit.measured().alarm);
            let limit = self.series.force.map_or_else(String::new, |limit| {
                format!("; if that does not help, raise its torque limit (register {})", limit.at)
            });
            return Ok(Err(format!("has shut down{complaint}: take away its supply for a moment{limit}")));
        }
        if let Some(alarm) = self.series.alarm(unit.sensed.complaints & self.series.barring) {
            return Ok(Err(format!("complains of {alarm}")));
        }
        let stands = unit.position();
        if let Some((least, most)) = unit.own_limits.filter(|own| !(own.0 as f64..=own.1 as f64).contains(&stands)) {
            return Ok(Err(format!(
                "stands at step {stands:.0}, beyond its own limits {least} to {most}, and would jump: turn it by hand"
            )));
        }
        if unit.resists() {
            return Ok(Err("was not seen to be limp".into()));
        }
        unit.enter_service();
        Ok(Ok(()))
    }
}
