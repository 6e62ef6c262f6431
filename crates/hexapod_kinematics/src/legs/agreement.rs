//! Feet that cannot be where they were found: guesses above their joints, and one that is unlike all others.

use nalgebra::Vector3;

use super::find::LegChain;
use super::foot::{Foot, end_of, fixed_to, joint_from_link};
use super::options::MeshReader;
use crate::error::{ModelError, ModelFault, Place};
use crate::leg::Leg;
use crate::model::{Link, Model};

/// A guess that has the foot above its joint by more than this part of its distance, with all joints at zero, is wrong.
const ABOVE: f64 = 0.2;

/// Refuses a foot that nothing shows where the guess has it above the joint that carries it: legs stand on their feet.
pub(super) fn check_guess(model: &Model, foot: &Foot, leg: &Leg) -> Result<(), ModelError> {
    let placed = leg.placed(&leg.home());
    let joint = placed.screws().last().map_or_else(Vector3::zeros, |joint| joint.point);
    let (at, link) = (placed.foot_at_zero() - joint, model.links().get(foot.link));
    let Some(link) = link.filter(|_| foot.unseen && at.z > ABOVE * at.norm()) else { return Ok(()) };
    let found = format!(
        "ends leg \"{}\", and its foot is {:.0} mm above its last joint as {}",
        leg.name(),
        at.z * 1e3,
        foot.reason
    );
    let name = link.name();
    let hint = format!(
        "a foot is below the joint that carries it: put the mesh where the description has it, or give the foot in robot.yaml, in \
         m in the frame of that link, about {:.0} mm from it, as in feet: {{{name}: [0.0, 0.0, -{:.3}]}}",
        at.norm() * 1e3,
        at.norm()
    );
    Err(ModelError::new(ModelFault::Legs, Place::named("link", name, link.line()), found, hint))
}

/// Feet that differ by less than this part of their distance from the last joint are alike.
const ALIKE: f64 = 0.02;

/// Has a leg whose foot a link's name says stand on the end of its shapes, where all other legs have their feet as far from
/// the last joint as that is and this one's is elsewhere: a frame for a tool or a sensor is no foot. What to tell of it.
pub(super) fn agree(model: &Model, chains: &mut [LegChain], read: MeshReader<'_>) -> Vec<String> {
    let out = |foot: &Foot| (joint_from_link(model, foot.link) * foot.link_from_foot).translation.vector.norm();
    let outs: Vec<f64> = chains.iter().map(|chain| out(&chain.foot)).collect();
    let alike = |a: f64, b: f64| (a - b).abs() <= ALIKE * a.max(b);
    let mut reported = Vec::new();
    for (index, chain) in chains.iter_mut().enumerate() {
        let mut others = outs.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, out)| *out);
        let (Some(usual), own) = (others.next(), outs[index]) else { continue };
        if !chain.foot.by_name || alike(own, usual) || !others.all(|other| alike(other, usual)) {
            continue;
        }
        let Some(end) = end_of(model, &fixed_to(model, chain.foot.link), read).filter(|end| alike(end.out, usual))
        else {
            continue;
        };
        let name = |link: usize| model.links().get(link).map_or("", Link::name);
        let reason = format!(
            "the end of link \"{}\", {:.0} mm from the last joint, as in the other legs",
            name(end.link),
            end.out * 1e3
        );
        reported.push(format!(
            "link \"{}\" is called a foot and is {:.0} mm from the last joint, where those of all other legs are {:.0} mm from it: \
             the end of link \"{}\" is taken; write feet in robot.yaml if that is wrong",
            name(chain.foot.link),
            own * 1e3,
            usual * 1e3,
            name(end.link)
        ));
        chain.foot = Foot::at(end.link, end.point, reason);
    }
    reported
}
