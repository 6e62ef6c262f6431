//! Servos that know their angle: somebody turns each limp joint to a drawn angle and then on towards plus. Nothing moves by
//! itself. The step at the angle and the way that steps go give the servo's zero and direction.

use crate::degrees::degrees;
use crate::page::{Page, Tone};
use crate::picture::{Drawing, draw_joint};
use crate::travel::DEG;
use crate::view::PICTURE;
use hexapod_kinematics::{Leg, LegJoint, Robot};
use std::f64::consts::TAU;
use std::sync::Arc;

/// How far the joint is asked to be turned towards plus, and how much of that is enough.
const ASKED_RAD: f64 = 20.0 * DEG;
const ENOUGH_RAD: f64 = 8.0 * DEG;
/// Teeth of a horn are so far apart: where a joint gets less of its range, mounting the horn anew helps.
const TOOTH_RAD: f64 = 15.0 * DEG;
/// Angles at which joints are drawn, degrees: those that are easily set by eye or by a set square first.
const DRAWN_DEG: [f64; 9] = [0.0, -90.0, 90.0, -45.0, 45.0, -60.0, 60.0, -30.0, 30.0];
const KEYS: [(&str, &str); 4] =
    [("Enter", "it stands there"), ("Backspace", "one step back"), ("N P", "next, previous joint"), ("Q", "quit")];

/// A servo as its series counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// Its ID.
    pub id: u8,
    /// Radians of a step.
    pub rad_per_step: f64,
    /// Its last step.
    pub last: u16,
}

impl Steps {
    /// By how many steps it has turned, where that is less than half a turn: some begin anew after a whole one.
    fn turned(self, steps: f64) -> f64 {
        let turn = f64::from(self.last) + 1.0;
        let is_whole = turn * self.rad_per_step > TAU - self.rad_per_step;
        if is_whole { steps - turn * (steps / turn).round() } else { steps }
    }
}

/// What was found for one joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zero {
    /// The joint, in the order of the legs.
    pub joint: usize,
    /// The step at which it is at 0.
    pub step: u16,
    /// 1 where steps grow towards plus, else -1.
    pub direction: i64,
}

/// Joint after joint.
#[derive(Debug)]
pub struct ByHand {
    robot: Arc<Robot>,
    servos: Vec<Steps>,
    done: Vec<bool>,
    joint: usize,
    /// The step at the drawn angle, once it was set.
    set: Option<f64>,
    said: Option<(Tone, String)>,
}

impl ByHand {
    /// Begins with the first joint; `servos` in the order of the legs' joints.
    #[must_use]
    pub fn new(robot: Arc<Robot>, servos: Vec<Steps>) -> Self {
        let done = vec![false; servos.len()];
        Self { robot, servos, done, joint: 0, set: None, said: None }
    }

    /// The joint that is being set.
    #[must_use]
    pub fn joint(&self) -> usize {
        self.joint
    }

    /// Goes to the joint of this name; false if there is none.
    pub fn go_to(&mut self, name: &str) -> bool {
        let found = self.places().position(|(_, joint)| joint.name() == name);
        self.joint = found.unwrap_or(self.joint);
        found.is_some()
    }

    /// How many joints are done, and of how many.
    #[must_use]
    pub fn count(&self) -> (usize, usize) {
        (self.done.iter().filter(|done| **done).count(), self.done.len())
    }

    /// Says something below the question.
    pub fn say(&mut self, tone: Tone, words: impl Into<String>) {
        self.said = Some((tone, words.into()));
    }

    fn places(&self) -> impl Iterator<Item = (&Leg, &LegJoint)> {
        self.robot.legs().iter().flat_map(|leg| leg.joints().iter().map(move |joint| (leg, joint)))
    }

    fn place(&self) -> Option<(&Leg, &LegJoint)> {
        self.places().nth(self.joint)
    }

    /// The angle at which the joint is drawn: with room to turn it on towards plus.
    fn drawn_rad(&self) -> f64 {
        let Some((_, joint)) = self.place() else { return 0.0 };
        let (lower, upper) = (joint.limits().lower, joint.limits().upper - ASKED_RAD);
        let is_inside = |angle: &f64| (lower..=upper).contains(angle);
        DRAWN_DEG.into_iter().map(|angle| angle * DEG).find(is_inside).unwrap_or(0.5 * (lower + upper))
    }

    /// It stands as asked for: what was found, once that is known.
    pub fn enter(&mut self, step: Option<f64>) -> Option<Zero> {
        let (servo, drawn_rad) = (*self.servos.get(self.joint)?, self.drawn_rad());
        self.said = None;
        let Some(step) = step else {
            self.say(Tone::Bad, "the servo does not answer: check its plug and its supply");
            return None;
        };
        let Some(set) = self.set else {
            self.set = Some(step);
            return None;
        };
        let turned_rad = servo.turned(step - set) * servo.rad_per_step;
        if turned_rad.abs() < ENOUGH_RAD {
            self.say(
                Tone::Bad,
                format!("it was turned by {:.0} degrees: turn it further", turned_rad.to_degrees().abs()),
            );
            return None;
        }
        let direction = turned_rad.signum();
        let zero = (set - direction * drawn_rad / servo.rad_per_step).round();
        if let Some(words) = self.misses(servo, zero, direction) {
            self.say(Tone::Bad, words);
            self.set = None;
            return None;
        }
        Some(Zero { joint: self.joint, step: zero as u16, direction: direction as i64 })
    }

    /// What is wrong with a horn with which the joint, at 0 at this step, goes beyond the servo's steps.
    fn misses(&self, servo: Steps, zero: f64, direction: f64) -> Option<String> {
        let (_, joint) = self.place()?;
        let ends = [joint.limits().lower, joint.limits().upper];
        let steps = ends.map(|end| (zero + direction * end / servo.rad_per_step).round());
        let (least, most) = (steps[0].min(steps[1]), steps[0].max(steps[1]));
        let last = f64::from(servo.last);
        let missed_rad = f64::max(-least, most - last) * servo.rad_per_step;
        let is_fit = (0.0..=last).contains(&zero) && (missed_rad <= TOOTH_RAD || most - least > last);
        let [from, to] = ends.map(degrees);
        let middle = (0.5 * last - 0.5 * (least + most) + zero).round();
        (!is_fit).then(|| {
            format!(
                "from {from} to {to} degrees it would go from step {least} to {most}, and there are 0 to {last}: mount \
                 its horn anew, so that the joint is at 0 degrees near step {middle}"
            )
        })
    }

    /// The joint was written down: on to the next that is not done. False once all are.
    pub fn next_undone(&mut self) -> bool {
        if let Some(done) = self.done.get_mut(self.joint) {
            *done = true;
        }
        self.set = None;
        let count = self.done.len();
        let next = (1..=count).map(|step| (self.joint + step) % count).find(|joint| !self.done[*joint]);
        self.joint = next.unwrap_or(self.joint);
        next.is_some()
    }

    /// One step back.
    pub fn back(&mut self) {
        (self.set, self.said) = (None, None);
    }

    /// On by so many joints.
    pub fn pass(&mut self, by: isize) {
        self.back();
        let count = self.done.len().cast_signed().max(1);
        self.joint = (self.joint.cast_signed() + by).rem_euclid(count).cast_unsigned();
    }

    /// What to show now, where the servo says that it stands at this step.
    #[must_use]
    pub fn view(&self, step: Option<f64>) -> Page {
        let ((done, of), drawn_rad) = (self.count(), self.drawn_rad());
        let Some(((leg, joint), servo)) = self.place().zip(self.servos.get(self.joint)) else { return Page::default() };
        let angle = degrees(drawn_rad);
        let stands = if angle == "0" { "as drawn".into() } else { format!("{angle} degrees from the dotted 0") };
        let (heading, words) = match self.set {
            None => (
                format!("{angle} degrees"),
                format!("Turn the thick part by hand until it stands {stands}, by a set square. Then Enter."),
            ),
            Some(_) => (
                "which way is plus".into(),
                format!("Turn it on towards the +, by {} degrees or more. Then Enter.", degrees(ASKED_RAD)),
            ),
        };
        let reading = step.map_or((Tone::Bad, "the servo does not answer".into()), |step| {
            (Tone::Good, format!("step {step:.0} of {}, limp", servo.last))
        });
        let number = if self.set.is_some() { 2 } else { 1 };
        let mut lines = vec![
            (Tone::Strong, format!("{}   servo {}", joint.name(), servo.id)),
            (Tone::Strong, format!("Step {number} of 2: {heading}")),
            (Tone::Plain, words),
            (Tone::Plain, String::new()),
            reading,
        ];
        lines.extend(self.said.clone());
        let index = leg.joints().iter().position(|each| each.name() == joint.name()).unwrap_or_default();
        let picture = draw_joint(leg, index, &Drawing { pose_rad: drawn_rad, limit_rad: None, size: PICTURE });
        Page { title: format!("calibrate by hand: {done} of {of} joints done"), lines, picture, keys: KEYS.to_vec() }
    }
}
