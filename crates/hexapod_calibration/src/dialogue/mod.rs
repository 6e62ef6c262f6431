//! The calibration as a dialogue: keys and time in, the pulse of one servo out.

mod answers;
mod bounds;
mod terms;

pub use terms::{DialogueError, Key, Mode, Outcome, Pace, Stage, Told};

use crate::finding::{Finding, MARKS, Nominal};
use crate::mover::Mover;
use crate::page::Tone;
use crate::progress::Progress;
use hexapod_kinematics::{Leg, Robot};
use hexapod_servo::calibration::Servo;
use hexapod_servo::{RawServoConfig, ServoConfig};
use std::time::Duration;

/// A calibration under way.
#[derive(Clone, Debug)]
pub struct Dialogue {
    config: RawServoConfig,
    checked: ServoConfig,
    /// Of each servo: its leg, and the number of its joint in it.
    places: Vec<(Leg, usize)>,
    mode: Mode,
    done: Vec<bool>,
    verified: Vec<bool>,
    findings: Vec<Finding>,
    joint: usize,
    asked_rad: Option<f64>,
    choosing: Option<usize>,
    mover: Mover,
    said: Option<(Tone, String)>,
    /// What the last change did away with.
    before: Option<(RawServoConfig, usize, Finding)>,
}

impl Dialogue {
    /// A calibration of these servos, gone on with if one was left. With all joints done, or if `verify` says so, they
    /// are verified.
    ///
    /// # Errors
    /// The servos do not hold or are not those of this robot.
    pub fn new(
        config: RawServoConfig,
        robot: &Robot,
        progress: &Progress,
        verify: bool,
    ) -> Result<Self, DialogueError> {
        let checked = narrowed(&config, robot)?;
        let places = checked.servos().iter().map(|servo| place(robot, servo.joint())).collect::<Result<Vec<_>, _>>()?;
        let has = |list: &[String]| -> Vec<bool> {
            checked.servos().iter().map(|servo| list.iter().any(|name| name == servo.joint())).collect()
        };
        let (done, mut verified) = (has(&progress.done), has(&progress.verified));
        let mode = if verify || done.iter().all(|done| *done) { Mode::Verify } else { Mode::Calibrate };
        if verified.iter().all(|verified| *verified) {
            verified.fill(false);
        }
        let of = |name: &str| progress.findings.iter().find(|(joint, _)| joint == name).map(|(_, found)| found.clone());
        let fits = progress.verifying == (mode == Mode::Verify);
        let findings = checked.servos().iter().map(|servo| of(servo.joint()).filter(|_| fits).unwrap_or_default());
        let mut dialogue = Self {
            findings: findings.collect(),
            mover: Mover::new(1500.0, 10.0, 1.0),
            config,
            checked,
            places,
            mode,
            done,
            verified,
            joint: 0,
            asked_rad: None,
            choosing: None,
            said: None,
            before: None,
        };
        let left = dialogue.checked.joint_index(&progress.joint);
        let left = left.filter(|&joint| fits && !dialogue.marks_done()[joint]);
        dialogue.go_to(left.or_else(|| dialogue.next_open(0)).unwrap_or(0));
        Ok(dialogue)
    }

    /// Where it is, for another day.
    pub fn progress(&self, kept: bool) -> Progress {
        let names = |flags: &[bool]| -> Vec<String> {
            let servos = self.checked.servos().iter().zip(flags);
            servos.filter(|(_, flag)| **flag).map(|(servo, _)| servo.joint().to_owned()).collect()
        };
        let findings = self.checked.servos().iter().zip(&self.findings);
        let findings = findings.filter(|(_, finding)| **finding != Finding::default());
        Progress {
            kept,
            verifying: self.mode == Mode::Verify,
            done: names(&self.done),
            verified: names(&self.verified),
            joint: self.servo().joint().to_owned(),
            findings: findings.map(|(servo, finding)| (servo.joint().to_owned(), finding.clone())).collect(),
        }
    }

    /// Time passes.
    pub fn tick(&mut self, dt: Duration) {
        self.mover.tick(dt);
    }

    /// What the boards are to put out.
    pub fn told(&self) -> Option<Told> {
        let servo = self.servo();
        self.mover.is_on().then(|| Told {
            board: servo.board(),
            channel: servo.channel(),
            pulse_us: self.mover.told_us(),
            rest_us: servo.neutral_us(),
        })
    }

    /// The boards do not do as told, or the stop button is pressed: no pulse until somebody switches on again.
    pub fn cut(&mut self) {
        self.mover.switch_off();
    }

    /// Takes a key. `shown_us` is the pulse that the boards put out and the page shows.
    pub fn key(&mut self, key: Key, shown_us: Option<f64>) -> Outcome {
        self.said = None;
        if let Some(choice) = self.choosing {
            return self.choose(choice, key);
        }
        match key {
            Key::Hold if !self.mover.is_on() => self.switch_on(),
            Key::Hold => self.mover.hold(),
            Key::Push(sign, pace) => self.push(sign.signum() * self.nominal().us_per_rad.signum(), pace),
            Key::Off => self.mover.switch_off(),
            Key::Joint(by) => self.step_joint(by),
            Key::Back => return self.back(),
            Key::Accept => return self.accept(shown_us),
            Key::Yes | Key::Wrong | Key::Other => return self.answer(key),
            Key::Cannot => self.ask_nearer(),
        }
        Outcome::Same
    }

    /// What was changed last could not be written, for this reason: it is as before.
    pub fn reject(&mut self, reason: &str) {
        let Some((config, joint, finding)) = self.before.take() else { return };
        self.config = config;
        self.check_again();
        (self.done[joint], self.verified[joint]) = (false, false);
        self.findings[joint] = Finding { marks: Vec::new(), ..finding };
        self.go_to(joint);
        self.say(Tone::Bad, format!("{} was not written: {reason}", self.servo().joint()));
    }

    /// Tells a person something with the next page.
    pub fn say(&mut self, tone: Tone, words: String) {
        self.said = Some((tone, words));
    }

    /// What was last told.
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

    /// Goes to the joint of this name; false if there is none.
    pub fn go_to_joint(&mut self, name: &str) -> bool {
        let joint = self.checked.joint_index(name);
        joint.into_iter().for_each(|joint| self.go_to(joint));
        joint.is_some()
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
        let pulse_us = self.mover.told_us();
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

    fn servo(&self) -> &Servo {
        &self.checked.servos()[self.joint]
    }

    fn nominal(&self) -> Nominal {
        Nominal::of(self.servo(), self.finding().rising)
    }

    fn marks_done(&self) -> &[bool] {
        if self.mode == Mode::Verify { &self.verified } else { &self.done }
    }

    fn next_open(&self, from: usize) -> Option<usize> {
        let done = self.marks_done();
        (0..done.len()).map(|by| (from + by) % done.len()).find(|&joint| !done[joint])
    }

    fn push(&mut self, sign: f64, pace: Pace) {
        if let Some(end_us) = self.mover.push(sign, pace) {
            let end = if sign > 0.0 { "longest" } else { "shortest" };
            self.say(Tone::Bad, format!("{end_us:.0} us is the {end} pulse allowed here"));
        }
    }

    fn switch_on(&mut self) {
        self.mover.switch_on();
    }

    fn step_joint(&mut self, by: isize) {
        let count = self.done.len() as isize;
        self.go_to((self.joint as isize + by).rem_euclid(count) as usize);
    }

    /// To a joint, with pulses off.
    fn go_to(&mut self, joint: usize) {
        self.joint = joint;
        let clock = self.checked.boards()[self.servo().board()].clock();
        let nominal = self.nominal();
        self.mover = Mover::new(nominal.neutral_us, nominal.us_per_deg(), 1.0 / clock.counts_per_us());
        self.choosing = None;
        self.begin_stage();
    }
}

fn narrowed(config: &RawServoConfig, robot: &Robot) -> Result<ServoConfig, DialogueError> {
    let mut checked = ServoConfig::try_from(config.clone())?;
    for joint in robot.legs().iter().flat_map(Leg::joints) {
        checked.limit_joint(joint.name(), joint.limits().lower, joint.limits().upper);
    }
    Ok(checked)
}

fn place(robot: &Robot, name: &str) -> Result<(Leg, usize), DialogueError> {
    let of = |leg: &Leg| Some((leg.clone(), leg.joints().iter().position(|joint| joint.name() == name)?));
    robot.legs().iter().find_map(of).ok_or_else(|| DialogueError::NoSuchJoint(name.into()))
}
