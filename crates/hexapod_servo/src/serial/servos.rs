//! The traffic of servos on a half-duplex serial bus.
//!
//! A tick sends one frame with the goals that changed, reads position and speed of all servos with one request, and of one
//! servo after another its whole state; servos that do not answer such requests are asked a few in each tick. A servo that
//! does not answer costs its own samples, and each tick at most the one wait that all replies share. Writes are not answered:
//! what servos hold is read back.

use std::time::Duration;

use super::block::Block;
use super::config::SerialConfig;
use super::frame::Frame;
use super::pace::Pace;
use super::port::{Line, Port, PortError};
use super::rounds::{Heard, Rounds};
use super::series::Series;
use super::standing::SLOW_RAD_S;
use super::unit::ServoUnit;
use crate::backend::Tally;
use crate::joints::DrivenJoint;

/// Attempts at a servo that does not answer, where there is time for it.
pub(super) const ATTEMPTS: usize = 3;

/// Servos that are to get torque are not asked for their goals longer.
const CONFIRMING: Duration = Duration::from_millis(4);

/// Servos on one bus. Each is a part.
#[derive(Debug)]
pub struct SerialServos<P> {
    pub(super) line: Line<P>,
    pub(super) series: &'static Series,
    pub(super) config: SerialConfig,
    pub(super) servos: Vec<ServoUnit>,
    pub(super) rounds: Rounds,
    pub(super) pace: Pace,
    /// When any of them answered last, and in how many exchanges none has.
    pub(super) answered_at: Duration,
    pub(super) unanswered: u8,
    /// Those that were switched off just now.
    pub(super) switched_off: Vec<usize>,
    /// Whose whole state is read next, or which is asked first whether it is limp.
    pub(super) turn: usize,
}

/// Values of registers to be written.
type Values = ([u8; 16], usize);

fn one(value: u8) -> Values {
    let mut values = [0; 16];
    values[0] = value;
    (values, 1)
}

impl<P: Port> SerialServos<P> {
    /// The servos of a configuration on this port. Nothing goes over it yet.
    pub fn new(config: &SerialConfig, port: P, baud: u32) -> Self {
        let series = config.series();
        let timing = &config.joints().timing;
        let strays_rad = timing.stall_after.map_or(f64::INFINITY, |_| timing.stall_error_rad);
        let servos: Vec<_> = config.servos().iter().map(|servo| ServoUnit::new(*servo, strays_rad)).collect();
        let (rounds, switched_off) = (Rounds::new(servos.len()), Vec::with_capacity(servos.len()));
        let (line, config) = (Line::new(port, series.protocol, baud), config.clone());
        let pace = Pace::of(series, baud, servos.len());
        let (answered_at, unanswered, turn) = (Duration::ZERO, 0, 0);
        Self { line, series, config, servos, rounds, pace, answered_at, unanswered, switched_off, turn }
    }

    /// What the servos are.
    pub fn config(&self) -> &SerialConfig {
        &self.config
    }

    /// The port, to configure it.
    pub fn port_mut(&mut self) -> &mut P {
        self.line.port_mut()
    }

    /// Reads registers of one servo. True if it answered.
    pub(super) fn read(
        &mut self,
        index: usize,
        block: Block,
        tally: &mut Tally,
        mut hear: impl FnMut(&mut ServoUnit, u8, &[u8]),
    ) -> Result<bool, PortError> {
        let unit = &mut self.servos[index];
        let (id, mut heard) = (unit.servo.id, false);
        let mut frame = Frame::read(self.series.protocol, id, block);
        self.line.ask(&mut frame, (1, usize::from(block.count)), tally, |reply| {
            if reply.id == id {
                hear(unit, reply.error, reply.values);
                heard = true;
            }
            reply.id == id
        })?;
        Ok(heard)
    }

    /// Writes registers of the servos that `values` has something for, as many to a frame as there is room for; where each gets
    /// a frame of its own, `most` of them.
    fn write_each(
        &mut self,
        (block, most): (Block, usize),
        tally: &mut Tally,
        values: impl Fn(&ServoUnit, &DrivenJoint) -> Option<Values>,
        note: impl Fn(&mut ServoUnit),
    ) -> Result<(), PortError> {
        if !self.series.sync_write {
            return self.write_in_turn((block, most), tally, values, note);
        }
        let joints = &self.config.joints().joints;
        let mut from = 0;
        while from < self.servos.len() {
            let (mut frame, mut named, mut to) = (Frame::sync_write(self.series.protocol, block), 0, from);
            for (unit, joint) in self.servos.iter().zip(joints).skip(from) {
                if let Some((values, count)) = values(unit, joint) {
                    if !frame.name(unit.servo.id, &values[..count]) {
                        break;
                    }
                    named += 1;
                }
                to += 1;
            }
            if named > 0 {
                self.line.send(&mut frame, tally)?;
                let written = self.servos.iter_mut().zip(joints).take(to).skip(from);
                written.filter(|(unit, joint)| values(unit, joint).is_some()).for_each(|(unit, _)| note(unit));
            }
            from = to;
        }
        Ok(())
    }

    /// The same with a frame for each servo; those who wait longest come first.
    fn write_in_turn(
        &mut self,
        (block, most): (Block, usize),
        tally: &mut Tally,
        values: impl Fn(&ServoUnit, &DrivenJoint) -> Option<Values>,
        note: impl Fn(&mut ServoUnit),
    ) -> Result<(), PortError> {
        let joints = &self.config.joints().joints;
        for _ in 0..most.min(self.servos.len()) {
            let due = self.servos.iter_mut().zip(joints).filter(|(unit, joint)| values(unit, joint).is_some());
            let Some((unit, joint)) = due.max_by_key(|(unit, _)| unit.waited()) else { break };
            let Some((values, length)) = values(unit, joint) else { break };
            let mut frame = Frame::write(self.series.protocol, unit.servo.id, block.first, &values[..length]);
            self.line.send(&mut frame, tally)?;
            note(unit);
        }
        Ok(())
    }

    /// Sends the goals that changed, and gives torque to servos that have got their first.
    pub(super) fn send_goals(&mut self, tally: &mut Tally) -> Result<(), PortError> {
        let series = self.series;
        let is_first = |unit: &ServoUnit| unit.due().filter(|_| !unit.holds());
        if let Some(watchdog) = series.watchdog {
            // 0 ends what it did before.
            for value in [0, watchdog.value] {
                let block = Block::new(watchdog.at, 1);
                self.write_each((block, usize::MAX), tally, |unit, _| is_first(unit).map(|_| one(value)), |_| {})?;
            }
        }
        let every = self.pace.goal_every();
        let put_time = |unit: &ServoUnit, joint: &DrivenJoint, block, values: &mut [u8; 16]| {
            if let Some(field) = series.move_time {
                let time_ms = unit.time_for(joint.speed_limit_rad_s, every).as_millis();
                series.put(u32::try_from(time_ms).unwrap_or(u32::MAX).min(30_000), field, block, values);
            }
        };
        let whole = |unit: &ServoUnit, joint: &DrivenJoint, goal: u16, speed_rad_s: f64| {
            let mut values = [0; 16];
            series.put(u32::from(goal), series.goal, series.first, &mut values);
            series.put(u32::from(series.speed_limit(speed_rad_s)), series.speed, series.first, &mut values);
            put_time(unit, joint, series.first, &mut values);
            (values, usize::from(series.first.count))
        };
        // Where a servo says it stands may be wrong: it goes there slowly, and gets the greatest speed it may have at rest.
        let first = |unit: &ServoUnit, joint: &DrivenJoint| {
            is_first(unit).map(|goal| whole(unit, joint, goal, joint.speed_limit_rad_s.min(SLOW_RAD_S)))
        };
        let quick = |unit: &ServoUnit, joint: &DrivenJoint| {
            unit.to_quicken().map(|goal| whole(unit, joint, goal, joint.speed_limit_rad_s))
        };
        let block = series.goal_block();
        let next = |unit: &ServoUnit, joint: &DrivenJoint| {
            let (mut values, goal) = ([0; 16], unit.due().filter(|_| unit.holds())?);
            series.put(u32::from(goal), series.goal, block, &mut values);
            put_time(unit, joint, block, &mut values);
            Some((values, usize::from(block.count)))
        };
        // Goal, question and torque of a first one take the time of three goals.
        let firsts = usize::from(self.servos.iter().any(|unit| is_first(unit).is_some()));
        let others = self.pace.goals.saturating_sub(2 * firsts).max(1);
        self.write_each((series.first, firsts), tally, first, ServoUnit::note_goal)?;
        self.write_each((series.first, usize::MAX), tally, quick, ServoUnit::note_quick)?;
        self.confirm_goals(tally)?;
        let torque = |unit: &ServoUnit, _: &DrivenJoint| (unit.is_to_hold() && unit.is_confirmed()).then(|| one(1));
        self.write_each((Block::new(series.torque, 1), usize::MAX), tally, torque, ServoUnit::note_torque)?;
        self.write_each((block, others), tally, next, ServoUnit::note_goal)
    }

    /// Asks servos that are to get torque whether they have their goal: with one from before they would go there at once.
    fn confirm_goals(&mut self, tally: &mut Tally) -> Result<(), PortError> {
        let (series, block) = (self.series, self.series.goal_block());
        if series.sync_read {
            let mut frame = Frame::sync_read(series.protocol, block);
            let Self { line, servos, .. } = self;
            let asked = servos.iter().filter(|unit| unit.is_to_hold() && frame.name(unit.servo.id, &[])).count();
            if asked > 0 {
                line.ask(&mut frame, (asked, usize::from(block.count)), tally, |reply| {
                    let unit = servos.iter_mut().find(|unit| unit.servo.id == reply.id);
                    unit.map(|unit| unit.confirm(series.number(series.goal, block, reply.values))).is_some()
                })?;
            }
            return Ok(());
        }
        let until = self.line.port_mut().now() + CONFIRMING;
        for index in 0..self.servos.len() {
            if self.servos[index].is_to_hold() && self.line.port_mut().now() < until {
                self.read(index, block, tally, |unit, _, values| {
                    unit.confirm(series.number(series.goal, block, values));
                })?;
            }
        }
        Ok(())
    }

    /// Asks all servos where they are.
    pub(super) fn read_all(&mut self, now: Duration, tally: &mut Tally) -> Result<(), PortError> {
        let block = self.series.present;
        let mut frame = Frame::sync_read(self.series.protocol, block);
        let Self { line, servos, rounds, .. } = self;
        let named = rounds.order().iter().filter(|index| frame.name(servos[**index].servo.id, &[])).count();
        rounds.ask_all();
        let heard = line.ask(&mut frame, (named, usize::from(block.count)), tally, |reply| {
            let index = servos.iter().position(|unit| unit.servo.id == reply.id);
            let index = index.filter(|index| servos[*index].hear(now, reply.error, block, reply.values));
            index.map(|index| rounds.note(index, true)).is_some()
        });
        heard.map(drop)
    }

    /// Reads the whole state of the servo whose turn it is. One that was silent loses its turn.
    pub(super) fn read_one(&mut self, now: Duration, tally: &mut Tally) -> Result<(), PortError> {
        let count = self.servos.len();
        let answered = |index: &usize| self.rounds.heard(*index) == Heard::Answered;
        let Some(index) = (0..count).map(|step| (self.turn + step) % count).find(answered) else { return Ok(()) };
        self.turn = (index + 1) % count;
        self.read_state(index, now, tally).map(drop)
    }

    /// True if it answered.
    pub(super) fn read_state(&mut self, index: usize, now: Duration, tally: &mut Tally) -> Result<bool, PortError> {
        let state = self.servos[index].due_block();
        self.read(index, state, tally, |unit, error, values| {
            unit.hear(now, error, state, values);
        })
    }

    /// Reads the state of the servos whose turn it is, those that were silent last.
    pub(super) fn read_some(&mut self, begun: Duration, now: Duration, tally: &mut Tally) -> Result<(), PortError> {
        let until = if self.series.sync_write { self.line.port_mut().now() } else { begun } + self.pace.asking;
        let (mut answered, mut silent) = (0, 0);
        // Silence costs as much as two or three answers.
        let shares = !self.series.sync_write && self.rounds.any_missing();
        let most = self.pace.reads.saturating_sub(usize::from(shares)).max(1);
        for place in self.rounds.turn(most) {
            // One silence may be one servo's. A second one adds nothing to that.
            let enough = silent > usize::from(answered == 0 && self.series.sync_write) || (silent == 1 && answered > 0);
            let is_first = answered == 0 && silent == 0;
            if enough || (self.line.free_at() >= until && !is_first) {
                break;
            }
            let index = self.rounds.order()[place];
            let is_there = self.read_state(index, now, tally)?;
            self.rounds.note(index, is_there);
            (answered, silent) = (answered + usize::from(is_there), silent + usize::from(!is_there));
        }
        if answered == 0 && silent > 0 {
            self.rounds.ask_all();
        }
        Ok(())
    }
}
