//! All tests, in one executable.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]

mod random;
#[path = "../../hexapod_gait/tests/common/robots.rs"]
mod robots;
mod same_bits;
mod script;
