//! What kind of leg it is: sprawled or upright, and what is straight down for it.

use std::cmp::Ordering;

use nalgebra::Vector2;

use super::Leg;
use crate::angles::LegAngles;
use crate::chain::turn;
use crate::math;

/// Fraction of the first axis that may be vertical in an upright leg.
const LYING: f64 = 0.5;
/// Axes nearer to each other than this (sine) count as parallel.
const PARALLEL: f64 = 1e-3;
/// Angles of a hip, rad, and places of a foot, in lengths of the leg, that differ by less are the same but for rounding.
const AS_NEAR_RAD: f64 = 1e-3;
const SAME_PLACE: f64 = 1e-3;
/// Steps in which the range of a hip is searched for where it is straight, and halvings of one.
const HIP_STEPS: u32 = 179;
const HALVINGS: u32 = 52;

impl Leg {
    /// True when the first axis lies, so that the leg hangs from a hip that rolls or pitches, as a dog's; false when
    /// it is upright and the hip yaws, as an insect's.
    pub fn is_upright(&self) -> bool {
        self.chain.screws().first().is_some_and(|hip| hip.axis.z.abs() < LYING)
    }

    /// The angle of the first joint at which the second axis is level, nearest to zero: of an upright leg the angle
    /// at which it bends in a vertical plane. Home where the first joint does not change that.
    pub fn straight_hip(&self) -> f64 {
        let home = self.home().first().copied().unwrap_or(0.0);
        if self.coupling.is_some() {
            return self.straightest(home);
        }
        let ([hip, thigh, ..], Some(joint)) = (self.chain.screws(), self.joints.first()) else { return home };
        let along = hip.axis * hip.axis.dot(&thigh.axis);
        let (cos, sin) = ((thigh.axis - along).z, hip.axis.cross(&thigh.axis).z);
        // The height of the second axis is cos * cos(q) + sin * sin(q) + along.
        let size = math::hypot(cos, sin);
        if !self.is_upright() || size < PARALLEL || along.z.abs() > size {
            return home;
        }
        let (middle, half) = (math::atan2(sin, cos), math::acos(-along.z / size));
        let whole = std::f64::consts::TAU;
        let candidates = [middle + half, middle - half].map(|q| q - whole * (q / whole).round());
        let inside = candidates.into_iter().filter(|q| joint.limits.contains(*q));
        inside.min_by(|a, b| self.straighter(*a, *b)).unwrap_or(home)
    }

    /// The same where joints between the first and the second turn with the first: by bisection.
    fn straightest(&self, home: f64) -> f64 {
        let Some(limits) = self.joints.first().map(|joint| joint.limits).filter(|_| self.is_upright()) else {
            return home;
        };
        let rise = |hip: f64| {
            let placed = self.placed(&self.home_with_hip(hip));
            self.motors(&placed).nth(1).map_or(0.0, |thigh| thigh.axis.z)
        };
        let at = |step: u32| limits.lower + (limits.upper - limits.lower) * f64::from(step) / f64::from(HIP_STEPS);
        let changes = (0..HIP_STEPS).map(|step| (at(step), at(step + 1))).filter(|(a, b)| rise(*a) * rise(*b) < 0.0);
        let found = changes.map(|(mut a, mut b)| {
            for _ in 0..HALVINGS {
                let middle = 0.5 * (a + b);
                if rise(a) * rise(middle) <= 0.0 { b = middle } else { a = middle }
            }
            0.5 * (a + b)
        });
        found.min_by(|a, b| self.straighter(*a, *b)).unwrap_or(home)
    }

    /// Which of two straight hips is nearer to zero; of two that are as near, the one with the foot lower, then farther
    /// ahead and out: so legs that are mirror images stand as mirror images.
    fn straighter(&self, one: f64, other: f64) -> Ordering {
        if (one.abs() - other.abs()).abs() > AS_NEAR_RAD {
            return one.abs().total_cmp(&other.abs());
        }
        let [one, other] = [one, other].map(|hip| self.foot_in_body(&self.home_with_hip(hip)));
        let (apart, most) = (other - one, SAME_PLACE * self.length());
        let outwards = other.y.abs() - one.y.abs();
        let decides = [-apart.z, apart.x, outwards].into_iter().find(|by| by.abs() > most);
        decides.unwrap_or(0.0).total_cmp(&0.0)
    }

    /// Home but for the first joint.
    fn home_with_hip(&self, hip: f64) -> LegAngles {
        let home = self.home();
        LegAngles::from_fn(self.joint_count(), |i| if i == 0 { hip } else { home.get(i).copied().unwrap_or(0.0) })
    }

    /// The place (body frame, x and y, m) straight below the hip for the foot of an upright leg: beside it by the
    /// leg's lateral offsets with the hip straight. Of a sprawled leg, the hip itself.
    pub fn below_hip(&self) -> Vector2<f64> {
        let hip = self.hip_in_body();
        let ([first, second, ..], true) = (self.chain.screws(), self.is_upright()) else { return hip.xy() };
        let straight = self.home_with_hip(self.straight_hip());
        let across = if self.coupling.is_none() {
            turn(&first.axis, self.straight_hip(), &second.axis)
        } else {
            let placed = self.placed(&straight);
            self.motors(&placed).nth(1).map_or(second.axis, |thigh| thigh.axis)
        };
        let foot = self.foot_in_body(&straight);
        (hip + across * across.dot(&(foot - hip))).xy()
    }
}
