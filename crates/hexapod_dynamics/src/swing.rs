//! How far a foot has got in its swing, as far as the gait's plan tells.

/// Servos that sag leave the ground late and come down early: before the one and after the other part of a swing, a foot may
/// be on the ground.
const LEAVES: f64 = 0.3;
const COMES: f64 = 0.8;
/// A first swing, whose length is not known, has left the ground by then, s, and may come down from then on.
const FIRST_LEAVES_S: f64 = 0.15;

/// Where a foot is planned to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    Unknown,
    Support,
    /// In the air, as little as that may be.
    Lifted,
    /// In the middle of a swing.
    Airborne,
    /// On its way down.
    Descending,
}

/// Follows the swings of a foot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Swing {
    planned: Option<bool>,
    /// For how long the foot has been in the air, and how long its last swing took, s.
    lasts_s: f64,
    last_s: f64,
}

impl Swing {
    /// Goes on by a step of this plan: whether the foot is on the ground, if that is known.
    pub(crate) fn step(&mut self, support: Option<bool>, step_s: f64) -> Plan {
        let lands = self.planned == Some(false) && support != Some(false);
        if lands {
            self.last_s = if support.is_some() { self.lasts_s } else { 0.0 };
            self.lasts_s = 0.0;
        }
        self.planned = support;
        match support {
            None => return Plan::Unknown,
            Some(true) => return Plan::Support,
            Some(false) => self.lasts_s += step_s,
        }
        let first = self.last_s <= 0.0;
        if self.lasts_s < if first { FIRST_LEAVES_S } else { LEAVES * self.last_s } {
            Plan::Lifted
        } else if self.lasts_s < COMES * self.last_s {
            Plan::Airborne
        } else {
            Plan::Descending
        }
    }
}
