//! What a step takes: how a foot is lifted, and what it feels.

use crate::plane::reach::Reach;
use crate::plane::twist::Twist;
use crate::state::foot::Felt;
use crate::state::foothold::Foothold;
use hexapod_kinematics::MAX_LEGS;
use nalgebra::Vector2;

/// The body is kept as level as its IMU has it, but by no greater slope than this off the ground: farther off, feet would meet
/// the ground too far above or below where they are put down. Less, and a body on stones would lean as their tops do.
pub(crate) const LEVELLED: f64 = 0.05;

/// How a foot is lifted: the body's twist until it is down and the one expected from then on, its height, m, and the
/// greatest to get over what is in its way, how far from rest it may be put down, where it is wanted, if anybody says so, and at what slope, ahead and
/// aside, the ground is expected to go on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub twist: Twist,
    pub aim: Twist,
    pub height: f64,
    pub highest: f64,
    pub reach: Reach,
    pub foothold: Option<Foothold>,
    pub slope: Vector2<f64>,
}

#[cfg(test)]
impl Step {
    /// One of a walk with a constant twist on flat ground.
    pub(crate) fn flat(twist: Twist, height: f64, reach: Reach) -> Self {
        Self { twist, aim: twist, height, highest: height, reach, foothold: None, slope: Vector2::zeros() }
    }
}

/// What all feet feel, and how late that is reported, s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sensed {
    pub contacts: [Option<bool>; MAX_LEGS],
    pub late: f64,
}

impl Sensed {
    pub(crate) fn by(&self, leg: usize) -> Felt {
        Felt { contact: self.contacts.get(leg).copied().flatten(), late: self.late }
    }
}
