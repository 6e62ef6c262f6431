//! Files of robots and motions, from outside: one executable, which is linked once.

mod motions;
mod navigation;
mod odd_robots;
mod other_robots;
mod random_robots;
mod servo_files;
mod shipped_gaits;
mod sizes;
