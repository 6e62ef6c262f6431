//! Legs that are brought to their places one after another.

pub(crate) mod centring;
pub(crate) mod descent;
pub(crate) mod landing;
pub(crate) mod placing;
