//! The driver from outside: one executable, which is linked once.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]

mod common;
mod cut_outputs;
mod failsafe;
mod inputs;
mod io_thread;
mod measured;
mod messages;
mod seams;
mod servo_time;
