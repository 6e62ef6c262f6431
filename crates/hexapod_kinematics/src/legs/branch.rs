//! Chains of joints from the base to a leaf of the tree.

use crate::angles::MAX_LEG_JOINTS;
use crate::model::{Joint, Model};

/// Fewest joints of a leg.
pub(super) const MIN_LEG_JOINTS: usize = 3;

/// A chain from the base to a leaf.
pub(super) struct Branch {
    /// Moving joints, hip first.
    pub(super) moving: Vec<usize>,
    /// How many of them mimic no other joint.
    pub(super) motors: usize,
    /// How many of them mimic a joint that is not among them: such a leg is refused, not left out.
    foreign: usize,
    pub(super) leaf: usize,
}

impl Branch {
    /// The chain to a link.
    pub(super) fn to(model: &Model, leaf: usize) -> Self {
        let moving = moving_to(model, leaf);
        let sources = || moving.iter().map(|&joint| model.joints().get(joint).and_then(Joint::mimic));
        let motors = sources().filter(Option::is_none).count();
        let foreign = sources().flatten().filter(|mimic| !moving.contains(&mimic.joint)).count();
        Self { moving, motors, foreign, leaf }
    }

    /// Whether a leg may have so many joints.
    pub(super) fn may_be_leg(&self) -> bool {
        self.motors + self.foreign >= MIN_LEG_JOINTS && self.moving.len() <= MAX_LEG_JOINTS
    }

    /// How many joints a leg has, in words.
    pub(super) fn rule(&self) -> &'static str {
        if self.motors == self.moving.len() {
            "legs have 3 to 6 joints"
        } else {
            "legs have 3 to 6 joints, at least 3 of which mimic no other"
        }
    }

    /// How many joints it has, in words.
    pub(super) fn joints(&self) -> String {
        let count = if self.motors == 1 { "1 moving joint".into() } else { format!("{} moving joints", self.motors) };
        match self.moving.len() - self.motors {
            0 => count,
            mimics => format!("{count} and {mimics} that mimic others"),
        }
    }
}

/// The moving joints from the base to a link.
fn moving_to(model: &Model, link: usize) -> Vec<usize> {
    let path = model.path_to(link);
    path.into_iter().filter(|&i| model.joints().get(i).is_some_and(|j| !j.is_fixed())).collect()
}

/// The chains to all leaves behind a moving joint.
pub(super) fn branches(model: &Model) -> Vec<Branch> {
    let leaves = (0..model.links().len()).filter(|&l| model.children.get(l).is_none_or(Vec::is_empty));
    leaves.map(|leaf| Branch::to(model, leaf)).filter(|branch| !branch.moving.is_empty()).collect()
}

/// Part of the note on a chain that is left out.
pub const NOT_A_LEG: &str = "is not taken as a leg";

/// What to tell of a chain that is left out.
pub(super) fn not_a_leg(model: &Model, branch: &Branch, why: &str) -> String {
    let name = model.links().get(branch.leaf).map_or("", |l| l.name());
    let joints = branch.joints();
    format!("the chain to link \"{name}\" has {joints} and {NOT_A_LEG} ({why})")
}
