//! How fast the body truly moves, by where it is.

use super::moment::Moment;
use crate::engine::{Velocity, World};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// The true velocity of a frame of the base: the mean between two looks, as a gyroscope's, so that it adds up to the way and
/// the turn. What the engine calls velocity at a moment holds for no time: contacts change it between two steps.
#[derive(Clone, Debug)]
pub struct TruePace {
    base_from_frame: Isometry3<f64>,
    last: Moment,
    found: Velocity,
}

impl TruePace {
    /// Of a frame, from now on.
    pub fn new(world: &World, base_from_frame: Isometry3<f64>) -> Self {
        let last = Moment::now(world, 0, &base_from_frame);
        Self { base_from_frame, last, found: Velocity { linear: Vector3::zeros(), angular: Vector3::zeros() } }
    }

    /// Since the look before, or since the robot was put somewhere, in the axes of the frame: zero for one that has just
    /// been put there.
    pub fn read(&mut self, world: &World) -> Velocity {
        let now = Moment::now(world, 0, &self.base_from_frame);
        let from = self.last.or_put(world, 0, &self.base_from_frame);
        let (since_s, is_old) = (now.time_s - from.time_s, from.placed == self.last.placed);
        if since_s > 0.0 || !is_old {
            // Without time the robot has not moved.
            let per_s = if since_s > 0.0 { since_s.recip() } else { 0.0 };
            let turned = (from.orientation.inverse() * now.orientation).scaled_axis();
            let halfway = from.orientation * UnitQuaternion::from_scaled_axis(0.5 * turned);
            let linear = halfway.inverse() * (now.place - from.place) * per_s;
            self.found = Velocity { linear, angular: turned * per_s };
        }
        self.last = now;
        self.found
    }
}
