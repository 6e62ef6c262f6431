//! Another gait is taken up while walking, once the body is slow enough for it.

use crate::gait::Gait;
use crate::plan::context::Context;
use crate::plan::mode::foresight::Foresight;
use crate::plan::twist::bounds::{Feet, can_go_on, cycle_for, stroke_factor};
use crate::state::State;
use crate::state::walk::Walk;

/// Feet in the air on the mean up to which there are moments with none.
const MOSTLY_LIFTED: f64 = 0.95;
/// The margin that the first steps of a gait keep, m, and how many cycles a gait waits for a moment at which they do.
const STURDY_M: f64 = 0.02;
const STURDY_CYCLES: f64 = 2.0;
/// Feet that stay on the ground where gaits without a margin follow each other whose feet stand half the time or longer.
const LEAST_FEET: usize = 2;

/// The steps of the next gait, if the body is slow enough for it and the feet are where it can take them on: those on
/// which the robot then stands are far enough about its centre of mass, or enough where no margin is kept. `waited` are
/// the seconds it has waited.
pub(crate) fn switched(cx: &Context, start: &State, next: &Gait, waited: f64) -> Option<Walk> {
    let twist = start.twist[1];
    if stroke_factor(&start.walk.nominal, next, next.cycle_times()[0], twist) < 1.0 - 1e-9 {
        return None;
    }
    // A foot in the air would be wanted elsewhere at once: where there are moments without one, those are waited for.
    let in_the_air = cx.plant.legs().len() as f64 * cx.gait.swing_fraction();
    if cx.plant.joints.is_some() && in_the_air < MOSTLY_LIFTED && !start.walk.all_planted() {
        return None;
    }
    let mut walk = start.walk;
    walk.cycle = cycle_for(&start.walk.nominal, next, twist);
    let (gaits, centre) = ([cx.gait, next], start.centre(cx.plant));
    let is_foreseen = gaits.iter().all(|gait| gait.is_stable() && gait.sway() == 0.0);
    // Where no margin is kept, as many feet as in both gaits are.
    let is_counted = gaits.iter().any(|gait| !gait.is_stable()) && gaits.iter().all(|gait| gait.duty_factor() >= 0.5);
    let waits = (is_foreseen || is_counted) && waited < STURDY_CYCLES * cx.gait.cycle_time();
    let may = |walk: &Walk| {
        let ahead = |twist| Foresight { walk, gait: next, twist };
        let stands = || match is_foreseen {
            // Whether the body goes on as it does, or as the driver wants it to.
            true => [twist, start.aim[1]].iter().all(|twist| ahead(*twist).least_margin(centre) >= STURDY_M),
            false => ahead(twist).least_feet() >= LEAST_FEET,
        };
        !waits || stands()
    };
    if !walk.start_where(next, twist, may) && waits {
        return None;
    }
    can_go_on(cx, start, Feet::of(&walk), next).then_some(walk)
}
