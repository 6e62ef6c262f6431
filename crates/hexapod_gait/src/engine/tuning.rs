//! Gaits, heights and limits that are set while an engine runs.

use crate::engine::Engine;
use crate::gait::Gait;
use crate::gait::rough::{RoughLevels, Roughness};
use crate::plane::limits::TwistLimits;
use crate::plane::size::Enlarged;
use std::sync::Arc;

impl Engine {
    /// A gait with all worked out that taking it up on this robot needs, so that [`Self::set_gait`] has no more to do
    /// than a tick has time for. Where the joints' accelerations are limited that takes a millisecond, and a hundred
    /// times as long for legs of more than 3 joints; elsewhere nothing.
    #[must_use]
    pub fn ready(&self, gait: Gait) -> Gait {
        let walked = self.now.control.gaits.walked;
        if self.fit().is_suited(gait, walked) { gait.with_needs(walked.needs()) } else { self.fit().ready(gait) }
    }

    /// Walks with another gait: at once when standing; else the body slows down as far as the other gait asks, feet
    /// in the air finish their swing, and the other gait goes on with the feet that lag most. On a robot whose joints'
    /// accelerations are limited, the gait should come from [`Self::ready`]: else that is done here.
    pub fn set_gait(&mut self, gait: Gait) {
        let gait = self.fit().suited(gait);
        if self.now.control.gaits.next != Some(gait) {
            self.now.control.gaits.next = (gait != self.now.control.gaits.walked).then_some(gait);
            self.now.control.gaits.since_ns = self.now.route.start().ns + self.now.elapsed_ns;
        }
    }

    /// Sets the lift of a swinging foot for gaits that have none of their own, on ground that is not rough, m, at most the one the stance was worked
    /// out for. NaN is ignored.
    pub fn set_step_height(&mut self, height: f64) {
        if height.is_nan() {
            return;
        }
        let height = height / self.plant.size;
        self.tuning.step_height = height.clamp(0.0, self.plant.stance.own_spec().step_height);
        self.time_gaits();
    }

    /// The lift of a swinging foot for gaits that have none of their own, on ground that is not rough, m.
    #[must_use]
    pub fn step_height(&self) -> f64 {
        self.tuning.step_height * self.plant.size
    }

    /// Lets the robot lift its feet higher on rough ground.
    #[must_use]
    pub fn with_rough_levels(mut self, levels: RoughLevels) -> Self {
        Arc::make_mut(&mut self.plant).rough = levels;
        self
    }

    /// How rough the ground is that feet have met, of late.
    #[must_use]
    pub fn roughness(&self) -> Roughness {
        let roughness = &self.now.control.roughness;
        Roughness { height_m: roughness.height() * self.plant.size, level: roughness.level }
    }

    /// The bounds of the body's motion.
    #[must_use]
    pub fn limits(&self) -> TwistLimits {
        self.tuning.limits.enlarged(self.plant.size)
    }

    /// Sets the bounds of the body's motion. One that is negative or no number stays as it is.
    pub fn set_limits(&mut self, limits: TwistLimits) {
        self.tuning.limits = limits.enlarged(1.0 / self.plant.size).or(&self.tuning.limits);
        self.time_gaits();
    }

    /// Works the gaits out anew, after a change of what they depend on.
    fn time_gaits(&mut self) {
        let mut gaits = self.now.control.gaits;
        self.fit().time(&mut gaits);
        self.now.control.gaits = gaits;
    }
}
