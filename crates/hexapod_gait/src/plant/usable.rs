//! The part of a leg's joint range that walking uses.

use hexapod_kinematics::{IterationBudget, Leg, LegAngles, MAX_LEG_JOINTS};
use nalgebra::Vector3;

/// Joint limits of a leg, cut short of the pose in which it is stretched straight.
///
/// A foot that is carried through the straight pose may come back with the knee bent the other way. Soon a limit stops
/// that knee, and the foot can go neither on nor back: the leg is caught. So walking keeps to the side of the straight
/// pose on which its posture lies, and from any foot it has reached the way inwards stays open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usable {
    /// Without end for joints that the leg does not have.
    lower: [f64; MAX_LEG_JOINTS],
    upper: [f64; MAX_LEG_JOINTS],
}

/// Angles nearer than this are one, rad.
const SAME_RAD: f64 = 1e-9;
/// How far from straight the knee stays, rad.
const KNEE_MARGIN_RAD: f64 = 0.06;
/// The same where the feet's room is measured for joints of limited acceleration: the straighter the leg, the farther
/// they turn for the same way of the foot, and what goes beyond that room for a moment must not be held up at once.
const GENTLE_MARGIN_RAD: f64 = 0.3;
const SCAN_STEP_RAD: f64 = 0.01;

impl Usable {
    pub(crate) fn of(leg: &Leg) -> Self {
        Self::short_of_straight(leg, KNEE_MARGIN_RAD)
    }

    /// The range in which the feet's room is measured.
    pub(crate) fn roomy(leg: &Leg) -> Self {
        let is_limited = leg.joints().iter().any(|joint| joint.limits().acceleration.is_some());
        Self::short_of_straight(leg, if is_limited { GENTLE_MARGIN_RAD } else { KNEE_MARGIN_RAD })
    }

    fn short_of_straight(leg: &Leg, margin: f64) -> Self {
        let (lower, upper) = ([f64::NEG_INFINITY; MAX_LEG_JOINTS], [f64::INFINITY; MAX_LEG_JOINTS]);
        let mut usable = Self { lower, upper };
        for ((lower, upper), joint) in usable.lower.iter_mut().zip(&mut usable.upper).zip(leg.joints()) {
            (*lower, *upper) = (joint.limits().lower, joint.limits().upper);
        }
        // A leg of more joints has no one straight pose.
        if leg.joint_count() == 3 {
            let middle = leg.posture();
            usable.upper[2] = knee_bound(leg, &middle, usable.upper[2], 1.0, margin);
            usable.lower[2] = knee_bound(leg, &middle, usable.lower[2], -1.0, margin);
        }
        usable
    }

    /// Of the first three joints.
    pub(crate) fn range(&self) -> [[f64; 3]; 2] {
        let ([a, b, c, ..], [d, e, f, ..]) = (self.lower, self.upper);
        [[a, b, c], [d, e, f]]
    }

    /// How far the first `J` joints are from the nearer end of their ranges, rad; without end for joints that the leg does
    /// not have.
    #[inline(always)]
    pub(crate) fn gaps_to_ends<const J: usize>(&self, angles: &LegAngles) -> [f64; J] {
        let angles = angles.padded();
        std::array::from_fn(|k| {
            let (from_lower, from_upper) = (angles[k] - self.lower[k], self.upper[k] - angles[k]);
            if from_upper < from_lower { from_upper } else { from_lower }
        })
    }

    /// Whether all angles are inside.
    #[inline]
    pub(crate) fn contains(&self, angles: &LegAngles) -> bool {
        let bounds = self.lower.iter().zip(&self.upper);
        angles.iter().zip(bounds).all(|(angle, (lower, upper))| (*lower..=*upper).contains(angle))
    }

    /// Whether all angles are inside on the way through three that are as far apart in time, none of which is looked at:
    /// each joint turns back, if it does, at the vertex of the parabola through its own.
    pub(crate) fn contains_way(&self, [from, middle, to]: [&LegAngles; 3]) -> bool {
        let bounds = self.lower.iter().zip(&self.upper);
        from.iter().zip(middle.iter()).zip(to.iter()).zip(bounds).all(|(((from, middle), to), (lower, upper))| {
            let (slope, bend) = (0.5 * (to - from), 0.5 * (from + to) - middle);
            let turns_back = slope.abs() < 2.0 * bend.abs();
            !turns_back || (lower - SAME_RAD..=upper + SAME_RAD).contains(&(middle - 0.25 * slope * slope / bend))
        })
    }

    /// The angles that put the foot there, if the leg reaches it with its knee bent the usual way.
    #[inline]
    pub(crate) fn inverse(&self, leg: &Leg, foot_in_body: &Vector3<f64>, seed: &LegAngles) -> Option<LegAngles> {
        leg.inverse(foot_in_body, seed).ok().filter(|angles| self.contains(angles))
    }

    /// The same in bounded time, with the bend that `seed` has; a redundant leg comes nearer to its posture by what its
    /// joints turn in `spare_s` seconds.
    #[inline]
    pub(crate) fn inverse_tracking(
        &self,
        leg: &Leg,
        foot_in_body: &Vector3<f64>,
        seed: &LegAngles,
        spare_s: f64,
        budget: &mut IterationBudget,
    ) -> Option<LegAngles> {
        leg.inverse_tracking(foot_in_body, seed, spare_s, budget).ok().filter(|angles| self.contains(angles))
    }
}

/// How far the knee may go from the middle in this sense: to its limit, or short of where the foot loses a direction. Where
/// the knee turns about the same axis as the joint before it, that is where the leg is straight, or folded flat: a foot that
/// crosses the axis of its hip loses one, too, but its knee goes on.
fn knee_bound(leg: &Leg, middle: &LegAngles, limit: f64, sense: f64, margin: f64) -> f64 {
    let volume = |knee: f64| {
        let mut angles = *middle;
        angles[2] = knee;
        let jacobian = leg.geometric_jacobian(&angles);
        let [linear, axes] = [0, 3].map(|row| jacobian.fixed_view::<3, 3>(row, 0).into_owned());
        let are_parallel = axes.column(1).cross(&axes.column(2)).norm() < SAME_RAD;
        let across = if are_parallel { axes.column(2) } else { linear.column(0) };
        across.dot(&linear.column(1).cross(&linear.column(2)))
    };
    let at_middle = volume(middle[2]);
    let mut knee = middle[2];
    while (limit - knee) * sense > 0.0 {
        if volume(knee) * at_middle <= 0.0 {
            return knee - sense * (margin + SCAN_STEP_RAD);
        }
        knee += sense * SCAN_STEP_RAD;
    }
    limit
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use hexapod_kinematics::Robot;

    #[test]
    fn when_a_knee_could_bend_both_ways_expect_one_way_used() {
        let robot = Robot::from_urdf(include_str!("../../../../urdf/hexapod.urdf")).unwrap();
        for leg in robot.legs() {
            let usable = Usable::of(leg);
            let limits = leg.joints()[2].limits();
            assert!(limits.upper > 0.4 && usable.upper[2] < -0.05 && usable.upper[2] > -0.1);
            assert_eq!(usable.lower[2], limits.lower);
        }
    }

    #[test]
    fn when_a_folding_knee_takes_the_foot_over_the_axis_of_its_hip_expect_it_to_go_on_to_its_limit() {
        let legs = [("a", 0.1, 0.1), ("b", -0.1, 0.1), ("c", 0.1, -0.1), ("d", -0.1, -0.1)];
        let joint = |name: &str, parent: &str, origin: &str, axis: &str, [lower, upper]: [f64; 2]| {
            format!(
                r#"<link name="{name}_link"/><joint name="{name}" type="revolute"><parent link="{parent}"/>
                <child link="{name}_link"/><origin {origin}/><axis xyz="{axis}"/>
                <limit lower="{lower}" upper="{upper}" velocity="5" effort="2"/></joint>"#
            )
        };
        let mut text = r#"<robot name="test"><link name="base_link"/>"#.to_owned();
        for (leg, x, y) in legs {
            let yaw = f64::atan2(y, x);
            text += &joint(
                &format!("{leg}1"),
                "base_link",
                &format!(r#"xyz="{x} {y} 0" rpy="0 0 {yaw}""#),
                "0 0 1",
                [-0.8, 0.8],
            );
            text += &joint(&format!("{leg}2"), &format!("{leg}1_link"), r#"xyz="0.02 0 0""#, "0 -1 0", [-1.5, 1.5]);
            text += &joint(&format!("{leg}3"), &format!("{leg}2_link"), r#"xyz="0.07 0 0""#, "0 -1 0", [-2.9, 0.4]);
            text += &format!(
                r#"<link name="{leg}_foot"/><joint name="{leg}_fixed" type="fixed"><parent link="{leg}3_link"/>
                <child link="{leg}_foot"/><origin xyz="0.15 0 0"/></joint>"#
            );
        }
        let robot = Robot::from_urdf(&(text + "</robot>")).unwrap();
        for leg in robot.legs() {
            let (mut folded, usable) = (leg.posture(), Usable::of(leg));
            folded[2] = -2.9;
            let across = |angles: &LegAngles| {
                let out = leg.foot_in_body(angles).xy() - leg.hip_in_body().xy();
                out.dot(&leg.hip_in_body().xy())
            };
            assert!(across(&leg.posture()) > 0.0 && across(&folded) < 0.0, "the foot crosses the axis of the hip");
            assert_eq!(usable.lower[2], -2.9);
            assert!((-0.1..-0.05).contains(&usable.upper[2]), "straight it is not: {}", usable.upper[2]);
        }
    }

    #[test]
    fn when_accelerations_are_limited_expect_the_feet_s_room_farther_from_straight_legs() {
        use hexapod_kinematics::{LegOptions, LimitChange};
        let urdf = include_str!("../../../../urdf/hexapod.urdf");
        let change = LimitChange { acceleration: Some(60.0), ..LimitChange::default() };
        let options = LegOptions { limits: vec![change], ..LegOptions::default() };
        let (free, limited) = (Robot::from_urdf(urdf).unwrap(), Robot::from_urdf_with(urdf, &options).unwrap());
        for (free, limited) in free.legs().iter().zip(limited.legs()) {
            assert_eq!(Usable::roomy(free).range(), Usable::of(free).range());
            assert_eq!(Usable::of(limited).range(), Usable::of(free).range());
            let gained = Usable::of(limited).upper[2] - Usable::roomy(limited).upper[2];
            assert!((gained - 0.24).abs() < 1e-9, "{gained} rad");
        }
    }
}
