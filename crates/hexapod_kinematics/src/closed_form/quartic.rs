//! Closed form for any other three revolute joints (Pieper 1968): a quartic at most.
//!
//! With the foot turned about joint 3 only, seen from the line of joint 2, its part `v` along joint 2 stays and its
//! part across it, a plane vector `x` after turning about joint 2, must satisfy what joint 1 leaves unchanged: the
//! target's distance from a point of joint 1's line and its height along it. Both are linear in `x`,
//!
//! `o . x = e1(c, s)`, `a . x = e2(c, s)`, `|x|² = n(c, s)`, with `c, s` the cosine and sine of joint 3,
//!
//! where `o` is the way from joint 1 to joint 2 and `a` the direction of joint 1, both across joint 2, and `e1`, `e2`
//! are linear and `n` quadratic in `c, s`. The point of joint 1's line is chosen so that `o` is at a right angle to
//! `a`. Where neither vanishes, `x` follows and `|x|² = n` is a conic on the unit circle, that is a quartic in
//! `tan(q3/2)`. Where one vanishes (axes 1 and 2 meet, or are parallel), its equation is linear in `c, s` instead.
//! Each root is polished by Newton's method on the foot itself.

use nalgebra::Vector3;

use super::error::IkError;
use super::roots::{Trig, solve_linear_trig, solve_quadratic_trig};
use super::solutions::Candidates;
use crate::angles::LegAngles;
use crate::chain::{Chain, turn};
use crate::math;

/// Fraction of a direction below which it counts as nothing: relative for `a`, in m for `o`.
const VANISHES: f64 = 1e-6;

/// Constants of the closed form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quartic {
    chain: Chain,
    /// Point of joint 1's line that heights and distances are taken from.
    hip: Vector3<f64>,
    /// Directions: along joint 2 and across it.
    a2: Vector3<f64>,
    n1: Vector3<f64>,
    n2: Vector3<f64>,
    /// From `hip` to joint 2's point.
    offset: Vector3<f64>,
    /// `v = mean + cos cosine + sin sine`: the foot turned about joint 3, from joint 2's point.
    mean: Vector3<f64>,
    cosine: Vector3<f64>,
    sine: Vector3<f64>,
    size: f64,
}

impl Quartic {
    /// The constants, or `None` when the leg does not have three joints or its foot lies on a joint.
    pub(crate) fn new(chain: &Chain) -> Option<Self> {
        let [one, two, three] = chain.screws() else { return None };
        let a2 = two.axis;
        let radius = chain.foot_at_zero() - three.point;
        let along = three.axis * three.axis.dot(&radius);
        let (cosine, sine) = (radius - along, three.axis.cross(&radius));
        if cosine.norm() < VANISHES {
            return None;
        }
        // Slide along joint 1 until the offset is perpendicular to joint 1, both taken across joint 2.
        let across = |v: &Vector3<f64>| v - a2 * a2.dot(v);
        let (a, o) = (across(&one.axis), across(&(two.point - one.point)));
        let slide = if a.norm() > VANISHES { o.dot(&a) / a.norm_squared() } else { 0.0 };
        let hip = one.point + one.axis * slide;
        let helper = if a2.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
        let n1 = across(&helper).normalize();
        let size = (three.point - two.point).norm() + radius.norm() + (two.point - hip).norm();
        Some(Self {
            chain: *chain,
            hip,
            a2,
            n1,
            n2: a2.cross(&n1),
            offset: two.point - hip,
            mean: three.point - two.point + along,
            cosine,
            sine,
            size,
        })
    }

    /// All angles for a target, whole turns and limits aside; none where it is out of reach. A joint that the target
    /// leaves free keeps its seed.
    pub(crate) fn solve(&self, target: &Vector3<f64>, seed: &LegAngles) -> Result<Candidates, IkError> {
        let t = target - self.hip;
        let reach = t.norm();
        if reach > self.size * (1.0 + 1e-12) {
            return Err(IkError::Unreachable { shortfall_m: reach - self.size });
        }
        let equations = Equations::new(self, &t);
        let mut found = Candidates::default();
        for knee in equations.knees().iter() {
            let (sin, cos) = math::sin_cos(*knee);
            let v = self.mean + self.cosine * cos + self.sine * sin;
            for pitch in equations.pitches(self, &v, cos, sin, seed).into_iter().flatten() {
                let yaw = self.yaw(&t, &v, pitch, seed);
                let polished = self.chain.polished(target, [yaw, pitch, *knee]);
                polished.into_iter().for_each(|angles| found.push_distinct(angles));
            }
        }
        Ok(found)
    }

    /// Angle about joint 1 from where joints 2 and 3 put the foot to where the target is.
    fn yaw(&self, t: &Vector3<f64>, v: &Vector3<f64>, pitch: f64, seed: &LegAngles) -> f64 {
        let a1 = self.chain.screws().first().map_or_else(Vector3::z, |s| s.axis);
        let from = self.offset + turn(&self.a2, pitch, v);
        let (from, to) = (from - a1 * a1.dot(&from), t - a1 * a1.dot(t));
        if from.norm() * to.norm() < 1e-18 {
            return seed.first().copied().unwrap_or(0.0);
        }
        math::atan2(a1.dot(&from.cross(&to)), from.dot(&to))
    }
}

/// The two linear equations and the length for one target.
struct Equations {
    /// `o . x = e1`, `a . x = e2`, across joint 2.
    e1: Trig,
    e2: Trig,
    o: [f64; 2],
    a: [f64; 2],
    o2: f64,
    a2: f64,
    /// Parts of `v` across joint 2.
    across: [Trig; 2],
}

impl Equations {
    fn new(leg: &Quartic, t: &Vector3<f64>) -> Self {
        let a1 = leg.chain.screws().first().map_or_else(Vector3::z, |s| s.axis);
        let flat = |v: &Vector3<f64>| [leg.n1.dot(v), leg.n2.dot(v)];
        let part = |n: &Vector3<f64>| Trig { k: n.dot(&leg.mean), c: n.dot(&leg.cosine), s: n.dot(&leg.sine) };
        // |v|² is linear: cosine and sine are perpendicular and of one length, and the part of the mean along joint 3
        // is perpendicular to both.
        let square = Trig {
            k: leg.mean.norm_squared() + leg.cosine.norm_squared(),
            c: 2.0 * leg.mean.dot(&leg.cosine),
            s: 2.0 * leg.mean.dot(&leg.sine),
        };
        let along = part(&leg.a2);
        let (o_along, a_along) = (leg.a2.dot(&leg.offset), leg.a2.dot(&a1));
        let constant = 0.5 * (t.norm_squared() - leg.offset.norm_squared());
        let e1 = Trig::constant(constant).plus(&square, -0.5).plus(&along, -o_along);
        let e2 = Trig::constant(a1.dot(t) - a1.dot(&leg.offset)).plus(&along, -a_along);
        let (o, a) = (flat(&leg.offset), flat(&a1));
        let norm = |v: [f64; 2]| v.iter().map(|x| x * x).sum::<f64>();
        let o2 = if norm(o).sqrt() > VANISHES { norm(o) } else { 0.0 };
        let a2 = if norm(a).sqrt() > VANISHES { norm(a) } else { 0.0 };
        Self { e1, e2, o, a, o2, a2, across: [part(&leg.n1), part(&leg.n2)] }
    }

    /// Angles of joint 3 that may solve the target.
    fn knees(&self) -> super::roots::Roots {
        match (self.o2 > 0.0, self.a2 > 0.0) {
            (true, true) => {
                // |x|² = e1²/|o|² + e2²/|a|² must be |v across|².
                let [v1, v2] = &self.across;
                let square = self.e1.square().scaled(1.0 / self.o2).plus(&self.e2.square().scaled(1.0 / self.a2), 1.0);
                solve_quadratic_trig(&square.plus(&v1.square(), -1.0).plus(&v2.square(), -1.0))
            }
            (false, _) => solve_linear_trig(&self.e1),
            (true, false) => solve_linear_trig(&self.e2),
        }
    }

    /// Angles of joint 2 for an angle of joint 3.
    fn pitches(&self, leg: &Quartic, v: &Vector3<f64>, cos: f64, sin: f64, seed: &LegAngles) -> [Option<f64>; 2] {
        let flat = [leg.n1.dot(v), leg.n2.dot(v)];
        let length = flat.iter().map(|x| x * x).sum::<f64>();
        let seeded = seed.get(1).copied().unwrap_or(0.0);
        if length < 1e-20 {
            return [Some(seeded), None];
        }
        let (e1, e2) = (self.e1.at(cos, sin), self.e2.at(cos, sin));
        let to = |x: [f64; 2]| {
            let ([x1, x2], [v1, v2]) = (x, flat);
            math::atan2(v1 * x2 - v2 * x1, v1 * x1 + v2 * x2)
        };
        let ([o1, o2], [a1, a2]) = (self.o, self.a);
        match (self.o2 > 0.0, self.a2 > 0.0) {
            (true, true) => {
                let (fo, fa) = (e1 / self.o2, e2 / self.a2);
                [Some(to([fo * o1 + fa * a1, fo * o2 + fa * a2])), None]
            }
            (false, false) => [Some(seeded), None],
            (with_o, _) => {
                let ([d1, d2], part, square) = if with_o { (self.o, e1, self.o2) } else { (self.a, e2, self.a2) };
                let rest = (length - part * part / square).max(0.0).sqrt() / square.sqrt();
                let f = part / square;
                let one = to([f * d1 - rest * d2, f * d2 + rest * d1]);
                let two = to([f * d1 + rest * d2, f * d2 - rest * d1]);
                [Some(one), Some(two)]
            }
        }
    }
}
