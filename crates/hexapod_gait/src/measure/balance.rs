//! Where the centre of mass is over the feet.

use crate::plane::support::SupportPolygon;
use crate::state::tick::Tick;
use hexapod_kinematics::Robot;
use nalgebra::{Point3, Vector2};
use std::sync::Arc;

/// The robot's masses, ready to be weighed at a tick's pose.
#[derive(Clone, Debug)]
pub struct Balance {
    robot: Arc<Robot>,
    /// For each leg and joint the place of its angle among the model's positions.
    places: Vec<Vec<Option<usize>>>,
}

/// How a pose stands.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Centre of mass on the ground, m, footprint frame; below the body's centre for a robot without masses.
    pub centre: Vector2<f64>,
    /// Hull of the feet on the ground, m, footprint frame.
    pub support: SupportPolygon,
    /// Distance of the centre from the nearest edge, m, negative outside.
    pub margin: f64,
}

impl Balance {
    /// Looks up where each joint stands in the model.
    #[must_use]
    pub fn new(robot: &Arc<Robot>) -> Self {
        let model = robot.model();
        let place = |name: &str| model.joints()[model.joint_index(name)?].position_index();
        let places = robot.legs().iter().map(|leg| leg.joints().iter().map(|joint| place(joint.name())).collect());
        Self { places: places.collect(), robot: Arc::clone(robot) }
    }

    /// Weighs the pose of a tick.
    #[must_use]
    pub fn of(&self, tick: &Tick) -> Standing {
        let model = self.robot.model();
        let mut positions = vec![0.0; model.position_count()];
        for (places, angles) in self.places.iter().zip(&tick.angles) {
            for (place, &angle) in places.iter().zip(angles.iter()) {
                if let Some(position) = place.and_then(|place| positions.get_mut(place)) {
                    *position = angle;
                }
            }
        }
        let in_body = Point3::from(model.centre_of_mass(&positions));
        let at = tick.footprint_from_body.transform_point(&in_body).coords.xy();
        let centre =
            if at.iter().all(|x| x.is_finite()) { at } else { tick.footprint_from_body.translation.vector.xy() };
        let feet = tick.feet.iter().zip(&tick.contacts).take(self.places.len());
        let support = SupportPolygon::new(feet.filter(|(_, down)| **down).map(|(foot, _)| foot.xy()));
        Standing { centre, margin: support.margin(centre), support }
    }
}
