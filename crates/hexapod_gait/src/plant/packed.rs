//! The pose a robot is carried in: its legs folded beside the body, which lies on the ground.

use crate::plant::Plant;
use crate::plant::stance::StanceError;
use hexapod_kinematics::{Leg, LegAngles, MAX_LEGS};
use nalgebra::Vector3;

/// How far from the ground a folded foot stays, and a leg on the way there, m.
const CLEAR_M: f64 = 0.005;
/// How far from its limits a joint stays that folds by itself, rad: where the joint turns as far as its servo, a horn that is
/// 15 degrees off ends it that much earlier.
const STOP_RAD: f64 = 0.3;
/// How far a joint turns to fold, rad: farther, and it only comes round again.
const MOST_RAD: f64 = std::f64::consts::PI;
const PARTS: u32 = 24;
const WAY: u32 = 8;

impl Plant {
    /// These angles of each leg's joints, or, without, the angles that bring each foot nearest to its hip with the foot off
    /// the ground; `None` if no leg is folded so.
    pub(crate) fn packed_pose(
        &self,
        angles: Option<&[LegAngles]>,
    ) -> Result<Option<[LegAngles; MAX_LEGS]>, StanceError> {
        let (mut packed, mut any, legs) = (self.sitting, false, self.robot.legs().len());
        if let Some(given) = angles.map(<[LegAngles]>::len).filter(|&given| given > legs) {
            return Err(StanceError::PackedLegs { given, legs });
        }
        for (index, leg) in self.robot.legs().iter().enumerate() {
            let given = match angles {
                None => self.folded(index, leg),
                Some(angles) => {
                    let fits = |given: &&LegAngles| leg.within_limits(given);
                    Some(*angles.get(index).filter(fits).ok_or_else(|| StanceError::Packed(leg.name().into()))?)
                }
            };
            if let Some(given) = given {
                (packed[index], any) = (given, true);
            }
        }
        Ok(any.then_some(packed))
    }

    /// The leg as far folded as it goes; `None` if it stays as it is.
    fn folded(&self, index: usize, leg: &Leg) -> Option<LegAngles> {
        let sitting = self.sitting[index];
        if leg.joint_count() != 3 {
            return None;
        }
        let ground = -self.stance.own_spec().sit_height;
        let rest = self.stance.rest()[index];
        // From where the foot is lifted to, or else from the ground.
        let lifted = Vector3::new(rest.x, rest.y, ground + self.stance.own_spec().step_height);
        let from = self.stance.inverse(index, leg, &lifted, &sitting).unwrap_or(sitting);
        let hip = leg.hip_in_body().xy();
        let height = |angles: &LegAngles| leg.foot_in_body(angles).z - ground;
        let mut best = (f64::INFINITY, None);
        for femur in 0..=PARTS {
            for tibia in 0..=PARTS {
                let at = |joint: usize, fraction: u32| {
                    let limits = leg.joints()[joint].limits();
                    let lower = (limits.lower + STOP_RAD).max(from[joint] - MOST_RAD);
                    let upper = (limits.upper - STOP_RAD).min(from[joint] + MOST_RAD);
                    let range = (upper - lower).max(0.0);
                    (lower + range * f64::from(fraction) / f64::from(PARTS)).clamp(limits.lower, limits.upper)
                };
                let to = LegAngles::from_fn(3, |joint| match joint {
                    0 => from[0],
                    1 => at(1, femur),
                    _ => at(2, tibia),
                });
                let on_the_way = |fraction: u32| {
                    let fraction = f64::from(fraction) / f64::from(WAY);
                    LegAngles::from_fn(3, |joint| from[joint] + (to[joint] - from[joint]) * fraction)
                };
                let foot = leg.foot_in_body(&to);
                let out = (foot.xy() - hip).norm();
                // The way there is looked at last: it takes longest.
                let clear = || (1..=WAY).all(|fraction| height(&on_the_way(fraction)) >= -1e-6);
                if out < best.0 && foot.z - ground >= CLEAR_M && clear() {
                    best = (out, Some(to));
                }
            }
        }
        best.1
    }
}
