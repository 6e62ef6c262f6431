//! What a tick, or all that a robot does, comes to.

pub(crate) mod balance;
pub(crate) mod demand;
pub(crate) mod ending;
