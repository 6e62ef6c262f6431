//! What is played while the robot stands, and how it comes to sit.

mod breaking_off;
mod motion_job;
mod playing;
mod playing_at_random;
mod refusing;
mod sitting;
