//! What is reported of an engine in the frame of the base link, and what it has in that of the hips.

use super::Engine;
use super::base::Base;
use crate::plane::twist::Twist;
use crate::state::tick::Tick;
use hexapod_kinematics::Leg;
use nalgebra::Vector2;

impl Engine {
    /// The last tick, in the frame of the hips.
    pub(crate) fn own_last(&self) -> &Tick {
        &self.now.tick
    }

    /// Where the base link is, if not in the middle of the hips.
    pub(crate) fn base(&self) -> Option<&Base> {
        self.base.as_ref()
    }

    /// Notes the driver's twist where the next step may not see it, because another one follows before: a stick that
    /// is at rest, after a stop or as it comes, has been let go.
    pub fn notice(&mut self, twist: Twist) {
        self.now.control.requests.released |= !self.is_command(twist);
    }

    /// Whether a twist, as it is outside, is more than a stick's noise.
    pub(crate) fn is_command(&self, twist: Twist) -> bool {
        self.base.map_or(twist, |base| base.twist(twist)).is_command()
    }

    /// The resting feet in the footprint frame, m.
    #[must_use]
    pub fn rest_feet(&self) -> &[Vector2<f64>] {
        self.rest_feet.get(..self.legs().len()).unwrap_or(&self.rest_feet)
    }

    /// Distance (m) of the centre of mass from the edge of the hull of all feet that are not switched off, each at rest;
    /// negative outside, where the robot tips over as soon as it stands.
    #[must_use]
    pub fn standing_margin(&self) -> f64 {
        self.plant.standing_margin() * self.plant.size
    }

    /// The leg of which a joint lies lowest below level ground while the robot stands and lifts its feet, if one does, and how far
    /// below, m.
    #[must_use]
    pub fn lowest_knee(&self) -> Option<(&Leg, f64)> {
        let (leg, below) = self.plant.lowest_knee()?;
        Some((self.legs().get(leg)?, below * self.plant.size))
    }
}
