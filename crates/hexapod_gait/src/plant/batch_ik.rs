//! All legs solved at once.

use crate::plant::stance::Stance;
use hexapod_kinematics::{Batch, Lane, Lanes3, LegAngles, MAX_LEGS, Robot, Sectors};
use nalgebra::{Isometry3, Vector3};

/// The inverse of all legs and, lane by lane, the range of each joint that walking uses.
#[derive(Clone, Debug)]
pub(crate) struct BatchIk {
    batch: Batch,
    lower: Lanes3,
    upper: Lanes3,
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
        Some(Self { batch, lower, upper, sectors })
    }

    /// Feet `at` these places over the ground as the body sees them.
    pub(crate) fn seen(&self, body_from_footprint: &Isometry3<f64>, at: impl Fn(usize) -> Vector3<f64>) -> Lanes3 {
        let mut feet = Lanes3::default();
        for leg in 0..self.batch.leg_count() {
            let at = at(leg);
            feet.set(leg, [at.x, at.y, at.z]);
        }
        feet.transformed(body_from_footprint)
    }

    /// Which feet, as the body sees them, are reached as walking does.
    pub(crate) fn reaches(&self, feet: &Lanes3) -> [bool; MAX_LEGS] {
        self.batch.reaches(feet, &self.sectors).map(|reached| reached == 1.0)
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
        let reached = self.batch.inverse(&self.seen(body_from_footprint, at), &mut found);
        let used = self.used(&reached, &found);
        let mut fine = true;
        for (leg, (angles, used)) in all.iter_mut().zip(used).enumerate().take(count) {
            if is_missing(leg) {
                continue;
            }
            *angles = LegAngles::from(found.get(leg));
            fine &= used;
        }
        fine
    }

    /// Which legs reach their places within the ranges that are used.
    fn used(&self, reached: &Lane, found: &Lanes3) -> [bool; MAX_LEGS] {
        let mut used = reached.map(|reached| reached >= 1.0);
        let joints = found.0.iter().zip(self.lower.0.iter().zip(&self.upper.0));
        for (found, (lower, upper)) in joints {
            for (used, (angle, (lower, upper))) in used.iter_mut().zip(found.iter().zip(lower.iter().zip(upper))) {
                *used &= (lower <= angle) & (angle <= upper);
            }
        }
        used
    }
}
