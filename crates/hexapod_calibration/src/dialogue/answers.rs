//! What comes of an answer.

use super::state::Dialogue;
use super::terms::{Key, Mode, Outcome, Stage};
use crate::degrees::degrees;
use crate::finding::{Finding, Mark};
use crate::mover::STEP_DEG;
use crate::page::Tone;
use hexapod_kinematics::JointLimits;
use hexapod_servo::{RawServoConfig, ServoConfig};

/// How far a servo must have been turned to see which one it is, in degrees.
const TESTED_DEG: f64 = 4.0;
/// A second look that differs by no more than this finds nothing wrong, in degrees.
const VERIFIED_DEG: f64 = 1.0;
/// Servos turn evenly but for some percents; more is asked about. Whoever gives nearly the same pulse again means it.
const UNEVEN: f64 = 1.2;
const INSISTS_DEG: f64 = 1.0;
/// Stops that are nearer to each other leave no angles between them that differ enough to measure, in degrees.
const LEAST_TRAVEL_DEG: f64 = 15.0;

impl Dialogue {
    pub(super) fn back(&mut self) -> Outcome {
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

    pub(super) fn accept(&mut self, shown_us: Option<f64>) -> Outcome {
        if let Err(reason) = self.may_take(shown_us) {
            self.say(Tone::Bad, reason);
            return Outcome::Same;
        }
        let pulse_us = self.mover.commanded_us();
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
    pub(super) fn may_take(&mut self, shown_us: Option<f64>) -> Result<(), String> {
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
        let commanded_us = self.mover.commanded_us();
        if shown_us.is_none_or(|shown_us| (shown_us - commanded_us).abs() > 0.1) {
            return Err("the boards do not put this pulse out yet; Enter again".into());
        }
        Ok(())
    }

    pub(super) fn take_stop(&mut self, pulse_us: f64, minus: bool) -> Outcome {
        if let Err(objection) = self.may_be_stop(pulse_us, minus) {
            self.say(Tone::Bad, objection);
            return Outcome::Same;
        }
        let finding = &mut self.findings[self.joint];
        *(if minus { &mut finding.minus_us } else { &mut finding.plus_us }) = Some(pulse_us);
        self.begin_stage();
        Outcome::Found
    }

    /// A stop is on its own side of neutral, and far enough from the other one to see angles between them.
    fn may_be_stop(&self, pulse_us: f64, minus: bool) -> Result<(), String> {
        let nominal = self.nominal();
        let degrees_from = |from_us: f64| ((pulse_us - from_us) / nominal.us_per_rad).to_degrees();
        let (beyond_deg, key) =
            if minus { (-degrees_from(nominal.neutral_us), "↓") } else { (degrees_from(nominal.neutral_us), "↑") };
        if beyond_deg <= -STEP_DEG {
            return Err(format!("that is on the other side of neutral: hold {key} until you reach this stop"));
        }
        if beyond_deg < STEP_DEG {
            return Err(
                "the joint was hardly moved. If it touches here, press X and mount the horn on another tooth".into()
            );
        }
        let other_us = if minus { None } else { self.finding().minus_us };
        match other_us.map(degrees_from) {
            Some(apart_deg) if apart_deg < LEAST_TRAVEL_DEG => Err(format!(
                "the stops are only {apart_deg:.0} degrees apart: go on to the stop, or press Backspace to look for the other one again"
            )),
            _ => Ok(()),
        }
    }

    pub(super) fn take_mark(&mut self, mark: Mark) -> Outcome {
        if let Some(objection) = self.finding().objection(&self.nominal(), mark) {
            self.say(Tone::Bad, objection);
            return Outcome::Same;
        }
        let times = self.finding().unevenness(mark);
        if times > UNEVEN && !self.insists_on(mark.pulse_us) {
            self.doubted_us = Some(mark.pulse_us);
            self.say(Tone::Bad, format!(
                "by this pulse the servo would turn {times:.1} times as far on one side as on the other: was one of the angles \
                 not what was asked for? Look again; Backspace sets the angle before again, Enter once more keeps this one"
            ));
            return Outcome::Same;
        }
        self.findings[self.joint].marks.push(mark);
        self.begin_stage();
        if self.asked_rad.is_some() { Outcome::Found } else { self.complete() }
    }

    /// Whether this pulse was given before and asked about.
    fn insists_on(&self, pulse_us: f64) -> bool {
        let close_us = INSISTS_DEG * self.nominal().us_per_deg();
        self.doubted_us.is_some_and(|doubted_us| (pulse_us - doubted_us).abs() <= close_us)
    }

    /// All was found for this joint.
    pub(super) fn complete(&mut self) -> Outcome {
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
        if let Err(reason) = self.check_again() {
            self.reject(&reason);
            return Outcome::Same;
        }
        self.findings[joint] = Finding::default();
        (self.done[joint], self.verified[joint]) = (true, self.mode == Mode::Verify);
        self.go_to(self.next_open(joint).unwrap_or(joint));
        Outcome::Joint(joint)
    }

    /// The stops and the way round that the file knows.
    pub(super) fn as_in_the_file(&self, finding: Finding) -> Finding {
        let (min_us, max_us) = self.servo().pulse_limits_us();
        let rising = self.nominal().us_per_rad > 0.0;
        let (minus_us, plus_us) = if rising { (min_us, max_us) } else { (max_us, min_us) };
        Finding { rising: Some(rising), minus_us: Some(minus_us), plus_us: Some(plus_us), ..finding }
    }

    /// What was changed last could not be written, for this reason: it is as before.
    pub fn reject(&mut self, reason: &str) {
        let Some((config, joint, finding)) = self.before.take() else { return };
        self.config = config;
        // As it was, it was checked.
        let _ = self.check_again();
        (self.done[joint], self.verified[joint]) = (false, false);
        self.findings[joint] = Finding { marks: Vec::new(), ..finding };
        self.go_to(joint);
        let joint = self.servo().joint();
        let words = format!(
            "{joint} was not written: {reason}. Set the angles again, or press Backspace to look for the stops again"
        );
        self.say(Tone::Bad, words);
    }

    /// The most by which the angles set differ from what the file says.
    pub(super) fn deviation_deg(&self) -> f64 {
        let off = |mark: &Mark| (self.servo().angle_rad(mark.pulse_us) - mark.angle_rad).abs().to_degrees();
        self.finding().marks.iter().map(off).fold(0.0, f64::max)
    }

    /// Takes up the checked form of what was found; why there is none.
    pub(super) fn check_again(&mut self) -> Result<(), String> {
        let mut checked = ServoConfig::try_from(self.config.clone()).map_err(|error| error.to_string())?;
        for (leg, joint) in &self.places {
            let Some(joint) = leg.joints().get(*joint) else { continue };
            let &JointLimits { lower, upper, .. } = joint.limits();
            if !checked.limit_joint(joint.name(), lower, upper) {
                let (lower, upper) = (degrees(lower), degrees(upper));
                return Err(format!("no angle from {lower} to {upper} degrees, its limits, is between the stops"));
            }
        }
        self.checked = checked;
        Ok(())
    }

    pub(super) fn answer(&mut self, key: Key) -> Outcome {
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

    pub(super) fn choose(&mut self, choice: usize, key: Key) -> Outcome {
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
    pub(super) fn swap(&mut self, other: usize) -> Outcome {
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
        // Two plugs that were valid are so when they are swapped.
        let _ = self.check_again();
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
    pub(super) fn ask_nearer(&mut self) {
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
