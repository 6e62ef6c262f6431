//! Where the feet rest at other heights of the body than the one the stance was worked out for: a foot is drawn in as
//! the body rises and goes out as it sinks, so that its leg stays as far bent.

use crate::gait::Gait;
use crate::plane::reach::Reach;
use hexapod_kinematics::{Lane, Leg, MAX_LEGS, Vectors};
use nalgebra::{Point3, Vector2};

/// The resting feet with the body at one height, and how far they may go from there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NominalStance {
    /// How much higher than in the stance the body is, m.
    pub raised: f64,
    /// The fraction of the stance's reach that the feet have.
    pub reach_fraction: f64,
    /// Of every foot, about its resting place.
    pub reach: Reach,
    rest: [Vector2<f64>; MAX_LEGS],
    count: usize,
}

impl NominalStance {
    /// At the stance's own height.
    pub(crate) fn of_stance(rest: [Vector2<f64>; MAX_LEGS], count: usize, reach: Reach) -> Self {
        Self { raised: 0.0, reach_fraction: 1.0, reach, rest, count }
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
    #[inline]
    fn moved(mut self, raised: f64, reach_fraction: f64, [x, y]: &[Lane; 2]) -> Self {
        (self.raised, self.reach_fraction, self.reach) = (raised, reach_fraction, self.reach.scaled(reach_fraction));
        for ((rest, x), y) in self.rest.iter_mut().zip(x).zip(y) {
            *rest += Vector2::new(*x, *y);
        }
        self
    }
}

/// How sprawled legs are drawn in, a lane each: a foot stays as far from the joint that lifts its leg.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawIn {
    /// Straight out from the hip; zero for a leg that is not drawn in.
    outward: [Lane; 2],
    /// The resting foot from the joint, outwards and down, m.
    out: Lane,
    down: Lane,
    vectors: Vectors,
}

impl DrawIn {
    /// Of no leg.
    pub(crate) fn none() -> Self {
        let zero = [0.0; MAX_LEGS];
        Self { outward: [zero; 2], out: zero, down: zero, vectors: Vectors::of_this_processor() }
    }

    /// Of legs whose feet rest there (footprint frame) with the body at this height, m.
    pub(crate) fn of<'a>(legs: impl Iterator<Item = (&'a Leg, Vector2<f64>)>, height: f64) -> Self {
        let mut all = Self::none();
        for (index, (leg, rest)) in legs.enumerate().take(MAX_LEGS) {
            if let Some(Sprawled { outward, out, down }) = Sprawled::of(leg, rest, height) {
                (all.outward[0][index], all.outward[1][index]) = (outward.x, outward.y);
                (all.out[index], all.down[index]) = (out, down);
            }
        }
        all
    }

    /// Of a robot `times` as large.
    pub(crate) fn enlarged(&self, times: f64) -> Self {
        Self { out: self.out.map(|out| out * times), down: self.down.map(|down| down * times), ..*self }
    }

    /// Where the feet of a stance go with the body so much higher, and so much of their reach.
    #[inline]
    pub(crate) fn moved(&self, own: NominalStance, raised: f64, reach_fraction: f64) -> NominalStance {
        own.moved(
            raised,
            reach_fraction,
            &self.vectors.run(
                #[inline(always)]
                || self.moves(raised),
            ),
        )
    }

    /// How far each foot goes with the body so much higher.
    #[inline(always)]
    fn moves(&self, raised: f64) -> [Lane; 2] {
        let most = raised.abs();
        let parts: Lane = std::array::from_fn(|leg| {
            let (out, down) = (self.out[leg], self.down[leg] + raised);
            let squared = out * out + self.down[leg] * self.down[leg] - down * down;
            // A leg that stands steeply would have to go far out for a little less height.
            let fraction = (if squared > 0.0 { squared } else { 0.0 }).sqrt() - out;
            let fraction = if fraction > -most { fraction } else { -most };
            if fraction < most { fraction } else { most }
        });
        let [x, y] = &self.outward;
        [std::array::from_fn(|leg| x[leg] * parts[leg]), std::array::from_fn(|leg| y[leg] * parts[leg])]
    }
}

/// A leg that is drawn in.
struct Sprawled {
    outward: Vector2<f64>,
    out: f64,
    down: f64,
}

impl Sprawled {
    fn of(leg: &Leg, rest: Vector2<f64>, height: f64) -> Option<Self> {
        let [hip, lift, ..] = leg.joints() else { return None };
        let outward = (rest - leg.hip_in_body().xy()).try_normalize(1e-6).filter(|_| !leg.is_upright())?;
        let lift = lift.origin().translation.vector;
        let along = hip.axis().dot(&lift);
        // The joint is as far from the hip's axis, and as high, wherever the leg points.
        let from_axis = (lift - hip.axis().scale(along)).norm();
        let out = outward.dot(&(rest - leg.hip_in_body().xy())) - from_axis;
        Some(Self { outward, out: out.max(0.0), down: height + (hip.origin() * Point3::from(lift)).z })
    }
}
