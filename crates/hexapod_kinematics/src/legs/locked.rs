//! Joints outside the legs whose limits leave them no motion: they stay where they are.

use super::find::LegChain;
use crate::error::ModelError;
use crate::model::{JointKind, Model};

/// Fixes joints outside the legs whose limits cannot be, with a note.
///
/// # Errors
/// Such a joint is in a leg.
pub(super) fn settle(model: &mut Model, chains: &[LegChain]) -> Result<(), ModelError> {
    let in_leg = |index: usize| chains.iter().any(|chain| chain.moving.contains(&index));
    for index in 0..model.joints.len() {
        let fault = model.joints.get(index).and_then(|joint| joint.fault.clone());
        match fault {
            Some(fault) if in_leg(index) => return Err(*fault),
            Some(fault) => fix(model, index, &fault),
            None => {}
        }
    }
    renumber(model);
    Ok(())
}

fn fix(model: &mut Model, index: usize, fault: &ModelError) {
    let Some(joint) = model.joints.get_mut(index) else { return };
    let limits = joint.limits.take();
    let position = limits.map_or(0.0, |limits| 0.0f64.max(limits.lower).min(limits.upper.max(limits.lower)));
    joint.parent_from_joint = joint.parent_from_child(position);
    (joint.kind, joint.mimic, joint.fault) = (JointKind::Fixed, None, None);
    let note =
        format!("joint \"{}\" is in no leg and does not move ({}): it is taken as fixed", joint.name, fault.what());
    model.notes.push(note);
}

/// Numbers the joints that move by themselves; what copies one that does not move is fixed, too.
fn renumber(model: &mut Model) {
    let fixed: Vec<bool> = model.joints.iter().map(|joint| joint.is_fixed()).collect();
    model.positions = 0;
    for joint in &mut model.joints {
        if joint.mimic.is_some_and(|mimic| fixed.get(mimic.joint).copied().unwrap_or(true)) {
            let offset = joint.mimic.map_or(0.0, |mimic| mimic.offset);
            joint.parent_from_joint = joint.parent_from_child(offset);
            (joint.kind, joint.mimic, joint.limits) = (JointKind::Fixed, None, None);
        }
        joint.position = (!joint.is_fixed() && joint.mimic.is_none()).then_some(model.positions);
        model.positions += usize::from(joint.position.is_some());
    }
}
