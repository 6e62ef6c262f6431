//! What the executables share: one node in a process, or all of them composed in one.

pub mod check;
pub mod cli;
pub mod composed;
pub mod exit;
pub mod standalone;
