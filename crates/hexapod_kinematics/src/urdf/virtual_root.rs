//! Links and joints above the body that only say where the robot is in the world, and that it is free to move there.

use urdf_rs::{Joint, JointType, Link, Robot};

/// A link from which fewer legs go is none that carries them.
const MIN_LEGS: usize = 3;

/// Names of a root link that is the world: fixed to it, a robot would not walk.
const WORLDS: [&str; 3] = ["world", "map", "odom"];
/// Links lighter than this part of the robot weigh nothing: some readers want a mass of each.
const WEIGHTLESS: f64 = 0.01;

/// How many joints the first link from this one on has that carries several.
fn legs_below(robot: &Robot, link: Option<&str>) -> usize {
    let (mut at, mut count) = (link.unwrap_or_default(), 0);
    for _ in 0..robot.links.len() {
        let mut below = robot.joints.iter().filter(|joint| joint.parent.link == at);
        count = below.clone().count();
        match below.next() {
            Some(joint) if count == 1 => at = &joint.child.link,
            _ => break,
        }
    }
    count
}

/// What is left out of a description, by name, and the link that is the base then.
#[derive(Debug, Default)]
pub(super) struct VirtualRoot {
    pub(super) links: Vec<String>,
    pub(super) joints: Vec<String>,
    base: String,
}

impl VirtualRoot {
    /// The links from the root on that have no shape and no weight and carry nothing but one joint each: all above the last of
    /// those joints that moves, and a root that is called the world. Nothing where the base is the root.
    pub(super) fn of(robot: &Robot, has_shape: impl Fn(usize) -> bool) -> Self {
        let mass: f64 = robot.links.iter().map(|link| link.inertial.mass.value).sum();
        let is_bare = |index: usize, link: &Link| !has_shape(index) && link.inertial.mass.value <= WEIGHTLESS * mass;
        let mut found = Self::default();
        let (mut chain, mut kept) = (Vec::<(&Link, &Joint)>::new(), 0);
        let mut at = robot
            .links
            .iter()
            .enumerate()
            .find(|(_, link)| robot.joints.iter().all(|joint| joint.child.link != link.name));
        while let Some((index, link)) = at.filter(|_| chain.len() < robot.links.len()) {
            let mut below = robot.joints.iter().filter(|joint| joint.parent.link == link.name);
            let (Some(joint), None, true) = (below.next(), below.next(), is_bare(index, link)) else { break };
            chain.push((link, joint));
            let is_world = chain.len() == 1 && WORLDS.contains(&link.name.to_lowercase().as_str());
            if is_world || joint.joint_type != JointType::Fixed {
                kept = chain.len();
            }
            at = robot.links.iter().enumerate().find(|(_, below)| below.name == joint.child.link);
        }
        if legs_below(robot, chain.last().map(|(_, joint)| joint.child.link.as_str())) < MIN_LEGS {
            return found;
        }
        for (link, joint) in chain.into_iter().take(kept) {
            found.links.push(link.name.clone());
            found.joints.push(joint.name.clone());
            found.base.clone_from(&joint.child.link);
        }
        found
    }

    /// What to tell of it.
    pub(super) fn note(&self) -> Option<String> {
        let root = self.links.first()?;
        let base = &self.base;
        Some(match self.joints.as_slice() {
            [_] => format!("link \"{root}\" carries nothing but the robot: \"{base}\" is the base"),
            joints => format!(
                "links and joints from \"{root}\" to \"{}\" only say where the robot is: \"{base}\" is the base",
                joints.last().map_or("", |joint| joint)
            ),
        })
    }
}
