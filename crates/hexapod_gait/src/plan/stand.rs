//! How the robot stands: its centre of mass over the feet on the ground, and what keeps it there.

use crate::plan::context::Context;
use crate::plane::grid::GRID_S;
use crate::plane::limits::Boundary;
use crate::plane::support::{Edges, SupportPolygon};
use crate::plane::twist::Twist;
use crate::state::State;
use nalgebra::{Vector2, Vector3};

/// The distance of the centre of mass from the edge of the support polygon that is kept, m.
pub(crate) const MARGIN_M: f64 = 0.004;
/// The margin with which a foot may be lifted, m.
pub(crate) const LIFT_MARGIN_M: f64 = 0.006;
/// Both where no pose of the body is asked for, as far as its legs get it there.
const MORE_MARGIN_M: f64 = 0.0105;
const MORE_LIFT_MARGIN_M: f64 = 0.0125;
/// The distance beside the one that is kept below which the robot's balance is watched, m.
pub(crate) const MARGIN_BUDGET_M: f64 = 0.026;

/// Whether more than the least margin is kept: not in a pose, in which legs may be stretched already.
pub(crate) fn keeps_more(start: &State) -> bool {
    start.offset.is_zero()
}

/// The margin with which a foot is lifted without waiting for more, m.
pub(crate) fn lift_margin_m(start: &State) -> f64 {
    if keeps_more(start) { MORE_LIFT_MARGIN_M } else { LIFT_MARGIN_M }
}

/// What is kept of the margin with which a foot is lifted, m.
pub(crate) fn required_margin_m(start: &State, lifted_with: f64) -> f64 {
    let spare = MORE_LIFT_MARGIN_M - MORE_MARGIN_M;
    if keeps_more(start) { (lifted_with - spare).clamp(MARGIN_M, MORE_MARGIN_M) } else { MARGIN_M }
}

/// How far the legs in the air, and those that are `lifted`, one bit each, take the centre of mass until they are down, m.
pub(crate) fn taken_along(cx: &Context, start: &State, lifted: u32) -> Vector2<f64> {
    let reach = start.walk.nominal.reach_with(cx.gait);
    start.walk.way_down(cx.gait, lifted, start.aim[1], &reach) * cx.plant.carried_fraction
}

/// The margin on a support until the feet in the air are down, which take the centre of mass so far along.
pub(crate) fn margin_until_down(support: &SupportPolygon, centre: Vector2<f64>, taken: Vector2<f64>) -> f64 {
    support.margin(centre).min(support.margin(centre + taken))
}

/// Where the centre of mass is over the feet on the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stand {
    pub centre: Vector2<f64>,
    /// The same in the body frame.
    pub in_body: Vector3<f64>,
    pub edges: Edges,
    /// The distance from them that is kept, m.
    pub required_margin_m: f64,
}

impl Stand {
    /// How far the centre of mass may go before it has to be watched, m.
    pub(crate) fn margin_budget_m(&self) -> f64 {
        self.edges.margin(self.centre) - self.required_margin_m - MARGIN_BUDGET_M
    }
}

/// How the robot stands, where that may be near its limit.
#[inline]
pub(crate) fn stand_of(cx: &Context, start: &State) -> Option<Stand> {
    let worth = cx.gait.is_stable() && may_near_edge(cx, start);
    worth.then(|| {
        let in_body = cx.plant.masses.centre(&start.angles);
        let centre = start.footprint_from_body().transform_point(&in_body.into()).coords.xy();
        // On all feet, the body may go wherever the next foot can be lifted.
        let required_margin_m = if start.walk.all_planted() { MARGIN_M } else { start.required_margin_m.max(MARGIN_M) };
        Stand { centre, in_body, edges: Edges::of(&SupportPolygon::new(start.planted())), required_margin_m }
    })
}

/// Whether the centre of mass may come near the edge of the support at all.
#[inline]
pub(crate) fn may_near_edge(cx: &Context, start: &State) -> bool {
    start.margin_budget_m < 0.0 || cx.gait.sway() > 0.0
}

/// How far the body's walk and its sway take the centre of mass over the feet until the next point of the grid, m, at most.
#[inline]
pub(crate) fn greatest_way(cx: &Context, start: &State) -> f64 {
    let twist = start.twist[1];
    let aside = start.offset.translation.xy() + start.sway;
    let turned = twist.wz.abs() * (cx.plant.farthest_centre + aside.norm());
    (twist.speed() + turned + start.rates.sway.norm()) * GRID_S
}

/// The least factor over the edges of the support polygon, which the centre of mass must not cross.
#[inline]
pub(crate) fn over_edges(start: &State, stand: Option<&Stand>, twist: Twist, factor: impl Fn(Boundary) -> f64) -> f64 {
    let Some(Stand { centre, edges, required_margin_m, .. }) = stand else { return 1.0 };
    let velocity = twist.velocity_at(*centre);
    let time_left = match start.walk.time_in_the_air() {
        time if time > 0.0 => time,
        _ => f64::INFINITY,
    };
    edges.iter().fold(1.0, |least: f64, (inward, at)| {
        let speed = -inward.dot(&velocity);
        let room = inward.dot(centre) - at - required_margin_m;
        // Motion away from an edge is unconstrained.
        if speed <= 0.0 { least } else { least.min(factor(Boundary { room, speed, time_left })) }
    })
}
