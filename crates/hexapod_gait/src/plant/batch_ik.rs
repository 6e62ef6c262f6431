//! All legs solved at once.

use crate::plant::stance::Stance;
use hexapod_kinematics::{Batch, Lanes3, LegAngles, MAX_LEGS, Robot, Sectors};
use nalgebra::{Isometry3, Vector3};

/// The inverse of all legs, and the range of each joint that walking uses.
#[derive(Clone, Debug)]
pub(crate) struct BatchIk {
    batch: Batch,
    sectors: Sectors,
}

impl BatchIk {
    /// None where a leg's geometry does not allow it.
    pub(crate) fn of(robot: &Robot, stance: &Stance) -> Option<Self> {
        let batch = Batch::new(robot)?;
        let (mut lower, mut upper) = (Lanes3::default(), Lanes3::default());
        for leg in 0..robot.legs().len() {
            let [least, most] = stance.usable_range(leg);
            lower.set(leg, least);
            upper.set(leg, most);
        }
        let sectors = batch.sectors(&lower, &upper);
        Some(Self { batch, sectors })
    }

    /// Feet `at` these places over the ground as the body sees them.
    pub(crate) fn seen(&self, body_from_footprint: &Isometry3<f64>, at: impl Fn(usize) -> Vector3<f64>) -> Lanes3 {
        self.places(at).transformed(body_from_footprint)
    }

    fn places(&self, at: impl Fn(usize) -> Vector3<f64>) -> Lanes3 {
        let mut feet = Lanes3::default();
        for leg in 0..self.batch.leg_count() {
            let at = at(leg);
            feet.set(leg, [at.x, at.y, at.z]);
        }
        feet
    }

    /// Which feet, all moved `by` so much as the body sees them, are reached as walking does.
    pub(crate) fn reaches(&self, feet: &Lanes3, by: &Vector3<f64>) -> [bool; MAX_LEGS] {
        self.batch.reaches(feet, by, &self.sectors).map(|reached| reached == 1.0)
    }

    /// Angles of all legs with the feet `at` these places over the ground; whether all reach theirs as walking does.
    pub(crate) fn solve(
        &self,
        body_from_footprint: &Isometry3<f64>,
        at: impl Fn(usize) -> Vector3<f64>,
        is_missing: impl Fn(usize) -> bool,
        all: &mut [LegAngles; MAX_LEGS],
    ) -> bool {
        let count = self.batch.leg_count();
        let mut found = Lanes3::default();
        let reached = self.batch.inverse_within(body_from_footprint, &self.places(at), &self.sectors, &mut found);
        let mut fine = true;
        for (leg, (angles, reached)) in all.iter_mut().zip(reached).enumerate().take(count) {
            if is_missing(leg) {
                continue;
            }
            *angles = LegAngles::from(found.get(leg));
            fine &= reached == 1.0;
        }
        fine
    }
}
