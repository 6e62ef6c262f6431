//! Which chains of joints are legs.

use nalgebra::Isometry3;

use super::arms;
use super::ball::ball_at;
use super::branch::{Branch, branches, not_a_leg};
use super::foot::{self, Foot};
use super::mimics::{TURNING, leg_joint};
use super::options::{LegOptions, MeshReader};
use crate::error::{ModelError, ModelFault, Place};
use crate::leg::Leg;
use crate::model::{JointKind, Model};

/// A chain that is a leg.
pub(super) struct LegChain {
    /// Moving joints, hip first.
    pub(super) moving: Vec<usize>,
    /// Its foot.
    pub(super) foot: Foot,
    /// Name, when it was given.
    pub(super) name: Option<String>,
}

/// Chains of three to six joints from the base, one per first joint; joints that mimic others are counted, but three of a leg's
/// joints mimic none.
///
/// Several leaves behind one first joint: the one behind the most joints counts, of those the one called a foot, of
/// those the farthest. Arms, heads and tails are left out, see [`arms`].
pub(super) fn by_themselves(
    model: &mut Model,
    options: &LegOptions,
    read: MeshReader<'_>,
) -> Result<Vec<LegChain>, ModelError> {
    let mut chosen: Vec<Branch> = Vec::new();
    for branch in branches(model) {
        match chosen.iter_mut().find(|c| c.moving.first() == branch.moving.first()) {
            None => chosen.push(branch),
            Some(known) if is_better(model, &branch, known) => *known = branch,
            Some(_) => {}
        }
    }
    let mut notes = Vec::new();
    chosen.retain(|branch| {
        if !branch.may_be_leg() {
            notes.push(not_a_leg(model, branch, branch.rule()));
        }
        branch.may_be_leg()
    });
    arms::drop(model, &mut chosen, &mut notes);
    model.notes.append(&mut notes);
    chosen.into_iter().map(|branch| to_chain(model, branch, options, read)).collect()
}

/// The legs that the options name.
pub(super) fn as_given(model: &Model, options: &LegOptions, read: MeshReader<'_>) -> Result<Vec<LegChain>, ModelError> {
    let mut chains: Vec<LegChain> = Vec::new();
    for spec in &options.legs {
        let place = || Place::element(format!("leg \"{}\"", spec.name), None);
        let foot_link = model.link_index(&spec.foot_link).ok_or_else(|| {
            let found = format!("names foot link \"{}\", which does not exist", spec.foot_link);
            ModelError::new(ModelFault::Legs, place(), found, "name a link of the robot")
        })?;
        let branch = Branch::to(model, foot_link);
        if !branch.may_be_leg() {
            let found = format!("has {}", branch.joints());
            return Err(ModelError::new(ModelFault::Legs, place(), found, branch.rule()));
        }
        if spec.name.is_empty() || chains.iter().any(|c| c.name.as_ref() == Some(&spec.name)) {
            return Err(ModelError::new(
                ModelFault::Name,
                place(),
                "is empty or used twice",
                "give every leg its own name",
            ));
        }
        if let Some(shared) = chains.iter().find(|c| c.moving.iter().any(|j| branch.moving.contains(j))) {
            let found = format!("shares a joint with leg \"{}\"", shared.name.as_deref().unwrap_or(""));
            return Err(ModelError::new(ModelFault::Legs, place(), found, "legs have no joint in common"));
        }
        let foot = foot::foot_in(model, foot_link, options, read)
            .or_else(|error| foot_by_leg(model, &branch, options, error))?;
        chains.push(LegChain { moving: branch.moving, foot, name: Some(spec.name.clone()) });
    }
    Ok(chains)
}

/// The leg of a chain.
pub(super) fn leg(model: &Model, chain: &LegChain, name: String) -> Result<Leg, ModelError> {
    let mut joints = Vec::with_capacity(chain.moving.len());
    let mut pending = Isometry3::identity();
    for index in model.path_to(chain.foot.link) {
        let Some(joint) = model.joints().get(index) else { continue };
        pending *= joint.parent_from_joint();
        if chain.moving.contains(&index) {
            joints.push(leg_joint(model, &chain.moving, index, pending, &name)?);
            pending = Isometry3::identity();
        }
    }
    let mut leg = Leg::new(name, joints, chain.foot.link, pending * chain.foot.link_from_foot);
    leg.foot_reason.clone_from(&chain.foot.reason);
    leg.ball = ball_at(model, chain.foot.link, &leg.tip.translation.vector);
    Ok(leg)
}

/// What is wrong with a leg one of whose joints is prismatic.
fn sliding(model: &Model, branch: &Branch) -> Option<ModelError> {
    let mut joints = branch.moving.iter().filter_map(|&index| model.joints().get(index));
    let joint = joints.find(|joint| joint.kind() == JointKind::Prismatic)?;
    let place = Place::named("joint", joint.name(), joint.line());
    Some(ModelError::new(ModelFault::JointKind, place, "is in a leg and is prismatic", TURNING))
}

fn is_better(model: &Model, branch: &Branch, known: &Branch) -> bool {
    let rank = |b: &Branch| (b.motors, b.moving.len(), foot::is_called_foot(model, b.leaf));
    match rank(branch).cmp(&rank(known)) {
        std::cmp::Ordering::Equal => foot::distance(model, branch.leaf) > foot::distance(model, known.leaf),
        order => order.is_gt(),
    }
}

fn to_chain(model: &Model, branch: Branch, options: &LegOptions, read: MeshReader<'_>) -> Result<LegChain, ModelError> {
    let foot = foot::foot_of(model, branch.leaf, options, read);
    let foot = foot.or_else(|error| foot_by_leg(model, &branch, options, error))?;
    Ok(LegChain { moving: branch.moving, foot, name: None })
}

/// A foot that the description does not give, where the options may give it by the name of the leg, which is not known yet.
/// A leg that cannot be one is refused for that, not for what it lacks beside.
fn foot_by_leg(model: &Model, branch: &Branch, options: &LegOptions, error: ModelError) -> Result<Foot, ModelError> {
    if let Some(error) = sliding(model, branch) {
        return Err(error);
    }
    let may_be_leg = |name: &str| !name.is_empty() && model.link_index(name).is_none();
    let by_leg = options.feet.iter().any(|(name, _)| may_be_leg(name)) || !options.foot_links.is_empty();
    if by_leg { Ok(Foot::missing(branch.leaf, error)) } else { Err(error) }
}
