//! Odometry from outside: one executable, which is linked once.

mod hostile;
mod walking;
