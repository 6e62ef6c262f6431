//! How near legs come to each other: their links as lines between the joints.

use hexapod_kinematics::{Leg, LegAngles, MAX_LEG_JOINTS, MAX_LEGS, Robot};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// Distance (m) that motions keep between the lines of two legs, which run through the joints to the foot.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct LegClearance(f64);

impl LegClearance {
    /// The greatest distance that can be asked for, m.
    pub const GREATEST_M: f64 = 0.2;

    /// A distance in m, from 0, where legs may touch, to [`Self::GREATEST_M`].
    #[must_use]
    pub fn try_new(distance_m: f64) -> Option<Self> {
        (0.0..=Self::GREATEST_M).contains(&distance_m).then_some(Self(distance_m))
    }
}

impl Default for LegClearance {
    /// About the width of two links of hobby servos.
    fn default() -> Self {
        Self(0.02)
    }
}

/// Part of the distance at home that is kept where legs are nearer to each other there.
const PART_AT_HOME: f64 = 0.8;

/// The least distances between legs.
pub(super) struct Clearance {
    least: [[f64; MAX_LEGS]; MAX_LEGS],
}

impl Clearance {
    /// What is kept by a robot that stands at home with these joint angles.
    pub(super) fn at_home(robot: &Robot, home: &[LegAngles; MAX_LEGS], LegClearance(kept): LegClearance) -> Self {
        let mut least = [[kept; MAX_LEGS]; MAX_LEGS];
        let lines = lines_of(robot, home);
        for ((one, line), (other, second)) in pairs(&lines) {
            least[one][other] = kept.min(PART_AT_HOME * line.distance(second));
        }
        Self { least }
    }

    /// Two legs that come too near to each other at these joint angles.
    pub(super) fn too_near(&self, robot: &Robot, angles: &[LegAngles; MAX_LEGS]) -> Option<TooNear> {
        let lines = lines_of(robot, angles);
        pairs(&lines).find_map(|((one, line), (other, second))| {
            let least = self.least[one][other];
            let distance = if line.gap(second) < least { line.distance(second) } else { least };
            (distance < least).then_some(TooNear { legs: [one, other], distance, least })
        })
    }
}

/// Two legs by their indices, how near they come to each other, and how near they may, m.
pub(super) struct TooNear {
    pub legs: [usize; 2],
    pub distance: f64,
    pub least: f64,
}

/// The joints' places and the foot, in the body frame.
struct Line {
    points: [Vector3<f64>; MAX_LEG_JOINTS + 1],
    count: usize,
}

impl Line {
    fn of(leg: &Leg, angles: &LegAngles) -> Self {
        let mut line = Self { points: [leg.foot_in_body(angles); MAX_LEG_JOINTS + 1], count: leg.joint_count() + 1 };
        let mut body_from_link = Isometry3::identity();
        for ((joint, &angle), point) in leg.joints().iter().zip(angles.iter()).zip(&mut line.points) {
            body_from_link *= joint.origin() * UnitQuaternion::from_axis_angle(&joint.axis(), angle);
            *point = body_from_link.translation.vector;
        }
        line
    }

    fn parts(&self) -> impl Iterator<Item = [Vector3<f64>; 2]> + Clone {
        self.points[..self.count].windows(2).map(|ends| [ends[0], ends[1]])
    }

    fn distance(&self, other: &Self) -> f64 {
        let all = self.parts().flat_map(|mine| other.parts().map(move |its| between(mine, its)));
        all.fold(f64::INFINITY, f64::min)
    }

    /// The distance between the boxes about both lines, which are no nearer to each other than that.
    fn gap(&self, other: &Self) -> f64 {
        let ([low, high], [others_low, others_high]) = (self.corners(), other.corners());
        (others_low - high).sup(&(low - others_high)).map(|apart| apart.max(0.0)).norm()
    }

    fn corners(&self) -> [Vector3<f64>; 2] {
        let all = &self.points[..self.count];
        let first = [self.points[0]; 2];
        all.iter().fold(first, |[low, high], point| [low.inf(point), high.sup(point)])
    }
}

fn lines_of(robot: &Robot, angles: &[LegAngles; MAX_LEGS]) -> Vec<Line> {
    robot.legs().iter().zip(angles).map(|(leg, angles)| Line::of(leg, angles)).collect()
}

/// Every two lines, with the indices of their legs.
fn pairs(lines: &[Line]) -> impl Iterator<Item = ((usize, &Line), (usize, &Line))> {
    let each = lines.iter().enumerate();
    each.clone().flat_map(move |one| each.clone().skip(one.0 + 1).map(move |other| (one, other)))
}

/// The distance between two lines from end to end (Ericson, Real-Time Collision Detection, 5.1.9).
fn between([p1, q1]: [Vector3<f64>; 2], [p2, q2]: [Vector3<f64>; 2]) -> f64 {
    const POINT: f64 = 1e-18;
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, f) = (d1.norm_squared(), d2.norm_squared(), d2.dot(&r));
    let within = |x: f64| x.clamp(0.0, 1.0);
    let (s, t) = if a <= POINT {
        (0.0, if e <= POINT { 0.0 } else { within(f / e) })
    } else {
        let c = d1.dot(&r);
        if e <= POINT {
            (within(-c / a), 0.0)
        } else {
            let b = d1.dot(&d2);
            let denominator = a * e - b * b;
            let s = if denominator > POINT { within((b * f - c * e) / denominator) } else { 0.0 };
            let t = (b * s + f) / e;
            if t < 0.0 {
                (within(-c / a), 0.0)
            } else if t > 1.0 {
                (within((b - c) / a), 1.0)
            } else {
                (s, t)
            }
        }
    };
    (r + d1 * s - d2 * t).norm()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vector3<f64>> {
        prop::array::uniform3(-1.0..1.0f64).prop_map(Vector3::from)
    }

    fn line(points: Vec<Vector3<f64>>) -> Line {
        let mut line = Line { points: [Vector3::zeros(); MAX_LEG_JOINTS + 1], count: points.len() };
        line.points[..points.len()].copy_from_slice(&points);
        line
    }

    proptest! {
        #[test]
        fn when_lines_have_boxes_apart_expect_them_no_nearer(
            one in prop::collection::vec(point(), 3..6), other in prop::collection::vec(point(), 3..6), apart in 0.0..3.0f64,
        ) {
            let other = other.iter().map(|point| point + Vector3::new(apart, 0.5 * apart, 0.0)).collect();
            let (one, other) = (line(one), line(other));
            prop_assert!(one.gap(&other) <= one.distance(&other) + 1e-12);
            prop_assert_eq!(one.gap(&other), other.gap(&one));
            prop_assert!(one.gap(&other) > 0.0 || apart < 2.0);
        }

        #[test]
        fn when_lines_are_sampled_expect_no_pair_of_points_nearer_and_one_about_as_near(
            a in point(), b in point(), c in point(), d in point(),
        ) {
            let distance = between([a, b], [c, d]);
            let mut nearest = f64::INFINITY;
            for i in 0..=100 {
                for j in 0..=100 {
                    let (s, t) = (f64::from(i) / 100.0, f64::from(j) / 100.0);
                    nearest = nearest.min((a + (b - a) * s - c - (d - c) * t).norm());
                }
            }
            prop_assert!(distance <= nearest + 1e-12 && distance >= nearest - 0.04, "{distance} {nearest}");
        }
    }
}
