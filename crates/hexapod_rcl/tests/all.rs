//! The layer over rcl, from outside: one executable, which is linked once.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

mod common;
mod life;
mod messages;
mod services;
