//! Dynamics from outside: one executable, which is linked once.
#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

mod common;
mod dynamics;
mod foot;
mod force;
mod identification;
mod no_allocation;
mod prediction;
mod servos;
