//! The page's server from outside: one executable, which is linked once.

mod fuzz;
mod helm;
