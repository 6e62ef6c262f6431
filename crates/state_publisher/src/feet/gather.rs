//! Joints of a leg that are reported separately: drivers of bus servos publish a message per leg or per joint as they
//! read them.

use crate::joints::Reading;
use hexapod_dynamics::JointVector;
use hexapod_kinematics::LegAngles;
use std::time::Duration;

/// Stamps of one leg's joints that are no further apart are of one moment.
const TOGETHER: Duration = Duration::from_millis(15);

/// What joints have reported since their leg was last complete.
#[derive(Clone, Debug)]
pub(crate) struct Gathered {
    joints: Vec<Option<Loaded>>,
}

#[derive(Clone, Copy, Debug)]
struct Loaded {
    position: f64,
    effort: f64,
    stamp: Duration,
}

/// A leg all of whose joints have reported what they bear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LegSample {
    pub angles: LegAngles,
    pub efforts: JointVector,
    /// Of the joint that came last.
    pub stamp: Duration,
}

impl Gathered {
    pub(crate) fn new(joints: usize) -> Self {
        Self { joints: vec![None; joints] }
    }

    /// Takes what a message of `stamp` says of joints; one without an effort leaves its leg incomplete.
    pub(crate) fn take(&mut self, readings: &[Option<Reading>], stamp: Duration) {
        for (joint, reading) in self.joints.iter_mut().zip(readings) {
            let Some(Reading { position, effort, .. }) = *reading else { continue };
            *joint = effort.map(|effort| Loaded { position, effort, stamp });
        }
    }

    /// The leg of these joints, if all of it is known of one moment; once.
    pub(crate) fn leg(&mut self, joints: &[usize]) -> Option<LegSample> {
        let of = |i: usize| self.joints.get(*joints.get(i)?).copied().flatten();
        let (first, mut span) = (of(0)?, (Duration::MAX, Duration::ZERO));
        let (mut angles, mut efforts) = (LegAngles::zeros(joints.len()), JointVector::zeros());
        for (i, (angle, effort)) in angles.iter_mut().zip(efforts.iter_mut()).enumerate() {
            let Loaded { position, effort: borne, stamp } = if i == 0 { first } else { of(i)? };
            (*angle, *effort) = (position, borne);
            span = (span.0.min(stamp), span.1.max(stamp));
        }
        if span.1 - span.0 > TOGETHER {
            return None;
        }
        joints.iter().for_each(|&joint| self.joints[joint] = None);
        Some(LegSample { angles, efforts, stamp: span.1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(joints: &[(usize, f64)]) -> Vec<Option<Reading>> {
        let mut readings = vec![None; 6];
        for &(joint, effort) in joints {
            let effort = Some(effort).filter(|effort| effort.is_finite());
            readings[joint] = Some(Reading { position: 0.1, velocity: None, effort });
        }
        readings
    }

    #[test]
    fn when_joints_come_one_by_one_expect_their_leg_once_all_are_there() {
        let (mut gathered, ms) = (Gathered::new(6), Duration::from_millis);
        let mut legs = |joints: &[(usize, f64)], at: u64| {
            gathered.take(&reported(joints), ms(at));
            [[0, 1, 2], [3, 4, 5]].map(|leg| gathered.leg(&leg).map(|leg| (leg.efforts[2], leg.stamp)))
        };
        assert_eq!([legs(&[(0, 1.0)], 100), legs(&[(1, 2.0)], 103)], [[None; 2]; 2]);
        assert_eq!(legs(&[(2, 3.0)], 106), [Some((3.0, ms(106))), None]);
        assert_eq!(legs(&[(2, 4.0)], 126), [None; 2], "each counts once");
        assert_eq!(legs(&[(0, 1.0), (1, 1.0)], 160), [None; 2], "that one is too old");
        assert_eq!(legs(&[(2, 5.0), (3, 1.0), (4, 1.0), (5, 6.0)], 161), [Some((5.0, ms(161))), Some((6.0, ms(161)))]);
        assert_eq!(legs(&[(0, 1.0), (1, f64::NAN), (2, 1.0)], 170), [None; 2], "one measures nothing");
        assert_eq!(legs(&[(1, 1.0)], 171), [Some((1.0, ms(171))), None]);
    }
}
