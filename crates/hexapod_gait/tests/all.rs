//! The engine from outside: one executable, which is linked once.

mod accelerations;
mod auto_pose;
mod bounds;
mod breaking_off;
mod common;
mod contacts;
mod demand;
mod digests;
mod golden;
mod heights;
mod levelling;
mod motion_job;
mod playing;
mod playing_at_random;
mod rates;
mod refusing;
mod robots;
mod shapes;
mod sitting;
mod switching;
mod trotting;
mod walking;
