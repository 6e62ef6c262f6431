//! From loose links and joints to one tree: names, references, root, cycles.

use std::collections::HashMap;

use super::loose::LooseJoint;
use super::mimics::flattened;
use super::{Joint, JointKind, Link, Model};
use crate::error::{ModelError, ModelFault, Place};

/// Most links between the base and a leaf; a deeper tree is refused, so that walking it cannot exhaust the stack.
const MAX_DEPTH: usize = 256;

/// All parts of a robot, each already checked by itself.
pub(crate) struct Parts {
    pub name: String,
    pub links: Vec<Link>,
    pub joints: Vec<LooseJoint>,
    pub notes: Vec<String>,
}

/// Puts the parts together, or says which one does not fit.
pub(crate) fn assemble(parts: Parts) -> Result<Model, ModelError> {
    let Parts { name, links, joints, notes } = parts;
    let link_index = unique("link", links.iter().map(|l| (l.name.as_str(), l.line)))?;
    let joint_index = unique("joint", joints.iter().map(|j| (j.name.as_str(), j.line)))?;
    let resolved: Vec<Joint> = joints.iter().map(|j| resolve(j, &link_index)).collect::<Result<_, _>>()?;
    let parent_joint = parents(&links, &joints, &resolved)?;
    let base = root(&links, &parent_joint)?;
    let children = children(links.len(), &resolved);
    let order = outwards(base, &children, &resolved);
    if order.len() != resolved.len() {
        return Err(cycle(&resolved, &order));
    }
    let mut model = Model { name, links, joints: resolved, base, order, parent_joint, children, positions: 0, notes };
    check_depth(&model)?;
    number_positions(&mut model, &joints, &joint_index)?;
    Ok(model)
}

fn unique<'a>(
    kind: &str,
    names: impl Iterator<Item = (&'a str, Option<u32>)>,
) -> Result<HashMap<&'a str, usize>, ModelError> {
    let mut index = HashMap::new();
    for (i, (name, line)) in names.enumerate() {
        let place = Place::named(kind, name, line).attribute("name");
        if name.trim().is_empty() {
            return Err(ModelError::new(ModelFault::Name, place, "is empty", format!("give every {kind} a name")));
        }
        if index.insert(name, i).is_some() {
            let hint = format!("give every {kind} its own name");
            return Err(ModelError::new(ModelFault::Name, place, "is used twice", hint));
        }
    }
    Ok(index)
}

fn resolve(joint: &LooseJoint, links: &HashMap<&str, usize>) -> Result<Joint, ModelError> {
    let find = |end: &str, name: &str| {
        links.get(name).copied().ok_or_else(|| {
            let place = joint.place(end);
            let known: Vec<&str> = links.keys().copied().collect();
            let hint = match nearest_name(name, &known) {
                Some(near) => format!("did you mean \"{near}\"? Otherwise add <link name=\"{name}\">"),
                None => format!("add <link name=\"{name}\">"),
            };
            ModelError::new(ModelFault::Tree, place, format!("names link \"{name}\", which does not exist"), hint)
        })
    };
    let (parent, child) = (find("parent", &joint.parent)?, find("child", &joint.child)?);
    if parent == child {
        let place = joint.place("child");
        let found = format!("joins link \"{}\" to itself", joint.child);
        return Err(ModelError::new(ModelFault::Tree, place, found, "name another child link"));
    }
    Ok(Joint {
        name: joint.name.clone(),
        kind: joint.kind,
        parent,
        child,
        parent_from_joint: joint.parent_from_joint,
        axis: joint.axis,
        limits: joint.limits,
        mimic: None,
        friction: joint.friction,
        position: None,
        fault: joint.fault.clone(),
        line: joint.line,
    })
}

fn parents(links: &[Link], loose: &[LooseJoint], joints: &[Joint]) -> Result<Vec<Option<usize>>, ModelError> {
    let mut parent: Vec<Option<usize>> = vec![None; links.len()];
    for (i, (joint, loose)) in joints.iter().zip(loose).enumerate() {
        let Some(slot) = parent.get_mut(joint.child) else { continue };
        if let Some(other) = slot.and_then(|o| joints.get(o)) {
            let link = links.get(joint.child).map_or("", |l| l.name());
            let place = loose.place("child");
            let found = format!("\"{link}\" is already the child of joint \"{}\"", other.name);
            return Err(ModelError::new(ModelFault::Tree, place, found, "a link hangs on exactly one joint"));
        }
        *slot = Some(i);
    }
    Ok(parent)
}

fn root(links: &[Link], parent: &[Option<usize>]) -> Result<usize, ModelError> {
    let mut roots = links.iter().enumerate().filter(|(i, _)| parent.get(*i).is_some_and(Option::is_none));
    let Some((base, first)) = roots.next() else {
        let (found, hint) = if links.is_empty() {
            ("has no link", "add a <link> for the body and one for each part of a leg")
        } else {
            (
                "every link is the child of a joint: the links form a cycle",
                "leave the body's link without a parent joint",
            )
        };
        return Err(ModelError::new(ModelFault::Tree, Place::element("<robot>", None), found, hint));
    };
    if let Some((_, second)) = roots.next() {
        let place = Place::named("link", &second.name, second.line);
        let found = format!("hangs on no joint, and neither does link \"{}\"", first.name);
        return Err(ModelError::new(ModelFault::Tree, place, found, "add the joint that carries it, or remove it"));
    }
    Ok(base)
}

fn children(links: usize, joints: &[Joint]) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); links];
    for (i, joint) in joints.iter().enumerate() {
        if let Some(list) = children.get_mut(joint.parent) {
            list.push(i);
        }
    }
    children
}

/// Joints reached from the base, nearest first.
fn outwards(base: usize, children: &[Vec<usize>], joints: &[Joint]) -> Vec<usize> {
    let mut order: Vec<usize> = children.get(base).cloned().unwrap_or_default();
    let mut next = 0;
    while let Some(&index) = order.get(next) {
        next += 1;
        if let Some(below) = joints.get(index).and_then(|j| children.get(j.child)) {
            order.extend_from_slice(below);
        }
    }
    order
}

fn cycle(joints: &[Joint], reached: &[usize]) -> ModelError {
    let lost = joints.iter().enumerate().find(|(i, _)| !reached.contains(i)).map(|(_, j)| j);
    let place = lost.map_or_else(Place::default, |j| Place::named("joint", &j.name, j.line));
    ModelError::new(ModelFault::Tree, place, "is part of a cycle", "let it hang on a link that leads back to the base")
}

fn check_depth(model: &Model) -> Result<(), ModelError> {
    let mut depth = vec![0usize; model.links.len()];
    for joint in model.order.iter().filter_map(|&i| model.joints.get(i)) {
        let below = depth.get(joint.parent).map_or(1, |d| d + 1);
        if below > MAX_DEPTH {
            let place = Place::named("joint", &joint.name, joint.line);
            let found = format!("is more than {MAX_DEPTH} joints away from the base");
            return Err(ModelError::new(ModelFault::Tree, place, found, "shorten the chain"));
        }
        if let Some(d) = depth.get_mut(joint.child) {
            *d = below;
        }
    }
    Ok(())
}

fn number_positions(model: &mut Model, loose: &[LooseJoint], index: &HashMap<&str, usize>) -> Result<(), ModelError> {
    for at in 0..model.joints.len() {
        let mimic = flattened(at, loose, index)?;
        let Some(joint) = model.joints.get_mut(at).filter(|joint| joint.kind != JointKind::Fixed) else { continue };
        match mimic {
            None => {
                joint.position = Some(model.positions);
                model.positions += 1;
            }
            // Wherever its source is, it stays where it is.
            Some(mimic) if mimic.multiplier == 0.0 => {
                joint.parent_from_joint = joint.parent_from_child(mimic.offset);
                (joint.kind, joint.limits, joint.fault) = (JointKind::Fixed, None, None);
            }
            Some(_) => joint.mimic = mimic,
        }
    }
    Ok(())
}

/// The known name that differs least, when it differs in at most a third of its letters.
fn nearest_name<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    known.iter().map(|k| (differing_letters(name, k), *k)).filter(|(d, k)| *d * 3 <= k.len()).min().map(|(_, k)| k)
}

/// Levenshtein distance, row by row.
fn differing_letters(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cb, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let change = diagonal + usize::from(ca != *cb);
            diagonal = *cell;
            left = change.min(left + 1).min(*cell + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}
