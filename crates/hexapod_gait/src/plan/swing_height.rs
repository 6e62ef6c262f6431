//! How high a foot is lifted on ground that is not plane: no higher than its leg reaches over where it stands.

use crate::plan::context::Context;
use crate::plane::twist::Twist;
use crate::state::State;
use crate::state::foot::Foot;
use crate::state::walk::{Sensed, Step};
use hexapod_kinematics::IterationBudget;

/// Fractions of its height that are tried for a swing.
const FRACTIONS: [f64; 5] = [1.0, 0.8, 0.6, 0.45, 0.3];
/// Fractions of a swing at which its leg is to reach the foot.
const MOMENTS: [f64; 3] = [0.3, 0.5, 0.7];

/// Lifts a foot; on ground that is not plane, for which lifts are chosen, lower where its leg would not reach it on its way.
pub(crate) fn lift(cx: &Context, start: &mut State, leg: usize, step: &Step, budget: &mut IterationBudget) {
    start.walk.lift(cx.gait, leg, step);
    keep_in_reach(cx, start, leg, budget);
}

/// Puts feet down that feel the ground, and lets others look for it in a walk with a twist, or climb over what is in their way:
/// from where they are, and no higher than their legs reach.
pub(crate) fn feel(
    cx: &Context,
    start: &mut State,
    sensed: &Sensed,
    walks: Option<Twist>,
    budget: &mut IterationBudget,
) {
    let mut anew = start.walk.feel(sensed, &mut start.correction, walks);
    while anew != 0 {
        keep_in_reach(cx, start, anew.trailing_zeros() as usize, budget);
        anew &= anew - 1;
    }
}

/// Lowers the way of a foot that has just been lifted where its leg would not reach it.
fn keep_in_reach(cx: &Context, start: &mut State, leg: usize, budget: &mut IterationBudget) {
    let Foot::Swinging(swing) = *start.walk.foot(leg) else { return };
    if swing.foothold.is_none() && start.walk.is_on_plane_ground() {
        return;
    }
    let (body_from_footprint, twist, near) =
        (start.footprint_from_body().inverse(), start.twist_after(0.0), start.angles_of(leg));
    let mut reaches = |height: f64| {
        MOMENTS.iter().all(|&moment| {
            let at = swing.over_ground(moment, height);
            let passed = twist.motion(moment * swing.seconds).apply_inverse_3d(at);
            let in_body = body_from_footprint.transform_point(&passed.into()).coords;
            cx.plant.inverse(leg, &in_body, &near, budget).is_some()
        })
    };
    let [.., least] = FRACTIONS;
    let fraction = FRACTIONS.into_iter().find(|fraction| reaches(fraction * swing.height)).unwrap_or(least);
    start.walk.set_swing_height(leg, fraction * swing.height);
}
