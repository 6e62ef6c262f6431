//! How near legs come to each other: their links as lines between the joints.

use hexapod_kinematics::{Leg, LegAngles, MAX_LEG_JOINTS, MAX_LEGS, Robot};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// Distance (m) between the lines of two legs that is kept: about the width of two links.
pub const LEG_CLEARANCE_M: f64 = 0.02;
/// Part of the distance at home that is kept where legs are nearer to each other there.
const PART_AT_HOME: f64 = 0.8;

/// The least distances between legs.
pub(super) struct Clearance {
    least: [[f64; MAX_LEGS]; MAX_LEGS],
}

impl Clearance {
    /// What is kept by a robot that stands at home with these joint angles.
    pub(super) fn at_home(robot: &Robot, home: &[LegAngles; MAX_LEGS]) -> Self {
        let mut least = [[LEG_CLEARANCE_M; MAX_LEGS]; MAX_LEGS];
        for_each_pair(robot, home, |one, other, distance| {
            least[one][other] = LEG_CLEARANCE_M.min(PART_AT_HOME * distance);
        });
        Self { least }
    }

    /// Two legs that come too near to each other at these joint angles, and their distance, m.
    pub(super) fn too_near(&self, robot: &Robot, angles: &[LegAngles; MAX_LEGS]) -> Option<([usize; 2], f64)> {
        let mut found = None;
        for_each_pair(robot, angles, |one, other, distance| {
            if distance < self.least[one][other] && found.is_none() {
                found = Some(([one, other], distance));
            }
        });
        found
    }
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

    fn distance(&self, other: &Self) -> f64 {
        let parts =
            |line: &Self| line.points[..line.count].windows(2).map(|ends| [ends[0], ends[1]]).collect::<Vec<_>>();
        let others = parts(other);
        let mine = parts(self);
        let all = mine.iter().flat_map(|a| others.iter().map(move |b| between(*a, *b)));
        all.fold(f64::INFINITY, f64::min)
    }
}

fn for_each_pair(robot: &Robot, angles: &[LegAngles; MAX_LEGS], mut take: impl FnMut(usize, usize, f64)) {
    let lines: Vec<Line> = robot.legs().iter().zip(angles).map(|(leg, angles)| Line::of(leg, angles)).collect();
    for (one, line) in lines.iter().enumerate() {
        for (other, second) in lines.iter().enumerate().skip(one + 1) {
            take(one, other, line.distance(second));
        }
    }
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

    proptest! {
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
