//! What is known of the robot after a tick.

use hexapod_gait::{GaitState, Twist};
use nalgebra::Isometry3;

/// What is known after a tick.
pub struct Moment {
    /// Since the start, s.
    pub time: f64,
    /// Length of the tick, s.
    pub dt: f64,
    pub state: GaitState,
    /// That the planner walks.
    pub twist: Twist,
    /// That it was asked for.
    pub commanded: Twist,
    /// Where the body truly is.
    pub base: Isometry3<f64>,
    /// How far each foot slid over the ground during the tick, on average, m.
    pub slip: f64,
    /// Done at the joints during the tick, without what gravity gives back, J.
    pub work: f64,
    /// Taken from the supply during the tick, J.
    pub energy: f64,
    pub volts: f64,
    /// Of the robot and its payload, N.
    pub weight: f64,
    /// It leans, or lies on its belly, without being commanded to.
    pub fallen: bool,
    /// How high the ground is below the body, m; none where there is none.
    pub ground: Option<f64>,
}

/// Of how many joints it is known what their servos take from the supply.
#[derive(Clone, Copy, Debug)]
pub struct Motors {
    pub known: usize,
    /// All of them.
    pub joints: usize,
}
