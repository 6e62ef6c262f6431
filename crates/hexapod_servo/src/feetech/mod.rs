//! The backend of Feetech STS and SMS servos on a half-duplex serial bus.
//!
//! A tick sends one frame with the goals that changed, reads position and speed of all servos with one request, and of one
//! servo after another its whole state. A servo that does not answer costs its own samples, and each tick at most the
//! one wait that all replies share. Writes are not answered: what servos hold is read back.

mod config;
mod frame;
mod parser;
mod port;
pub mod registers;
mod scan;
mod servo;
mod simulated;

pub use config::{ConfigError, FeetechConfig, MIDDLE_STEP, RawFeetech, RawServo, Servo};
pub use frame::{Frame, Instruction, MAX_PARAMETERS, cargo, checksum};
pub use parser::{Parser, Reply, reply};
pub use port::{Line, Port, PortError};
pub use scan::{Answer, Found, look_for};
pub use simulated::{Fault, Simulated};

use std::time::Duration;

use crate::backend::{ArmReport, Backend, Measured, Off, Service, Tally, Trouble, Unacknowledged};
use registers::{
    ACCELERATION, ANGLE_LIMITS, BROADCAST, GOAL, MODE, MODEL, PRESENT, STATE_COUNT, STEPS_PER_TURN, TORQUE,
};
use servo::ServoUnit;

/// Attempts at a servo that does not answer, where there is time for it.
const ATTEMPTS: usize = 3;
/// From [`MODEL`] to the register after [`MODE`]: what a servo is set to. It is not as long as its state.
const SETTING_COUNT: usize = (MODE + 2 - MODEL) as usize;

/// Servos on one bus. Each is a part.
#[derive(Debug)]
pub struct FeetechServos<P> {
    line: Line<P>,
    config: FeetechConfig,
    servos: Vec<ServoUnit>,
    /// Which servos answered in the exchange under way.
    answered: Vec<bool>,
    /// Whose whole state is read next.
    turn: usize,
}

impl<P: Port> FeetechServos<P> {
    /// The servos of a configuration on this port. Nothing goes over it yet.
    pub fn new(config: &FeetechConfig, port: P, baud: u32) -> Self {
        let servos: Vec<_> = config.servos().iter().map(|servo| ServoUnit::new(*servo)).collect();
        let answered = vec![false; servos.len()];
        Self { line: Line::new(port, baud), config: config.clone(), servos, answered, turn: 0 }
    }

    /// What the servos are.
    pub fn config(&self) -> &FeetechConfig {
        &self.config
    }

    /// The port, to configure it.
    pub fn port_mut(&mut self) -> &mut P {
        self.line.port_mut()
    }

    /// Has servos that are meant to be limp go so, and asks whether they are.
    fn make_limp(&mut self, now: Duration, tally: &mut Tally) -> Result<(), PortError> {
        let (mut limp, mut check) = (Frame::sync_write(TORQUE, 1), Frame::sync_read(TORQUE, 1));
        let mut count = 0;
        for unit in self.servos.iter_mut().filter(|unit| unit.is_to_go_limp(now)) {
            if limp.name(unit.servo.id, &[0]) && check.name(unit.servo.id, &[]) {
                unit.note_limp(now, false);
                count += 1;
            }
        }
        if count == 0 {
            return Ok(());
        }
        self.line.send(&mut limp, tally)?;
        let Self { line, servos, .. } = self;
        let heard = line.ask(&mut check, (count, 1), tally, |reply| {
            let unit = servos.iter_mut().find(|unit| unit.servo.id == reply.id);
            if let (Some(unit), [0]) = (unit, reply.values) {
                unit.note_limp(now, true);
            }
        });
        heard.map(drop)
    }

    /// Sends the goals that changed, and gives torque to servos that have got their first.
    fn send_goals(&mut self, tally: &mut Tally) -> Result<(), PortError> {
        // With its first goal a servo gets the greatest speed it may ever have.
        let joints = &self.config.joints().joints;
        let first = |index: usize, goal: u16| {
            let ([low, high], speed) = (goal.to_le_bytes(), Servo::step_speed(joints[index].speed_limit_rad_s));
            let [speed_low, speed_high] = speed.to_le_bytes();
            [0, low, high, 0, 0, speed_low, speed_high]
        };
        let (mut firsts, mut goals) = (Frame::sync_write(ACCELERATION, 7), Frame::sync_write(GOAL, 2));
        let (mut any_first, mut any_goal) = (false, false);
        for (index, unit) in self.servos.iter().enumerate() {
            match unit.due() {
                Some(goal) if unit.holds() => any_goal |= goals.name(unit.servo.id, &goal.to_le_bytes()),
                Some(goal) => any_first |= firsts.name(unit.servo.id, &first(index, goal)),
                None => {}
            }
        }
        for (frame, any, held) in [(&mut firsts, any_first, false), (&mut goals, any_goal, true)] {
            if any {
                self.line.send(frame, tally)?;
                for unit in self.servos.iter_mut().filter(|unit| unit.holds() == held) {
                    if let Some(goal) = unit.due() {
                        unit.note_goal(goal);
                    }
                }
            }
        }
        let mut torque = Frame::sync_write(TORQUE, 1);
        let named = self.servos.iter().filter(|unit| unit.is_to_hold() && torque.name(unit.servo.id, &[1])).count();
        if named > 0 {
            self.line.send(&mut torque, tally)?;
            self.servos.iter_mut().filter(|unit| unit.is_to_hold()).for_each(|unit| unit.note_torque());
        }
        Ok(())
    }

    /// Asks all servos where they are.
    fn read_all(&mut self, now: Duration, tally: &mut Tally) -> Result<(), PortError> {
        let mut frame = Frame::sync_read(PRESENT, 4);
        let count = self.servos.iter().filter(|unit| frame.name(unit.servo.id, &[])).count();
        let Self { line, servos, answered, .. } = self;
        let heard = line.ask(&mut frame, (count, 4), tally, |reply| {
            let index = servos.iter().position(|unit| unit.servo.id == reply.id);
            if let (Some(index), Ok(values)) = (index, reply.values.try_into()) {
                servos[index].hear_present(now, reply.error, values);
                answered[index] = true;
            }
        });
        heard.map(drop)
    }

    /// Reads the whole state of the servo whose turn it is. One that was silent loses its turn.
    fn read_one(&mut self, now: Duration, tally: &mut Tally) -> Result<(), PortError> {
        let count = self.servos.len();
        let next = (0..count).map(|step| (self.turn + step) % count).find(|&index| self.answered[index]);
        let Some(index) = next else { return Ok(()) };
        self.turn = (index + 1) % count;
        self.read_state(index, now, tally).map(drop)
    }

    /// True if it answered.
    fn read_state(&mut self, index: usize, now: Duration, tally: &mut Tally) -> Result<bool, PortError> {
        let unit = &mut self.servos[index];
        let id = unit.servo.id;
        let mut heard = false;
        self.line.ask(&mut Frame::read(id, TORQUE, STATE_COUNT as u8), (1, STATE_COUNT), tally, |reply| {
            if let (true, Ok(values)) = (reply.id == id, reply.values.try_into()) {
                unit.hear_state(now, reply.error, values);
                heard = true;
            }
        })?;
        Ok(heard)
    }

    fn talk(&mut self, now: Duration, tally: &mut Tally) -> Result<(), PortError> {
        self.make_limp(now, tally)?;
        match self.send_goals(tally) {
            // Where nothing may move, servos can be asked all the same.
            Ok(()) | Err(PortError::GaveWay) => {}
            failed => return failed,
        }
        self.read_all(now, tally)?;
        self.read_one(now, tally)
    }

    /// What a servo is set to, and what is wrong with that.
    fn check_setting(&mut self, index: usize, tally: &mut Tally) -> Result<Result<(), String>, PortError> {
        let servo = self.servos[index].servo;
        let mut setting = None;
        for _ in 0..ATTEMPTS {
            let mut frame = Frame::read(servo.id, MODEL, SETTING_COUNT as u8);
            self.line.ask(&mut frame, (1, SETTING_COUNT), tally, |reply| {
                setting = <[u8; SETTING_COUNT]>::try_from(reply.values).ok().filter(|_| reply.id == servo.id);
            })?;
            if setting.is_some() {
                break;
            }
            tally.retries += 1;
        }
        let Some(setting) = setting else { return Ok(Err("does not answer".into())) };
        let byte = |register: u8| setting[usize::from(register - MODEL)];
        let pair = |register: u8| u16::from_le_bytes([byte(register), byte(register + 1)]);
        let (least, most) = (pair(ANGLE_LIMITS), pair(ANGLE_LIMITS + 2));
        let (min, max) = servo.steps();
        Ok(if byte(MODE) != 0 {
            Err(format!("is in mode {}: set its register {MODE} to 0, position", byte(MODE)))
        } else if (least, most) != (0, 0) && (least > min || most < max) {
            Err(format!(
                "keeps itself to the steps {least} to {most}, and {min} to {max} are used: widen its limits, or narrow \
                 min_step and max_step"
            ))
        } else {
            Ok(())
        })
    }

    /// Brings a servo into service: its setting fits, it is limp unless it holds from before, and where it is is known.
    fn prepare_servo(
        &mut self,
        index: usize,
        now: Duration,
        tally: &mut Tally,
    ) -> Result<Result<(), String>, PortError> {
        if let Err(wrong) = self.check_setting(index, tally)? {
            return Ok(Err(wrong));
        }
        // As often as a place that is far from the last one needs to be believed.
        let mut heard = false;
        for _ in 0..ATTEMPTS {
            let answered = self.read_state(index, now, tally)?;
            heard |= answered && self.servos[index].measured().position_rad.is_some_and(|sample| sample.at == now);
            if heard {
                break;
            }
        }
        let unit = &mut self.servos[index];
        if !heard {
            return Ok(Err("does not answer".into()));
        }
        if unit.resists() {
            return Ok(Err("was not seen to be limp".into()));
        }
        unit.enter_service();
        Ok(Ok(()))
    }
}

impl<P: Port> Backend for FeetechServos<P> {
    fn part(&self, joint: usize) -> usize {
        joint
    }

    fn service(&self, joint: usize) -> Service {
        self.servos[joint].service()
    }

    fn commanded(&self, joint: usize) -> Option<f64> {
        let unit = self.servos.get(joint)?;
        Some(unit.servo.angle_rad(f64::from(unit.commanded()?)))
    }

    fn measured(&self, joint: usize) -> Measured {
        self.servos.get(joint).map(ServoUnit::measured).unwrap_or_default()
    }

    fn describe(&self, joint: usize) -> Option<String> {
        let unit = self.servos.get(joint)?;
        Some(format!("step {} of {STEPS_PER_TURN} on servo {}", unit.commanded()?, unit.servo.id))
    }

    /// About 2 ms a servo at 1 Mbit/s, 4 ms with an adapter on USB.
    fn prepare(&mut self, now: Duration, tally: &mut Tally, report: &mut ArmReport) {
        let (mut broken, mut wrong) = (None, Vec::new());
        for unit in self.servos.iter_mut().filter(|unit| !unit.holds()) {
            unit.let_go();
        }
        broken = broken.or(self.make_limp(now, tally).err());
        for index in 0..self.servos.len() {
            match self.prepare_servo(index, now, tally) {
                Ok(Ok(())) => {}
                Ok(Err(reason)) => {
                    let joint = &self.config.joints().joints[index].name;
                    wrong.push(format!("servo {} ({joint}) {reason}", self.servos[index].servo.id));
                }
                Err(error) => {
                    broken = Some(error);
                    break;
                }
            }
        }
        report.add("bus", broken.is_none(), broken.map_or("it works".into(), |error| error.to_string()));
        let detail =
            if wrong.is_empty() { "every servo answers and is set up to fit".into() } else { wrong.join(", ") };
        report.add("servos", wrong.is_empty(), detail);
    }

    fn settle(&self) -> Duration {
        Duration::ZERO
    }

    fn stay_off(&mut self) {
        self.servos.iter_mut().for_each(ServoUnit::stay_off);
    }

    fn set(&mut self, joint: usize, target_rad: Option<f64>) {
        self.servos[joint].set(target_rad);
    }

    fn exchange(&mut self, now: Duration, tally: &mut Tally) -> u64 {
        self.answered.fill(false);
        let failed = self.talk(now, tally).err();
        for (unit, answered) in self.servos.iter_mut().zip(&self.answered) {
            unit.judge(now, *answered, failed);
        }
        self.servos.iter().map(|unit| u64::from(unit.is_failing())).sum()
    }

    fn take_lost(&mut self) -> Option<(usize, Trouble)> {
        let mut servos = self.servos.iter_mut().enumerate();
        servos.find_map(|(part, unit)| Some((part, Trouble::new(unit.lost.take()?))))
    }

    fn let_go(&mut self, part: Option<usize>) {
        let meant = self.servos.iter_mut().enumerate().filter(|(index, _)| part.is_none_or(|part| part == *index));
        meant.for_each(|(_, unit)| unit.let_go());
    }

    /// Nobody answers to everybody: that it was sent is all there is to know.
    fn cut(&mut self, tally: &mut Tally) -> Result<(), Unacknowledged> {
        self.line.send_over(&mut Frame::write(BROADCAST, TORQUE, &[0]), tally).map_err(|_| Unacknowledged)
    }

    fn all_off(&mut self, tally: &mut Tally) -> Off {
        let now = self.line.port_mut().now();
        let mut off = Off::Failing;
        for _ in 0..ATTEMPTS {
            let _ = self.cut(tally);
            self.servos.iter_mut().for_each(|unit| unit.demand_limp());
            off = match self.make_limp(now, tally) {
                Err(_) => Off::Failing,
                Ok(()) if self.servos.iter().all(ServoUnit::is_limp) => return Off::All,
                Ok(()) => Off::Missing,
            };
        }
        off
    }
}
