//! What holds for the whole workspace, from outside: one executable, which is linked once.

mod built_once;
mod colcon;
mod faults;
mod gait_house;
mod layers;
mod modules;
mod package;
mod sizes;
mod wiring;
