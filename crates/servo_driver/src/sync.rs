//! What [`outputs`](crate::outputs) is made of; its test in `tests/cut_outputs.rs` puts loom's in its place.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub(crate) use std::sync::{Mutex, TryLockError};
