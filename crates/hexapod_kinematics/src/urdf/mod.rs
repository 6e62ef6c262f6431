//! URDF text to a [`Model`]: well-formed and complete (`lint`), read by `urdf-rs`, checked part by part (`convert`)
//! and as a tree.
//!
//! `urdf-rs` gives the values. It does not say where they stand and takes NaN, reversed limits, cycles and missing
//! links without a word; hence the pass before it, which knows lines, and the passes after it.

mod body;
mod convert;
mod lines;
mod lint;
mod nesting;
mod origin;
mod remarks;
mod shapes;
mod virtual_root;
mod write;

pub(crate) use lint::{MOST_TURNS_RAD, degrees_hint};

use crate::error::{ModelError, ModelFault, Place};
use crate::model::{LimitChange, Model, tree};

impl Model {
    /// Reads a URDF.
    ///
    /// # Errors
    /// [`ModelError`] with line, element and attribute for anything that is not one tree of physically possible
    /// links and joints. Joints of a leg may mimic others of it; floating and planar joints only below a root link that
    /// carries nothing else, as other joints between the world and the body (the body becomes the base); spherical joints
    /// are refused by name.
    pub fn from_urdf(text: &str) -> Result<Self, ModelError> {
        let model = Self::from_urdf_with(text, &[])?;
        match model.joints.iter().find_map(|joint| joint.fault.clone()) {
            Some(fault) => Err(*fault),
            None => Ok(model),
        }
    }

    /// The same, with limits to be taken where those of the description cannot be; joints whose limits cannot be keep
    /// the reason.
    pub(crate) fn from_urdf_with(text: &str, limits: &[LimitChange]) -> Result<Self, ModelError> {
        let lines = lint::lint(text)?;
        let robot = urdf_rs::read_from_string(&lines.without_skipped(text)).map_err(|error| {
            let found = format!("cannot be read: {error}");
            ModelError::new(ModelFault::Syntax, Place::element("<robot>", None), found, "correct the URDF")
        })?;
        tree::assemble(convert::parts(&robot, &lines, limits)?)
    }
}
