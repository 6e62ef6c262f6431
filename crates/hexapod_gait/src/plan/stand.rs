//! How the robot stands: its centre of mass over the feet on the ground, and what keeps it there.

use crate::plan::context::Context;
use crate::plane::limits::Boundary;
use crate::plane::support::{Edges, SupportPolygon};
use crate::plane::twist::Twist;
use crate::state::State;
use nalgebra::{Vector2, Vector3};

/// The distance of the centre of mass from the edge of the support polygon that is kept, m.
pub(crate) const MARGIN_M: f64 = 0.004;
/// The margin with which a foot may be lifted, m.
pub(crate) const LIFT_MARGIN_M: f64 = 0.006;
/// Both of a body that leans over the feet that stay, where its lean gets it so far.
const SWAY_MARGIN_M: f64 = 0.0105;
const SWAY_LIFT_MARGIN_M: f64 = 0.0125;

/// Whether the body leans for more than the least margin: not in a pose, in which its legs may be stretched already.
pub(crate) fn leans_for_more(cx: &Context, start: &State) -> bool {
    cx.gait.sway() > 0.0 && start.offset.is_zero()
}

/// The margin with which a foot is lifted without waiting for more, m.
pub(crate) fn lift_margin_m(cx: &Context, start: &State) -> f64 {
    if leans_for_more(cx, start) { SWAY_LIFT_MARGIN_M } else { LIFT_MARGIN_M }
}

/// What is kept of the margin with which a foot is lifted, m.
pub(crate) fn kept_m(cx: &Context, start: &State, lifted_with: f64) -> f64 {
    let spare = SWAY_LIFT_MARGIN_M - SWAY_MARGIN_M;
    if leans_for_more(cx, start) { (lifted_with - spare).clamp(MARGIN_M, SWAY_MARGIN_M) } else { MARGIN_M }
}

/// The margin on the support without a foot until it is down again: its leg takes some of the mass with it. Who does not
/// sway steps as it may all the same.
pub(crate) fn margin_until_down(
    cx: &Context,
    start: &State,
    leg: usize,
    support: &SupportPolygon,
    centre: Vector2<f64>,
) -> f64 {
    let present = support.margin(centre);
    if cx.gait.sway() == 0.0 {
        return present;
    }
    let way = start.walk.way_down(cx.gait, leg, start.aim[1], &start.walk.nominal.reach_with(cx.gait));
    present.min(support.margin(centre + way * cx.plant.carried_part))
}

/// Where the centre of mass is over the feet on the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stand {
    pub centre: Vector2<f64>,
    /// The same in the body frame.
    pub in_body: Vector3<f64>,
    pub edges: Edges,
    /// The distance from them that is kept, m.
    pub kept_m: f64,
}

/// How the robot stands, where that may be near its limit.
#[inline]
pub(crate) fn stand_of(cx: &Context, start: &State) -> Option<Stand> {
    let worth = cx.gait.is_stable() && may_near_edge(cx, start);
    worth.then(|| {
        let in_body = cx.plant.masses.centre(&start.angles);
        let centre = start.footprint_from_body().transform_point(&in_body.into()).coords.xy();
        // On all feet, the body may go wherever the next foot can be lifted.
        let kept_m = if start.walk.all_planted() { MARGIN_M } else { start.kept_m.max(MARGIN_M) };
        Stand { centre, in_body, edges: Edges::of(&SupportPolygon::new(start.planted())), kept_m }
    })
}

/// Whether the centre of mass may come near the edge of the support at all.
#[inline]
fn may_near_edge(cx: &Context, start: &State) -> bool {
    start.free_m < 0.0 || cx.gait.sway() > 0.0
}

/// The least factor over the edges of the support polygon, which the centre of mass must not cross.
#[inline]
pub(crate) fn over_edges(start: &State, stand: Option<&Stand>, twist: Twist, factor: impl Fn(Boundary) -> f64) -> f64 {
    let Some(Stand { centre, edges, kept_m, .. }) = stand else { return 1.0 };
    let velocity = twist.velocity_at(*centre);
    let time_left = match start.walk.time_in_the_air() {
        time if time > 0.0 => time,
        _ => f64::INFINITY,
    };
    edges.iter().fold(1.0, |least: f64, (inward, at)| {
        let speed = -inward.dot(&velocity);
        let room = inward.dot(centre) - at - kept_m;
        // Who moves away from an edge is not bounded by it.
        if speed <= 0.0 { least } else { least.min(factor(Boundary { room, speed, time_left })) }
    })
}
