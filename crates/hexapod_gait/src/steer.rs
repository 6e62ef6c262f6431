//! The body's twist: limited as a whole, so the turning centre stays where the driver put it.

use crate::engine::Engine;
use crate::footing::Footing;
use crate::gait::Gait;
use crate::grid::GRID_S;
use crate::limits::{self, Boundary, Limited, LimitedBy};
use crate::posture::BodyOffset;
use crate::ramp::Ramp;
use crate::state::State;
use crate::support::{Edges, SupportPolygon};
use crate::twist::Twist;
use crate::walk::{Foot, Walk};
use nalgebra::{Vector2, Vector3};

/// Part of the acceleration limit that is counted on when a boundary comes near.
const BRAKING_PART: f64 = 0.9;
/// How much faster than the body's twist the twist may change that feet in the air expect.
const AIM_RATE: f64 = 3.0;
/// How quickly the mean pace of the swings follows, in parts for each step of the grid.
const PACE_FALL: f64 = 0.04;
const PACE_RISE: f64 = 0.01;
/// How fast the cycle time changes, per second.
const CYCLE_RATE: f64 = 0.5;
/// The distance of the centre of mass from the edge of the support polygon that is kept, m.
const MARGIN_M: f64 = 0.004;
/// The same for a sway that has to come to rest in time.
const STOP_M: f64 = 0.009;

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

/// The greatest speed, m/s or rad/s, from which one comes to rest within `left`, changing it by no more than `greatest`
/// per second and only at the points of the grid.
pub(crate) fn stoppable(left: f64, greatest: f64) -> f64 {
    let step = greatest * GRID_S;
    ((0.25 * step * step + 2.0 * greatest * left).sqrt() - 0.5 * step).max(0.0)
}

/// The speed of the foot that uses up its reach the soonest, in parts of that, 1/s.
fn fastest(footing: &Footing, twist: Twist) -> f64 {
    footing.rest().iter().map(|&foot| footing.reach.part(twist.velocity_at(foot))).fold(0.0, f64::max)
}

impl Engine {
    /// The twist for the time to the next point of the grid.
    pub(crate) fn steer(&mut self, start: &mut State, wanted: Twist, stand: Option<&Stand>) {
        let settings = self.now.control.limits;
        let gait = &self.now.control.gaits.walked;
        let mut limited = settings.velocity(Limited::unlimited(wanted));
        if start.walk.waiting {
            // The body must not run away from the foot whose turn it is.
            limited = limited.scaled(0.0, LimitedBy::Stability);
        }
        self.adapt_cycle(start, limited.twist);
        // Swings that the joints draw out make steps longer.
        let cycle = start.walk.cycle / start.mean_pace;
        let stride = Self::stride_factor(&start.walk.footing, gait, cycle, limited.twist);
        // A cycle that is longer than the gait's own is so for the joints.
        let longer = self.plant.joints.is_some() && cycle > gait.cycle_time() * (1.0 + 1e-9);
        let by = if longer { LimitedBy::JointAcceleration } else { LimitedBy::Stride };
        limited = limited.scaled(stride, by);
        if let Some(next) = &self.now.control.gaits.next {
            let factor = Self::stride_factor(&start.walk.footing, next, next.cycle_times()[0], limited.twist);
            limited = limited.scaled(factor * self.patience(start), LimitedBy::Stride);
        }
        // Feet in the air are put where they will be wanted once what slows the body now is over.
        let aim = limited.twist;
        let (braking, lag) = (BRAKING_PART * settings.linear_acceleration, Ramp::lag(&settings));
        let feet = (&start.walk, &start.walk.footing);
        let reach = Self::over_reach(start, feet, gait, limited.twist, |edge| edge.short().factor(braking, lag));
        limited = limited.scaled(reach, LimitedBy::Reach);
        let balance = self.over_edges(start, stand, limited.twist, |edge| edge.factor(braking, lag));
        limited = limited.scaled(balance, LimitedBy::Stability);
        let mut ramped = self.now.control.ramp.step(limited, &settings);
        let hard = Self::within_reach(&start.walk, &self.now.control.gaits.walked, ramped.twist);
        if hard < 1.0 {
            self.now.control.ramp.scale(hard);
            ramped = ramped.scaled(hard, LimitedBy::Reach);
        }
        let hard = self.over_edges(start, stand, ramped.twist, |edge| edge.hard_factor(GRID_S));
        if hard < 1.0 {
            self.now.control.ramp.scale(hard);
            ramped = ramped.scaled(hard, LimitedBy::Stability);
        }
        start.twist = [start.twist[1], ramped.twist];
        // With accelerations that the joints limit, it follows no faster than they bear.
        let aim_rate = if self.plant.joints.is_some() { 1.0 } else { AIM_RATE };
        let aim = settings.acceleration(start.aim[1], Limited::unlimited(aim), aim_rate * GRID_S);
        start.aim = [start.aim[1], aim.twist];
        start.limited_by = ramped.by;
    }

    /// The part of a twist with which no step is longer than the stride.
    pub(crate) fn stride_factor(footing: &Footing, gait: &Gait, cycle: f64, twist: Twist) -> f64 {
        let step = fastest(footing, twist) * gait.duty_factor() * cycle;
        let stride = gait.stride();
        if step > stride { stride / step } else { 1.0 }
    }

    /// The longest cycle with which no step at this twist is longer than the stride.
    pub(crate) fn cycle_for(&self, footing: &Footing, gait: &Gait, twist: Twist) -> f64 {
        let [least, most] = gait.cycle_times();
        let fastest = fastest(footing, twist) * gait.duty_factor();
        if least == most || fastest * most <= gait.stride() {
            return most;
        }
        (gait.stride() / fastest).max(least).min(most)
    }

    fn adapt_cycle(&self, start: &mut State, wanted: Twist) {
        if start.walk.time_in_the_air() > 0.0 {
            let gain = if start.swing_pace < start.mean_pace { PACE_FALL } else { PACE_RISE };
            start.mean_pace += gain * (start.swing_pace - start.mean_pace);
        }
        let cycle = self.cycle_for(&start.walk.footing, &self.now.control.gaits.walked, wanted);
        let most = CYCLE_RATE * GRID_S * start.walk.cycle;
        start.walk.cycle += (cycle - start.walk.cycle).max(-most).min(most);
        if self.plant.joints.is_some() {
            start.walk.cycle = start.walk.cycle.max(self.now.control.gaits.walked.cycle_times()[0]);
        }
    }

    /// The part of the twist while another gait waits to be taken up: the longer it waits, the less.
    fn patience(&self, start: &State) -> f64 {
        let waited = start.ns.saturating_sub(self.now.control.gaits.since_ns) as f64 * 1e-9
            / self.now.control.gaits.walked.cycle_time();
        (1.5 - waited).clamp(0.2, 1.0)
    }

    /// Whether the body can go on as it does with these feet, resting there, and this gait, braking no harder than it may.
    pub(crate) fn can_go_on(&self, start: &State, feet: (&Walk, &Footing), gait: &Gait) -> bool {
        let limits = &self.now.control.limits;
        let (braking, lag) = (BRAKING_PART * limits.linear_acceleration, Ramp::lag(limits));
        Self::over_reach(start, feet, gait, start.twist[1], |edge| edge.factor(braking, lag)) >= 1.0
    }

    /// The least factor over the edges of the reach of all feet on the ground, where they stay until they have been lifted
    /// and have drifted on.
    fn over_reach(
        start: &State,
        (walk, footing): (&Walk, &Footing),
        gait: &Gait,
        twist: Twist,
        factor: impl Fn(Boundary) -> f64,
    ) -> f64 {
        let (mut least, reach) = (1.0f64, footing.reach_with(gait));
        let drift = gait.drift() * walk.cycle;
        for (leg, (foot, &rest)) in walk.feet().iter().zip(footing.rest()).enumerate() {
            let Foot::Planted { at } = foot else { continue };
            let time_left = (walk.time_to_lift(gait, leg) + drift) / start.swing_pace;
            let time_left = if walk.waiting { f64::INFINITY } else { time_left };
            let edge = limits::reach(at.xy(), rest, &reach, time_left, twist);
            least = least.min(factor(edge));
        }
        least
    }

    /// The part of a twist with which no foot on the ground leaves its reach before the next point of the grid.
    fn within_reach(walk: &Walk, gait: &Gait, twist: Twist) -> f64 {
        let (mut least, reach) = (1.0f64, walk.footing.reach_with(gait));
        for (foot, &rest) in walk.feet().iter().zip(walk.footing.rest()) {
            let Foot::Planted { at } = foot else { continue };
            if !limits::is_far_within(at.xy(), rest, &reach, GRID_S, twist) {
                let edge = limits::reach(at.xy(), rest, &reach, f64::INFINITY, twist);
                least = least.min(edge.hard_factor(GRID_S));
            }
        }
        least
    }

    /// The least factor over the edges of the support polygon, which the centre of mass must not cross.
    fn over_edges(&self, start: &State, stand: Option<&Stand>, twist: Twist, factor: impl Fn(Boundary) -> f64) -> f64 {
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

    /// How the robot stands, where that may be near its limit.
    pub(crate) fn stand_of(&self, start: &State) -> Option<Stand> {
        let worth = self.now.control.gaits.walked.is_stable() && self.is_tight(start);
        worth.then(|| {
            let in_body = self.plant.masses.centre(&start.angles);
            let centre = start.footprint_from_body().transform_point(&in_body.into()).coords.xy();
            Stand { centre, in_body, edges: Edges::of(&SupportPolygon::new(start.planted())) }
        })
    }

    /// Stops what moves the body over its feet where it would take the centre of mass out of their midst.
    pub(crate) fn keep_balance(&self, start: &mut State, stand: Option<&Stand>) {
        let Some(Stand { centre, in_body, edges }) = stand else { return };
        let walked = start.twist[1].velocity_at(*centre) * GRID_S;
        let margin_after = |start: &State| {
            let later = start.footprint_from_body_after(GRID_S);
            edges.margin(later.transform_point(&(*in_body).into()).coords.xy() + walked)
        };
        let now = edges.margin(*centre);
        let falls = |start: &State| {
            let after = margin_after(start);
            after < MARGIN_M && after < now
        };
        if falls(start) {
            start.offset_rate = BodyOffset::default();
        }
        if falls(start) {
            start.sway_rate = Vector2::zeros();
        }
    }

    /// Whether the centre of mass may come near the edge of the support at all.
    fn is_tight(&self, start: &State) -> bool {
        start.tight || self.now.control.gaits.walked.sway() > 0.0
    }
}
