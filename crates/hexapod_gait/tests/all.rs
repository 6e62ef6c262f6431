//! The engine from outside: one executable, which is linked once.

mod common;
mod digests;
mod drives;
mod golden;
mod limits;
mod motions;
