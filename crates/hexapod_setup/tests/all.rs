//! Files of robots and motions, from outside: one executable, which is linked once.

mod motions;
mod other_robots;
