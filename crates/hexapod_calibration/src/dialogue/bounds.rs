//! Which joint and which pulse is gone to, and which pulses may be tried.

use super::state::Dialogue;
use super::terms::{Mode, Stage};
use crate::asked;
use crate::finding::Nominal;
use crate::mover::Mover;
use crate::travel::Travel;

/// How far a servo is turned to see which one it is, in degrees.
const TEST_DEG: f64 = 5.0;
/// A stop is looked for this far beyond the joint's limit, in radians: the horn may be off by so much.
const BEYOND_RAD: f64 = 0.52;
/// Pulses of a hobby servo, in microseconds; a file that goes beyond is heeded.
const USUAL_US: (f64, f64) = (500.0, 2500.0);

impl Dialogue {
    /// Goes to the joint of this name; false if there is none.
    pub fn go_to_joint(&mut self, name: &str) -> bool {
        let joint = self.checked.joint_index(name);
        joint.into_iter().for_each(|joint| self.go_to(joint));
        joint.is_some()
    }

    pub(super) fn step_joint(&mut self, by: isize) {
        let count = self.done.len() as isize;
        self.go_to((self.joint as isize + by).rem_euclid(count) as usize);
    }

    /// To a joint, with pulses off.
    pub(super) fn go_to(&mut self, joint: usize) {
        self.joint = joint;
        let clock = self.checked.boards()[self.servo().board()].clock();
        let nominal = self.nominal();
        self.mover = Mover::new(nominal.neutral_us, nominal.us_per_deg(), 1.0 / clock.counts_per_us());
        self.choosing = None;
        self.begin_stage();
    }

    /// Bounds and goal of what is asked for now.
    pub(super) fn begin_stage(&mut self) {
        (self.asked_rad, self.doubted_us) = (self.next_angle(), None);
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

    pub(super) fn pulse_at(&self, nominal: &Nominal, angle_rad: f64) -> f64 {
        match self.mode {
            Mode::Verify => self.servo().pulse_us(angle_rad).map_or(nominal.neutral_us, |pulse| pulse.value),
            Mode::Calibrate => self.finding().pulse_us(nominal, angle_rad),
        }
    }

    pub(super) fn next_angle(&self) -> Option<f64> {
        match self.mode {
            Mode::Verify => {
                let (minus_rad, plus_rad) = self.servo().angle_limits_rad();
                let travel = Travel { minus_rad, plus_rad, urdf_rad: self.urdf_rad() };
                asked::next(&travel, &self.finding().marks, true)
            }
            Mode::Calibrate => {
                let travel = self.finding().travel(&self.nominal(), self.urdf_rad())?;
                asked::next(&travel, &self.finding().marks, false)
            }
        }
    }

    /// The pulses that may be tried now.
    pub(super) fn bounds_us(&self, nominal: &Nominal) -> (f64, f64) {
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
    pub(super) fn outermost_us(&self, nominal: &Nominal, angle_rad: f64) -> f64 {
        let (min_us, max_us) = self.servo().pulse_limits_us();
        let pulse_us = nominal.neutral_us + (angle_rad - nominal.neutral_rad) * nominal.us_per_rad;
        pulse_us.clamp(USUAL_US.0.min(min_us), USUAL_US.1.max(max_us))
    }
}
