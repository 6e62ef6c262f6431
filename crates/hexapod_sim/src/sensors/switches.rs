//! Switches below the feet.

use crate::engine::World;

/// Forces at which a foot's switch closes and opens, N. A switch that closes at one force opens at a smaller one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwitchModel {
    /// It closes at this force.
    pub press: f64,
    /// It opens below this one.
    pub release: f64,
}

/// Feet of a robot press on their switches with this share of its weight at least, mostly.
const SHARE: f64 = 0.05;

impl SwitchModel {
    /// The same, if feet that bear a robot of this weight, N, close it: a lighter robot has lighter ones in proportion.
    #[must_use]
    pub fn for_weight(self, weight: f64) -> Self {
        let press = SHARE * weight;
        if self.press <= 2.0 * press { self } else { Self { press, release: press / self.press * self.release } }
    }
}

/// The switches of all feet.
#[derive(Clone, Debug, PartialEq)]
pub struct FootSwitches {
    model: SwitchModel,
    pressed: Vec<bool>,
    /// How often the robot had been put somewhere.
    placed: u64,
}

impl FootSwitches {
    /// Open ones, for a robot of so many legs.
    pub fn new(model: SwitchModel, legs: usize) -> Self {
        Self { model, pressed: vec![false; legs], placed: 0 }
    }

    /// Which are closed, leg by leg, by the forces on the feet over the last step.
    pub fn read(&mut self, world: &World) -> &[bool] {
        let placed = world.placed().count;
        if placed != self.placed {
            // One that was closed has been open on the way there.
            self.pressed.fill(false);
            self.placed = placed;
        }
        for (leg, pressed) in self.pressed.iter_mut().enumerate() {
            let force = world.foot_force(leg).norm();
            *pressed = if *pressed { force >= self.model.release } else { force >= self.model.press };
        }
        &self.pressed
    }
}
