//! All tests, in one executable.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]

#[path = "../../hexapod_gait/tests/common/mod.rs"]
mod common;
mod same_bits;
mod script;
