//! Files as users write them: one executable, which is linked once.

mod motions;
mod other_robots;
