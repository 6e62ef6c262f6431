//! All tests in one executable.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test says why it fails by failing")]

mod boards;
mod closed_forms;
mod common;
mod conditions;
mod configuration;
mod conserved;
mod contacts;
mod disturbed;
mod drives;
mod falls;
mod faults;
mod ground;
mod heights;
mod pictures;
#[allow(dead_code, reason = "shared with the examples")]
mod rig;
mod rough;
mod seeing;
mod sensors;
mod servos;
mod standing;
mod starts;
mod supply;
mod walking;
