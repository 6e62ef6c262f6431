//! Samples that cannot be, by the limits of the leg's joints: one wrong bit on a bus makes hundreds of newtons.

use hexapod_kinematics::LegAngles;

use crate::leg::{JointVector, LegDynamics};

/// A joint may be faster than its limit by this factor, and a servo stronger than its own: descriptions round.
const FASTER: f64 = 1.5;
const STRONGER: f64 = 1.5;
/// Jumps below are those of an encoder, rad.
const JITTER_RAD: f64 = 0.02;

/// Whether a leg can have these torques, N m, and get from the one to the other angles, rad, in this time, s.
pub(super) fn holds(
    leg: &LegDynamics,
    torques: &JointVector,
    (from, to): (Option<&LegAngles>, &LegAngles),
    step_s: f64,
) -> bool {
    let weak = torques.iter().zip(leg.greatest_torques()).any(|(torque, most)| torque.abs() > STRONGER * most);
    let farthest = |most: &f64| FASTER * most * step_s + JITTER_RAD;
    let jumps = |from: &LegAngles| {
        let angles = from.iter().zip(to.iter());
        angles.zip(leg.greatest_speeds()).any(|((from, to), most)| (to - from).abs() > farthest(most))
    };
    !weak && !from.is_some_and(jumps)
}
