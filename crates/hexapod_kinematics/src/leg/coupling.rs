//! Mimic joints of a leg: which joints turn with which, and by how much.
//!
//! A leg's joints are those with motors. Where others mimic them, all that move turn by `C q`, with `q` the angles of the
//! leg's joints; their Jacobian is then `J C`, and the torques of their motors `Cᵀ t`.

use nalgebra::{Isometry3, SMatrix};

use crate::angles::{LegAngles, MAX_LEG_JOINTS};
use crate::chain::LegJoint;

/// By how much each moving joint of a leg (a row) turns with each of its motors (a column); the rest is zero.
pub type CouplingMatrix = SMatrix<f64, MAX_LEG_JOINTS, MAX_LEG_JOINTS>;

/// The moving joints of a leg in which some mimic others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Coupling {
    pub(super) moving: Vec<LegJoint>,
    pub(super) matrix: CouplingMatrix,
    /// The places of the joints with motors among them.
    pub(super) motors: Vec<usize>,
}

impl Coupling {
    /// The joints with motors out of all that move, and how the others follow them, if any do.
    pub(super) fn split(moving: Vec<LegJoint>) -> (Vec<LegJoint>, Option<Box<Self>>) {
        let motors: Vec<usize> =
            (0..moving.len()).filter(|&i| moving.get(i).is_some_and(|j| j.mimics.is_none())).collect();
        if motors.len() == moving.len() {
            return (moving, None);
        }
        let (mut joints, mut between) = (Vec::with_capacity(motors.len()), Isometry3::identity());
        for joint in &moving {
            between *= joint.origin;
            if joint.mimics.is_none() {
                joints.push(LegJoint { origin: between, ..joint.clone() });
                between = Isometry3::identity();
            }
        }
        let mut matrix = CouplingMatrix::zeros();
        for (row, joint) in moving.iter().enumerate() {
            let motor = joints.iter().position(|motor| motor.position == joint.position);
            let cell = motor.and_then(|column| matrix.get_mut((row, column)));
            cell.into_iter().for_each(|cell| *cell = joint.mimics.unwrap_or(1.0));
        }
        (joints, Some(Box::new(Self { moving, matrix, motors })))
    }

    /// The angles of all that move, from those of the motors.
    pub(super) fn turns(&self, angles: &[f64; MAX_LEG_JOINTS]) -> [f64; MAX_LEG_JOINTS] {
        (self.matrix * nalgebra::SVector::from(*angles)).into()
    }

    pub(super) fn turned(&self, angles: &LegAngles) -> LegAngles {
        let turns = self.turns(angles.padded());
        LegAngles::from_fn(self.moving.len(), |i| turns.get(i).copied().unwrap_or(0.0))
    }
}
