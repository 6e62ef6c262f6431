//! Where a robot that is put onto the ground touches it.

use super::world::World;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion};
use rapier::parry::bounding_volume::Aabb;

/// Height above the ground that a robot is put at, m.
const CLEAR_M: f64 = 0.001;

impl World {
    /// Puts the robot onto the ground at the origin, at rest, its body turned: a hair above what is highest below any of its
    /// feet and shapes.
    pub fn land(&mut self, turn: &UnitQuaternion<f64>, positions: &[f64]) {
        let at = |height: f64| Isometry3::from_parts(Translation3::new(0.0, 0.0, height), *turn);
        self.put(&at(0.0), positions);
        let lift = |[low, high]: [Point3<f64>; 2]| {
            self.ground.highest_within([low.x, high.x], [low.y, high.y]) + CLEAR_M - low.z
        };
        if let Some(height) = self.touching().map(lift).reduce(f64::max) {
            self.put(&at(height), positions);
        }
    }

    /// Height of the lowest point of the robot in the world, m: of its feet, and of the boxes about its shapes.
    pub fn lowest(&self) -> f64 {
        self.touching().map(|[low, _]| low.z).fold(f64::INFINITY, f64::min)
    }

    /// Least and greatest corners of what touches the ground: feet, and the boxes about shapes.
    fn touching(&self) -> impl Iterator<Item = [Point3<f64>; 2]> {
        let feet = (0..self.assembly.feet.len()).map(|leg| [Point3::from(self.foot(leg)); 2]);
        let corners = |of: Aabb| [of.mins, of.maxs].map(|corner| Point3::new(corner.x, corner.y, corner.z));
        feet.chain(self.boxes().map(corners))
    }

    /// About the robot's shapes, where their parts are: the engine moves the shapes along in its next step.
    fn boxes(&self) -> impl Iterator<Item = Aabb> {
        let shapes = self.built.shapes.iter().flatten().filter_map(|&shape| self.built.colliders.get(shape));
        shapes.filter_map(|shape| {
            let part = self.built.bodies.get(shape.parent()?)?;
            Some(shape.shape().compute_aabb(&(part.position() * shape.position_wrt_parent()?)))
        })
    }
}
