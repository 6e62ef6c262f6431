//! Where the feet rest at other heights of the body than the one the stance was worked out for: a foot is drawn in as
//! the body rises and goes out as it sinks, so that its leg stays as far bent.

use crate::gait::Gait;
use crate::plane::reach::Reach;
use hexapod_kinematics::{Leg, MAX_LEGS};
use nalgebra::{Point3, Vector2};

/// The resting feet with the body at one height, and how far they may go from there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NominalStance {
    /// How much higher than in the stance the body is, m.
    pub raised: f64,
    /// The part of the stance's reach that the feet have.
    pub reach_part: f64,
    /// Of every foot, about its resting place.
    pub reach: Reach,
    rest: [Vector2<f64>; MAX_LEGS],
    count: usize,
}

impl NominalStance {
    /// At the stance's own height.
    pub(crate) fn of_stance(rest: &[Vector2<f64>], reach: Reach) -> Self {
        let mut all = [Vector2::zeros(); MAX_LEGS];
        all.iter_mut().zip(rest).for_each(|(all, rest)| *all = *rest);
        Self { raised: 0.0, reach_part: 1.0, reach, rest: all, count: rest.len().min(MAX_LEGS) }
    }

    /// Resting feet in the footprint frame, m.
    pub(crate) fn rest(&self) -> &[Vector2<f64>] {
        self.rest.get(..self.count).unwrap_or(&self.rest)
    }

    /// The resting foot of one leg.
    pub(crate) fn place(&self, leg: usize) -> Vector2<f64> {
        self.rest().get(leg).copied().unwrap_or_default()
    }

    /// How far a foot may be put with a gait: a body that sways leaves less.
    pub(crate) fn reach_with(&self, gait: &Gait) -> Reach {
        self.reach.scaled(1.0 - gait.sway_reach())
    }

    /// With the feet moved out by `out` and so much of the reach.
    pub(crate) fn moved(&self, raised: f64, reach_part: f64, out: impl Fn(usize) -> Vector2<f64>) -> Self {
        let mut moved = Self { raised, reach_part, reach: self.reach.scaled(reach_part), ..*self };
        moved.rest.iter_mut().take(self.count).enumerate().for_each(|(leg, rest)| *rest += out(leg));
        moved
    }
}

/// How a sprawled leg is drawn in: its foot stays as far from the joint that lifts it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DrawIn {
    /// Straight out from the hip; zero for a leg that is not drawn in.
    outward: Vector2<f64>,
    /// The resting foot from the joint, outwards and down, m.
    out: f64,
    down: f64,
}

impl DrawIn {
    /// Of a leg whose foot rests there (footprint frame) with the body at this height, m.
    pub(crate) fn of(leg: &Leg, rest: Vector2<f64>, height: f64) -> Self {
        let [hip, lift, ..] = leg.joints() else { return Self::default() };
        let outward = (rest - leg.hip_in_body().xy()).try_normalize(1e-6);
        let Some(outward) = outward.filter(|_| !leg.is_upright()) else { return Self::default() };
        let lift = lift.origin().translation.vector;
        let along = hip.axis().dot(&lift);
        // The joint is as far from the hip's axis, and as high, wherever the leg points.
        let from_axis = (lift - hip.axis().scale(along)).norm();
        let out = outward.dot(&(rest - leg.hip_in_body().xy())) - from_axis;
        Self { outward, out: out.max(0.0), down: height + (hip.origin() * Point3::from(lift)).z }
    }

    /// How far the foot goes with the body so much higher.
    pub(crate) fn moves(&self, raised: f64) -> Vector2<f64> {
        let down = self.down + raised;
        let squared = self.out * self.out + self.down * self.down - down * down;
        // A leg that stands steeply would have to go far out for a little less height.
        self.outward * (squared.max(0.0).sqrt() - self.out).max(-raised.abs()).min(raised.abs())
    }
}
