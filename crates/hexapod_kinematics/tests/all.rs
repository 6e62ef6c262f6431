//! The model and its kinematics from outside: one executable, which is linked once.

mod any_input;
mod bad_urdf;
mod balls;
mod batch;
mod common;
mod denavit_hartenberg;
mod derivatives;
mod finding_legs;
mod fuzz;
mod general_legs;
mod inverse;
mod limb_and_workspace;
mod mended_urdf;
mod mimic_legs;
mod redundant_legs;
