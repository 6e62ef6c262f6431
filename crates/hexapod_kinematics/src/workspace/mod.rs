//! Where a foot can go: margins of a pose, strides, slices of the reachable set.

mod margins;
mod slice;
mod stroke;

pub use margins::PoseMargins;
pub use slice::Slice;
pub use stroke::{Stroke, StrokeTable};
