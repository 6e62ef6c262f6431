//! The joints of legs, with the limits of those that mimic them.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use crate::chain::LegJoint;
use crate::error::{ModelError, ModelFault, Place};
use crate::model::{Joint, JointKind, JointLimits, Model};

pub(super) const TURNING: &str =
    "joints of a leg are revolute or continuous; make one that gives a little, as a sprung foot's, fixed";

/// The joint of this index, in a leg of these moving joints; `origin` is its pose in the frame of the joint before it.
pub(super) fn leg_joint(
    model: &Model,
    moving: &[usize],
    index: usize,
    origin: Isometry3<f64>,
    leg: &str,
) -> Result<LegJoint, ModelError> {
    let Some(joint) = model.joints().get(index) else { return Err(refused(None, "is missing", "name a joint")) };
    let refuse = |found: &str, hint: &str| Err(refused(Some(joint), &format!("is in leg \"{leg}\" and {found}"), hint));
    if joint.kind() == JointKind::Prismatic {
        return refuse("is prismatic", TURNING);
    }
    let Some(limits) = joint.limits() else { return refuse("has no limits", "give it a <limit>") };
    let Some(mimic) = joint.mimic() else {
        let limits = folded(model, index, limits)?;
        let position = joint.position_index().unwrap_or_default();
        return Ok(LegJoint {
            name: joint.name().to_owned(),
            limits,
            axis: joint.axis(),
            origin,
            joint: index,
            position,
            mimics: None,
        });
    };
    let source = model.joints().get(mimic.joint);
    let (true, Some(position)) = (moving.contains(&mimic.joint), source.and_then(Joint::position_index)) else {
        let of = source.map_or("", Joint::name);
        return refuse(
            &format!("mimics \"{of}\", which is not in that leg"),
            "a joint of a leg may mimic one of the same leg; make it fixed, or remove its <mimic>",
        );
    };
    // Turned by its offset where it is, so that it turns in proportion to the other.
    let offset = UnitQuaternion::from_axis_angle(&joint.axis(), mimic.offset);
    Ok(LegJoint {
        name: joint.name().to_owned(),
        limits: *limits,
        axis: joint.axis(),
        origin: origin * Isometry3::from_parts(Translation3::identity(), offset),
        joint: index,
        position,
        mimics: Some(mimic.multiplier),
    })
}

/// Limits of a joint within which all that mimics it is within its own.
///
/// # Errors
/// They leave it no position.
fn folded(model: &Model, index: usize, limits: &JointLimits) -> Result<JointLimits, ModelError> {
    let mut all = *limits;
    for joint in model.joints() {
        let (Some(mimic), Some(own)) = (joint.mimic().filter(|mimic| mimic.joint == index), joint.limits()) else {
            continue;
        };
        let by = mimic.multiplier;
        if joint.kind() != JointKind::Continuous {
            let [a, b] = [own.lower, own.upper].map(|end| (end - mimic.offset) / by);
            (all.lower, all.upper) = (all.lower.max(a.min(b)), all.upper.min(a.max(b)));
        }
        all.velocity = all.velocity.min(own.velocity / by.abs());
        let acceleration = own.acceleration.map(|own| own / by.abs());
        all.acceleration = all.acceleration.into_iter().chain(acceleration).reduce(f64::min);
        if all.checked().is_err() {
            let of = model.joints().get(index).map_or("", Joint::name);
            let found = format!(
                "mimics \"{of}\", whose limits, {:.4} .. {:.4}, leave it no position within its own, {:.4} .. {:.4}",
                limits.lower, limits.upper, own.lower, own.upper
            );
            let hint = format!("it is at {by} * {of} + {}: correct multiplier, offset or limits", mimic.offset);
            return Err(refused(Some(joint), &found, &hint));
        }
    }
    Ok(all)
}

fn refused(joint: Option<&Joint>, found: &str, hint: &str) -> ModelError {
    let place = joint.map_or_else(Place::default, |joint| Place::named("joint", joint.name(), joint.line()));
    ModelError::new(ModelFault::JointKind, place, found, hint)
}
