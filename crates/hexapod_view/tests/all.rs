//! The view from outside: one executable, which is linked once.

mod drawing;
mod teleop;
mod terminal;
