//! Calibrating by hand, joint by joint: what is asked for, which pulse is tried, what was found. Pure: keys in, pulses and
//! words out.

use super::progress::Progress;
use super::raw::{RawServo, RawServoConfig};

/// No pulse outside these is tried, in microseconds; the same bounds hold for `min_pulse_us` and `max_pulse_us`.
pub const TRIED_US: (f64, f64) = (300.0, 2700.0);

/// One thing to find for a servo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The pulse at which the horn is mounted.
    Neutral,
    /// The pulse of a point.
    Point(usize),
    /// The shortest pulse it may be given.
    Shortest,
    /// The longest pulse it may be given.
    Longest,
}

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Key {
    /// A longer or shorter pulse, by so many microseconds.
    Nudge(f64),
    /// The present pulse is right: go on.
    Accept,
    /// Back to the step before.
    Back,
    /// Another joint: the next, or the one before.
    Joint(isize),
    /// Pulses on or off.
    Power,
    /// The servo is mounted the other way round.
    Flip,
}

/// What came of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing to keep.
    Same,
    /// Something was found: keep it in the progress file.
    Found,
    /// A joint is complete: write the configuration.
    Joint(usize),
}

/// A calibration under way.
#[derive(Clone, Debug)]
pub struct Session {
    config: RawServoConfig,
    done: Vec<bool>,
    joint: usize,
    step: usize,
    pulse_us: f64,
    on: bool,
}

impl Session {
    /// A new calibration of all servos, from the values they have.
    ///
    /// `None` if there is no servo.
    pub fn new(config: RawServoConfig) -> Option<Self> {
        let done = vec![false; config.servos.0.len()];
        let mut session = Self { config, done, joint: 0, step: 0, pulse_us: 0.0, on: false };
        if session.done.is_empty() {
            return None;
        }
        session.start_step();
        Some(session)
    }

    /// Goes on where an earlier one was left. What does not fit the configuration any more is left out.
    pub fn resume(&mut self, progress: &Progress) {
        for name in &progress.done {
            if let Some(joint) = self.index(name) {
                self.done[joint] = true;
            }
        }
        if let Some(joint) = self.index(&progress.joint) {
            let servo = &mut self.config.servos.0[joint].1;
            progress.apply(servo);
            self.joint = joint;
            self.step = progress.step.min(steps(servo).len() - 1);
            self.start_step();
        } else if let Some(joint) = self.done.iter().position(|done| !done) {
            self.go_to(joint);
        }
    }

    /// Where it is, for another day.
    pub fn progress(&self) -> Progress {
        let names = self.config.servos.0.iter().zip(&self.done).filter(|(_, done)| **done);
        let (joint, servo) = &self.config.servos.0[self.joint];
        Progress::of(names.map(|((name, _), _)| name.clone()).collect(), joint, self.step, servo)
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key) -> Outcome {
        match key {
            Key::Nudge(step_us) => {
                if self.on {
                    self.pulse_us = (self.pulse_us + step_us).clamp(TRIED_US.0, TRIED_US.1);
                }
                Outcome::Same
            }
            Key::Power => {
                self.on = !self.on;
                Outcome::Same
            }
            Key::Flip => {
                self.servo_mut().direction *= -1;
                Outcome::Found
            }
            Key::Back => {
                self.step = self.step.saturating_sub(1);
                self.start_step();
                Outcome::Same
            }
            Key::Joint(by) => {
                let count = self.done.len() as isize;
                self.go_to((self.joint as isize + by).rem_euclid(count) as usize);
                Outcome::Same
            }
            Key::Accept => self.accept(),
        }
    }

    /// A joint that was not accepted is to be done again.
    pub fn reject(&mut self, joint: usize) {
        if joint < self.done.len() {
            self.done[joint] = false;
            self.go_to(joint);
        }
    }

    /// True once every joint was done.
    pub fn is_finished(&self) -> bool {
        self.done.iter().all(|done| *done)
    }

    /// How many joints are done, and of how many.
    pub fn count(&self) -> (usize, usize) {
        (self.done.iter().filter(|done| **done).count(), self.done.len())
    }

    /// Index of the present joint.
    pub fn joint(&self) -> usize {
        self.joint
    }

    /// Name of the present joint and its servo as found so far.
    pub fn servo(&self) -> (&str, &RawServo) {
        let (name, servo) = &self.config.servos.0[self.joint];
        (name, servo)
    }

    /// What is asked for, and the number of the step from 1, of how many.
    pub fn step(&self) -> (Step, usize, usize) {
        let steps = steps(self.servo().1);
        (steps[self.step], self.step + 1, steps.len())
    }

    /// The pulse to try in microseconds, if pulses are on.
    pub fn pulse_us(&self) -> Option<f64> {
        self.on.then_some(self.pulse_us)
    }

    /// The pulse at which this step begins or has come to, on or off.
    pub fn wanted_us(&self) -> f64 {
        self.pulse_us
    }

    /// All servos as found so far.
    pub fn config(&self) -> &RawServoConfig {
        &self.config
    }

    fn accept(&mut self) -> Outcome {
        // What nobody has seen the servo do is not a finding.
        if !self.on {
            return Outcome::Same;
        }
        let (step, number, count) = self.step();
        let pulse_us = self.pulse_us;
        keep(self.servo_mut(), step, pulse_us);
        if number < count {
            self.step += 1;
            self.start_step();
            return Outcome::Found;
        }
        let joint = self.joint;
        self.done[joint] = true;
        let next = (1..self.done.len()).map(|by| (joint + by) % self.done.len()).find(|&next| !self.done[next]);
        self.go_to(next.unwrap_or(joint));
        Outcome::Joint(joint)
    }

    fn go_to(&mut self, joint: usize) {
        self.joint = joint;
        self.step = 0;
        self.on = false;
        self.start_step();
    }

    fn start_step(&mut self) {
        let (step, ..) = self.step();
        let servo = self.servo().1;
        self.pulse_us = match step {
            Step::Neutral => neutral_us(servo),
            Step::Point(point) => servo.points[point].pulse_us,
            Step::Shortest => servo.min_pulse_us,
            Step::Longest => servo.max_pulse_us,
        }
        .clamp(TRIED_US.0, TRIED_US.1);
    }

    fn servo_mut(&mut self) -> &mut RawServo {
        &mut self.config.servos.0[self.joint].1
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.config.servos.0.iter().position(|(joint, _)| joint == name)
    }
}

fn steps(servo: &RawServo) -> Vec<Step> {
    let points = (0..servo.points.len()).map(Step::Point);
    std::iter::once(Step::Neutral).chain(points).chain([Step::Shortest, Step::Longest]).collect()
}

fn neutral_us(servo: &RawServo) -> f64 {
    servo.neutral_us.unwrap_or((servo.min_pulse_us + servo.max_pulse_us) / 2.0)
}

/// Notes what was found. A limit gives way to a pulse that was seen to be good.
fn keep(servo: &mut RawServo, step: Step, pulse_us: f64) {
    match step {
        Step::Neutral => servo.neutral_us = Some(pulse_us),
        Step::Point(point) => servo.points[point].pulse_us = pulse_us,
        Step::Shortest => servo.min_pulse_us = pulse_us,
        Step::Longest => servo.max_pulse_us = pulse_us,
    }
    if matches!(step, Step::Neutral | Step::Point(_)) {
        servo.min_pulse_us = servo.min_pulse_us.min(pulse_us);
        servo.max_pulse_us = servo.max_pulse_us.max(pulse_us);
    }
}
