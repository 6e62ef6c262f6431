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

/// Where the centre of mass is over the feet on the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stand {
    pub centre: Vector2<f64>,
    /// The same in the body frame.
    pub in_body: Vector3<f64>,
    pub edges: Edges,
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
    start.free_m < 0.0 || cx.gait.sway() > 0.0
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
