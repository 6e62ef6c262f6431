//! The force on a foot from samples as a driver reports them: at a rate of its own, with gaps, repeats and nonsense.

mod cadence;

use std::time::Duration;

use hexapod_kinematics::{JointSampler, LegAngles};

use crate::base::BaseMotion;
use crate::force::{ForceEstimator, ForceSettings, LegForces, SettingsError};
use crate::leg::{JointVector, LegDynamics};
use cadence::{Beat, Cadence};

/// Time that the parabola through the angles spans, s, and its samples at any rate. A longer one makes accelerations
/// quieter and later: a swing of a third of a second changes them within 50 ms.
const SPAN_S: f64 = 0.03;
const WINDOWS: std::ops::RangeInclusive<usize> = 3..=9;

/// What became of the samples since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleCounts {
    /// Samples that gave a force.
    pub used: u64,
    /// Samples whose numbers were not finite or far from possible, or too soon after one of those or after a gap.
    pub unusable: u64,
    /// Gaps in the stamps, of one lost sample or more.
    pub gaps: u64,
    /// Samples as old as the one before, or older.
    pub stale: u64,
}

/// Estimates the force on one foot from stamped samples. It learns their rate from their stamps, and never allocates.
#[derive(Clone, Debug)]
pub struct FootEstimator {
    cadence: Cadence,
    settings: ForceSettings,
    forces: ForceEstimator,
    sampler: JointSampler,
    counts: SampleCounts,
}

/// Any step, until the true one is known.
const FIRST_STEP_S: f64 = 0.01;

impl FootEstimator {
    /// An estimator with these settings, whose `step_s` is replaced by what the stamps say.
    ///
    /// # Errors
    /// [`SettingsError`] for a setting that is not a finite number above zero.
    pub fn try_new(dynamics: LegDynamics, settings: ForceSettings) -> Result<Self, SettingsError> {
        let settings = ForceSettings { step_s: FIRST_STEP_S, ..settings };
        let joints = dynamics.joint_count();
        let wrong_step = |_| SettingsError { setting: "step_s", value: FIRST_STEP_S };
        let sampler = JointSampler::try_new(joints, FIRST_STEP_S, window(FIRST_STEP_S)).map_err(wrong_step)?;
        let forces = ForceEstimator::try_new(dynamics, settings)?;
        Ok(Self { cadence: Cadence::default(), settings, forces, sampler, counts: SampleCounts::default() })
    }

    /// What became of the samples so far.
    pub fn counts(&self) -> SampleCounts {
        self.counts
    }

    /// Takes a sample: joint angles, rad, torques of the servos on the joints, N m, and the body's motion, all of the
    /// time `stamp`. `None` where the sample says nothing, which is counted; the first ten only tell the rate.
    pub fn take(
        &mut self,
        stamp: Duration,
        angles: &LegAngles,
        torques: &JointVector,
        base: &BaseMotion,
    ) -> Option<LegForces> {
        match self.cadence.take(stamp) {
            Beat::Stale => {
                self.counts.stale += 1;
                return None;
            }
            Beat::Unknown => return None,
            Beat::New(step_s) => self.pace(step_s),
            Beat::Gap => {
                self.counts.gaps += 1;
                self.reset();
            }
            Beat::Next => {}
        }
        let motion = self.sampler.add(angles);
        let forces = self.forces.update(&motion, torques, base);
        let usable = forces.direct.valid || forces.observer.valid;
        *(if usable { &mut self.counts.used } else { &mut self.counts.unusable }) += 1;
        usable.then_some(forces)
    }

    /// Begins anew with another step.
    fn pace(&mut self, step_s: f64) {
        let settings = ForceSettings { step_s, ..self.settings };
        let dynamics = self.forces.dynamics();
        let sampler = JointSampler::try_new(dynamics.joint_count(), step_s, window(step_s));
        if let (Ok(forces), Ok(sampler)) = (ForceEstimator::try_new(dynamics.clone(), settings), sampler) {
            (self.forces, self.sampler) = (forces, sampler);
        }
    }

    fn reset(&mut self) {
        self.forces.reset();
        self.sampler.reset();
    }
}

fn window(step_s: f64) -> usize {
    ((SPAN_S / step_s).round() as usize + 1).clamp(*WINDOWS.start(), *WINDOWS.end())
}
