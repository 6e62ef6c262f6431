//! When a foot is in the air for sure, as far as the gait's plan tells: in the middle of a swing. Servos that sag leave the
//! ground late and come down early.

/// The middle of a swing, in parts of it.
const FROM: f64 = 0.3;
const TO: f64 = 0.75;

/// Follows the swings of a foot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Airborne {
    planned: Option<bool>,
    /// For how long the foot has been in the air, and how long its last swing took, s.
    swings_s: f64,
    last_s: f64,
}

impl Airborne {
    /// Says whether the foot is planned on the ground, if that is known.
    pub(super) fn plan(&mut self, support: Option<bool>) {
        if support != Some(false) && self.planned == Some(false) {
            self.last_s = if support.is_some() { self.swings_s } else { 0.0 };
            self.swings_s = 0.0;
        }
        self.planned = support;
    }

    /// Goes on by a sample; whether the foot is in the air now.
    pub(super) fn after(&mut self, step_s: f64) -> bool {
        if self.planned != Some(false) {
            return false;
        }
        self.swings_s += step_s;
        (FROM * self.last_s..TO * self.last_s).contains(&self.swings_s)
    }
}
