//! Joint angles of one leg, by value and without allocation.

use std::ops::{Deref, DerefMut};

/// Most joints a leg may have.
pub const MAX_LEG_JOINTS: usize = 6;

/// Angles of one leg's joints in radians, hip first.
///
/// A fixed array with a length, so that forward and inverse kinematics never allocate. It derefs to a slice of
/// exactly the leg's joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegAngles {
    values: [f64; MAX_LEG_JOINTS],
    len: usize,
}

impl LegAngles {
    /// `n` angles of zero; `n` above [`MAX_LEG_JOINTS`] is taken as [`MAX_LEG_JOINTS`].
    #[inline]
    pub fn zeros(n: usize) -> Self {
        Self { values: [0.0; MAX_LEG_JOINTS], len: n.min(MAX_LEG_JOINTS) }
    }

    /// The angles of a slice, or `None` when it holds more than [`MAX_LEG_JOINTS`].
    pub fn from_slice(angles: &[f64]) -> Option<Self> {
        let mut out = Self::zeros(angles.len());
        if angles.len() > MAX_LEG_JOINTS {
            return None;
        }
        out.copy_from_slice(angles);
        Some(out)
    }

    /// `n` angles given by a function of the joint's index.
    pub fn from_fn(n: usize, mut angle: impl FnMut(usize) -> f64) -> Self {
        let mut out = Self::zeros(n);
        out.iter_mut().enumerate().for_each(|(i, a)| *a = angle(i));
        out
    }

    /// True when no angle is NaN or infinite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.iter().all(|a| a.is_finite())
    }

    /// Sum of the squared differences to `other`, in rad²; joints that one of the two lacks do not count.
    #[inline]
    pub fn distance_squared(&self, other: &Self) -> f64 {
        self.iter().zip(other.iter()).map(|(a, b)| (a - b) * (a - b)).sum()
    }

    /// Differences from `other`, each times `factor`: with one over the time between the two, velocities.
    #[inline]
    pub fn rate_from(&self, other: &Self, factor: f64) -> Self {
        Self { values: std::array::from_fn(|i| (self.values[i] - other.values[i]) * factor), len: self.len }
    }

    /// The whole array; entries past the leg's joints are zero.
    #[inline]
    pub fn padded(&self) -> &[f64; MAX_LEG_JOINTS] {
        &self.values
    }
}

impl Deref for LegAngles {
    type Target = [f64];
    #[inline]
    fn deref(&self) -> &[f64] {
        self.values.get(..self.len).unwrap_or(&[])
    }
}

impl DerefMut for LegAngles {
    #[inline]
    fn deref_mut(&mut self) -> &mut [f64] {
        self.values.get_mut(..self.len).unwrap_or(&mut [])
    }
}

impl From<[f64; 3]> for LegAngles {
    #[inline]
    fn from(a: [f64; 3]) -> Self {
        let [a, b, c] = a;
        Self { values: [a, b, c, 0.0, 0.0, 0.0], len: 3 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_built_from_a_slice_expect_that_slice() {
        let angles = LegAngles::from_slice(&[0.1, -0.2, 0.3, 0.4]).unwrap();
        assert_eq!(&*angles, &[0.1, -0.2, 0.3, 0.4]);
        assert_eq!(LegAngles::from_slice(&[0.0; MAX_LEG_JOINTS + 1]), None);
    }

    #[test]
    fn when_an_angle_is_nan_expect_not_finite() {
        assert!(!LegAngles::from([0.0, f64::NAN, 0.0]).is_finite());
        assert!(LegAngles::zeros(9).is_finite());
        assert_eq!(LegAngles::zeros(9).len(), MAX_LEG_JOINTS);
    }
}
