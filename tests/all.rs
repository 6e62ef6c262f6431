//! The executables and their files, from outside: one executable, which is linked once.

mod broken_configurations;
mod configuration;
mod executables;
