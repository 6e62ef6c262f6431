//! x
pub mod params;
