//! Odometry, from outside: one executable, which is linked once.

mod balls;
mod hostile;
mod settling;
mod unseen;
mod walking;
