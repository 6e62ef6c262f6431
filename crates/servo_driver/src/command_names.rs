//! Which joint each position of a message is for.

use crate::owners::MAX_JOINTS;
use crate::refusal::Refusal;
use hexapod_servo::JointConfig;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The joints that may be named.
pub(crate) struct CommandNames {
    driven: HashMap<String, usize>,
    /// Joints of the robot that no servo drives, where those may be named, too.
    passive: Option<HashSet<String>>,
    /// What the robot is called in refusals.
    pub robot: Arc<str>,
    /// The names of the last message that held, and their joints: they hardly ever change.
    known: (Vec<String>, Vec<Option<usize>>),
}

impl CommandNames {
    pub fn new(config: &JointConfig) -> Self {
        let driven = config.joints.iter().take(MAX_JOINTS).enumerate();
        let driven = driven.map(|(index, joint)| (joint.name.clone(), index)).collect();
        Self { driven, passive: None, robot: "the robot".into(), known: <_>::default() }
    }

    /// Lets messages name joints of the robot that have no servo.
    pub fn also(&mut self, joints: impl IntoIterator<Item = String>) {
        self.passive = Some(joints.into_iter().filter(|joint| !self.driven.contains_key(joint)).collect());
    }

    /// The joints that the positions are for, in their order, and their names. There is a position for each name, or, where
    /// names of joints without a servo come along, one for each of the others.
    pub fn assign(
        &mut self,
        names: &[String],
        positions: usize,
    ) -> Result<impl Iterator<Item = (usize, &String)>, Refusal> {
        if self.passive.is_none() && names.len() != positions {
            return Err(Refusal::Lengths { names: names.len(), positions });
        }
        if self.known.0 != names {
            let joints = self.joints_of(names)?;
            self.known = (names.to_vec(), joints);
        }
        let (names, joints) = &self.known;
        let driven = joints.iter().flatten().count();
        if positions == names.len() {
            if let Some(without) = joints.iter().position(Option::is_none) {
                return Err(Refusal::NoServo(names[without].clone()));
            }
        } else if positions != driven {
            return Err(Refusal::Unassigned { names: names.len(), driven, positions });
        }
        Ok(joints.iter().zip(names).filter_map(|(joint, name)| Some(((*joint)?, name))))
    }

    /// What the last message that held called a joint.
    pub fn name(&self, joint: usize) -> &str {
        let named = self.known.1.iter().position(|known| *known == Some(joint));
        named.map_or("", |index| &self.known.0[index])
    }

    /// The joints of these names, each named once; `None` for one without a servo.
    fn joints_of(&self, names: &[String]) -> Result<Vec<Option<usize>>, Refusal> {
        let mut seen = HashSet::new();
        let mut joints = Vec::with_capacity(names.len());
        for name in names {
            let joint = self.driven.get(name).copied();
            if joint.is_none() && !self.passive.as_ref().is_some_and(|passive| passive.contains(name)) {
                let joint = name.chars().take(64).collect();
                return Err(Refusal::UnknownJoint { joint, robot: Arc::clone(&self.robot) });
            }
            if !seen.insert(name.as_str()) {
                return Err(Refusal::Twice(name.clone()));
            }
            joints.push(joint);
        }
        Ok(joints)
    }
}
