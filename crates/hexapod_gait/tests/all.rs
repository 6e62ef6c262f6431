//! The engine from outside: one executable, which is linked once.

mod common;
mod digests;
mod drives;
mod golden;
mod ground;
mod limits;
mod motions;
