//! Where a robot was described, to point at what is wrong with it: a URDF, or a table of Denavit-Hartenberg parameters.

use hexapod_config::{ConfigError, Document, Source};
use hexapod_kinematics::{DhJoint, DhRobot, Model, ModelError, ModelFault};
use std::sync::Arc;

/// The file of a description as its owner wrote it.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    Urdf(Source),
    Table(Arc<Table>),
}

/// A table of Denavit-Hartenberg parameters and the file it stands in.
#[derive(Debug)]
pub(crate) struct Table {
    document: Document,
    pub(crate) robot: DhRobot,
}

impl Origin {
    /// A fault that was found in the URDF, which may have been made from a table.
    pub(crate) fn fault(&self, error: &ModelError) -> ConfigError {
        match self {
            Self::Urdf(source) => {
                let key = [error.element(), error.attribute().unwrap_or_default()].join(" ");
                let line = error.line().map_or(1, |line| line as usize);
                ConfigError::on_line(source, line, key.trim(), error.what(), error.expected())
            }
            Self::Table(table) => table.fault(error),
        }
    }

    /// A fault of a joint: at its line, or at `attribute` of its entry in the table.
    pub(crate) fn at_joint(
        &self,
        model: &Model,
        joint: &str,
        attribute: &str,
        (message, help): (String, String),
    ) -> ConfigError {
        match self {
            Self::Urdf(source) => {
                let found = model.joint_index(joint).and_then(|index| model.joints().get(index));
                let line = found.and_then(|joint| joint.line()).map_or(1, |line| line as usize);
                let key = format!("<joint name=\"{joint}\"> {attribute}");
                ConfigError::on_line(source, line, key.trim(), message, help)
            }
            Self::Table(table) => table.at(&[joint], attribute, message, help),
        }
    }

    /// The table, if it is one.
    pub(crate) fn table(&self) -> Option<&Document> {
        match self {
            Self::Urdf(_) => None,
            Self::Table(table) => Some(&table.document),
        }
    }

    /// Whether it is a table.
    pub(crate) fn is_table(&self) -> bool {
        matches!(self, Self::Table(_))
    }
}

impl Table {
    /// A table each of whose legs and joints has a name of its own.
    ///
    /// # Errors
    /// The second of two that share one.
    pub(crate) fn try_new(document: Document, robot: DhRobot) -> Result<Self, ConfigError> {
        let mut seen: Vec<(&str, String)> = vec![];
        for (index, leg) in robot.legs.iter().enumerate() {
            let at = format!("legs[{index}]");
            let joints = leg.joints.iter().enumerate();
            let joints = joints.map(|(joint, each)| (each.name.as_str(), format!("{at}.joints[{joint}].name")));
            for (name, key) in std::iter::once((leg.name.as_str(), format!("{at}.name"))).chain(joints) {
                let alike =
                    |other: &&(&str, String)| other.0 == name && other.1.contains("joints") == key.contains("joints");
                if let Some((_, first)) = seen.iter().find(alike) {
                    let line = document.location(first).map_or(0, |location| location.line);
                    let message = format!("the name {name:?} is taken already, in line {line}");
                    return Err(document.error_at(&key, message, "give every leg and every joint a name of its own"));
                }
                seen.push((name, key));
            }
        }
        drop(seen);
        Ok(Self { document, robot })
    }

    /// A fault of the model that was made from the table.
    pub(crate) fn fault(&self, error: &ModelError) -> ConfigError {
        let quoted: Vec<&str> = error.element().split('"').skip(1).step_by(2).collect();
        let attribute = error.attribute().unwrap_or_default();
        // The URDF's word for what the table has without it.
        let attribute = attribute.strip_prefix("limit ").unwrap_or(attribute);
        if error.fault() == ModelFault::Legs && error.element().starts_with("<link") {
            let leg = quoted.iter().find_map(|name| self.leg_of(name)).unwrap_or_default();
            let help = "give the leg its foot, in m from the frame after its last joint: `foot: {xyz: [0.1, 0.0, 0.0]}` below \
                        its joints; with `convention: modified` no `a` of the table holds that length";
            return self.document.error_at(&format!("legs[{leg}]"), error.what(), help);
        }
        self.at(&quoted, attribute, error.what(), error.expected())
    }

    fn at(&self, names: &[&str], attribute: &str, message: impl Into<String>, help: impl Into<String>) -> ConfigError {
        let entry = names.iter().rev().find_map(|name| self.entry(name)).unwrap_or("legs".into());
        let key = format!("{entry}.{attribute}");
        let is_there = !attribute.is_empty() && self.document.location(&key).is_some();
        self.document.error_at(if is_there { &key } else { &entry }, message, help)
    }

    /// The leg that has the joint which carries this link.
    fn leg_of(&self, link: &str) -> Option<usize> {
        let is = |joint: &DhJoint| link.strip_suffix("_link") == Some(&joint.name);
        self.robot.legs.iter().position(|leg| leg.joints.iter().any(is))
    }

    /// The key of the leg or joint of this name, or of which that is the name of a link.
    fn entry(&self, name: &str) -> Option<String> {
        let legs = || self.robot.legs.iter().enumerate();
        let is = |own: &str, end: &str| name == own || name.strip_suffix(end) == Some(own);
        let joint = legs().find_map(|(leg, each)| {
            let joint = each.joints.iter().position(|joint| is(&joint.name, "_link"))?;
            Some(format!("legs[{leg}].joints[{joint}]"))
        });
        joint.or_else(|| legs().find(|(_, leg)| is(&leg.name, "_foot")).map(|(leg, _)| format!("legs[{leg}]")))
    }
}
