//! Capsules and boxes, and the room that meshes take up.

pub(crate) mod capsule;
mod collada;
pub(crate) mod convex;
pub(crate) mod cuboid;
pub(crate) mod distance;
mod fit;
mod mesh;
mod obj;
mod stl;

pub use capsule::Capsule;
pub use fit::Bulk;
pub(crate) use mesh::mesh_vertices;
