//! How far a foot has got in its swing, by the gait's plan.

/// Servos that sag leave the ground late and come down early: before the one and after the other part of a swing, a foot may
/// be on the ground.
const LEAVES: f64 = 0.3;
const COMES: f64 = 0.8;
/// A first swing, whose length is not known, has left the ground and may come down after so long, s.
const FIRST_LEAVES_S: f64 = 0.12;
const FIRST_COMES_S: f64 = 0.25;

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
        let (leaves_s, comes_s) =
            if first { (FIRST_LEAVES_S, FIRST_COMES_S) } else { (LEAVES * self.last_s, COMES * self.last_s) };
        if self.lasts_s < leaves_s {
            Plan::Lifted
        } else if self.lasts_s < comes_s {
            Plan::Airborne
        } else {
            Plan::Descending
        }
    }
}
