//! Whether the feet have room to walk with the body at some place over them.

use crate::gait::posture::BodyOffset;
use crate::plan::context::Context;
use crate::plant::nominal::NominalStance;
use crate::plant::resting::LIFT_PROFILE;
use crate::state::State;
use crate::state::foot::Foot;
use hexapod_kinematics::{IterationBudget, Lanes3, MAX_LEGS};
use nalgebra::{Isometry3, Vector3};

/// Around the reach of each foot; on the ground, and lifted.
const AROUND: [(f64, f64); DIRECTIONS] =
    [(1.0, 0.0), (0.7, 0.7), (0.0, 1.0), (-0.7, 0.7), (-1.0, 0.0), (-0.7, -0.7), (0.0, -1.0), (0.7, -0.7)];
/// How many directions that are.
pub(crate) const DIRECTIONS: usize = 8;
/// All places of a foot that are looked at.
pub(crate) const PLACES: usize = LIFT_PROFILE.len() * AROUND.len();

/// What is looked at: a robot of some nominal stance, its body somewhere over it.
pub(crate) struct View<'a> {
    start: &'a State,
    nominal: &'a NominalStance,
    body_from_footprint: Isometry3<f64>,
    /// The resting feet as the body sees them, where all legs are solved together.
    rest: Lanes3,
    /// Legs that the robot has and that are not switched off.
    counts: [bool; MAX_LEGS],
}

impl<'a> View<'a> {
    /// A robot of this nominal stance with its body at this offset.
    pub(crate) fn of(cx: &Context, start: &'a State, nominal: &'a NominalStance, offset: &BodyOffset) -> Self {
        let body_from_footprint = offset.footprint_from_body(cx.plant.stance.own_spec().height).inverse();
        let mut counts = [false; MAX_LEGS];
        let feet = start.walk.feet().iter();
        counts.iter_mut().zip(feet).for_each(|(counts, foot)| *counts = *foot != Foot::Missing);
        let places = nominal.rest().iter().map(|rest| rest.push(0.0));
        let rest = Lanes3::of_points(places).transformed(&body_from_footprint);
        Self { start, nominal, body_from_footprint, rest, counts }
    }

    /// Whether all feet reach this place of their reach, as far as the budget tells.
    pub(crate) fn reaches(&self, cx: &Context, place: usize, budget: &mut IterationBudget) -> bool {
        let around = AROUND.get(place % AROUND.len()).zip(LIFT_PROFILE.get(place / AROUND.len()));
        let Some(((x, y), (fraction, lift))) = around else { return false };
        let reach = self.nominal.reach.axes() * *fraction;
        let from_rest = Vector3::new(reach.x * x, reach.y * y, lift * cx.step_height);
        if let Some(batch) = &cx.plant.batch_ik {
            let moved = self.body_from_footprint.rotation.transform_vector(&from_rest);
            return batch.reaches(&self.rest, &moved, &self.counts);
        }
        (0..cx.plant.legs().len()).filter(|&leg| self.counts.get(leg) == Some(&true)).all(|leg| {
            let at = self.nominal.place(leg).push(0.0) + from_rest;
            let in_body = self.body_from_footprint.transform_point(&at.into()).coords;
            cx.plant.inverse(leg, &in_body, &self.start.angles_of(leg), budget).is_some()
        })
    }

    /// Whether legs that step towards each other as far as they reach keep apart, as far as the budget tells.
    #[inline(never)]
    pub(crate) fn is_clear(&self, cx: &Context, at: usize, budget: &mut IterationBudget) -> bool {
        let mut angles = self.start.angles;
        let legs = angles.iter_mut().take(cx.plant.legs().len()).enumerate();
        let reached = legs.filter(|(leg, _)| self.counts.get(*leg) == Some(&true)).all(|(leg, angles)| {
            let (way, lift) = cx.plant.apart.place(at, leg, &self.nominal.reach);
            let foot = (self.nominal.place(leg) + way).push(lift * cx.step_height);
            let in_body = self.body_from_footprint.transform_point(&foot.into()).coords;
            cx.plant.inverse(leg, &in_body, angles, budget).is_some_and(|found| {
                *angles = found;
                true
            })
        });
        reached && cx.plant.apart.is_clear(&cx.plant.robot, &angles)
    }
}

/// Whether every foot could go all around its reach, on the ground and lifted, with the body at this offset.
pub(crate) fn is_within_workspace(
    cx: &Context,
    start: &State,
    offset: BodyOffset,
    budget: &mut IterationBudget,
) -> bool {
    if offset.is_zero() {
        return true;
    }
    let view = View::of(cx, start, &start.walk.nominal, &offset);
    (0..PLACES).all(|place| view.reaches(cx, place, budget))
        && (0..cx.plant.apart.places()).all(|at| view.is_clear(cx, at, budget))
}
