//! Servos on a serial bus as the state machine sees them.

use std::time::Duration;

use super::frame::{BROADCAST, Frame};
use super::port::{Port, PortError};
use super::rounds::Heard;
use super::servos::{ATTEMPTS, SerialServos};
use super::settings::SILENT;
use super::trouble::Trouble as Lost;
use super::unit::{ALL_LOST_AFTER, LOST_AFTER, MISSES, ServoUnit};
use crate::backend::{ArmReport, Backend, Measured, Off, Service, Tally, Trouble, Unacknowledged};

const NONE_ANSWERS: &str = "no servo answers: check their supply, the cable, the parameter `baud_rate`, and the adapter's \
                            latency_timer (hexapod doctor shows it)";

impl<P: Port> SerialServos<P> {
    /// The traffic of one tick.
    fn talk(&mut self, now: Duration, tally: &mut Tally) -> Result<(), PortError> {
        let begun = self.line.free_at();
        self.servos.iter_mut().for_each(ServoUnit::wait);
        self.make_limp(now, false, tally)?;
        match self.send_goals(tally) {
            // Where nothing may move, servos can be asked all the same.
            Ok(()) | Err(PortError::GaveWay) => {}
            failed => return failed,
        }
        if !self.series.sync_read {
            return self.read_some(begun, now, tally);
        }
        self.read_all(now, tally)?;
        self.read_one(now, tally)
    }
}

impl<P: Port> Backend for SerialServos<P> {
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
        let measured = self.servos.get(joint).map(ServoUnit::measured).unwrap_or_default();
        Measured { every: self.pace.position_every(), ..measured }
    }

    fn describe(&self, joint: usize) -> Option<String> {
        let (unit, steps) = (self.servos.get(joint)?, u32::from(self.series.last_step) + 1);
        Some(format!("step {} of {steps} on servo {}", unit.commanded()?, unit.servo.id))
    }

    /// About 2 ms a servo at 1 Mbit/s, 4 ms with an adapter on USB.
    fn prepare(&mut self, now: Duration, tally: &mut Tally, report: &mut ArmReport) {
        let (mut broken, mut wrong, mut silent) = (None, Vec::new(), 0);
        for unit in self.servos.iter_mut().filter(|unit| !unit.holds()) {
            unit.let_go();
            unit.ask_again();
        }
        broken = broken.or(self.make_limp(now, true, tally).err());
        for index in 0..self.servos.len() {
            match self.prepare_servo(index, now, tally) {
                Ok(Ok(())) => {}
                Ok(Err(reason)) => {
                    silent += usize::from(reason == SILENT);
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
        let detail = match wrong.len() {
            0 => "every servo answers and is set up to fit".into(),
            count if count == silent && count > 1 && count == self.servos.len() => NONE_ANSWERS.into(),
            _ => wrong.join(", "),
        };
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
        self.rounds.begin();
        let failed = self.talk(now, tally).err();
        match failed {
            Some(PortError::GaveWay) => self.rounds.forgive(),
            Some(PortError::Gone | PortError::Failed(_)) => self.rounds.fail(),
            None => {}
        }
        let answers = (0..self.servos.len()).any(|index| self.rounds.heard(index) == Heard::Answered);
        if answers {
            (self.answered_at, self.unanswered) = (now, 0);
        } else {
            self.unanswered = self.unanswered.saturating_add(1);
        }
        let lost_after = if failed.is_some() { LOST_AFTER } else { ALL_LOST_AFTER };
        let is_lost = self.unanswered >= MISSES && now.saturating_sub(self.answered_at) >= lost_after;
        for (index, unit) in self.servos.iter_mut().enumerate() {
            match self.rounds.heard(index) {
                Heard::Unasked => {}
                Heard::Answered => unit.note_answer(),
                Heard::Missed if answers => unit.note_silence(now),
                Heard::Missed => unit.note_dead_line(now, is_lost, failed),
            }
        }
        self.rounds.end();
        self.servos.iter().map(|unit| u64::from(unit.is_failing())).sum()
    }

    fn take_lost(&mut self) -> Option<(usize, Trouble)> {
        let Self { servos, config, .. } = self;
        let mut units = servos.iter_mut().zip(&config.joints().joints).enumerate();
        units.find_map(|(part, (unit, joint))| {
            let lost = unit.lost.take()?;
            let is_of_all = matches!(lost, Lost::AllSilent | Lost::Line { .. });
            let words = |joint: &str| Trouble::new(format_args!("{joint}: {lost}"));
            Some((part, if is_of_all { Trouble::new(lost) } else { words(&joint.name) }))
        })
    }

    fn let_go(&mut self, part: Option<usize>) {
        let meant = self.servos.iter_mut().enumerate().filter(|(index, _)| part.is_none_or(|part| part == *index));
        meant.for_each(|(_, unit)| unit.let_go());
    }

    /// Nobody answers to everybody: that it was sent is all there is to know.
    fn cut(&mut self, tally: &mut Tally) -> Result<(), Unacknowledged> {
        let mut frame = Frame::write(self.series.protocol, BROADCAST, self.series.torque, &[0]);
        self.line.send_over(&mut frame, tally).map_err(|_| Unacknowledged)
    }

    fn all_off(&mut self, tally: &mut Tally) -> Off {
        let now = self.line.port_mut().now();
        let mut off = Off::Failing;
        for _ in 0..ATTEMPTS {
            let _ = self.cut(tally);
            self.servos.iter_mut().for_each(|unit| unit.demand_limp());
            off = match self.make_limp(now, true, tally) {
                Err(_) => Off::Failing,
                Ok(()) if self.servos.iter().all(ServoUnit::is_limp) => return Off::All,
                Ok(()) => Off::Missing,
            };
        }
        off
    }
}
