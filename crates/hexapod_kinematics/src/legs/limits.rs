//! Limits from the configuration put in place of the description's.

use super::find::LegChain;
use super::options::LegOptions;
use crate::error::{ModelError, ModelFault, Place};
use crate::model::Model;

/// Limits that differ by less are the same, rad.
const WIDER: f64 = 1e-3;

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
            let hint = "name a joint of a leg";
            return Err(ModelError::new(ModelFault::Legs, place("joint"), "is no joint of a leg", hint));
        }
    }
    Ok(remarks)
}
