//! Steps of two groups of legs in turn, as a function of one cyclic number.

use crate::gait::LegPlace;
use crate::gait::posture::BodyOffset;
use crate::gait::swing::SwingProfile;
use crate::plane::twist::Twist;
use crate::state::pose::{Home, Pose};
use hexapod_kinematics::MAX_LEGS;
use nalgebra::Vector3;

/// How a walk steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// Lift of a swinging foot, m.
    pub height: f64,
    /// Seconds of a cycle, in which every leg steps once.
    pub cycle_time: f64,
    /// Shape of the swing.
    pub swing: SwingProfile,
}

/// Two groups of legs, neighbours in different ones, that step in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stepping {
    rest: [Vector3<f64>; MAX_LEGS],
    first_group: [bool; MAX_LEGS],
    count: usize,
    twist: Twist,
    steps: Steps,
}

impl Stepping {
    pub(super) fn new(home: &Home, places: &[LegPlace], twist: Twist, steps: Steps) -> Self {
        let mut first_group = [false; MAX_LEGS];
        for (first, place) in first_group.iter_mut().zip(places) {
            *first = place.rank.is_multiple_of(2) == place.left;
        }
        Self { rest: home.pose.feet, first_group, count: places.len().min(MAX_LEGS), twist, steps }
    }

    pub(super) fn twist(&self) -> Twist {
        self.twist
    }

    /// Body and feet at a phase in [0, 1]: each foot is carried with the ground under the body, or back over it.
    pub(super) fn pose(&self, phase: f64) -> Pose {
        let feet = [Vector3::zeros(); MAX_LEGS];
        let mut pose = Pose { offset: BodyOffset::default(), feet, planted: [false; MAX_LEGS] };
        let stance_time = self.steps.cycle_time / 2.0;
        let legs = self.first_group.iter().zip(&self.rest).take(self.count);
        for ((first_group, rest), (at, planted)) in legs.zip(pose.feet.iter_mut().zip(&mut pose.planted)) {
            let (ahead, lift) = step_fraction(*first_group, phase, self.steps.swing);
            let foot = self.twist.motion(ahead * stance_time).apply(rest.xy());
            *at = Vector3::new(foot.x, foot.y, lift.unwrap_or(0.0) * self.steps.height);
            *planted = lift.is_none();
        }
        pose
    }
}

/// By quarters of the cycle: the first group stands in the first and the last, the second in the others. Gives the
/// signed part of the step that a foot is ahead of rest, and in a swing the part of the step height it is lifted.
pub(super) fn step_fraction(first_group: bool, phase: f64, swing: SwingProfile) -> (f64, Option<f64>) {
    // The group's own cycle starts with its touch-down.
    let first = phase + 0.25 - (phase + 0.25).floor();
    let own = match first_group {
        true => first,
        // Exactly half a cycle apart: one lands as the other lifts.
        false if first < 0.5 => first + 0.5,
        false => first - 0.5,
    };
    if own < 0.5 {
        return (0.5 - 2.0 * own, None);
    }
    let s = 2.0 * own - 1.0;
    // Seen from the body: the ground runs the whole step back while the foot is in the air.
    (2.0 * swing.travel(s) - s - 0.5, Some(swing.lift(s)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_stepping_with_the_sine_expect_the_golden_table() {
        let table = include_str!("../../tests/golden/tripod_step.csv");
        let mut lines = table.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        let column = |name: &str| names.iter().position(|each| *each == name).unwrap();
        let mut rows = 0;
        for line in lines {
            let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            let cell = |name: &str| cells[column(name)];
            let (ahead, lift) = step_fraction(cell("triad") == 1.0, cell("phase"), SwingProfile::Sine);
            assert!((ahead - cell("offset_fraction")).abs() < 1e-9, "{line}: {ahead}");
            assert!((lift.unwrap_or(0.0) - cell("lift_fraction")).abs() < 1e-9, "{line}: {lift:?}");
            rows += 1;
        }
        assert_eq!(rows, 34);
    }

    #[test]
    fn when_smooth_expect_the_foot_to_move_with_the_ground_at_both_ends() {
        let ahead = |phase: f64| step_fraction(true, phase, SwingProfile::Smooth).0;
        let stance = (ahead(0.1) - ahead(0.0)) / 0.1;
        for phase in [0.25, 0.75] {
            let swing = (ahead(phase + 1e-6) - ahead(phase - 1e-6)) / 2e-6;
            assert!((swing - stance).abs() < 1e-3, "{swing} against {stance}");
        }
    }
}
