//! The calibration from outside: one executable, which is linked once.

mod owner;
mod picture;
