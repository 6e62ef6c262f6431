//! The guided calibration, from outside: one executable, which is linked once.

mod by_hand;
mod owner;
mod picture;
