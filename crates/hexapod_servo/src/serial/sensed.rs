//! What a servo measures, out of its replies.

use std::time::Duration;

use super::block::Block;
use super::config::Servo;
use super::series::{Field, Model};
use super::trusted::Trusted;
use crate::backend::{Measured, Sample};

/// A sample this far from the one before is wild.
const WILD_RAD: f64 = 0.614;
/// No servo is faster; one turns round at once.
const WILD_RAD_S: f64 = 12.0;
const WILD_C: f64 = 15.0;
const WILD_V: f64 = 3.0;
/// No current is greater than what the servos' bridge bears.
const WILD_A: f64 = 5.0;

/// What one servo has measured.
#[derive(Debug, Default)]
pub(super) struct Sensed {
    pub model: Option<&'static Model>,
    pub measured: Measured,
    /// The bits by which it complains.
    pub complaints: u8,
    /// The last position that it said, believed or not.
    pub said: f64,
    steps: Trusted,
    rad_s: Trusted,
    volts: Trusted,
    celsius: Trusted,
    amperes: Trusted,
}

impl Sensed {
    /// Where it is, in steps.
    pub fn steps(&self) -> f64 {
        self.steps.value.unwrap_or_default()
    }

    /// Whatever comes next is where it is.
    pub fn forget_place(&mut self) {
        (self.steps, self.rad_s) = (Trusted::default(), Trusted::default());
    }

    /// Whether what it last said of its place was not believed.
    pub fn doubts_place(&self) -> bool {
        self.measured.doubtful
    }

    fn take_place(&mut self, servo: &Servo, now: Duration, step: i64, speed_rad_s: Option<f64>) {
        let series = servo.series;
        self.said = step as f64;
        let wild_steps = WILD_RAD / series.rad_per_step;
        let place = series.has_place(step).then(|| self.steps.take(self.said, wild_steps)).flatten();
        let speed = place.and(speed_rad_s).filter(|speed| speed.abs() <= WILD_RAD_S);
        let speed = speed.and_then(|speed| self.rad_s.take(speed, WILD_RAD_S));
        self.measured.doubtful = place.is_none() || speed.is_some() != speed_rad_s.is_some();
        if let Some(steps) = place {
            self.measured.position_rad = Some(Sample { value: servo.angle_rad(steps), at: now });
            let speed = speed.map(|value| Sample { value, at: now });
            self.measured.velocity_rad_s = speed.or(self.measured.velocity_rad_s);
        }
    }

    /// Takes what its stiffness makes of how far it is from its goal, if this is where it is now.
    pub fn take_error(&mut self, servo: &Servo, now: Duration, goal: u16) {
        let newest = self.measured.position_rad.filter(|position| position.at == now && !self.doubts_place());
        if let Some((position, nm_per_rad)) = newest.zip(servo.torque_nm_per_rad) {
            let torque = nm_per_rad * (servo.angle_rad(f64::from(goal)) - position.value);
            self.measured.torque_nm = Some(Sample { value: torque, at: now });
            self.measured.torque_is_of_error = true;
        }
    }

    /// Takes in what registers say.
    pub fn take(&mut self, servo: &Servo, now: Duration, error: u8, (block, values): (Block, &[u8])) {
        let series = servo.series;
        let number = |field: Field| series.number(field, block, values);
        let sample = |value: Option<f64>| value.map(|value| Sample { value, at: now });
        if let Some(bits) = series.alarm.map_or(Some(i64::from(error)), number) {
            self.complaints = bits as u8;
            self.measured.alarm = series.alarm(self.complaints);
        }
        if let Some(step) = number(series.position) {
            let speed = number(series.velocity).map(|speed| servo.along(speed as f64) * series.speed_rad_s);
            self.take_place(servo, now, step, speed);
        }
        let mut amperes = series.current.and_then(|(field, unit)| Some(number(field)?.abs() as f64 * unit));
        let load = number(series.load);
        if let Some(load) = load {
            match self.model.and_then(|model| model.amperes) {
                Some(unit) => amperes = Some(load.abs() as f64 * unit),
                None => self.measured.load = sample(Some(servo.along(load as f64 / 1000.0))),
            }
        }
        let amperes = amperes.and_then(|amperes| self.amperes.take(amperes, WILD_A));
        self.measured.current_a = sample(amperes).or(self.measured.current_a);
        let drive = load.map(|load| servo.along(load as f64));
        let torque = amperes.zip(servo.torque_nm_per_a).zip(drive);
        let torque = torque.map(|((amperes, each), drive)| amperes * each * drive.signum());
        self.measured.torque_nm = sample(torque).or(self.measured.torque_nm);
        let (voltage, unit_v) = series.voltage;
        let volts = number(voltage).and_then(|volts| self.volts.take(volts as f64 * unit_v, WILD_V));
        self.measured.voltage_v = sample(volts).or(self.measured.voltage_v);
        let celsius = number(series.temperature).and_then(|celsius| self.celsius.take(celsius as f64, WILD_C));
        self.measured.temperature_c = sample(celsius).or(self.measured.temperature_c);
    }
}
