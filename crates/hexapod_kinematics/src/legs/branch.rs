//! Chains of joints from the base to a leaf of the tree.

use crate::model::Model;

/// Fewest joints of a leg.
pub(super) const MIN_LEG_JOINTS: usize = 3;

/// A chain from the base to a leaf.
pub(super) struct Branch {
    /// Moving joints, hip first.
    pub(super) moving: Vec<usize>,
    pub(super) leaf: usize,
}

/// The moving joints from the base to a link.
pub(super) fn moving_to(model: &Model, link: usize) -> Vec<usize> {
    let path = model.path_to(link);
    path.into_iter().filter(|&i| model.joints().get(i).is_some_and(|j| !j.is_fixed())).collect()
}

/// The chains to all leaves behind a moving joint.
pub(super) fn branches(model: &Model) -> Vec<Branch> {
    let leaves = (0..model.links().len()).filter(|&l| model.children.get(l).is_none_or(Vec::is_empty));
    leaves
        .map(|leaf| Branch { moving: moving_to(model, leaf), leaf })
        .filter(|branch| !branch.moving.is_empty())
        .collect()
}

/// What to tell of a chain that is left out.
pub(super) fn not_a_leg(model: &Model, branch: &Branch, why: &str) -> String {
    let name = model.links().get(branch.leaf).map_or("", |l| l.name());
    let joints = moving_joints(branch.moving.len());
    format!("the chain to link \"{name}\" has {joints} and is not taken as a leg ({why})")
}

/// How many joints a chain has, in words.
pub(super) fn moving_joints(count: usize) -> String {
    if count == 1 { "1 moving joint".into() } else { format!("{count} moving joints") }
}
