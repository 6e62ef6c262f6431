//! Terrain, from outside: one executable, which is linked once.

mod clearance;
mod clouds;
mod footholds;
mod ground;
mod hostile;
mod memory;
mod scrolling;
mod surfaces;
mod variance;
