//! All legs solved at once.

use crate::plant::stance::Stance;
use hexapod_kinematics::{Batch, Lanes3, LegAngles, MAX_LEGS, Robot, Sectors};
use nalgebra::{Isometry3, Vector3};

/// The inverse of all legs, and the range of each joint that walking uses.
#[derive(Clone, Debug)]
pub(crate) struct BatchIk {
    batch: Batch,
    sectors: Sectors,
    /// Where the feet have their room.
    roomy: Sectors,
}

impl BatchIk {
    /// None where a leg's geometry does not allow it.
    pub(crate) fn of(robot: &Robot, stance: &Stance) -> Option<Self> {
        let batch = Batch::new(robot)?;
        let within = |range: &dyn Fn(usize) -> [[f64; 3]; 2]| {
            let (mut lower, mut upper) = (Lanes3::default(), Lanes3::default());
            for leg in 0..robot.legs().len() {
                let [least, most] = range(leg);
                lower.set(leg, least);
                upper.set(leg, most);
            }
            batch.sectors(&lower, &upper)
        };
        let (sectors, roomy) = (within(&|leg| stance.usable_range(leg)), within(&|leg| stance.roomy_range(leg)));
        Some(Self { batch, sectors, roomy })
    }

    /// Whether the feet that count, all moved `by` so much as the body sees them, have their room.
    pub(crate) fn reaches(&self, feet: &Lanes3, by: &Vector3<f64>, counts: &[bool; MAX_LEGS]) -> bool {
        let reached = self.batch.reaches(feet, by, &self.roomy);
        reached.iter().zip(counts).fold(true, |all, (reached, counts)| all & ((*reached == 1.0) | !counts))
    }

    /// Angles of all legs with their feet there over the ground, but for those that have none; whether all reach theirs as
    /// walking does.
    #[inline]
    pub(crate) fn solve(
        &self,
        body_from_footprint: &Isometry3<f64>,
        feet: impl Iterator<Item = Option<Vector3<f64>>>,
        all: &mut [LegAngles; MAX_LEGS],
    ) -> bool {
        let (mut places, mut found, mut counts) = (Lanes3::default(), Lanes3::default(), [false; MAX_LEGS]);
        let [xs, ys, zs] = &mut places.0;
        for ((((x, y), z), counts), foot) in xs.iter_mut().zip(ys).zip(zs).zip(&mut counts).zip(feet) {
            if let Some(foot) = foot {
                ((*x, *y, *z), *counts) = ((foot.x, foot.y, foot.z), true);
            }
        }
        let reached = self.batch.inverse_within(body_from_footprint, &places, &self.sectors, &mut found);
        let mut fine = true;
        for (((angles, found), reached), counts) in all.iter_mut().zip(found.legs()).zip(reached).zip(counts) {
            if counts {
                *angles = LegAngles::from(found);
                fine &= reached == 1.0;
            }
        }
        fine
    }
}
