//! A robot of the same shape and another size.

use super::Robot;
use crate::chain::LegJoint;
use crate::leg::{Ball, Leg};
use crate::model::{Geometry, Inertial, Model, Shape};
use nalgebra::Isometry3;

impl Robot {
    /// The same robot `times` as large: all lengths, with the masses as they are.
    #[must_use]
    pub fn enlarged(&self, times: f64) -> Self {
        if times == 1.0 {
            return self.clone();
        }
        Self {
            model: model(&self.model, times),
            legs: self.legs.iter().map(|leg| enlarged_leg(leg, times)).collect(),
            base_from_hips: pose(&self.base_from_hips, times),
        }
    }
}

fn pose(pose: &Isometry3<f64>, times: f64) -> Isometry3<f64> {
    Isometry3::from_parts((pose.translation.vector * times).into(), pose.rotation)
}

fn enlarged_leg(leg: &Leg, times: f64) -> Leg {
    let joints = leg.moving().iter().map(|joint| LegJoint { origin: pose(&joint.origin, times), ..joint.clone() });
    let enlarged = Leg::new(leg.name.clone(), joints.collect(), leg.foot_link, pose(&leg.tip, times));
    let ball = leg.ball.map(|ball| Ball { centre: ball.centre * times, radius: ball.radius * times });
    Leg { posture: leg.posture, foot_reason: leg.foot_reason.clone(), ball, ..enlarged }
}

fn model(model: &Model, times: f64) -> Model {
    let mut model = model.clone();
    for joint in &mut model.joints {
        joint.parent_from_joint = pose(&joint.parent_from_joint, times);
    }
    for link in &mut model.links {
        link.inertial.iter_mut().for_each(|inertial| {
            let Inertial { link_from_inertial, mass, inertia } = &*inertial;
            *inertial = Inertial {
                link_from_inertial: pose(link_from_inertial, times),
                mass: *mass,
                inertia: inertia * (times * times),
            };
        });
        link.visuals.iter_mut().chain(&mut link.collisions).for_each(|shape| enlarge_shape(shape, times));
    }
    model
}

fn enlarge_shape(shape: &mut Shape, times: f64) {
    shape.link_from_shape = pose(&shape.link_from_shape, times);
    match &mut shape.geometry {
        Geometry::Box { size } => *size *= times,
        Geometry::Cylinder { radius, length } | Geometry::Capsule { radius, length } => {
            (*radius, *length) = (*radius * times, *length * times);
        }
        Geometry::Sphere { radius } => *radius *= times,
        Geometry::Mesh { scale, bulk, .. } => {
            *scale *= times;
            bulk.iter_mut().for_each(|bulk| *bulk = bulk.enlarged(times));
        }
    }
}
