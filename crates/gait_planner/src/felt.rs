//! What feet feel, as far as it is to be believed.

use crate::life::Moment;
use hexapod_kinematics::MAX_LEGS;
use hexapod_ros::{SwitchFault, SwitchWatch};

/// What is wrong with the switch of each leg.
pub type SwitchFaults = [Option<SwitchFault>; MAX_LEGS];

/// What the feet told last, and what becomes of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Felt {
    told: [Option<bool>; MAX_LEGS],
    at: Option<Moment>,
    watches: [SwitchWatch; MAX_LEGS],
}

impl Felt {
    /// Takes what feet have told.
    pub fn take(&mut self, told: [Option<bool>; MAX_LEGS], at: Moment) {
        (self.told, self.at) = (told, Some(at));
    }

    /// When they told it.
    pub fn at(&self) -> Option<Moment> {
        self.at
    }

    /// Forgets it: they have fallen silent.
    pub fn forget(&mut self) {
        (self.told, self.at) = ([None; MAX_LEGS], None);
    }

    /// What is believed of it, with the feet that the gait has on the ground.
    pub fn believed(&mut self, planted: &[bool; MAX_LEGS]) -> [Option<bool>; MAX_LEGS] {
        let mut believed = self.told;
        for ((believed, watch), planted) in believed.iter_mut().zip(&mut self.watches).zip(planted) {
            *believed = watch.take(*planted, *believed);
        }
        believed
    }

    /// Switches that are not believed.
    pub fn faults(&self) -> SwitchFaults {
        self.watches.map(|watch| watch.fault())
    }
}
