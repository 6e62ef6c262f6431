//! Inverse by iteration: descents from the seed and from a grid over the joint limits.

use nalgebra::Vector3;

use super::budget::IterationBudget;
use super::newton::Descent;
use crate::angles::LegAngles;
use crate::closed_form::{IkError, Solution, Solutions};
use crate::leg::Leg;

/// Distance that counts as reached, m.
pub(super) const REACHED: f64 = 1e-9;
/// Starts that are followed to the end, of all that are looked at; the rest of them only where a target is missed by
/// so little, in lengths of the leg, that the joint limits may have been in the way of the first ones.
const FOLLOWED: usize = 16;
const ALL_FOLLOWED: usize = 64;
const NEAR_MISS: f64 = 0.15;
/// Steps of a search for a target that a leg on its way does not reach at once.
const SEARCH_ON_THE_WAY: u32 = 24;

impl Leg {
    /// A target farther away than 100 times the leg's length is moved onto that sphere about the hip, so that
    /// squares of it stay finite; the nearest reachable point of both is the same to less than a per cent of angle.
    pub(super) fn pull_in(&self, target: &Vector3<f64>) -> Vector3<f64> {
        let hip = self.hip_in_body();
        let away = target - hip;
        let largest = away.amax();
        let limit = 100.0 * self.length();
        if largest <= limit { *target } else { hip + (away / largest).normalize() * limit }
    }

    /// The best of the descents from the seed and from the most promising of a grid over the limits; the first that
    /// reaches the target.
    pub(super) fn descend_from_all(
        &self,
        target: &Vector3<f64>,
        seed: &LegAngles,
        budget: &mut IterationBudget,
    ) -> Descent {
        let mut best = self.descend(target, seed, budget);
        let mut starts = [(f64::INFINITY, *seed); ALL_FOLLOWED];
        self.for_each_start(|start| {
            let distance = (self.foot_in_body(&start) - target).norm();
            let place = starts.partition_point(|(known, _)| *known <= distance);
            let mut moved = (distance, start);
            starts.iter_mut().skip(place).for_each(|slot| std::mem::swap(slot, &mut moved));
        });
        for (index, (distance, start)) in starts.iter().enumerate() {
            let far = index >= FOLLOWED && best.distance > NEAR_MISS * self.length();
            if best.distance <= REACHED || far || !distance.is_finite() {
                break;
            }
            let other = self.descend(target, start, budget);
            if other.distance < best.distance - 1e-12 {
                best = other;
            }
        }
        best
    }

    /// Calls back with a grid of poses over the limits, three per joint.
    fn for_each_start(&self, mut look: impl FnMut(LegAngles)) {
        let count = 3usize.pow(u32::try_from(self.joint_count()).unwrap_or(0));
        for index in 0..count {
            let mut rest = index;
            look(LegAngles::from_fn(self.joint_count(), |i| {
                let fraction = [0.1, 0.5, 0.9].get(rest % 3).copied().unwrap_or(0.5);
                rest /= 3;
                self.joints()
                    .get(i)
                    .map_or(0.0, |j| j.limits().lower + fraction * (j.limits().upper - j.limits().lower))
            }));
        }
    }

    /// Inverse by iteration: from the seed, then from everywhere; a redundant leg then takes on its posture.
    pub(super) fn iterate(
        &self,
        target: &Vector3<f64>,
        seed: &LegAngles,
        budget: &mut IterationBudget,
    ) -> Result<LegAngles, IkError> {
        self.within_length(target)?;
        let first = self.track(target, seed, budget).unwrap_or_else(|| self.descend(target, seed, budget));
        let reached = first.distance <= REACHED;
        let best = if reached { first } else { self.descend_from_all(&self.pull_in(target), seed, budget) };
        let end = self.settled(target, best)?;
        Ok(if self.joint_count() > 3 { self.take_on_posture(target, end, budget) } else { end.angles })
    }

    /// The same from the seed only, as long as the budget lasts: a redundant leg comes nearer to its posture by what
    /// its joints turn in `spare_s` seconds.
    pub(super) fn iterate_near(
        &self,
        target: &Vector3<f64>,
        seed: &LegAngles,
        spare_s: f64,
        budget: &mut IterationBudget,
    ) -> Result<LegAngles, IkError> {
        self.within_length(target)?;
        // To see that the foot is there already costs as much as a step.
        if !budget.take(1) {
            return Err(IkError::NotConverged { residual_m: f64::INFINITY, iterations: 0 });
        }
        let end = match self.track(target, seed, budget) {
            Some(end) => end,
            None => {
                let mut fraction = budget.at_most(SEARCH_ON_THE_WAY);
                let steps = fraction.left();
                let end = self.descend(target, seed, &mut fraction);
                budget.take(steps - fraction.left());
                self.settled(target, end)?
            }
        };
        let drifts = self.joint_count() > 3 && spare_s > 0.0;
        Ok(if drifts { self.drift(target, end, spare_s, budget) } else { end.angles })
    }

    /// Refuses what is farther than the links are long together: at once, as a path that leaves the workspace
    /// mostly is.
    fn within_length(&self, target: &Vector3<f64>) -> Result<(), IkError> {
        let beyond = (target - self.hip_in_body()).norm() - self.length();
        if beyond > REACHED { Err(IkError::Unreachable { shortfall_m: beyond }) } else { Ok(()) }
    }

    /// A descent that has ended on the target.
    fn settled(&self, target: &Vector3<f64>, end: Descent) -> Result<Descent, IkError> {
        let distance = (end.foot() - target).norm();
        match (distance <= REACHED, end.converged) {
            (true, _) => Ok(end),
            (false, true) => Err(IkError::Unreachable { shortfall_m: distance }),
            (false, false) => Err(IkError::NotConverged { residual_m: distance, iterations: end.steps }),
        }
    }

    /// Distinct solutions inside the limits, by iteration from a grid over the limits.
    pub(super) fn iterate_all(&self, target: &Vector3<f64>, seed: &LegAngles, found: &mut Solutions) {
        let mut keep = |end: Descent| {
            if end.distance <= REACHED {
                found.insert(Solution { angles: end.angles, within_limits: true });
            }
        };
        keep(self.descend(target, seed, &mut IterationBudget::unbounded()));
        self.for_each_start(|start| keep(self.descend(target, &start, &mut IterationBudget::unbounded())));
    }
}
