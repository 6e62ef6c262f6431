//! Limits from the configuration put in place of the description's.

use super::find::LegChain;
use super::options::LegOptions;
use crate::error::{ModelError, ModelFault, Place};
use crate::model::Model;

/// Changes the limits of the legs' joints; an unknown joint or limits that cannot be are refused by name.
pub(super) fn change(model: &mut Model, chains: &[LegChain], options: &LegOptions) -> Result<(), ModelError> {
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
            joint.limits = Some(change.put_into(&limits).checked().map_err(|error| {
                let text = error.to_string();
                let (found, hint) = text.split_once("; ").unwrap_or((&text, "correct the limit"));
                ModelError::new(ModelFault::Limits, place(error.limit()), found, hint)
            })?);
        }
        if !known {
            let hint = "name a joint of a leg";
            return Err(ModelError::new(ModelFault::Legs, place("joint"), "is no joint of a leg", hint));
        }
    }
    Ok(())
}
