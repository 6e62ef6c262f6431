//! Whether the robot is in the air: no foot feels the ground, though several should.

use super::inputs::Planned;
use hexapod_kinematics::MAX_LEGS;

/// So many feet are on the ground at least that carry a robot.
const CARRY: usize = 3;
/// For how long none of them may feel anything, s, before the robot is lifted, and how long enough of them have to, before it
/// is put down.
const LIFTED_S: f64 = 0.25;
const DOWN_S: f64 = 0.2;

/// For how long a robot stands on feet none of which has ever felt anything, s, before they are doubted.
const DOUBT_S: f64 = 2.0;

/// Follows what the feet feel.
#[derive(Clone, Debug, Default)]
pub(super) struct Lift {
    /// Feet that have felt the ground since they tell of it: others may have a broken switch.
    felt: [bool; MAX_LEGS],
    lifted: bool,
    /// For how long the feet have said the contrary, s.
    contrary_s: f64,
    /// For how long feet have reported nothing but this on which the robot should stand, s.
    silent_s: f64,
}

impl Lift {
    pub fn step(&mut self, planned: &Planned, feet: &[Option<bool>; MAX_LEGS], dt: f64) -> bool {
        for (felt, foot) in self.felt.iter_mut().zip(feet) {
            *felt = foot.is_some_and(|feels| *felt || feels);
        }
        let telling = || feet.iter().zip(&self.felt).zip(&planned.down).filter(|((_, felt), down)| **felt && **down);
        let (tell, feel) = (telling().count(), telling().filter(|((foot, _), _)| **foot == Some(true)).count());
        // A foot that swings and feels something carries, too.
        let none_feels = feet.iter().all(|foot| *foot != Some(true));
        let silent = planned.on_its_feet
            && none_feels
            && feet.iter().flatten().count() >= CARRY
            && self.felt == [false; MAX_LEGS];
        self.silent_s = if silent { self.silent_s + dt } else { 0.0 };
        let contrary = if self.lifted {
            tell < CARRY || (feel > 1 && CARRY * feel >= tell)
        } else {
            planned.on_its_feet && tell >= CARRY && none_feels
        };
        self.contrary_s = if contrary { self.contrary_s + dt } else { 0.0 };
        if self.contrary_s > if self.lifted { DOWN_S } else { LIFTED_S } {
            (self.lifted, self.contrary_s) = (!self.lifted, 0.0);
        }
        self.lifted
    }

    /// Whether switches tell, and none has closed for long.
    pub fn doubts(&self) -> bool {
        self.silent_s > DOUBT_S
    }
}
