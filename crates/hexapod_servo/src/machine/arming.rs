//! From disarmed to armed, and from armed to holding and back.

use std::time::Duration;

use super::driver::ServoDriver;
use super::joint::{Joint, jump_rad};
use super::state::State;
use crate::backend::{ArmReport, Backend, Service};
use crate::joints::Timing;

/// A measurement that is older says nothing of where a joint stands: it is of the last tick, or there is none.
const MEASURED: Duration = Duration::from_millis(25);

/// Where a joint stands, rad, if its servo has just measured it.
fn measured<S: Backend>(backend: &S, joint: usize, now: Duration) -> Option<f64> {
    backend.measured(joint).position_rad?.within(MEASURED, now)
}

impl<S: Backend> ServoDriver<S> {
    /// Checks everything that must hold before a pulse, prepares the parts, and begins to arm if every check passed; else
    /// the state stays what it was, and parts without pulses stay off. Clears a latched fault or emergency stop if it
    /// passes. Does its traffic at once; leave [`settle`](Self::settle) between its end and the next tick. In a live state
    /// it passes, and brings joints back that were let go because nobody commanded them.
    ///
    /// Joints whose part kept its pulses through a fault keep them; all others begin where they were last commanded to
    /// be, or, if that is not known, with their commanded angle as first pulse.
    pub fn enable(&mut self, now: Duration) -> ArmReport {
        let mut report = ArmReport::default();
        if self.state.is_live() {
            self.joints.iter_mut().filter(|joint| joint.released).for_each(Joint::bring_back);
            return report;
        }
        self.check_config(&mut report);
        self.backend.prepare(now, &mut self.counters.wire, &mut report);
        self.check_commands(now, &mut report);
        self.check_pose(now, &mut report);
        if report.passed() {
            self.begin_arming(now);
        } else {
            self.backend.stay_off();
        }
        report
    }

    fn check_config(&self, report: &mut ArmReport) {
        let detail = format!("{} joints in {} groups", self.joints.len(), self.config.groups.len());
        report.add("config", true, detail);
    }

    fn check_commands(&self, now: Duration, report: &mut ArmReport) {
        let timeout = self.config.timing.command_timeout;
        let fresh = self.joints.iter().filter(|joint| joint.is_fresh(now, timeout)).count();
        let detail = match self.command_age(now) {
            None => "no joint command was received yet; start the planner, or with use_sim_time what publishes /clock"
                .to_owned(),
            Some(age) if fresh == 0 => {
                let (age_s, timeout_s) = (age.as_secs_f64(), timeout.as_secs_f64());
                format!("last joint command is {age_s:.2} s old, more than {timeout_s:.2} s")
            }
            Some(_) => format!("fresh, for {fresh} joints"),
        };
        report.add("commands", fresh > 0, detail);
    }

    /// Servos that measure where they stand are led from there slowly, from any pose. Of others, a joint whose place is known
    /// must not be commanded far from it: what was commanded before the servos were off and what is wanted now would be two
    /// different postures, and a slow sweep from one to the other is no way to stand.
    fn check_pose(&mut self, now: Duration, report: &mut ArmReport) {
        let Timing { pose_tolerance_rad: tolerance_rad, command_timeout, .. } = self.config.timing;
        let (mut known, mut measured_rad) = (None::<(f64, &str)>, None::<f64>);
        for (index, (joint, of)) in self.joints.iter().zip(&self.config.joints).enumerate() {
            let Some(target_rad) = joint.target_rad.filter(|_| joint.is_fresh(now, command_timeout)) else { continue };
            if let Some(position_rad) = measured(&self.backend, index, now).filter(|_| !joint.on) {
                measured_rad = Some((target_rad - position_rad).abs().max(measured_rad.unwrap_or(0.0)));
            } else if let Some(position_rad) = joint.position_rad {
                let away = ((target_rad - position_rad).abs(), of.name.as_str());
                known = Some(known.map_or(away, |farthest| if away.0 > farthest.0 { away } else { farthest }));
            }
        }
        let (passed, detail) = match (known, measured_rad) {
            (Some((away_rad, joint)), _) if away_rad > tolerance_rad => {
                let detail = format!(
                    "{joint} is commanded {away_rad:.2} rad from where it was last commanded to be, more \
                    than {tolerance_rad:.2} rad; let the planner take that pose (stand, sit or pack). If it was moved \
                    by hand since, call enable false and then true: it then starts where it is commanded, at once"
                );
                (false, detail)
            }
            (_, Some(away_rad)) => (
                true,
                format!("measured, at most {away_rad:.2} rad from where the joints are commanded: slowly from there"),
            ),
            (Some((away_rad, _)), None) => {
                (true, format!("at most {away_rad:.2} rad from where the joints were last commanded to be"))
            }
            (None, None) => {
                (true, "the positions of the joints are unknown: they start where they are commanded".to_owned())
            }
        };
        self.pose_refused = !passed;
        report.add("pose", passed, detail);
    }

    /// Time to leave between an [`enable`](Self::enable) and the next tick.
    pub fn settle(&self) -> Duration {
        self.backend.settle()
    }

    fn begin_arming(&mut self, now: Duration) {
        for (index, joint) in self.joints.iter_mut().enumerate() {
            joint.on &= matches!(self.backend.service(index), Service::Holding | Service::Settling);
            joint.met = false;
            joint.relaxed = false;
            joint.released = false;
            joint.stale = false;
            joint.strained = Duration::ZERO;
        }
        self.fault = None;
        self.trip_pending = None;
        self.groups_on = 0;
        self.next_group = now + self.backend.settle();
        // Preparing many parts on a slow wire takes long, and is no stall.
        self.last_tick = None;
        self.arming_done = false;
        self.enter(now, State::Arming);
    }

    /// Switches on the next group when it is time, and joints that got their first target later.
    pub(super) fn open_groups(&mut self, now: Duration) {
        if self.groups_on < self.config.groups.len() && now >= self.next_group {
            self.groups_on += 1;
            self.next_group = now + self.config.timing.group_interval;
        }
        let timeout = self.config.timing.command_timeout;
        for (index, (joint, servo)) in self.joints.iter_mut().zip(&self.config.joints).enumerate() {
            let works = self.backend.service(index) != Service::Off;
            let wanted = !joint.on && !joint.relaxed && joint.is_fresh(now, timeout);
            if wanted && works && servo.group < self.groups_on {
                let standing_rad = measured(&self.backend, index, now);
                // One that has told where it stands, and did not in the last tick, begins when it does again.
                if standing_rad.is_some() || self.backend.measured(index).position_rad.is_none() {
                    joint.switch_on(standing_rad);
                }
            }
        }
    }

    pub(super) fn finish_arming(&mut self, now: Duration) {
        let all_on = self.groups_on == self.config.groups.len() && now >= self.next_group;
        let rests = |index: usize| self.backend.service(index) != Service::Settling;
        let mut joints = self.joints.iter().enumerate().filter(|(_, joint)| joint.on);
        if self.state == State::Arming && all_on && joints.all(|(index, joint)| joint.met && rests(index)) {
            self.arming_done = true;
            // One that has met its target and lost it again stays slow until it meets it once more.
            self.joints.iter_mut().for_each(|joint| joint.met = joint.at_target);
            self.enter(now, State::Armed);
        }
    }

    /// Holds joints whose commands have stopped, each by itself, and lets those go on that are still commanded: a source
    /// that lives keeps none of the joints of one that has died. Asks for the robot to sit, and relaxes what is held,
    /// after set times.
    pub(super) fn watch_commands(&mut self, now: Duration) {
        if !self.state.is_live() {
            return;
        }
        let timeout = self.config.timing.command_timeout;
        for (joint, servo) in self.joints.iter_mut().zip(&self.config.joints) {
            joint.watch(now, timeout, jump_rad(servo));
        }
        // Before the first joint is on, it is the command that was fresh when arming began.
        let stale = self.joints.iter().any(|joint| joint.stale)
            || !self.joints.iter().any(|joint| joint.on || joint.is_fresh(now, timeout));
        self.silent_since = if stale { self.silent_since.or(Some(now)) } else { None };
        match self.state {
            State::Arming | State::Armed if stale => {
                self.counters.holds += 1;
                self.sit_asked = false;
                self.enter(now, State::Holding);
            }
            State::Holding if !stale => {
                let next = if self.arming_done { State::Armed } else { State::Arming };
                self.enter(now, next);
            }
            State::Holding => self.hold(now),
            _ => {}
        }
    }

    /// What holding for long leads to.
    fn hold(&mut self, now: Duration) {
        let held = now.saturating_sub(self.since);
        if !self.sit_asked && self.config.timing.sit_after.is_some_and(|limit| held >= limit) {
            self.sit_asked = true;
            self.counters.sit_requests += 1;
        }
        if self.config.timing.relax_after.is_some_and(|limit| held >= limit) {
            self.relax_stale();
        }
    }

    /// Takes the pulses of joints away that nobody commands any more; of all when none are left.
    fn relax_stale(&mut self) {
        for (index, joint) in self.joints.iter_mut().enumerate().filter(|(_, joint)| joint.stale) {
            joint.relax();
            joint.released = true;
            self.backend.set(index, None);
        }
        if !self.joints.iter().any(|joint| joint.on) {
            self.disable();
        }
    }
}
