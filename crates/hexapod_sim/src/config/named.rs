//! The servos of joints whose kind `servos.yaml` names.

use super::file::{File, Kind};
use crate::servo::{ServoModel, Servos};
use std::collections::BTreeSet;

/// The servo of a joint, as `servos.yaml` has it.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedServo {
    /// Name of the joint.
    pub joint: String,
    /// Name of its kind.
    pub kind: String,
    /// Torque with the shaft held, N m, where it is known.
    pub stall_torque_nm: Option<f64>,
    /// Speed without load, rad/s, where it is known.
    pub no_load_speed_rad_s: Option<f64>,
}

/// The kind that a servo is like of which torque and speed alone are known.
const COMMON: &str = "mg996r";

impl File {
    /// The servos with those of named kinds in their joints, and what is to be known of these.
    pub(super) fn fitted(&self, mut servos: Servos, named: &[NamedServo]) -> (Servos, Vec<String>) {
        let common = self.kinds.get(COMMON).map(Kind::model);
        let mut resized = BTreeSet::new();
        for servo in named {
            let model = match self.kinds.get(&servo.kind) {
                Some(kind) => kind.model(),
                None => {
                    let figures = servo.stall_torque_nm.zip(servo.no_load_speed_rad_s);
                    let (Some((torque, speed)), Some(ServoModel::Own(common))) = (figures, common) else { continue };
                    resized.insert(&*servo.kind);
                    ServoModel::Own(common.resized(self.supply.open_v, torque, speed))
                }
            };
            servos = servos.with(&servo.joint, model);
        }
        let note = |kind| {
            format!(
                "servos of kind {kind} are simulated by the torque and speed that servos.yaml gives them, and for the rest as common \
                 ones (kind {COMMON}), since sim.yaml does not describe them"
            )
        };
        (servos, resized.into_iter().map(note).collect())
    }
}
