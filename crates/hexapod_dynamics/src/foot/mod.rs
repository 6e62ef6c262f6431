//! The force on a foot from samples as a driver reports them: at a rate of its own, with gaps, repeats and nonsense.

mod plausible;
mod track;

use std::time::Duration;

use hexapod_kinematics::LegAngles;

use crate::base::BaseMotion;
use crate::force::{EffortSource, ForceEstimator, ForceSettings, LegForces, SettingsError};
use crate::leg::{JointVector, LegDynamics};
use crate::swing::{Plan, Swing};
use track::{SPAN_S, Track};

/// Longest time between two samples through which a leg's motion is followed, s: 20 Hz with one sample lost.
const GAP_S: f64 = 0.12;
/// Samples that follow each other more closely are the same one, s.
const LEAST_STEP_S: f64 = 0.0004;
/// A stamp that goes back by more is that of another clock.
const SET_BACK: Duration = Duration::from_secs(1);

/// What became of the samples since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleCounts {
    /// Samples that gave a force.
    pub used: u64,
    /// Samples whose numbers were not finite or far from possible, or too soon after the start or a gap.
    pub unusable: u64,
    /// Samples of angles that no joint gets to in the time, or of torques that no servo has, by its limits.
    pub outliers: u64,
    /// Gaps in the stamps too long for the leg's motion to be followed through them.
    pub gaps: u64,
    /// Samples as old as the one before, or older.
    pub stale: u64,
}

/// Estimates the force on one foot from stamped samples at any rate, even or not. Never allocates.
#[derive(Clone, Debug)]
pub struct FootEstimator {
    last: Option<Duration>,
    forces: ForceEstimator,
    track: Track,
    planned_support: Option<bool>,
    swing: Swing,
    counts: SampleCounts,
}

/// What a stamp says of its sample.
enum Beat {
    /// So long after the last one, s.
    After(f64),
    /// After a gap, or the first of all.
    Anew,
    Stale,
}

impl FootEstimator {
    /// An estimator with these settings, whose `step_s` is replaced by what the stamps say.
    ///
    /// # Errors
    /// [`SettingsError`] for a setting that is not a finite number above zero.
    pub fn try_new(dynamics: LegDynamics, settings: ForceSettings) -> Result<Self, SettingsError> {
        let track = Track::new(dynamics.joint_count());
        let forces = ForceEstimator::try_new(dynamics, settings)?;
        Ok(Self {
            last: None,
            forces,
            track,
            planned_support: None,
            swing: Swing::default(),
            counts: SampleCounts::default(),
        })
    }

    /// Says whether the gait has the foot on the ground now. Friction and rotors of its servos are learned while it swings;
    /// where no plan has come yet there is nothing to learn by, and they are taken for what the settings say.
    pub fn plan(&mut self, support: Option<bool>) {
        if support.is_some() {
            self.forces.doubt_motors();
        }
        self.planned_support = support;
    }

    /// Sets what the torques of the samples to come are made of.
    pub fn set_effort_source(&mut self, efforts: EffortSource) {
        self.forces.set_effort_source(efforts);
    }

    /// What became of the samples so far.
    pub fn counts(&self) -> SampleCounts {
        self.counts
    }

    /// Takes a sample: joint angles, rad, torques of the servos on the joints, N m, and the body's motion, all of the
    /// time `stamp`. `None` where the sample says nothing, which is counted; so do the first few.
    pub fn take(
        &mut self,
        stamp: Duration,
        angles: &LegAngles,
        torques: &JointVector,
        base: &BaseMotion,
    ) -> Option<LegForces> {
        let known = torques.iter().take(angles.len()).all(|torque| torque.is_finite());
        if !known || !angles.is_finite() || angles.len() != self.forces.dynamics().joint_count() {
            self.counts.unusable += 1;
            return None;
        }
        let step_s = match self.beat(stamp) {
            Beat::Stale => {
                self.counts.stale += 1;
                return None;
            }
            Beat::Anew => {
                self.reset();
                GAP_S
            }
            Beat::After(step_s) => step_s,
        };
        // One that is left out is as one that was lost.
        if !plausible::holds(self.forces.dynamics(), torques, (self.track.newest(), angles), step_s) {
            self.counts.outliers += 1;
            return None;
        }
        self.counts.gaps += u64::from(step_s >= GAP_S && self.last.is_some());
        self.last = Some(stamp);
        let (motion, longest_s) = self.track.add(angles, step_s);
        let forces = self.forces.update_after(&motion, torques, base, step_s, (longest_s / SPAN_S).max(1.0));
        match self.swing.step(self.planned_support, step_s) {
            Plan::Airborne => self.forces.learn(),
            Plan::Lifted | Plan::Descending => self.forces.unload(),
            Plan::Support | Plan::Unknown => {}
        }
        let usable = forces.direct.valid || forces.observer.valid;
        *(if usable { &mut self.counts.used } else { &mut self.counts.unusable }) += 1;
        usable.then_some(forces)
    }

    fn beat(&self, stamp: Duration) -> Beat {
        let Some(last) = self.last else { return Beat::Anew };
        match stamp.checked_sub(last).map(|step| step.as_secs_f64()) {
            None if last - stamp >= SET_BACK => Beat::Anew,
            Some(step_s) if step_s >= GAP_S => Beat::Anew,
            Some(step_s) if step_s >= LEAST_STEP_S => Beat::After(step_s),
            _ => Beat::Stale,
        }
    }

    fn reset(&mut self) {
        self.forces.reset();
        self.track.reset();
    }
}
