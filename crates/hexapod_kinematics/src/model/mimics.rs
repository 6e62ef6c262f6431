//! What a joint mimics in the end: a mimic of a mimic moves with the joint that has the motor.

use std::collections::HashMap;

use super::loose::{LooseJoint, LooseMimic};
use super::{JointKind, Mimic};
use crate::error::{ModelError, ModelFault, Place};

/// The joint that moves by itself and that this one mimics, directly or by way of others; `None` if it is one itself, or fixed.
///
/// # Errors
/// The joint, or one that it mimics, names none, mimics a fixed joint, or mimics itself in the end.
pub(super) fn flattened(
    joint: usize,
    loose: &[LooseJoint],
    index: &HashMap<&str, usize>,
) -> Result<Option<Mimic>, ModelError> {
    let mut way = vec![joint];
    let mut found: Option<Mimic> = None;
    let mut at = joint;
    while let Some(of) = loose.get(at).filter(|of| of.kind != JointKind::Fixed)
        && let Some(mimic) = &of.mimic
    {
        let source = source(mimic, of, index)?;
        let known = found.unwrap_or(Mimic { joint: source, multiplier: 1.0, offset: 0.0 });
        found = Some(Mimic {
            joint: source,
            multiplier: known.multiplier * mimic.multiplier,
            offset: known.multiplier * mimic.offset + known.offset,
        });
        if let Some(first) = way.iter().position(|seen| *seen == source) {
            return Err(circle(way.get(first..).unwrap_or(&[]), loose));
        }
        way.push(source);
        at = source;
    }
    match loose.get(at).zip(loose.get(joint)) {
        Some((end, joint)) if found.is_some() && end.kind == JointKind::Fixed => {
            let found = format!("mimics \"{}\", which is fixed", end.name);
            Err(ModelError::new(
                ModelFault::JointKind,
                place(joint),
                found,
                "mimic a revolute, continuous or prismatic joint",
            ))
        }
        _ => Ok(found),
    }
}

fn place(joint: &LooseJoint) -> Place {
    Place::named("joint", &joint.name, joint.line).attribute("mimic joint")
}

fn source(mimic: &LooseMimic, joint: &LooseJoint, index: &HashMap<&str, usize>) -> Result<usize, ModelError> {
    index.get(mimic.joint.as_str()).copied().ok_or_else(|| {
        let found = format!("names joint \"{}\", which does not exist", mimic.joint);
        ModelError::new(ModelFault::Tree, place(joint), found, "name a joint of this robot")
    })
}

/// Joints that mimic each other in a circle, by name.
fn circle(joints: &[usize], loose: &[LooseJoint]) -> ModelError {
    let names: Vec<&str> = joints.iter().filter_map(|&at| loose.get(at)).map(|joint| joint.name.as_str()).collect();
    let first = joints.first().and_then(|&at| loose.get(at));
    let found = match names.as_slice() {
        [_] => "mimics itself".to_owned(),
        [name, others @ ..] => format!("mimics itself in a circle: {name} -> {} -> {name}", others.join(" -> ")),
        [] => String::new(),
    };
    let hint = "one of them has the motor: remove its <mimic>";
    ModelError::new(ModelFault::JointKind, first.map_or_else(Place::default, place), found, hint)
}
