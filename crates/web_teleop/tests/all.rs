//! The page's server from outside: one executable, which is linked once.

mod drive_lease;
mod fuzz;
