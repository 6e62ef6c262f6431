//! Where the body is above its feet.

use crate::gait::swing::minimum_jerk;
use crate::plane::size::Enlarged;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// Offset of the body from its standing pose: m and rad (roll, pitch, yaw), body axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyOffset {
    /// Translation, m.
    pub translation: Vector3<f64>,
    /// Rotation as a rotation vector, rad.
    pub rotation: Vector3<f64>,
}

/// Greatest offset, m along each axis.
const MAX_TRANSLATION_M: f64 = 0.06;
/// Greatest offset, rad about any axis.
const MAX_ROTATION_RAD: f64 = 0.35;
/// How fast the body takes up an offset.
pub(crate) const TRANSLATION_RATE_M_S: f64 = 0.08;
pub(crate) const ROTATION_RATE_RAD_S: f64 = 0.5;

impl BodyOffset {
    /// The offset brought within what a body can do without leaving its feet.
    #[must_use]
    pub fn clipped(self) -> Self {
        Self {
            translation: self.translation.map(|x| x.clamp(-MAX_TRANSLATION_M, MAX_TRANSLATION_M)),
            rotation: capped(self.rotation, MAX_ROTATION_RAD),
        }
    }

    /// The offset `dt` seconds later on the way to `wanted`.
    #[must_use]
    pub fn towards(self, wanted: Self, dt: f64) -> Self {
        Self {
            translation: self.translation + capped(wanted.translation - self.translation, TRANSLATION_RATE_M_S * dt),
            rotation: self.rotation + capped(wanted.rotation - self.rotation, ROTATION_RATE_RAD_S * dt),
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// The same with the body at another height, m.
    pub(crate) fn at_height(mut self, z: f64) -> Self {
        self.translation.z = z;
        self
    }

    /// The same with the body so much higher, m.
    pub(crate) fn raised(mut self, by: f64) -> Self {
        self.translation.z += by;
        self
    }

    /// The offset after `time` seconds of change at `rate` per second.
    pub(crate) fn moved(&self, rate: &Self, time: f64) -> Self {
        Self { translation: self.translation + rate.translation * time, rotation: self.rotation + rate.rotation * time }
    }

    /// The rate that leads to `other` in `time` seconds.
    pub(crate) fn rate_to(&self, other: &Self, time: f64) -> Self {
        Self {
            translation: (other.translation - self.translation) / time,
            rotation: (other.rotation - self.rotation) / time,
        }
    }

    /// The offset in this part.
    pub(crate) fn scaled(&self, fraction: f64) -> Self {
        Self { translation: self.translation * fraction, rotation: self.rotation * fraction }
    }

    /// How far `other` goes this way, in parts of this.
    pub(crate) fn fraction_along(&self, other: &Self) -> f64 {
        let [shifts, turns] = [TRANSLATION_RATE_M_S, ROTATION_RATE_RAD_S].map(|rate| 1.0 / (rate * rate));
        let with = |other: &Self| {
            shifts * self.translation.dot(&other.translation) + turns * self.rotation.dot(&other.rotation)
        };
        let own = with(self);
        if own > 0.0 { with(other) / own } else { 0.0 }
    }

    /// Whether two offsets are the same but for rounding.
    pub(crate) fn is_near(&self, other: &Self) -> bool {
        self.is_within(other, 1e-9)
    }

    /// Whether two offsets are no farther apart than this, m and rad.
    pub(crate) fn is_within(&self, other: &Self, most: f64) -> bool {
        (self.translation - other.translation).norm() < most && (self.rotation - other.rotation).norm() < most
    }

    /// The body's pose in the footprint frame when it stands `height` metres above the ground.
    #[must_use]
    pub fn footprint_from_body(&self, height: f64) -> Isometry3<f64> {
        let at = self.translation + Vector3::new(0.0, 0.0, height);
        Isometry3::from_parts(Translation3::from(at), turned(&self.rotation))
    }

    /// The offset of a body in this pose: what [`Self::footprint_from_body`] made it of.
    #[must_use]
    pub fn of_pose(footprint_from_body: &Isometry3<f64>, height: f64) -> Self {
        let translation = footprint_from_body.translation.vector - Vector3::new(0.0, 0.0, height);
        Self { translation, rotation: footprint_from_body.rotation.scaled_axis() }
    }
}

/// Ways for the body to the place straight above its feet: where the edge of the feet's reach bars one, another is
/// open.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WayBack {
    /// Translation and rotation each at its greatest rate.
    Quickest,
    /// Both in proportion.
    Straight,
    Turning,
    Shifting,
    Sinking,
}

impl WayBack {
    pub(crate) const ALL: [Self; 5] = [Self::Quickest, Self::Straight, Self::Turning, Self::Shifting, Self::Sinking];

    /// The offset `dt` seconds later on this way from `offset`.
    pub(crate) fn from(self, offset: BodyOffset, dt: f64) -> BodyOffset {
        let quickest = offset.towards(BodyOffset::default(), dt);
        match self {
            Self::Quickest => quickest,
            Self::Straight => {
                let longest = (offset.translation.norm() / TRANSLATION_RATE_M_S)
                    .max(offset.rotation.norm() / ROTATION_RATE_RAD_S);
                let left = if longest > dt { 1.0 - dt / longest } else { 0.0 };
                BodyOffset { translation: offset.translation * left, rotation: offset.rotation * left }
            }
            Self::Turning => BodyOffset { rotation: quickest.rotation, ..offset },
            Self::Shifting => BodyOffset { translation: quickest.translation, ..offset },
            Self::Sinking => {
                let rise = Vector3::new(0.0, 0.0, offset.translation.z);
                let sunk = offset.translation - capped(rise, TRANSLATION_RATE_M_S * dt);
                BodyOffset { translation: sunk, ..offset }
            }
        }
    }
}

/// Square of the half angle up to which [`turned`] needs no sine.
const SMALL_SQUARED: f64 = 0.09;

/// The rotation by a rotation vector, rad. A body leans by little: there both series end with the last bit.
fn turned(rotation: &Vector3<f64>) -> UnitQuaternion<f64> {
    let squared = 0.25 * rotation.norm_squared();
    if squared > SMALL_SQUARED {
        return UnitQuaternion::from_scaled_axis(*rotation);
    }
    if squared == 0.0 {
        return UnitQuaternion::identity();
    }
    let series = |parts: [f64; 6]| parts.iter().rev().fold(1.0, |sum, fraction| 1.0 - sum * squared * fraction);
    let cos = series([1.0 / 2.0, 1.0 / 12.0, 1.0 / 30.0, 1.0 / 56.0, 1.0 / 90.0, 1.0 / 132.0]);
    let fraction = 0.5 * series([1.0 / 6.0, 1.0 / 20.0, 1.0 / 42.0, 1.0 / 72.0, 1.0 / 110.0, 1.0 / 156.0]);
    UnitQuaternion::new_unchecked(Quaternion::from_parts(cos, rotation * fraction))
}

fn capped(vector: Vector3<f64>, greatest: f64) -> Vector3<f64> {
    let norm = vector.norm();
    if norm > greatest { vector * (greatest / norm) } else { vector }
}

/// A value on its way, starting and ending at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MinimumJerk {
    from: f64,
    to: f64,
    elapsed: f64,
    duration: f64,
}

impl MinimumJerk {
    pub(crate) fn new(from: f64, to: f64, duration: f64) -> Self {
        Self { from, to, elapsed: 0.0, duration }
    }

    pub(crate) fn advance(&mut self, dt: f64) {
        self.elapsed += dt;
    }

    pub(crate) fn fraction(&self) -> f64 {
        if self.elapsed >= self.duration { 1.0 } else { minimum_jerk(self.elapsed / self.duration) }
    }

    pub(crate) fn value(&self) -> f64 {
        self.from + (self.to - self.from) * self.fraction()
    }

    /// Seconds that are left at full pace.
    pub(crate) fn left(&self) -> f64 {
        self.duration - self.elapsed
    }

    pub(crate) fn is_done(&self) -> bool {
        self.elapsed >= self.duration
    }
}

impl Enlarged for BodyOffset {
    fn enlarged(&self, times: f64) -> Self {
        Self { translation: self.translation * times, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn when_a_body_leans_expect_the_rotation_of_the_vector(
            way in prop::array::uniform3(-1.0..1.0f64), angle in 0.0..1.2f64,
        ) {
            let rotation = Vector3::from(way).try_normalize(1e-3).unwrap_or_default() * angle;
            let (got, expected) = (turned(&rotation), UnitQuaternion::from_scaled_axis(rotation));
            prop_assert!((got.coords - expected.coords).amax() < 4e-16, "{got} {expected}");
            let offset = BodyOffset { translation: Vector3::from(way), rotation };
            let back = BodyOffset::of_pose(&offset.footprint_from_body(0.08), 0.08);
            prop_assert!((back.translation - offset.translation).amax() < 1e-15, "{back:?} {offset:?}");
            prop_assert!((back.rotation - offset.rotation).amax() < 1e-15, "{back:?} {offset:?}");
        }
    }
}
