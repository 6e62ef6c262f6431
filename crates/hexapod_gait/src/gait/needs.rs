//! What a gait needs of the joints, measured over its cycle.

use hexapod_kinematics::{Leg, LegAngles};
use nalgebra::Vector3;

/// Moments of a cycle that are looked at.
const PHASES: usize = 64;

/// The greatest part of its greatest acceleration and velocity that a joint of one leg needs in a cycle of one second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Needs {
    pub acceleration: f64,
    pub velocity: f64,
}

/// Parts of the greatest lift at which a gait is measured.
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
        let part = if self.most > 0.0 { (lift / self.most).clamp(0.0, 1.0) } else { 0.0 };
        let [low, middle, high] = self.at;
        if part < LIFTS[1] { low.towards(middle, part / LIFTS[1]) } else { middle.towards(high, 2.0 * part - 1.0) }
    }
}

impl Needs {
    pub(crate) fn or(self, other: Self) -> Self {
        Self { acceleration: self.acceleration.max(other.acceleration), velocity: self.velocity.max(other.velocity) }
    }

    fn towards(self, other: Self, part: f64) -> Self {
        Self {
            acceleration: self.acceleration + (other.acceleration - self.acceleration) * part,
            velocity: self.velocity + (other.velocity - self.velocity) * part,
        }
    }

    /// Of a leg whose foot goes this path under a body at this height.
    pub(crate) fn of(
        leg: &Leg,
        height: f64,
        path: impl Fn(f64) -> Vector3<f64>,
        inverse: impl Fn(&Vector3<f64>, &LegAngles) -> Option<LegAngles>,
    ) -> Self {
        let mut needs = Self::default();
        let mut last: [Option<LegAngles>; 2] = [None; 2];
        for sample in 0..PHASES + 2 {
            let foot = path((sample % PHASES) as f64 / PHASES as f64) - Vector3::new(0.0, 0.0, height);
            // A step beyond the reach is not made; its neighbours tell enough.
            let now = inverse(&foot, &last[1].unwrap_or(leg.posture()));
            if let (Some(now), [Some(first), Some(middle)]) = (now, last) {
                needs.take(leg, [&first, &middle, &now]);
            }
            last = [last[1], now];
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
