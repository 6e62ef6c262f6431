//! Where the body leans for its balance: over the feet that stay, before one is lifted.

use crate::plan::body::shift::sway_m_s2;
use crate::plan::body::stretched::borne_m_s2;
use crate::plan::context::Context;
use crate::plan::sequence::centring::{is_centring, lean_for_centring};
use crate::plan::stand::{Stand, keeps_more, lift_margin_m, margin_until_down, taken_along};
use crate::plane::grid::GRID_S;
use crate::plane::limits::{BRAKING_FRACTION, rate_limited, stoppable};
use crate::state::State;
use crate::state::foot::Foot;
use crate::state::mode::Mode;
use hexapod_kinematics::IterationBudget;
use nalgebra::{Vector2, Vector3};

/// How fast the body sways, m/s.
const SWAY_RATE_M_S: f64 = 0.2;
/// Fraction of a cycle in which a foot takes up its share of the weight.
const SWAY_PHASE: f64 = 0.15;
/// Fractions of a lean between those that are tried where the robot needs more than its feet keep free for it.
const LEAN_STEP: f64 = 0.1;
/// How often the part that is needed is guessed, each time nearer.
const LEAN_TRIALS: usize = 3;
/// The least part of its usual acceleration with which a robot that waits sways, however straight a leg is.
const LEAST_EASE: f64 = 0.3;
/// What is kept for a sway to come to rest, beside the distance of the centre of mass from the edge of the support, m.
const STOP_M: f64 = 0.005;

/// The rate of the body's sway over the feet that stay.
#[inline]
pub(crate) fn sway(cx: &Context, start: &State, stand: Option<&Stand>, budget: &mut IterationBudget) -> Vector2<f64> {
    let sway = sway_target(cx, start, stand, budget) - start.sway;
    if sway == Vector2::zeros() && start.rates.sway == sway {
        return sway;
    }
    let greatest = SWAY_RATE_M_S * GRID_S;
    let fraction = if sway.norm() > greatest { greatest / sway.norm() } else { 1.0 };
    let rate = if sway.norm() < 1e-9 { Vector2::zeros() } else { sway * (fraction / GRID_S) };
    let greatest = sway_m_s2(cx, start) * eased(cx, start, budget);
    let rate = short_of_edges(stand, rate, greatest);
    rate_limited(start.rates.sway, rate, sway.norm(), greatest)
}

/// The fraction of its usual acceleration with which a robot sways that stands and waits for its balance: what is left
/// for the body by legs that may be nearly straight then, and are to be lifted from there.
fn eased(cx: &Context, start: &State, budget: &mut IterationBudget) -> f64 {
    if !(start.walk.waiting && start.walk.all_planted() && cx.plant.joints.is_none()) {
        return 1.0;
    }
    let borne = borne_m_s2(cx, start, budget).unwrap_or(0.0);
    (borne / sway_m_s2(cx, start)).clamp(LEAST_EASE, 1.0)
}

/// Where the body leans: with its weight among the feet that stay, each counting the less the nearer it is to
/// being lifted or put down.
#[inline]
fn sway_target(cx: &Context, start: &State, stand: Option<&Stand>, budget: &mut IterationBudget) -> Vector2<f64> {
    let gait = cx.gait;
    if let Mode::Stopping(stop) = start.mode {
        if is_centring(cx, start, stop) {
            return lean_for_centring(cx, start);
        }
        if start.walk.all_planted() {
            return Vector2::zeros();
        }
    }
    if !start.mode.steps() {
        return Vector2::zeros();
    }
    if gait.sway() == 0.0 {
        return lean_where_needed(cx, start, stand, budget);
    }
    let (mut sum, mut total) = (Vector2::zeros(), 0.0);
    for (leg, foot) in start.walk.feet().iter().enumerate() {
        let Foot::Planted { at } = foot else { continue };
        let own = start.walk.own_phase(gait, leg);
        let weight = own.min(gait.duty_factor() - own).clamp(0.0, SWAY_PHASE);
        sum += at.xy() * weight;
        total += weight;
    }
    if total < 1e-6 {
        return start.sway;
    }
    let centre = stand.map_or_else(|| start.centre(cx.plant), |stand| stand.centre) - start.sway;
    let lean = (sum / total - centre) * gait.sway();
    let most = gait.sway_reach() * start.walk.nominal.reach.least();
    let fraction = if lean.norm() > most { most / lean.norm() } else { 1.0 };
    // A robot that stands and waits for its balance may lean farther, as far as its legs reach, where it has to.
    let waits = start.walk.waiting && start.walk.all_planted();
    let farther = waits && cx.plant.joints.is_none();
    lean * if farther {
        fraction.max(lean_for_balance(cx, start, &Lean { centre, full: lean, fraction }, budget))
    } else {
        fraction
    }
}

/// Where the body leans in a gait that does not sway: nowhere, but over the others where a foot waits to be lifted.
fn lean_where_needed(cx: &Context, start: &State, stand: Option<&Stand>, budget: &mut IterationBudget) -> Vector2<f64> {
    if !(start.walk.waiting && start.walk.all_planted() && cx.gait.is_stable() && cx.plant.joints.is_none()) {
        return if stand.is_some() { start.sway } else { Vector2::zeros() };
    }
    let feet = start.walk.feet().iter().enumerate();
    let stay = feet.filter(|(leg, foot)| foot.is_planted() && !start.walk.is_due(cx.gait, *leg));
    let (sum, count) = stay.fold((Vector2::zeros(), 0.0), |(sum, n), (_, foot)| (sum + foot.position().xy(), n + 1.0));
    let centre = stand.map_or_else(|| start.centre(cx.plant), |stand| stand.centre) - start.sway;
    let lean = Lean { centre, full: sum / f64::max(count, 1.0) - centre, fraction: 0.0 };
    lean.full * lean_for_balance(cx, start, &lean, budget)
}

/// A lean over the feet that stay: where the centre of mass is without it, and the part of it that steps leave room for.
struct Lean {
    centre: Vector2<f64>,
    full: Vector2<f64>,
    fraction: f64,
}

/// The fraction of a lean that is needed, or as much of it as leaves every planted foot within reach.
fn lean_for_balance(cx: &Context, start: &State, lean: &Lean, budget: &mut IterationBudget) -> f64 {
    let mut fraction = fraction_needed(cx, start, lean).min(1.0);
    while fraction > lean.fraction {
        if fits_workspace(cx, start, lean.full * fraction, budget) {
            return fraction;
        }
        fraction -= LEAN_STEP;
    }
    lean.fraction
}

/// About the part of a lean with which the feet may be lifted whose turn it is; all of it where the least margin is enough,
/// which is not there yet.
fn fraction_needed(cx: &Context, start: &State, lean: &Lean) -> f64 {
    if cx.gait.sway() > 0.0 && !keeps_more(start) {
        return 1.0;
    }
    let due = (0..cx.plant.legs().len()).filter(|&leg| start.walk.is_due(cx.gait, leg));
    let due = due.fold(0, |legs, leg| legs | 1 << leg);
    let (support, taken) = (start.support_without(due), taken_along(cx, start, due));
    let margin = |fraction: f64| margin_until_down(&support, lean.centre + lean.full * fraction, taken);
    // On along a straight line each time: the nearest edge is mostly the same, and no other is farther than it was.
    (0..LEAN_TRIALS).fold(lean.fraction, |fraction, _| {
        let present = margin(fraction);
        let gain = (margin(fraction + LEAN_STEP) - present) / LEAN_STEP;
        fraction + ((lift_margin_m(start) - present) / gain.max(1e-3)).max(0.0)
    })
}

/// Whether every planted foot stays within reach with such a sway, where it is and, lifted, at rest.
fn fits_workspace(cx: &Context, start: &State, sway: Vector2<f64>, budget: &mut IterationBudget) -> bool {
    let body_from_footprint = State { sway, ..*start }.footprint_from_body().inverse();
    let feet = start.walk.feet().iter().zip(start.walk.nominal.rest()).enumerate();
    let mut planted = feet.filter(|(_, (foot, _))| foot.is_planted());
    planted.all(|(leg, (foot, rest))| {
        [foot.position(), Vector3::new(rest.x, rest.y, cx.step_height)].iter().all(|at| {
            let in_body = body_from_footprint.transform_point(&(*at).into()).coords;
            cx.plant.inverse(leg, &in_body, &start.angles_of(leg), budget).is_some()
        })
    })
}

/// The rate of a sway without what of it would carry the centre of mass so fast towards an edge that it could not be
/// stopped before, changing by no more than `greatest` m/s^2.
pub(crate) fn short_of_edges(stand: Option<&Stand>, rate: Vector2<f64>, greatest: f64) -> Vector2<f64> {
    let Some(Stand { centre, edges, required_margin_m, .. }) = stand.filter(|_| greatest.is_finite()) else {
        return rate;
    };
    edges.iter().fold(rate, |rate, (inward, at)| {
        let (room, speed) = (inward.dot(centre) - at - required_margin_m - STOP_M, -inward.dot(&rate));
        let allowed = stoppable(room.max(0.0), BRAKING_FRACTION * greatest);
        if speed > allowed { rate + inward * (speed - allowed) } else { rate }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::context::tests::context;
    use crate::state::tests::{on_its_feet, shipped};

    const BUDGET: u32 = 1000;

    #[test]
    fn when_a_gait_does_not_sway_expect_no_sway() {
        let robot = shipped();
        let state = on_its_feet(&robot, Mode::Walking);
        assert_eq!(sway(&context(&robot), &state, None, &mut IterationBudget::new(BUDGET)), Vector2::zeros());
    }
}
