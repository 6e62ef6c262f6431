//! What a sensor remembers of the last time it was read.

use crate::engine::World;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// How a frame of a part is and moves, in the world's axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub time_s: f64,
    pub place: Vector3<f64>,
    pub orientation: UnitQuaternion<f64>,
    pub velocity: Vector3<f64>,
    /// How often the robot had been put somewhere.
    pub placed: u64,
}

impl Moment {
    /// As it is now.
    pub fn now(world: &World, part: usize, part_from_frame: &Isometry3<f64>) -> Self {
        let (pose, of_part) = (world.part(part), world.velocity(part));
        let arm = pose.rotation * part_from_frame.translation.vector;
        Self {
            time_s: world.time_s(),
            place: pose.translation.vector + arm,
            orientation: pose.rotation * part_from_frame.rotation,
            velocity: of_part.linear + of_part.angular.cross(&arm),
            placed: world.placed().count,
        }
    }

    /// This, or, if the robot has been put somewhere since, the moment in which it was there, at rest: no sensor feels the
    /// way to it.
    pub fn or_put(&self, world: &World, part: usize, part_from_frame: &Isometry3<f64>) -> Self {
        let placed = world.placed();
        if placed.count == self.placed {
            return *self;
        }
        let pose = placed.parts.get(part).copied().unwrap_or_default() * part_from_frame;
        Self {
            time_s: placed.time_s,
            place: pose.translation.vector,
            orientation: pose.rotation,
            velocity: Vector3::zeros(),
            placed: placed.count,
        }
    }
}
