//! Closed form for three joints of which the outer two are parallel, and the first is not parallel to them.
//!
//! This is the leg of nearly every walking robot (yaw-pitch-pitch, roll-pitch-pitch), with any lateral offsets: the
//! axes need not meet, and the first axis need not be at a right angle to the others.
//!
//! Turning about joints 2 and 3 leaves the component of the foot along their common direction `a2` as it is. So the
//! target, turned back about joint 1, must have the component that the foot has at zero:
//! `a2 . R1(-q1) (t - p1) = a2 . (f - p1)`, one equation `y' = -sin q1 x + cos q1 y = D` in a frame whose y is `a2`
//! made perpendicular to `a1`. It has two solutions, `x' = +-sqrt(x² + y² - D²)`. What is left is a planar arm of
//! two lengths, with two solutions by the law of cosines: four in all.

use nalgebra::Vector3;

use super::error::IkError;
use super::range::Ranges;
use super::solutions::{Candidates, REACH_TOLERANCE};
use crate::angles::LegAngles;
use crate::chain::{Chain, Screw};
use crate::math;
use crate::poly::atan2_each;

/// Sine of the angle between two axes up to which they count as parallel.
const PARALLEL: f64 = 1e-10;
/// Least length of a link of the planar arm, m.
const MIN_LENGTH: f64 = 1e-6;

/// Squares below which the quick way leaves the decision to the careful one.
const EDGE: f64 = 1e-12;

/// Constants of the closed form, from the leg's geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Parallel {
    /// Origin of joint 1.
    pub(crate) hip: Vector3<f64>,
    /// Frame at the hip: z along joint 1, y along the part of joint 2 that is perpendicular to it.
    pub(crate) x: Vector3<f64>,
    pub(crate) y: Vector3<f64>,
    pub(crate) z: Vector3<f64>,
    /// `D = d0 - d_z h`, with h the height of the target along joint 1.
    pub(crate) d0: f64,
    pub(crate) d_z: f64,
    /// The planar arm's coordinates are `w = w0 + wx x' + wy D + wz h`.
    pub(crate) w0: [f64; 2],
    pub(crate) wx: [f64; 2],
    pub(crate) wy: [f64; 2],
    pub(crate) wz: [f64; 2],
    /// Lengths and directions at zero of the planar arm's links.
    pub(crate) upper: f64,
    pub(crate) lower: f64,
    /// `1 / (2 upper lower)` and `(upper² + lower²) / (2 upper lower)`.
    scale: f64,
    squares: f64,
    pub(crate) upper_angle: f64,
    pub(crate) bend: f64,
    /// +1 when joint 3 turns as joint 2, -1 when it turns against it.
    pub(crate) sense: f64,
}

impl Parallel {
    /// The constants, or `None` when the geometry is another.
    pub(crate) fn new(chain: &Chain) -> Option<Self> {
        let [one, two, three] = chain.screws() else { return None };
        let (z, a2) = (one.axis, two.axis);
        let across = a2 - z * a2.dot(&z);
        let s = across.norm();
        if two.axis.cross(&three.axis).norm() > PARALLEL || s < 1e-6 {
            return None;
        }
        let y = across / s;
        let x = y.cross(&z);
        let n1 = (z - a2 * z.dot(&a2)).normalize();
        let plane = Plane { n1, n2: a2.cross(&n1) };
        let (first, second) =
            (plane.polar(&(three.point - two.point)), plane.polar(&(chain.foot_at_zero() - three.point)));
        if first.0 < MIN_LENGTH || second.0 < MIN_LENGTH {
            return None;
        }
        Some(Self {
            hip: one.point,
            x,
            y,
            z,
            d0: a2.dot(&(chain.foot_at_zero() - one.point)) / s,
            d_z: a2.dot(&z) / s,
            w0: plane.flat(&(one.point - two.point)),
            wx: plane.flat(&x),
            wy: plane.flat(&y),
            wz: plane.flat(&z),
            upper: first.0,
            lower: second.0,
            scale: 0.5 / (first.0 * second.0),
            squares: 0.5 * (first.0 / second.0 + second.0 / first.0),
            upper_angle: first.1,
            bend: second.1 - first.1,
            sense: sense(two, three),
        })
    }

    /// All angles for a target, whole turns and limits aside. Where the target leaves joint 1 free, it keeps its seed.
    pub(crate) fn solve(&self, target: &Vector3<f64>, seed: &LegAngles) -> Result<Candidates, IkError> {
        let t = target - self.hip;
        let (tx, ty, h) = (self.x.dot(&t), self.y.dot(&t), self.z.dot(&t));
        let d = self.d0 - self.d_z * h;
        let radius = math::hypot(tx, ty);
        if d.abs() > radius + REACH_TOLERANCE {
            return Err(IkError::Unreachable { shortfall_m: d.abs() - radius });
        }
        let ahead = ((radius - d) * (radius + d)).max(0.0).sqrt();
        let mut found = Candidates::default();
        let mut shortfall = f64::INFINITY;
        for ahead in [ahead, -ahead] {
            let yaw = self.yaw(tx, ty, d, ahead, seed);
            shortfall = shortfall.min(self.arm([ahead, d, h], yaw, seed, &mut found));
            if ahead == 0.0 {
                break;
            }
        }
        if found.is_empty() { Err(IkError::Unreachable { shortfall_m: shortfall }) } else { Ok(found) }
    }

    /// The solution inside the limits that is nearest to the seed, if there is one. What is outside is left out as
    /// soon as one joint says so, which for most legs leaves one of the four solutions to be worked out.
    #[inline]
    pub(crate) fn nearest_inside(&self, target: &Vector3<f64>, seed: [f64; 3], ranges: &Ranges) -> Option<[f64; 3]> {
        let t = target - self.hip;
        let (tx, ty, h) = (dot(&self.x, &t), dot(&self.y, &t), dot(&self.z, &t));
        let d = self.d0 - self.d_z * h;
        let square = tx * tx + (ty * ty - d * d);
        // On the edge, and where joint 1 or 2 is free, the careful way decides.
        if square.is_nan() || square < EDGE {
            return None;
        }
        let root = square.sqrt();
        let mut best = Best { distance: f64::INFINITY, angles: seed };
        // The two written out: a loop over them costs a third more instructions.
        self.on_side([tx, ty, d, h, root], &seed, ranges, &mut best)?;
        self.on_side([tx, ty, d, h, -root], &seed, ranges, &mut best)?;
        (best.distance < f64::INFINITY).then_some(best.angles)
    }

    /// The ranges as [`Self::nearest_inside`] wants them: that of joint 3 excludes by the direction of the bend.
    pub(crate) fn ranges(&self, mut ranges: Ranges) -> Ranges {
        let [_, _, knee, ..] = &mut ranges;
        *knee = knee.counted(self.sense, self.bend);
        ranges
    }

    /// Looks at the solutions with joint 1 turned one way; `None` where the careful way has to decide.
    #[inline(always)]
    fn on_side(
        &self,
        [tx, ty, d, h, ahead]: [f64; 5],
        seed: &[f64; 3],
        [range1, range2, range3, ..]: &Ranges,
        best: &mut Best,
    ) -> Option<()> {
        let yaw = [ty * ahead - tx * d, tx * ahead + ty * d];
        if range1.excludes(yaw[1], yaw[0]) {
            return Some(());
        }
        let [w1, w2] = self.in_plane(ahead, d, h);
        let reach2 = w1 * w1 + w2 * w2;
        let cos = reach2 * self.scale - self.squares;
        let sin2 = (1.0 - cos) * (1.0 + cos);
        if sin2.is_nan() || sin2 < EDGE || reach2 < EDGE {
            return None;
        }
        let sin = sin2.sqrt();
        let (along, aside) = (self.lower * cos + self.upper, self.lower * sin);
        // Bent one way and the other: with the yaw and the bend itself, four angles in one pass.
        let [rise, run] = [[w2 * along, w1 * aside], [w1 * along, w2 * aside]];
        let [yaw, bend, one, other] = atan2_each(
            [yaw[0], sin, rise[0] - rise[1], rise[0] + rise[1]],
            [yaw[1], cos, run[0] + run[1], run[0] - run[1]],
        );
        let [near1, near2, near3] = *seed;
        let Some(yaw) = range1.fit(yaw, near1) else { return Some(()) };
        let mut bent = |sin: f64, bend: f64, pitch: f64| {
            if range3.excludes(cos, sin) {
                return;
            }
            let Some(knee) = range3.fit(self.sense * (bend - self.bend), near3) else { return };
            let Some(pitch) = range2.fit(pitch - self.upper_angle, near2) else { return };
            let (d1, d2, d3) = (yaw - near1, pitch - near2, knee - near3);
            let distance = d1 * d1 + (d2 * d2 + d3 * d3);
            if distance < best.distance {
                *best = Best { distance, angles: [yaw, pitch, knee] };
            }
        };
        bent(sin, bend, one);
        bent(-sin, -bend, other);
        Some(())
    }

    /// Coordinates in the plane of the arm, from joint 2.
    #[inline(always)]
    fn in_plane(&self, ahead: f64, d: f64, h: f64) -> [f64; 2] {
        let [[a0, b0], [ax, bx], [ay, by], [az, bz]] = [self.w0, self.wx, self.wy, self.wz];
        [ax * ahead + (ay * d + (az * h + a0)), bx * ahead + (by * d + (bz * h + b0))]
    }

    /// Signs of the roots of joint 1 and joint 3 that belong to a pose with its foot at `foot`.
    pub(crate) fn branch(&self, foot: &Vector3<f64>, pose: &LegAngles) -> (f64, f64) {
        let [yaw, knee] = [0, 2].map(|i: usize| pose.get(i).copied().unwrap_or(0.0));
        let t = foot - self.hip;
        let (tx, ty) = (self.x.dot(&t), self.y.dot(&t));
        let ahead = tx * math::cos(yaw) + ty * math::sin(yaw);
        let bend = math::sin(self.sense * knee + self.bend);
        (if ahead < 0.0 { -1.0 } else { 1.0 }, if bend < 0.0 { -1.0 } else { 1.0 })
    }

    fn yaw(&self, tx: f64, ty: f64, d: f64, ahead: f64, seed: &LegAngles) -> f64 {
        // The angle from (ahead, d) to (tx, ty), as one arc tangent.
        let (sin, cos) = (ty * ahead - tx * d, tx * ahead + ty * d);
        if sin.abs() + cos.abs() < 1e-24 { seed.first().copied().unwrap_or(0.0) } else { math::atan2(sin, cos) }
    }

    /// Adds the solutions of the planar arm; returns by how much it is too short or too long, at least zero.
    fn arm(&self, [ahead, d, h]: [f64; 3], yaw: f64, seed: &LegAngles, found: &mut Candidates) -> f64 {
        let [w1, w2] = self.in_plane(ahead, d, h);
        let reach = math::hypot(w1, w2);
        let beyond = (reach - (self.upper + self.lower)).max((self.upper - self.lower).abs() - reach);
        if beyond > REACH_TOLERANCE {
            return beyond;
        }
        let cos = (reach * reach - self.upper * self.upper - self.lower * self.lower) / (2.0 * self.upper * self.lower);
        let cos = cos.clamp(-1.0, 1.0);
        let sin = ((1.0 - cos) * (1.0 + cos)).sqrt();
        for sin in [sin, -sin] {
            // Direction of the foot seen from joint 2 when the upper link points along n1.
            let (along, aside) = (self.upper + self.lower * cos, self.lower * sin);
            let (rise, run) = (w2 * along - w1 * aside, w1 * along + w2 * aside);
            let free = rise.abs() + run.abs() < 1e-24;
            let pitch =
                if free { seed.get(1).copied().unwrap_or(0.0) } else { math::atan2(rise, run) - self.upper_angle };
            let knee = self.sense * (math::atan2(sin, cos) - self.bend);
            found.push([yaw, pitch, knee]);
            if sin == 0.0 {
                break;
            }
        }
        0.0
    }
}

#[inline(always)]
fn dot(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    a.x * b.x + (a.y * b.y + a.z * b.z)
}

fn sense(two: &Screw, three: &Screw) -> f64 {
    if two.axis.dot(&three.axis) < 0.0 { -1.0 } else { 1.0 }
}

/// The solution nearest to a seed so far.
struct Best {
    /// Square of the distance from the seed, rad²; infinite while there is none.
    distance: f64,
    angles: [f64; 3],
}

/// Two directions perpendicular to joints 2 and 3; n1 x n2 points along joint 2.
struct Plane {
    n1: Vector3<f64>,
    n2: Vector3<f64>,
}

impl Plane {
    fn flat(&self, v: &Vector3<f64>) -> [f64; 2] {
        [self.n1.dot(v), self.n2.dot(v)]
    }

    fn polar(&self, v: &Vector3<f64>) -> (f64, f64) {
        let [x, y] = self.flat(v);
        (math::hypot(x, y), math::atan2(y, x))
    }
}
