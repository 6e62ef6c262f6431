//! Where feet are put down next, for planners of footholds.

use super::Engine;
use crate::state::State;
use crate::state::foot::Foot;
use crate::state::foothold::NextStep;
use hexapod_kinematics::{IterationBudget, MAX_LEGS};
use nalgebra::Vector3;

/// Iterations to find out whether a leg reaches a place.
const BUDGET: u32 = 32;

impl Engine {
    /// The next step of each foot of a robot that walks; none where a foot takes none.
    #[must_use]
    pub fn next_steps(&self) -> [Option<NextStep>; MAX_LEGS] {
        let start = self.now.route.start();
        if !start.mode.steps() || start.aim_after(0.0).is_zero() {
            return [None; MAX_LEGS];
        }
        std::array::from_fn(|leg| {
            self.next_step(start, leg).map(|step| self.base.map_or(step, |base| base.step(&step)))
        })
    }

    /// Whether a leg reaches a place, m in the footprint frame as it is now, with the body where it is.
    #[must_use]
    pub fn reaches(&self, leg: usize, place: &Vector3<f64>) -> bool {
        let start = self.now.route.start();
        let own = self.base.map_or(*place, |base| base.own(place));
        let in_body = start.footprint_from_body().inverse_transform_point(&own.into()).coords;
        let mut budget = IterationBudget::new(BUDGET);
        self.plant.inverse(leg, &in_body, &start.angles_of(leg), &mut budget).is_some()
    }

    fn next_step(&self, start: &State, leg: usize) -> Option<NextStep> {
        let (walk, gait) = (&start.walk, &self.now.control.gaits.walked);
        let (from, swung, until_lift_s) = match walk.foot(leg) {
            Foot::Planted { at } => (*at, None, walk.time_to_lift(gait, leg)),
            Foot::Swinging(swing) => (swing.lift_off, Some(swing.progress), 0.0),
            Foot::Probing(_) | Foot::Missing => return None,
        };
        let left = swung.map_or(1.0, |swung| 1.0 - swung) * gait.swing_fraction() * walk.cycle;
        let place = walk.place(gait, leg, start.aim_after(0.0));
        let onward = start.twist_after(0.0).motion(until_lift_s + left);
        let (to, rest) = (onward.apply(place), onward.apply(walk.nominal.place(leg)));
        let over_nothing = walk.foot(leg).is_planted() && walk.found_nothing(leg);
        Some(NextStep { from, to, rest, swung, until_lift_s, over_nothing })
    }
}
