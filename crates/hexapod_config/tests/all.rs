//! Files, good and bad, from outside: one executable, which is linked once.

mod bad_yaml;
mod edits;
mod errors;
mod layers;
mod mutation;
mod ros_params;
mod shipped;
