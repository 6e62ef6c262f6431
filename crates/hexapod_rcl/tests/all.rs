//! The layer over rcl, from outside: one executable, which is linked once.

mod common;
mod life;
mod messages;
mod services;
