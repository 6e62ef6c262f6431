//! Limits from the configuration put in place of the description's.

use super::find::LegChain;
use super::options::LegOptions;
use crate::error::{ModelError, ModelFault, Place};
use crate::leg::Leg;
use crate::model::Model;

/// Limits that differ by less are the same, rad.
const WIDER: f64 = 1e-3;

/// What to tell of joints whose effort is zero, which says that it is not known.
pub(super) fn without_effort(legs: &[Leg]) -> Option<String> {
    let joints = || legs.iter().flat_map(Leg::joints);
    let without = joints().filter(|joint| joint.limits().effort == 0.0).count();
    let first = joints().find(|joint| joint.limits().effort == 0.0)?.name();
    let of =
        if without == joints().count() { "any joint".to_owned() } else { format!("{without} joints ({first} first)") };
    Some(format!(
        "no effort limit is known of {of}: effort is 0, and what loads its servos bear is not checked; write what they do, \
         in N m, as in `limits: {{all: {{effort: 1.5}}}}` in robot.yaml"
    ))
}

/// Changes the limits of the legs' joints; an unknown joint or limits that cannot be are refused by name. What is wider than
/// the description has it is remarked.
pub(super) fn change(model: &mut Model, chains: &[LegChain], options: &LegOptions) -> Result<Vec<String>, ModelError> {
    let mut remarks = Vec::new();
    let moving: Vec<usize> = chains.iter().flat_map(|c| c.moving.iter().copied()).collect();
    for change in &options.limits {
        let place = |what: &str| Place::element(format!("limits of joint \"{}\"", change.joint), None).attribute(what);
        let mut known = false;
        for &index in &moving {
            let Some(joint) = model.joints.get_mut(index) else { continue };
            let Some(limits) = joint.limits.filter(|_| change.is_for(&joint.name)) else {
                continue;
            };
            known = true;
            let changed = change.put_into(&limits).checked().map_err(|error| {
                let text = error.to_string();
                let (found, hint) = text.split_once("; ").unwrap_or((&text, "correct the limit"));
                ModelError::new(ModelFault::Limits, place(error.limit()), found, hint)
            })?;
            if changed.lower < limits.lower - WIDER || changed.upper > limits.upper + WIDER {
                remarks.push(format!(
                    "limits of joint {}: {} .. {} rad in robot.yaml is wider than the {:.4} .. {:.4} of the description",
                    joint.name, changed.lower, changed.upper, limits.lower, limits.upper
                ));
            }
            joint.limits = Some(changed);
        }
        if !known {
            let names = moving.iter().filter_map(|&index| model.joints.get(index)).map(|joint| joint.name.as_str());
            let like: Vec<&str> = names.clone().filter(|name| name.ends_with(&change.joint)).collect();
            let hint = if like.is_empty() || change.joint.is_empty() {
                let some: Vec<&str> = names.take(3).collect();
                format!("name a joint of a leg, such as {}, or all", some.join(", "))
            } else {
                format!("each joint is named for itself: {}", like.join(", "))
            };
            return Err(ModelError::new(ModelFault::Legs, place("joint"), "no leg has a joint of this name", hint));
        }
    }
    Ok(remarks)
}
