//! Down to the ground: between the feet where that goes, else through joint space.

use crate::gait::posture::BodyOffset;
use crate::plant::Plant;
use crate::state::State;
use crate::state::foot::Foot;
use crate::state::mode::Mode;
use nalgebra::{Vector2, Vector3};

/// How far from its place a foot may be when the body rises on it, m.
pub(super) const PLACED_M: f64 = 1e-4;
/// A body that is higher than it sits by more than this is on its feet, and a foot farther from its place than this is
/// elsewhere, m.
pub(crate) const NEAR_M: f64 = 5e-3;
/// A body that is higher than it sits by no more than this lies on the ground, m.
const LYING_M: f64 = 1e-3;
/// Fraction of the time from standing to sitting that sinking takes at least, however low the body is.
const LEAST_SINKING: f64 = 0.3;

pub(crate) fn lower(plant: &Plant, start: &State) -> Mode {
    Mode::Lowering(plant.height_profile(start.height, plant.stance.own_spec().sit_height, plant.sit_time))
}

/// Lowers the body with every foot where it is over the ground, in its place or not.
pub(crate) fn lower_as_found(plant: &Plant, start: &State) -> State {
    if lies(plant, start) {
        return start.in_mode(Mode::Sitting);
    }
    let footprint_from_body = start.footprint_from_body();
    let mut next = start.in_mode(lower(plant, start));
    for (foot, (leg, angles)) in next.walk.feet.iter_mut().zip(plant.legs().iter().zip(&start.angles)) {
        if let Foot::Planted { at } = foot {
            *at = footprint_from_body.transform_point(&leg.foot_in_body(angles).into()).coords;
        }
    }
    next
}

/// Down between the feet where all of them rest at their places; else through joint space.
pub(crate) fn sit_as_found(plant: &Plant, start: &State) -> State {
    let feet = start.angles.iter().zip(plant.legs()).map(|(angles, leg)| leg.foot_in_body(angles));
    let places = start.walk.feet.iter().zip(plant.stance.rest());
    let elsewhere = feet
        .zip(places)
        .any(|(foot, (planned, rest))| *planned != Foot::Missing && (foot - rest.push(-start.height)).norm() > NEAR_M);
    if elsewhere { start.in_mode(sinking(plant, start)) } else { lower_as_found(plant, start) }
}

/// Ends on the belly. Legs that are not bent as walking bends them, with their feet on the ground near their places,
/// are to be brought there before the body rises again.
pub(crate) fn lie_down(plant: &Plant, start: &State) -> State {
    let mut next = start.in_mode(Mode::Sitting);
    next.walk.nominal = plant.stance.own_nominal();
    next.walk.forget_ground();
    let feet = next.walk.feet.iter_mut().zip(&start.angles).zip(plant.stance.rest());
    for (leg, ((foot, angles), rest)) in feet.enumerate() {
        let uses = plant.stance.uses(leg, angles);
        if let Foot::Planted { at } = foot
            && !(uses && at.z.abs() < PLACED_M && plant.stance.reach().fraction(at.xy() - rest) <= 1.0)
        {
            *at = Vector3::new(rest.x, rest.y, 0.0);
        }
    }
    next
}

/// Ends a way down that goes no farther between the feet.
pub(crate) fn come_to_rest(plant: &Plant, start: &State) -> State {
    if lies(plant, start) { lie_down(plant, start) } else { start.in_mode(sinking(plant, start)) }
}

/// Whether the body is on the ground.
pub(crate) fn lies(plant: &Plant, start: &State) -> bool {
    start.height - plant.stance.own_spec().sit_height <= LYING_M
}

/// Starts to turn all legs to the sitting pose.
fn sinking(plant: &Plant, start: &State) -> Mode {
    Mode::Sinking(plant.height_profile(start.height, plant.stance.own_spec().sit_height, sinking_time(plant, start)))
}

/// Seconds that sinking takes: what is left of the way down is gone as fast as the whole of it.
pub(crate) fn sinking_time(plant: &Plant, start: &State) -> f64 {
    let (sitting, standing) = (plant.stance.own_spec().sit_height, plant.stance.own_spec().height);
    let fraction = ((start.height - sitting) / (standing - sitting)).clamp(LEAST_SINKING, 1.0);
    plant.time_to_sitting(&start.angles, fraction * plant.sit_time)
}

/// Sits with its feet where they rest.
pub(crate) fn end_sinking(plant: &Plant, start: &State) -> State {
    let mut down = State { offset: BodyOffset::default(), sway: Vector2::zeros(), ..*start };
    for (foot, rest) in down.walk.feet.iter_mut().zip(plant.stance.rest()) {
        if let Foot::Planted { at } = foot {
            *at = rest.push(0.0);
        }
    }
    lie_down(plant, &down)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::tests::shipped;

    #[test]
    fn when_the_body_lies_but_for_rounding_expect_it_to_sit_rather_than_to_come_down_on_folded_legs() {
        let (plant, gait) = shipped();
        let sitting = State::sitting(&plant, gait.cycle_time());
        let folded = |height: f64| {
            let mut start = sitting;
            start.height += height;
            start.angles[1][1] += 0.5;
            lower_as_found(&plant, &start)
        };
        for height in [0.0, 1e-12, 0.9 * LYING_M] {
            let next = folded(height);
            assert_eq!(
                (next.mode, next.walk.feet),
                (Mode::Sitting, sitting.walk.feet),
                "its foot is wanted in its place"
            );
        }
        let high = folded(0.03);
        assert!(
            matches!(high.mode, Mode::Lowering(_)) && high.walk.foot(1).position().z > 0.01,
            "and held where it is"
        );
    }
}
