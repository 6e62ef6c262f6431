//! What is done about a segment that is blocked: it is gone more slowly; else the body goes back over its feet; and where
//! nothing helps for too long, that is noticed.

pub(crate) mod pacing;
pub(crate) mod retreat;
pub(crate) mod stall_timer;
