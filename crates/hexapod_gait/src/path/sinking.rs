//! Down through joint space.
//!
//! All legs can turn to the sitting pose through joint space, which every joint can do from everywhere: feet may then be
//! drawn over the ground, but none is dropped and no joint jumps.

use crate::plant::Plant;
use crate::state::State;
use crate::state::foot::Foot;

/// Takes all legs this part of the way that is left to the sitting pose.
pub(crate) fn sink(plant: &Plant, state: &mut State, fraction: f64) {
    let feet = state.walk.feet.iter().take(plant.legs().len());
    for ((foot, angles), sitting) in feet.zip(&mut state.angles).zip(&plant.sitting) {
        if *foot != Foot::Missing {
            angles.iter_mut().zip(sitting.iter()).for_each(|(angle, to)| *angle += (to - *angle) * fraction);
        }
    }
    (state.offset, state.sway) = (state.offset.scaled(1.0 - fraction), state.sway * (1.0 - fraction));
}
