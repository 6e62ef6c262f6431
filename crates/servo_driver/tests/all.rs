//! The driver from outside: one executable, which is linked once.

mod common;
mod inputs;
mod io_thread;
mod messages;
mod seams;
