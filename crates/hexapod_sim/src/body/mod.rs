//! What moves as one: links fused over fixed joints, and the hinges between them. Names no physics engine.

mod assembly;
mod ends;
mod extent;
mod fuse;

pub use assembly::{Assembly, BuildError, Foot, Hinge, HingeKind, Part};
pub(crate) use extent::corners;
