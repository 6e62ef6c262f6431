//! The calibration as a dialogue: keys and time in, the pulse of one servo out.

use crate::asked;
use crate::finding::{Finding, MARKS, Mark, Nominal};
pub use crate::mover::Pace;
use crate::mover::{Mover, STEP_DEG};
use crate::progress::Progress;
use crate::view::degrees;
use hexapod_kinematics::{Leg, Robot};
use hexapod_page::Tone;
use hexapod_servo::calibration::{Servo, ServoConfigError};
use hexapod_servo::{RawServoConfig, ServoConfig};
use std::time::Duration;

/// How far a servo is turned to see which one it is, in degrees, and how far it must have been.
const TEST_DEG: f64 = 5.0;
const TESTED_DEG: f64 = 4.0;
/// A stop is looked for this far beyond the joint's limit, in radians: the horn may be off by so much.
const BEYOND_RAD: f64 = 0.52;
/// Pulses of a hobby servo, in microseconds; a file that goes beyond is heeded.
const USUAL_US: (f64, f64) = (500.0, 2500.0);
/// A second look that differs by no more than this finds nothing wrong, in degrees.
const VERIFIED_DEG: f64 = 1.0;

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Pulses are found.
    Calibrate,
    /// Three angles of each joint are looked at again.
    Verify,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    /// Is it the right joint, and does it turn the right way?
    Test,
    /// The stop on the side of smaller angles.
    Minus,
    /// The stop on the side of greater angles.
    Plus,
    /// The joint at this angle, in radians.
    Set(f64),
}

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Key {
    /// Pulses on; when they are, stay, or go to where the joint was held or is to be held.
    Hold,
    /// Towards plus (1) or minus (-1).
    Push(f64, Pace),
    /// That is it.
    Accept,
    /// It turned as drawn.
    Yes,
    /// It turned the other way.
    Wrong,
    /// Another joint moved.
    Other,
    /// The joint does not get to the angle that is asked for.
    Cannot,
    /// Back to the step before.
    Back,
    /// Another joint: the next, or the one before.
    Joint(isize),
    /// Pulses off.
    Off,
}

/// What came of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing to keep.
    Same,
    /// Something was found: keep the progress.
    Found,
    /// The configuration changed for this joint, which is done: write it.
    Joint(usize),
    /// The plugs of two joints were swapped: write the configuration.
    Swapped(usize, usize),
    /// A joint was looked at again and nothing was wrong: keep the progress.
    Verified(usize),
}

/// What one channel is to put out; all others: nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told {
    /// Number of the board in the file.
    pub board: usize,
    /// Its channel.
    pub channel: u8,
    /// Pulse in microseconds, a whole number of the board's counts.
    pub pulse_us: f64,
    /// The pulse to go back to when nothing is heard of the dialogue any more.
    pub rest_us: f64,
}

/// Why there is nothing to calibrate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DialogueError {
    /// The servos do not hold.
    #[error(transparent)]
    Servos(#[from] ServoConfigError),
    /// A servo is of another robot.
    #[error("servos.{0}: the robot has no such joint; the servo map is for another robot")]
    NoSuchJoint(String),
}

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
        let left = dialogue.checked.joint_index(&progress.joint).filter(|&joint| !dialogue.marks_done()[joint]);
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
            Key::Push(sign, pace) => self.mover.push(sign.signum() * self.nominal().us_per_rad.signum(), pace),
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

    /// Bounds and goal of what is asked for now.
    fn begin_stage(&mut self) {
        self.asked_rad = self.next_angle();
        let nominal = self.nominal();
        let (lower_us, upper_us) = self.bounds_us(&nominal);
        self.mover.set_bounds(lower_us, upper_us);
        self.mover.forget();
        let goal_us = match self.stage() {
            Stage::Set(angle_rad) => self.pulse_at(&nominal, angle_rad),
            _ => nominal.neutral_us,
        };
        self.mover.set_goal(goal_us);
    }

    fn pulse_at(&self, nominal: &Nominal, angle_rad: f64) -> f64 {
        match self.mode {
            Mode::Verify => self.servo().pulse_us(angle_rad).map_or(nominal.neutral_us, |pulse| pulse.value),
            Mode::Calibrate => self.finding().pulse_us(nominal, angle_rad),
        }
    }

    fn next_angle(&self) -> Option<f64> {
        match self.mode {
            Mode::Verify => {
                let (minus_rad, plus_rad) = self.servo().angle_limits_rad();
                let travel = asked::Travel { minus_rad, plus_rad, urdf_rad: self.urdf_rad() };
                asked::next(&travel, &self.finding().marks, true)
            }
            Mode::Calibrate => {
                let travel = self.finding().travel(&self.nominal(), self.urdf_rad())?;
                asked::next(&travel, &self.finding().marks, false)
            }
        }
    }

    /// The pulses that may be tried now.
    fn bounds_us(&self, nominal: &Nominal) -> (f64, f64) {
        let finding = self.finding();
        let test_us = TEST_DEG * nominal.us_per_deg();
        let neutral_us = nominal.neutral_us;
        let (lower_rad, upper_rad) = self.urdf_rad();
        let (minus_us, plus_us) = match self.stage() {
            Stage::Test => return (neutral_us - test_us, neutral_us + test_us),
            Stage::Set(_) if self.mode == Mode::Verify => {
                let (lower_rad, upper_rad) = self.servo().angle_limits_rad();
                (self.pulse_at(nominal, lower_rad), self.pulse_at(nominal, upper_rad))
            }
            Stage::Set(_) => (finding.minus_us.unwrap_or(neutral_us), finding.plus_us.unwrap_or(neutral_us)),
            Stage::Minus => (self.outermost_us(nominal, lower_rad - BEYOND_RAD), neutral_us),
            Stage::Plus => (finding.minus_us.unwrap_or(neutral_us), self.outermost_us(nominal, upper_rad + BEYOND_RAD)),
        };
        (minus_us.min(plus_us), minus_us.max(plus_us))
    }

    /// The pulse at an angle by the file, within what a servo takes.
    fn outermost_us(&self, nominal: &Nominal, angle_rad: f64) -> f64 {
        let (min_us, max_us) = self.servo().pulse_limits_us();
        let pulse_us = nominal.neutral_us + (angle_rad - nominal.neutral_rad) * nominal.us_per_rad;
        pulse_us.clamp(USUAL_US.0.min(min_us), USUAL_US.1.max(max_us))
    }

    fn back(&mut self) -> Outcome {
        let calibrates = self.mode == Mode::Calibrate;
        let finding = &mut self.findings[self.joint];
        let undone = finding.marks.pop().is_some()
            || (calibrates && (finding.plus_us.take().is_some() || finding.minus_us.take().is_some()));
        if calibrates && !undone {
            finding.rising = None;
        }
        self.begin_stage();
        Outcome::Found
    }

    fn accept(&mut self, shown_us: Option<f64>) -> Outcome {
        if let Err(reason) = self.may_take(shown_us) {
            self.say(Tone::Bad, reason);
            return Outcome::Same;
        }
        let pulse_us = self.mover.told_us();
        match self.stage() {
            Stage::Test => {
                self.say(Tone::Bad, "answer with Y, R or O".into());
                Outcome::Same
            }
            Stage::Minus => self.take_stop(pulse_us, true),
            Stage::Plus => self.take_stop(pulse_us, false),
            Stage::Set(angle_rad) => self.take_mark(Mark { angle_rad, pulse_us }),
        }
    }

    /// What nobody has seen the servo do is not a finding: it must be held, stand still and be shown.
    fn may_take(&mut self, shown_us: Option<f64>) -> Result<(), String> {
        if !self.mover.is_on() {
            return Err("there is no pulse; Space switches it on".into());
        }
        if !self.mover.is_held() {
            return Err("the servo has gone back; hold Space to bring it there again, then Enter".into());
        }
        if !self.mover.is_still() {
            self.mover.stop();
            return Err("it was still moving; Enter again takes the pulse where it stands now".into());
        }
        let told_us = self.mover.told_us();
        if shown_us.is_none_or(|shown_us| (shown_us - told_us).abs() > 0.1) {
            return Err("the boards do not put this pulse out yet; Enter again".into());
        }
        Ok(())
    }

    fn take_stop(&mut self, pulse_us: f64, minus: bool) -> Outcome {
        if self.mover.excursion_deg().0 < STEP_DEG {
            let words = "the joint was hardly moved. If it touches here, press X and mount the horn on another tooth";
            self.say(Tone::Bad, words.into());
            return Outcome::Same;
        }
        let finding = &mut self.findings[self.joint];
        *(if minus { &mut finding.minus_us } else { &mut finding.plus_us }) = Some(pulse_us);
        self.begin_stage();
        Outcome::Found
    }

    fn take_mark(&mut self, mark: Mark) -> Outcome {
        if let Some(objection) = self.finding().objection(&self.nominal(), mark) {
            self.say(Tone::Bad, objection);
            return Outcome::Same;
        }
        self.findings[self.joint].marks.push(mark);
        self.begin_stage();
        if self.asked_rad.is_some() { Outcome::Found } else { self.complete() }
    }

    /// All was found for this joint.
    fn complete(&mut self) -> Outcome {
        let joint = self.joint;
        if self.mode == Mode::Verify && self.deviation_deg() <= VERIFIED_DEG {
            let words = format!("{} stands within {:.1} degrees", self.servo().joint(), self.deviation_deg());
            self.findings[joint] = Finding::default();
            self.verified[joint] = true;
            self.go_to(self.next_open(joint).unwrap_or(joint));
            self.say(Tone::Good, words);
            return Outcome::Verified(joint);
        }
        let mut finding = self.finding().clone();
        if self.mode == Mode::Verify {
            finding = self.as_in_the_file(finding);
        }
        let Some(new) = finding.applied(&self.config.servos.0[joint].1, &self.nominal()) else {
            self.findings[joint].marks.clear();
            self.begin_stage();
            self.say(Tone::Bad, "these angles are too near to each other; set them again".into());
            return Outcome::Same;
        };
        self.before = Some((self.config.clone(), joint, self.finding().clone()));
        self.config.servos.0[joint].1 = new;
        if !self.check_again() {
            self.reject("the pulses do not make a servo");
            return Outcome::Same;
        }
        self.findings[joint] = Finding::default();
        (self.done[joint], self.verified[joint]) = (true, self.mode == Mode::Verify);
        self.go_to(self.next_open(joint).unwrap_or(joint));
        Outcome::Joint(joint)
    }

    /// The stops and the way round that the file knows.
    fn as_in_the_file(&self, finding: Finding) -> Finding {
        let (min_us, max_us) = self.servo().pulse_limits_us();
        let rising = self.nominal().us_per_rad > 0.0;
        let (minus_us, plus_us) = if rising { (min_us, max_us) } else { (max_us, min_us) };
        Finding { rising: Some(rising), minus_us: Some(minus_us), plus_us: Some(plus_us), ..finding }
    }

    /// The most by which the angles set differ from what the file says.
    fn deviation_deg(&self) -> f64 {
        let off = |mark: &Mark| (self.servo().angle_rad(mark.pulse_us) - mark.angle_rad).abs().to_degrees();
        self.finding().marks.iter().map(off).fold(0.0, f64::max)
    }

    /// The checked form of what was found; false, and the old one, if there is none.
    fn check_again(&mut self) -> bool {
        let Ok(mut checked) = ServoConfig::try_from(self.config.clone()) else { return false };
        for (leg, joint) in &self.places {
            let Some(joint) = leg.joints().get(*joint) else { return false };
            if !checked.limit_joint(joint.name(), joint.limits().lower, joint.limits().upper) {
                return false;
            }
        }
        self.checked = checked;
        true
    }

    fn answer(&mut self, key: Key) -> Outcome {
        if self.stage() != Stage::Test {
            return Outcome::Same;
        }
        if !self.mover.is_on() || self.mover.excursion_deg().1 < TESTED_DEG {
            self.say(Tone::Bad, "hold ↑ first until the servo has turned 5 degrees".into());
            return Outcome::Same;
        }
        if key == Key::Other {
            self.choosing = Some((self.joint + 1) % self.done.len());
            return Outcome::Same;
        }
        let rising = self.nominal().us_per_rad > 0.0;
        self.findings[self.joint].rising = Some(rising == (key == Key::Yes));
        self.begin_stage();
        Outcome::Found
    }

    fn choose(&mut self, choice: usize, key: Key) -> Outcome {
        let count = self.done.len() as isize;
        match key {
            Key::Push(sign, _) => {
                self.choosing = Some((choice as isize - sign.signum() as isize).rem_euclid(count) as usize);
            }
            Key::Accept if choice == self.joint => self.say(Tone::Bad, "that is the joint that is drawn".into()),
            Key::Accept => return self.swap(choice),
            Key::Back => self.choosing = None,
            Key::Off => self.mover.switch_off(),
            _ => {}
        }
        Outcome::Same
    }

    /// The plug of this joint drives another one: each gets the other's plug, and this one is tested anew.
    fn swap(&mut self, other: usize) -> Outcome {
        let joint = self.joint;
        self.before = Some((self.config.clone(), joint, Finding::default()));
        let plug = |config: &RawServoConfig, joint: usize| {
            let servo = &config.servos.0[joint].1;
            (servo.board, servo.channel)
        };
        let (ours, theirs) = (plug(&self.config, joint), plug(&self.config, other));
        for (index, (board, channel)) in [(joint, theirs), (other, ours)] {
            let servo = &mut self.config.servos.0[index].1;
            (servo.board, servo.channel) = (board, channel);
            // Whatever was found, was found with another servo.
            self.findings[index] = Finding::default();
            self.done[index] = false;
        }
        self.check_again();
        self.go_to(joint);
        let words = format!(
            "the plugs of {} and {} are swapped in the file; test again",
            self.names()[joint],
            self.names()[other]
        );
        self.say(Tone::Good, words);
        Outcome::Swapped(joint, other)
    }

    /// Half-way from the angle that is asked for to neutral, in whole degrees.
    fn ask_nearer(&mut self) {
        let (Stage::Set(angle_rad), nominal) = (self.stage(), self.nominal()) else { return };
        let neutral_rad = match self.mode {
            Mode::Verify => nominal.neutral_rad,
            Mode::Calibrate => self.finding().angle_rad(&nominal, nominal.neutral_us),
        };
        let nearer_rad = (0.5 * (angle_rad + neutral_rad)).to_degrees().round().to_radians();
        let near = |mark: &Mark| (mark.angle_rad - nearer_rad).abs() < 0.1;
        if self.finding().marks.iter().any(near) || (nearer_rad - angle_rad).abs() < 0.03 {
            return self.say(Tone::Bad, "there is no angle between; Backspace finds the stops anew".into());
        }
        self.asked_rad = Some(nearer_rad);
        self.mover.set_goal(self.pulse_at(&nominal, nearer_rad));
        self.say(Tone::Good, format!("{} degrees, then", degrees(nearer_rad)));
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
