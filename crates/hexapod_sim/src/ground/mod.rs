//! What the robot stands on.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use rapier::math::Vector;
use rapier::prelude::SharedShape;

/// What feet feel of the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Friction coefficient between foot and ground.
    pub friction: f64,
}

impl Default for Surface {
    /// Rubber on a wooden floor.
    fn default() -> Self {
        Self { friction: 0.8 }
    }
}

/// The ground.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Ground {
    /// None: everything falls.
    #[default]
    Nothing,
    /// A plane through the origin.
    Plane {
        /// Slope along x, rad: positive rises ahead.
        slope: f64,
        /// Its surface.
        surface: Surface,
    },
}

/// A piece of ground as the engine takes it.
pub(crate) struct Piece {
    pub shape: SharedShape,
    pub pose: Isometry3<f64>,
    pub surface: Surface,
}

impl Ground {
    /// Flat ground.
    pub fn flat() -> Self {
        Self::Plane { slope: 0.0, surface: Surface::default() }
    }

    pub(crate) fn pieces(&self) -> Vec<Piece> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Plane { slope, surface } => {
                let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -slope);
                let pose = Isometry3::from_parts(Vector3::zeros().into(), turn);
                vec![Piece { shape: SharedShape::halfspace(Vector::Z), pose, surface: *surface }]
            }
        }
    }
}
