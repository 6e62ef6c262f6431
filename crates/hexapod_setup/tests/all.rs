//! Robots and their files from outside: one executable, which is linked once.

mod motions;
mod other_robots;
