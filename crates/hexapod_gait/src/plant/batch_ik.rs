//! All legs solved at once.

use crate::plant::apart::Apart;
use crate::plant::joints::{FOR_STANDING, USUAL_RAD_S2};
use crate::plant::stance::Stance;
use hexapod_kinematics::{Batch, Lanes3, Leg, LegAngles, MAX_LEGS, Robot, Sectors};
use nalgebra::{Isometry3, Matrix3, Vector3};

/// The inverse of all legs, and the range of each joint that walking uses.
#[derive(Clone, Debug)]
pub(crate) struct BatchIk {
    batch: Batch,
    sectors: Sectors,
    /// Where the feet have their room.
    roomy: Sectors,
    /// Around the stance, where every leg that stands bears [`EASY_M_S2`] and meets nothing.
    easy: Sectors,
}

/// Feet, a lane each, and which of them count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FootLanes {
    places: Lanes3,
    counts: [bool; MAX_LEGS],
}

impl FootLanes {
    /// None of a leg that has no foot.
    #[inline]
    pub(crate) fn of(feet: impl Iterator<Item = Option<Vector3<f64>>>) -> Self {
        let mut lanes = Self { places: Lanes3::default(), counts: [false; MAX_LEGS] };
        let [xs, ys, zs] = &mut lanes.places.0;
        for ((((x, y), z), counts), foot) in xs.iter_mut().zip(ys).zip(zs).zip(&mut lanes.counts).zip(feet) {
            if let Some(foot) = foot {
                ((*x, *y, *z), *counts) = ((foot.x, foot.y, foot.z), true);
            }
        }
        lanes
    }
}

/// An acceleration of the body over feet that stand which no leg near the stance feels, m/s^2.
pub(crate) const EASY_M_S2: f64 = 0.6;
/// By how much legs are measured to bear more.
const SURE: f64 = 1.3;
/// How far around the stance pitch and knee are looked at, rad, in how many samples each way, and how far all joints keep
/// from the ends of their ranges.
const SPREADS: [f64; 6] = [0.7, 0.6, 0.5, 0.4, 0.3, 0.2];
const SAMPLES: usize = 13;
const FROM_ENDS: f64 = 0.02;

/// The range of each joint of a leg, around these angles, in which it turns so little for what its foot is moved, whichever
/// way, that it bears [`EASY_M_S2`]; an empty one if there is none.
fn easy_range(leg: &Leg, standing: Option<LegAngles>, [least, most]: [[f64; 3]; 2]) -> [[f64; 3]; 2] {
    let around = |spread: f64| {
        let [_, pitch, knee] = *standing.as_deref()? else { return None };
        let middle = [0.0, pitch, knee];
        let kept =
            |k: usize, end: f64, aside: f64| if k == 0 { end - aside.signum() * FROM_ENDS } else { middle[k] + aside };
        let lower = std::array::from_fn(|k| kept(k, least[k], -spread).max(least[k] + FROM_ENDS));
        let upper = std::array::from_fn(|k| kept(k, most[k], spread).min(most[k] - FROM_ENDS));
        Some([lower, upper])
    };
    let fits = |range: &[[f64; 3]; 2]| {
        let at =
            |k: usize, sample: usize| range[0][k] + (range[1][k] - range[0][k]) * sample as f64 / (SAMPLES - 1) as f64;
        (0..SAMPLES * SAMPLES)
            .all(|sample| bears_easily(leg, [at(0, 0), at(1, sample % SAMPLES), at(2, sample / SAMPLES)]))
    };
    SPREADS.iter().filter_map(|&spread| around(spread)).find(fits).unwrap_or([[1.0; 3], [-1.0; 3]])
}

/// What is in both of two ranges.
fn common([low, high]: [[f64; 3]; 2], [other_low, other_high]: [[f64; 3]; 2]) -> [[f64; 3]; 2] {
    [std::array::from_fn(|k| low[k].max(other_low[k])), std::array::from_fn(|k| high[k].min(other_high[k]))]
}

/// Whether a leg bears more than [`EASY_M_S2`], whichever way its foot is moved.
fn bears_easily(leg: &Leg, angles: [f64; 3]) -> bool {
    let jacobian = leg.jacobian(&LegAngles::from(angles));
    let Some(turns) = Matrix3::from_fn(|row, column| jacobian[(row, column)]).try_inverse() else { return false };
    leg.joints().iter().zip(turns.row_iter()).all(|(joint, turns)| {
        let greatest = joint.limits().acceleration.unwrap_or(USUAL_RAD_S2);
        turns.norm() * EASY_M_S2 * SURE <= FOR_STANDING * greatest
    })
}

impl BatchIk {
    /// None where a leg's geometry does not allow it.
    pub(crate) fn of(robot: &Robot, stance: &Stance, apart: &Apart) -> Option<Self> {
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
        let easy = within(&|index| {
            let (leg, rest) = (&robot.legs()[index], stance.rest()[index].push(-stance.own_spec().height));
            let easy = easy_range(leg, stance.inverse(index, leg, &rest, &leg.posture()), stance.usable_range(index));
            common(easy, apart.clear_range(index))
        });
        Some(Self { batch, sectors, roomy, easy })
    }

    /// Whether all feet are where the legs bear [`EASY_M_S2`] and meet nothing.
    #[inline]
    pub(crate) fn is_easy(&self, body_from_footprint: &Isometry3<f64>, feet: &FootLanes) -> bool {
        let reached = self.batch.reaches_from(body_from_footprint, &feet.places, &self.easy);
        reached.iter().zip(&feet.counts).fold(true, |all, (reached, counts)| all & ((*reached == 1.0) | !counts))
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
        let (feet, mut found) = (FootLanes::of(feet), Lanes3::default());
        let reached = self.batch.inverse_within(body_from_footprint, &feet.places, &self.sectors, &mut found);
        let mut fine = true;
        for (((angles, found), reached), counts) in all.iter_mut().zip(found.legs()).zip(reached).zip(feet.counts) {
            if counts {
                *angles = LegAngles::from(found);
                fine &= reached == 1.0;
            }
        }
        fine
    }
}
