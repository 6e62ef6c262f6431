//! What a gait needs of the joints, measured over its cycle.

use hexapod_kinematics::{Leg, LegAngles};

/// Moments of a cycle that are looked at.
pub(crate) const PHASES: usize = 64;

/// The greatest part of its greatest acceleration and velocity that a joint of one leg needs in a cycle of one second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Needs {
    pub acceleration: f64,
    pub velocity: f64,
}

/// Fractions of the greatest lift at which a gait is measured.
pub(crate) const LIFTS: [f64; 3] = [0.0, 0.5, 1.0];

/// What a gait needs at each of [`LIFTS`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LiftNeeds {
    pub at: [Needs; LIFTS.len()],
    /// The greatest lift, m.
    pub most: f64,
}

impl LiftNeeds {
    /// At a lift, m. Between the measured ones the needs are hardly more than in proportion: they are the greatest of
    /// many that each grow with the lift, and so bend upwards.
    pub(crate) fn lifted(&self, lift: f64) -> Needs {
        let fraction = if self.most > 0.0 { (lift / self.most).clamp(0.0, 1.0) } else { 0.0 };
        let [low, middle, high] = self.at;
        if fraction < LIFTS[1] {
            low.towards(middle, fraction / LIFTS[1])
        } else {
            middle.towards(high, 2.0 * fraction - 1.0)
        }
    }
}

impl Needs {
    pub(crate) fn or(self, other: Self) -> Self {
        Self { acceleration: self.acceleration.max(other.acceleration), velocity: self.velocity.max(other.velocity) }
    }

    fn towards(self, other: Self, fraction: f64) -> Self {
        Self {
            acceleration: self.acceleration + (other.acceleration - self.acceleration) * fraction,
            velocity: self.velocity + (other.velocity - self.velocity) * fraction,
        }
    }

    /// Of a leg whose joints are there at moments of a cycle. A step beyond the reach is not made; its neighbours tell enough.
    pub(crate) fn of(leg: &Leg, cycle: &[Option<LegAngles>; PHASES]) -> Self {
        let mut needs = Self::default();
        for first in 0..PHASES {
            let [first, middle, last] = [0, 1, 2].map(|after| &cycle[(first + after) % PHASES]);
            if let (Some(first), Some(middle), Some(last)) = (first, middle, last) {
                needs.take(leg, [first, middle, last]);
            }
        }
        needs
    }

    fn take(&mut self, leg: &Leg, [first, middle, last]: [&LegAngles; 3]) {
        let rate = PHASES as f64;
        for (joint, own) in leg.joints().iter().enumerate() {
            let limits = own.limits();
            let change = (last[joint] - 2.0 * middle[joint] + first[joint]).abs() * rate * rate;
            let greatest = limits.acceleration.unwrap_or(f64::INFINITY);
            self.acceleration = self.acceleration.max(change / greatest);
            self.velocity = self.velocity.max((last[joint] - middle[joint]).abs() * rate / limits.velocity);
        }
    }
}
