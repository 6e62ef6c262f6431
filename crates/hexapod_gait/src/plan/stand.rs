//! How the robot stands: its centre of mass over the feet on the ground, and what keeps it there.

use crate::gait::posture::BodyOffset;
use crate::plan::context::Context;
use crate::plane::grid::GRID_S;
use crate::plane::limits::{BRAKING_PART, Boundary, stoppable};
use crate::plane::support::{Edges, SupportPolygon};
use crate::plane::twist::Twist;
use crate::state::State;
use crate::state::rates::BodyRates;
use nalgebra::{Vector2, Vector3};

/// The distance of the centre of mass from the edge of the support polygon that is kept, m.
const MARGIN_M: f64 = 0.004;
/// The same for a sway that has to come to rest in time.
const STOP_M: f64 = 0.009;
/// The margin with which a foot may be lifted, m.
pub(crate) const LIFT_MARGIN_M: f64 = 0.006;

/// Where the centre of mass is over the feet on the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stand {
    pub centre: Vector2<f64>,
    /// The same in the body frame.
    in_body: Vector3<f64>,
    edges: Edges,
}

/// The rate of a sway without what of it would carry the centre of mass so fast towards an edge that it could not be
/// stopped before, changing by no more than `greatest` m/s^2.
pub(crate) fn short_of_edges(stand: Option<&Stand>, rate: Vector2<f64>, greatest: f64) -> Vector2<f64> {
    let Some(Stand { centre, edges, .. }) = stand.filter(|_| greatest.is_finite()) else { return rate };
    edges.iter().fold(rate, |rate, (inward, at)| {
        let (room, speed) = (inward.dot(centre) - at - STOP_M, -inward.dot(&rate));
        let allowed = stoppable(room.max(0.0), BRAKING_PART * greatest);
        if speed > allowed { rate + inward * (speed - allowed) } else { rate }
    })
}

/// How the robot stands, where that may be near its limit.
#[inline]
pub(crate) fn stand_of(cx: &Context, start: &State) -> Option<Stand> {
    let worth = cx.gait.is_stable() && may_near_edge(cx, start);
    worth.then(|| {
        let in_body = cx.plant.masses.centre(&start.angles);
        let centre = start.footprint_from_body().transform_point(&in_body.into()).coords.xy();
        Stand { centre, in_body, edges: Edges::of(&SupportPolygon::new(start.planted())) }
    })
}

/// Whether the centre of mass may come near the edge of the support at all.
#[inline]
fn may_near_edge(cx: &Context, start: &State) -> bool {
    start.near_edge || cx.gait.sway() > 0.0
}

/// The least factor over the edges of the support polygon, which the centre of mass must not cross.
#[inline]
pub(crate) fn over_edges(start: &State, stand: Option<&Stand>, twist: Twist, factor: impl Fn(Boundary) -> f64) -> f64 {
    let Some(Stand { centre, edges, .. }) = stand else { return 1.0 };
    let velocity = twist.velocity_at(*centre);
    let time_left = match start.walk.time_in_the_air() {
        time if time > 0.0 => time,
        _ => f64::INFINITY,
    };
    edges.iter().fold(1.0, |least: f64, (inward, at)| {
        let speed = -inward.dot(&velocity);
        let room = inward.dot(centre) - at - MARGIN_M;
        // Who moves away from an edge is not bounded by it.
        if speed <= 0.0 { least } else { least.min(factor(Boundary { room, speed, time_left })) }
    })
}

/// The rates of the body over its feet, without what of its offset and sway would take the centre of mass out of the midst of its feet.
#[inline]
pub(crate) fn balanced(start: &State, stand: Option<&Stand>, rates: BodyRates) -> BodyRates {
    let Some(Stand { centre, in_body, edges }) = stand else { return rates };
    let walked = start.twist[1].velocity_at(*centre) * GRID_S;
    let now = edges.margin(*centre);
    let falls = |rates: &BodyRates| {
        let later = start.footprint_from_body_after(GRID_S, rates);
        let after = edges.margin(later.transform_point(&(*in_body).into()).coords.xy() + walked);
        after < MARGIN_M && after < now
    };
    if !falls(&rates) {
        return rates;
    }
    let swaying = BodyRates { offset: BodyOffset::default(), ..rates };
    if falls(&swaying) { BodyRates { sway: Vector2::zeros(), ..swaying } } else { swaying }
}
