//! Robots that are driven: whatever is asked of them, they walk.

mod auto_pose;
mod collisions;
mod heights;
mod margins;
mod robots;
mod shapes;
mod switching;
mod trotting;
mod walking;
