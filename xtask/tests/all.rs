//! The workspace as others see it: one executable, which is linked once.

mod colcon;
mod faults;
mod layers;
