//! The board as the state machine sees it.

use std::time::Duration;

use super::board::Servo2040;
use super::dialect::Dialect;
use super::link::NOBODY;
use crate::backend::{ArmReport, Backend, Feet, Measured, Off, Service, Tally, Trouble, Unacknowledged};
use crate::serial::{Port, PortError};

/// So often the relay is switched off before a board that does not answer is given up.
const ATTEMPTS: u8 = 3;

impl<P: Port> Servo2040<P> {
    /// The firmware that answers once the relay is open, for people; or what is wrong.
    fn meet(&mut self, tally: &mut Tally) -> Result<Result<String, &'static str>, PortError> {
        self.leave_service();
        self.dialect = None;
        self.open_relay(tally)?;
        self.closed_since = None;
        let found = self.link.identify(tally)?;
        self.dialect = found.map(|found| found.dialect);
        Ok(found.map(|found| found.to_string()).ok_or(NOBODY))
    }
}

impl<P: Port> Backend for Servo2040<P> {
    fn part(&self, _joint: usize) -> usize {
        0
    }

    /// A servo that is not switched on yet where each is switched on by itself waits where it is to begin.
    fn service(&self, joint: usize) -> Service {
        let waits = |channel: u8| self.dialect.is_some_and(Dialect::has_packets) && self.outputs.waits(channel);
        match self.state() {
            Service::Holding if self.config.servos().get(joint).is_some_and(|servo| waits(servo.channel())) => {
                Service::Settling
            }
            state => state,
        }
    }

    fn commanded(&self, joint: usize) -> Option<f64> {
        let servo = self.config.servos().get(joint)?;
        Some(servo.angle_rad(f64::from(self.outputs.given(servo.channel())?)))
    }

    /// What the board measures of all servos together is that of the first.
    fn measured(&self, joint: usize) -> Measured {
        if joint == 0 { self.supply } else { Measured::default() }
    }

    fn feet(&self) -> Option<Feet> {
        self.feet
    }

    fn describe(&self, joint: usize) -> Option<String> {
        let channel = self.config.servos().get(joint)?.channel();
        Some(format!("{} us on channel {channel} of the Servo2040", self.outputs.given(channel)?))
    }

    /// About 15 ms.
    fn prepare(&mut self, now: Duration, tally: &mut Tally, report: &mut ArmReport) {
        let met = match self.state() {
            Service::Holding => Ok(Ok("its servos hold".to_owned())),
            _ => self.meet(tally),
        };
        report.add("bus", met.is_ok(), met.as_ref().err().map_or("it works".into(), PortError::to_string));
        let Ok(met) = met else { return };
        if met.is_ok() {
            self.enter_service(now);
        }
        report.add("board", met.is_ok(), met.unwrap_or_else(str::to_owned));
    }

    fn settle(&self) -> Duration {
        Duration::ZERO
    }

    fn stay_off(&mut self) {
        if self.closed_since.is_none() {
            self.leave_service();
        }
    }

    fn set(&mut self, joint: usize, target_rad: Option<f64>) {
        let Some(servo) = self.config.servos().get(joint) else { return };
        let pulse_us = target_rad.and_then(|target_rad| servo.pulse_us(target_rad));
        self.outputs.set(servo.channel(), pulse_us.map(|pulse_us| pulse_us.value.round() as u16));
    }

    fn exchange(&mut self, now: Duration, tally: &mut Tally) -> u64 {
        let is_reached = if self.off {
            self.keep_off(now, tally)
        } else {
            let result = self.serve(now, tally);
            self.judge(now, result)
        };
        u64::from(!is_reached)
    }

    fn take_lost(&mut self) -> Option<(usize, Trouble)> {
        Some((0, Trouble::new(self.lost.take()?)))
    }

    fn let_go(&mut self, _part: Option<usize>) {
        self.leave_service();
    }

    fn cut(&mut self, tally: &mut Tally) -> Result<(), Unacknowledged> {
        self.link.open_relay(self.dialect, tally).map_err(|_| Unacknowledged)
    }

    fn all_off(&mut self, tally: &mut Tally) -> Off {
        self.leave_service();
        let mut off = Off::Failing;
        for _ in 0..ATTEMPTS {
            off = match self.open_relay(tally) {
                Ok(true) => return Off::All,
                Ok(false) => Off::Missing,
                Err(_) => Off::Failing,
            };
        }
        off
    }
}
