//! Inverse of a leg: a closed form where it has one, iteration where it has none or that finds nothing.

use nalgebra::Vector3;

use super::budget::IterationBudget;
use crate::angles::LegAngles;
use crate::closed_form::{Candidates, IkError, Quartic, Solution, Solutions, Solver, fit_angle};
use crate::leg::Leg;

impl Leg {
    /// How the inverse is found: `closed form (parallel)`, `closed form (nearly parallel)`, `closed form (quartic)` or
    /// `iteration`.
    pub fn inverse_method(&self) -> &'static str {
        match self.solver {
            Solver::Parallel(_) => "closed form (parallel)",
            Solver::Nearly(..) => "closed form (nearly parallel)",
            Solver::Quartic(_) => "closed form (quartic)",
            Solver::Iteration => "iteration",
        }
    }

    /// Angles inside the joint limits that put the foot at `foot_in_body` (m), to 1e-9 m; of several solutions the
    /// one nearest to `seed` (which may be any angles; those that are not finite count as home).
    ///
    /// # Errors
    /// [`IkError`] when the target is not finite, out of reach, or in reach only outside the limits.
    #[inline]
    pub fn inverse(&self, foot_in_body: &Vector3<f64>, seed: &LegAngles) -> Result<LegAngles, IkError> {
        if let Some(angles) = self.inverse_at_once(foot_in_body, seed) {
            return Ok(angles);
        }
        self.inverse_with_care(foot_in_body, seed, &mut IterationBudget::unbounded())
    }

    /// The same in bounded time, for a leg that is on its way: an iteration starts from `seed` only and takes the steps
    /// of `budget`. A leg whose outer axes are parallel finds what [`Self::inverse`] finds; any other the bend it has,
    /// or none. A redundant leg turns its joints as little as may be, and towards its posture by what they have time
    /// for in `spare_s` seconds: so none turns much faster than its foot asks, however far from its posture it is.
    ///
    /// # Errors
    /// As [`Self::inverse`]; [`IkError::NotConverged`] where the budget is spent.
    #[inline]
    pub fn inverse_tracking(
        &self,
        foot_in_body: &Vector3<f64>,
        seed: &LegAngles,
        spare_s: f64,
        budget: &mut IterationBudget,
    ) -> Result<LegAngles, IkError> {
        if let Some(angles) = self.inverse_at_once(foot_in_body, seed) {
            return Ok(angles);
        }
        if let Solver::Parallel(_) = self.solver {
            return self.inverse_with_care(foot_in_body, seed, budget);
        }
        if !foot_in_body.iter().all(|x| x.is_finite()) {
            return Err(IkError::NotFinite);
        }
        self.iterate_near(foot_in_body, &self.usable_seed(seed), spare_s, budget)
    }

    /// The same in bounded time, from `seed` only, with a redundant leg on its posture as [`Self::inverse`] has it: for a
    /// leg that is put somewhere, now or later.
    ///
    /// # Errors
    /// As [`Self::inverse_tracking`].
    pub fn inverse_with_posture(
        &self,
        foot_in_body: &Vector3<f64>,
        seed: &LegAngles,
        budget: &mut IterationBudget,
    ) -> Result<LegAngles, IkError> {
        let near = self.inverse_tracking(foot_in_body, seed, 0.0, budget)?;
        Ok(if self.joint_count() > 3 { self.on_posture(foot_in_body, &near, budget) } else { near })
    }

    /// The inverse of a leg whose outer joints are parallel, in the midst of its workspace.
    #[inline(always)]
    fn inverse_at_once(&self, foot_in_body: &Vector3<f64>, seed: &LegAngles) -> Option<LegAngles> {
        let (Solver::Parallel(parallel), [q1, q2, q3]) = (&self.solver, &**seed) else { return None };
        if !(q1 + q2 + q3).is_finite() {
            return None;
        }
        parallel.nearest_inside(foot_in_body, [*q1, *q2, *q3], &self.ranges).map(LegAngles::from)
    }

    /// The inverse where the quick way found nothing: on the edge of the workspace, out of reach, other geometries.
    #[cold]
    #[inline(never)]
    fn inverse_with_care(
        &self,
        foot_in_body: &Vector3<f64>,
        seed: &LegAngles,
        budget: &mut IterationBudget,
    ) -> Result<LegAngles, IkError> {
        if !foot_in_body.iter().all(|x| x.is_finite()) {
            return Err(IkError::NotFinite);
        }
        let seed = self.usable_seed(seed);
        if !budget.take(1) {
            return Err(IkError::NotConverged { residual_m: f64::INFINITY, iterations: 0 });
        }
        match self.candidates(foot_in_body, &seed) {
            Some(candidates) => self.choose(&candidates?, &seed).or_else(|error| match self.solver {
                // Where two of the roots that are polished are nearly one, the one inside may have been lost in the other.
                Solver::Nearly(..) | Solver::Quartic(_) => self.iterate(foot_in_body, &seed, budget).map_err(|_| error),
                _ => Err(error),
            }),
            None => self.iterate(foot_in_body, &seed, budget),
        }
    }

    /// All solutions, nearest to [`Leg::home`] first; see [`Leg::solutions_near`].
    pub fn solutions(&self, foot_in_body: &Vector3<f64>) -> Solutions {
        self.solutions_near(foot_in_body, &self.home())
    }

    /// All solutions, those inside the limits first, then by nearness to `seed`; none when the target is out of
    /// reach. A redundant leg (four joints and more) has a continuum of them; there it is the distinct ones that
    /// the iteration reaches.
    pub fn solutions_near(&self, foot_in_body: &Vector3<f64>, seed: &LegAngles) -> Solutions {
        let seed = self.usable_seed(seed);
        let mut solutions = Solutions::default();
        if !foot_in_body.iter().all(|x| x.is_finite()) {
            return solutions;
        }
        match self.candidates(foot_in_body, &seed) {
            Some(Ok(candidates)) => {
                for raw in candidates.iter() {
                    let (angles, outside) = self.fit(raw, &seed);
                    solutions.insert(Solution { angles, within_limits: outside.is_none() });
                }
            }
            Some(Err(_)) => {}
            None => self.iterate_all(foot_in_body, &seed, &mut solutions),
        }
        solutions.sort_by_nearness(&seed);
        solutions
    }

    /// The closed form, where the leg has one and it finds the target in reach.
    fn candidates(&self, foot_in_body: &Vector3<f64>, seed: &LegAngles) -> Option<Result<Candidates, IkError>> {
        match &self.solver {
            Solver::Parallel(parallel) => Some(parallel.solve(foot_in_body, seed)),
            Solver::Nearly(parallel, quartic) => {
                let meant = parallel.solve(foot_in_body, seed).unwrap_or_default();
                let mut found = Candidates::default();
                let polished = meant.iter().filter_map(|angles| self.chain.polished(foot_in_body, *angles));
                polished.for_each(|angles| found.push_distinct(angles));
                if found.is_empty() { roots(quartic, foot_in_body, seed) } else { Some(Ok(found)) }
            }
            Solver::Quartic(quartic) => roots(quartic, foot_in_body, seed),
            Solver::Iteration => None,
        }
    }

    /// Seed with a finite angle for each joint.
    pub(super) fn usable_seed(&self, seed: &LegAngles) -> LegAngles {
        if seed.len() == self.joint_count() && seed.is_finite() {
            return *seed;
        }
        let home = self.home();
        LegAngles::from_fn(self.joint_count(), |i| {
            let fallback = home.get(i).copied().unwrap_or(0.0);
            seed.get(i).copied().filter(|a| a.is_finite()).unwrap_or(fallback)
        })
    }

    fn choose(&self, candidates: &Candidates, seed: &LegAngles) -> Result<LegAngles, IkError> {
        let mut best: Option<(f64, LegAngles)> = None;
        let mut refused: Option<(f64, IkError)> = None;
        for raw in candidates.iter() {
            let (angles, outside) = self.fit(raw, seed);
            match outside {
                None => {
                    let distance = angles.distance_squared(seed);
                    if best.as_ref().is_none_or(|(d, _)| distance < *d) {
                        best = Some((distance, angles));
                    }
                }
                Some((excess, error)) => {
                    if refused.as_ref().is_none_or(|(e, _)| excess < *e) {
                        refused = Some((excess, error));
                    }
                }
            }
        }
        match (best, refused) {
            (Some((_, angles)), _) => Ok(angles),
            (None, Some((_, error))) => Err(error),
            (None, None) => Err(IkError::Unreachable { shortfall_m: f64::INFINITY }),
        }
    }

    /// Whole turns added to each angle so that it is inside its limits and, of the choices, nearest to the seed.
    /// With it, how far outside the worst joint is and the error that says so.
    fn fit(&self, raw: &[f64; 3], seed: &LegAngles) -> (LegAngles, Option<(f64, IkError)>) {
        let mut worst: Option<(f64, IkError)> = None;
        let angles = LegAngles::from_fn(3, |i| {
            let (Some(angle), Some(joint), Some(near)) = (raw.get(i), self.joints().get(i), seed.get(i)) else {
                return 0.0;
            };
            let fitted = fit_angle(*angle, joint.limits(), *near);
            let excess = -joint.limits().margin(fitted);
            if excess > 0.0 && worst.as_ref().is_none_or(|(e, _)| excess > *e) {
                let limits = joint.limits();
                let error =
                    IkError::OutsideLimits { joint: i, angle: fitted, lower: limits.lower, upper: limits.upper };
                worst = Some((excess, error));
            }
            fitted
        });
        (angles, worst)
    }
}

/// The closed form of a quartic, where it finds the target in reach.
fn roots(quartic: &Quartic, foot_in_body: &Vector3<f64>, seed: &LegAngles) -> Option<Result<Candidates, IkError>> {
    match quartic.solve(foot_in_body, seed) {
        Ok(found) if found.is_empty() => None,
        other => Some(other),
    }
}
