//! What is known of a calibration under way, and what can be asked of it.

use super::terms::{Commanded, Mode, Stage};
use crate::finding::{Finding, MARKS, Nominal};
use crate::mover::Mover;
use crate::page::Tone;
use crate::progress::Progress;
use hexapod_kinematics::Leg;
use hexapod_servo::calibration::Servo;
use hexapod_servo::{RawServoConfig, ServoConfig};
use std::time::Duration;

/// A calibration under way.
#[derive(Clone, Debug)]
pub struct Dialogue {
    pub(super) config: RawServoConfig,
    pub(super) checked: ServoConfig,
    /// Of each servo: its leg, and the number of its joint in it.
    pub(super) places: Vec<(Leg, usize)>,
    pub(super) mode: Mode,
    pub(super) done: Vec<bool>,
    pub(super) verified: Vec<bool>,
    pub(super) findings: Vec<Finding>,
    pub(super) joint: usize,
    pub(super) asked_rad: Option<f64>,
    /// A pulse that was asked about.
    pub(super) doubted_us: Option<f64>,
    pub(super) choosing: Option<usize>,
    pub(super) mover: Mover,
    /// Since the last key.
    pub(super) untouched: Duration,
    pub(super) said: Option<(Tone, String)>,
    /// What the last change did away with.
    pub(super) before: Option<(RawServoConfig, usize, Finding)>,
}

impl Dialogue {
    /// Where it is with real or `simulated` servos, for another day.
    pub fn progress(&self, kept: bool, simulated: bool) -> Progress {
        let names = |flags: &[bool]| -> Vec<String> {
            let servos = self.checked.servos().iter().zip(flags);
            servos.filter(|(_, flag)| **flag).map(|(servo, _)| servo.joint().to_owned()).collect()
        };
        let findings = self.checked.servos().iter().zip(&self.findings);
        let findings = findings.filter(|(_, finding)| **finding != Finding::default());
        Progress {
            kept,
            simulated,
            verifying: self.mode == Mode::Verify,
            done: names(&self.done),
            verified: names(&self.verified),
            joint: self.servo().joint().to_owned(),
            findings: findings.map(|(servo, finding)| (servo.joint().to_owned(), finding.clone())).collect(),
        }
    }

    /// What the boards are to put out.
    pub fn commanded(&self) -> Option<Commanded> {
        let servo = self.servo();
        self.mover.is_on().then(|| Commanded {
            board: servo.board(),
            channel: servo.channel(),
            pulse_us: self.mover.commanded_us(),
            rest_us: servo.neutral_us(),
        })
    }

    /// Tells a person something with the next page.
    pub fn say(&mut self, tone: Tone, words: String) {
        self.said = Some((tone, words));
    }

    /// What was commanded last.
    pub fn said(&self) -> Option<&(Tone, String)> {
        self.said.as_ref()
    }

    /// All servos as found so far.
    pub fn config(&self) -> &RawServoConfig {
        &self.config
    }

    /// What is being done.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// True once every joint was done.
    pub fn is_finished(&self) -> bool {
        self.marks_done().iter().all(|done| *done)
    }

    /// How many joints are done, and of how many.
    pub fn count(&self) -> (usize, usize) {
        (self.marks_done().iter().filter(|done| **done).count(), self.done.len())
    }

    /// Index of the present joint.
    pub fn joint(&self) -> usize {
        self.joint
    }

    /// Names of all joints.
    pub fn names(&self) -> Vec<&str> {
        self.checked.servos().iter().map(Servo::joint).collect()
    }

    /// What is asked for.
    pub fn stage(&self) -> Stage {
        let finding = self.finding();
        match (finding.rising, finding.minus_us, finding.plus_us) {
            _ if self.mode == Mode::Verify => Stage::Set(self.asked_rad.unwrap_or(0.0)),
            (None, ..) => Stage::Test,
            (_, None, _) => Stage::Minus,
            (_, _, None) => Stage::Plus,
            _ => Stage::Set(self.asked_rad.unwrap_or(0.0)),
        }
    }

    /// What was found for the present joint so far.
    pub fn finding(&self) -> &Finding {
        &self.findings[self.joint]
    }

    /// The joint that is chosen in the list, while that is shown.
    pub fn choice(&self) -> Option<usize> {
        self.choosing
    }

    /// The number of the step from 1, and of how many.
    pub(crate) fn step(&self) -> (usize, usize) {
        let before = if self.mode == Mode::Verify { 0 } else { 3 };
        let number = match self.stage() {
            Stage::Test => 1,
            Stage::Minus => 2,
            Stage::Plus => 3,
            Stage::Set(_) => before + 1 + self.finding().marks.len(),
        };
        (number, before + MARKS)
    }

    /// Name, board's address and channel.
    pub(crate) fn plug(&self) -> (&str, u8, u8) {
        let servo = self.servo();
        (servo.joint(), self.checked.boards()[servo.board()].address(), servo.channel())
    }

    pub(crate) fn leg(&self) -> (&Leg, usize) {
        let (leg, joint) = &self.places[self.joint];
        (leg, *joint)
    }

    /// The joint's limits in the URDF, in radians.
    pub fn urdf_rad(&self) -> (f64, f64) {
        let (leg, joint) = self.leg();
        leg.joints().get(joint).map_or((0.0, 0.0), |joint| (joint.limits().lower, joint.limits().upper))
    }

    pub(crate) fn neutral_rad(&self) -> f64 {
        self.nominal().neutral_rad
    }

    /// The joint's angle by what is known so far.
    pub(crate) fn angle_rad(&self) -> f64 {
        let pulse_us = self.mover.commanded_us();
        match self.mode {
            Mode::Verify => self.servo().angle_rad(pulse_us),
            Mode::Calibrate => self.finding().angle_rad(&self.nominal(), pulse_us),
        }
    }

    /// Whether the servo has a pulse.
    pub fn is_on(&self) -> bool {
        self.mover.is_on()
    }

    /// Whether keys come in.
    pub fn is_held(&self) -> bool {
        self.mover.is_held()
    }

    /// Whether it stands where the last key has it go.
    pub fn is_still(&self) -> bool {
        self.mover.is_still()
    }

    pub(crate) fn is_neutral(&self) -> bool {
        self.mover.excursion_deg().0 < 0.5
    }

    pub(super) fn servo(&self) -> &Servo {
        &self.checked.servos()[self.joint]
    }

    pub(super) fn nominal(&self) -> Nominal {
        Nominal::of(self.servo(), self.finding().rising)
    }

    pub(super) fn marks_done(&self) -> &[bool] {
        if self.mode == Mode::Verify { &self.verified } else { &self.done }
    }

    pub(super) fn next_open(&self, from: usize) -> Option<usize> {
        let done = self.marks_done();
        (0..done.len()).map(|by| (from + by) % done.len()).find(|&joint| !done[joint])
    }
}
