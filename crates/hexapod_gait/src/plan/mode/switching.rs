//! Another gait is taken up while walking, once the body is slow enough for it.

use crate::gait::Gait;
use crate::plan::context::Context;
use crate::plan::twist::bounds::{Feet, can_go_on, cycle_for, stride_factor};
use crate::state::State;
use crate::state::walk::Walk;

/// Feet in the air on the mean up to which there are moments with none.
const MOSTLY_LIFTED: f64 = 0.95;

/// The steps of the next gait, if the body is slow enough for it and the feet are where it can take them on.
pub(crate) fn switched(cx: &Context, start: &State, next: &Gait) -> Option<Walk> {
    let twist = start.twist[1];
    if stride_factor(&start.walk.nominal, next, next.cycle_times()[0], twist) < 1.0 - 1e-9 {
        return None;
    }
    // A foot in the air would be wanted elsewhere at once: where there are moments without one, those are waited for.
    let in_the_air = cx.plant.legs().len() as f64 * cx.gait.swing_part();
    if cx.plant.joints.is_some() && in_the_air < MOSTLY_LIFTED && !start.walk.all_planted() {
        return None;
    }
    let mut walk = start.walk;
    walk.cycle = cycle_for(&start.walk.nominal, next, twist);
    walk.start(next, twist);
    can_go_on(cx, start, Feet::of(&walk), next).then_some(walk)
}
