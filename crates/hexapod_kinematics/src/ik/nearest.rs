//! The reachable point nearest to a target, whatever the target.

use nalgebra::Vector3;

use super::budget::IterationBudget;
use super::iteration::REACHED;
use crate::angles::LegAngles;
use crate::leg::Leg;

/// A pose of a leg inside its limits, with the foot as near to a target as it gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPose {
    /// Angles inside the limits, rad.
    pub angles: LegAngles,
    /// Where they put the foot in the body frame, m.
    pub foot_in_body: Vector3<f64>,
    /// True when that is the target, to 1e-9 m.
    pub reached: bool,
}

impl Leg {
    /// Angles inside the limits that put the foot at the target, or at the reachable point nearest to it. Never
    /// fails: a target that is not finite gives the seed (moved into the limits; home where it is not finite).
    ///
    /// Nearest is in the body frame and over the whole range of the joints, so that a target that wanders outside
    /// the workspace may make the leg change its bend where two points are equally near.
    pub fn closest_reachable(&self, foot_in_body: &Vector3<f64>, seed: &LegAngles) -> NearestPose {
        let seed = self.clamp(&self.usable_seed(seed));
        if !foot_in_body.iter().all(|x| x.is_finite()) {
            return NearestPose { angles: seed, foot_in_body: self.foot_in_body(&seed), reached: false };
        }
        let target = self.pull_in(foot_in_body);
        if let Ok(angles) = self.inverse(&target, &seed) {
            let reached = target == *foot_in_body;
            return NearestPose { angles, foot_in_body: self.foot_in_body(&angles), reached };
        }
        let best = self.descend_from_all(&target, &seed, &mut IterationBudget::unbounded());
        let reached = best.distance <= REACHED && target == *foot_in_body;
        NearestPose { angles: best.angles, foot_in_body: self.foot_in_body(&best.angles), reached }
    }

    /// The same in bounded time, from `seed` only: as near as the way downhill from there leads before the budget is
    /// spent.
    pub fn closest_within_budget(
        &self,
        foot_in_body: &Vector3<f64>,
        seed: &LegAngles,
        budget: &mut IterationBudget,
    ) -> NearestPose {
        let seed = self.clamp(&self.usable_seed(seed));
        let finite = foot_in_body.iter().all(|x| x.is_finite());
        let target = if finite { self.pull_in(foot_in_body) } else { self.foot_in_body(&seed) };
        let end = self.descend(&target, &seed, budget);
        let reached = finite && end.distance <= REACHED && target == *foot_in_body;
        NearestPose { angles: end.angles, foot_in_body: self.foot_in_body(&end.angles), reached }
    }
}
