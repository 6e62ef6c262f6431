//! What the engine keeps within: the joints' accelerations, a tick's time, and one path whatever the rate.

mod accelerations;
mod bounds;
mod demand;
mod ending;
mod frames;
mod heaves;
mod mirror;
mod rates;
mod sizes;
mod streams;
mod work;
