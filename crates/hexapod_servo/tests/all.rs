//! The driver from outside, down to the bytes on the wire: one executable, which is linked once.

mod catching_up;
mod common;
mod configuration;
mod faults;

mod kinds;
mod no_allocation;
mod properties;
mod retiring;
mod serial;
mod servo2040;
mod simulated_chip;
mod sources;
mod states;
mod torn_writes;
mod verified;
mod wire;
