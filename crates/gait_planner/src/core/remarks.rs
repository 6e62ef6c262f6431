//! What the core has to say besides what it does.

use super::Core;
use crate::remarks::Remarks;

impl Core {
    /// What there is to say of the last tick.
    #[must_use]
    pub fn remarks(&self) -> Remarks {
        Remarks {
            fault: self.watch.fault(),
            driving: self.steering.driving(self.ticked),
            gave_up: self.player.engine().gave_up(),
            switches: self.senses.felt.faults(),
            knows_up: self.input.up.is_some(),
            sees: self.senses.sees(),
            roughness: self.senses.rough.roughness(self.player.engine()),
            footholds: self.input.footholds,
            condition: self.condition_response.condition(),
            stopped_as_blocked: self.condition_response.has_stopped(),
            doubts_switches: self.condition_response.doubts_switches(),
            holds: self.servos.are_held(),
            sits_within_s: self.time_to_sit(),
        }
    }
}
