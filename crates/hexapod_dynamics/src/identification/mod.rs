//! From logged motion to inertial parameters.

mod base_parameters;
mod identify;
mod smooth;

pub use base_parameters::{BaseParameters, Excitation};
pub use identify::{Identified, IdentifyError, IdentifyOptions, LegSample, identify};
pub use smooth::{SmoothError, smooth_motion};
