//! Torque taken from servos, until they say that they have none.

use std::time::Duration;

use super::block::Block;
use super::frame::{BROADCAST, Frame};
use super::port::{Port, PortError};
use super::servos::SerialServos;
use crate::backend::Tally;

impl<P: Port> SerialServos<P> {
    /// Has servos that are meant to be limp go so, and asks whether they are: all of them, or as many as a tick has time for.
    pub(super) fn make_limp(&mut self, now: Duration, all: bool, tally: &mut Tally) -> Result<(), PortError> {
        let torque = Block::new(self.series.torque, 1);
        self.switched_off.clear();
        let due = self.servos.iter().enumerate().filter(|(_, unit)| unit.is_to_go_limp(now));
        self.switched_off.extend(due.map(|(index, _)| index));
        if self.switched_off.is_empty() {
            return Ok(());
        }
        self.send_limp(tally)?;
        self.switched_off.iter().for_each(|&index| self.servos[index].note_limp(now, false));
        if self.series.sync_read {
            return self.ask_whether_limp(now, torque, tally);
        }
        let (count, turn) = (self.switched_off.len(), self.turn);
        self.turn = self.turn.wrapping_add(1);
        for step in 0..if all { count } else { count.min(self.pace.reads) } {
            let index = self.switched_off[turn.wrapping_add(step) % count];
            let answered = self.read(index, torque, tally, |unit, _, values| unit.note_limp(now, values == [0]))?;
            if !answered && !all {
                break;
            }
        }
        Ok(())
    }

    /// Takes the torque of those that are switched off. One frame is enough for all of them.
    fn send_limp(&mut self, tally: &mut Tally) -> Result<(), PortError> {
        let (protocol, torque) = (self.series.protocol, Block::new(self.series.torque, 1));
        if self.series.sync_write {
            let mut limp = Frame::sync_write(protocol, torque);
            // There is room for all: no line has so many.
            self.switched_off.retain(|&index| limp.name(self.servos[index].servo.id, &[0]));
            return self.line.send(&mut limp, tally);
        }
        if self.switched_off.len() == self.servos.len() {
            return self.line.send(&mut Frame::write(protocol, BROADCAST, torque.first, &[0]), tally);
        }
        for &index in &self.switched_off {
            let mut limp = Frame::write(protocol, self.servos[index].servo.id, torque.first, &[0]);
            self.line.send(&mut limp, tally)?;
        }
        Ok(())
    }

    fn ask_whether_limp(&mut self, now: Duration, torque: Block, tally: &mut Tally) -> Result<(), PortError> {
        let mut check = Frame::sync_read(self.series.protocol, torque);
        let Self { line, servos, switched_off, .. } = self;
        let count = switched_off.iter().filter(|index| check.name(servos[**index].servo.id, &[])).count();
        let heard = line.ask(&mut check, (count, 1), tally, |reply| {
            let unit = servos.iter_mut().find(|unit| unit.servo.id == reply.id);
            let is_known = unit.is_some();
            if let (Some(unit), [0]) = (unit, reply.values) {
                unit.note_limp(now, true);
            }
            is_known
        });
        heard.map(drop)
    }
}
