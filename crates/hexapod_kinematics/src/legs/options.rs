//! What may be said about legs where a description leaves it open, and how many there may be.

use nalgebra::Vector3;

use crate::model::LimitChange;

/// Most legs a robot may have.
pub const MAX_LEGS: usize = 8;
/// Fewest legs a robot may have.
pub const MIN_LEGS: usize = 3;

/// Gives the bytes of a mesh by its address in the description (`package://..`, a path), or `None`.
pub type MeshReader<'a> = &'a mut dyn FnMut(&str) -> Option<Vec<u8>>;

/// How legs are found. The default finds them by themselves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LegOptions {
    /// The legs in their order; empty to find them.
    pub legs: Vec<LegSpec>,
    /// Foot of a leg: name of its last link or of one fixed to that, or of the leg, and the point in that link's
    /// frame (for a leg's name: in that of the link the foot is on), m. A name that is empty stands for every leg.
    pub feet: Vec<(String, Vector3<f64>)>,
    /// The link at which the foot of a leg is, by the name of the leg.
    pub foot_links: Vec<(String, String)>,
    /// Limits that replace the description's, such as the acceleration, which a URDF before 1.2 cannot give.
    pub limits: Vec<LimitChange>,
    /// What says where the front is.
    pub front: Front,
}

/// What says where the front of a robot is, by which its legs are distinguished. Commands count in the base link's
/// frame either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Front {
    /// The names of its legs, where they say so.
    #[default]
    Named,
    /// x of its base link, whatever the legs are called.
    Base,
}

/// One leg as given.
#[derive(Clone, Debug, PartialEq)]
pub struct LegSpec {
    /// Its name.
    pub name: String,
    /// The link whose origin is its foot.
    pub foot_link: String,
}
