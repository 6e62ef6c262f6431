//! Limits of one joint.

/// Limits of one joint in radians (metres for a prismatic joint), seconds and newton metres (newtons).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLimits {
    /// Least position.
    pub lower: f64,
    /// Greatest position, above `lower`.
    pub upper: f64,
    /// Greatest speed, above zero.
    pub velocity: f64,
    /// Greatest torque or force, not negative.
    pub effort: f64,
    /// Greatest acceleration where one is given (URDF 1.2 or the configuration), above zero.
    pub acceleration: Option<f64>,
}

/// A limit that no joint can have.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum LimitsError {
    /// A limit is NaN or infinite.
    #[error("{limit} is {value}; write a finite number")]
    NotFinite {
        /// The attribute: `lower`, `upper`, `velocity`, `effort` or `acceleration`.
        limit: &'static str,
        /// Its value.
        value: f64,
    },
    /// Lower is not below upper.
    #[error("lower {lower} is not below upper {upper}; swap them or widen the range")]
    Reversed {
        /// Least position.
        lower: f64,
        /// Greatest position.
        upper: f64,
    },
    /// A velocity or acceleration that is not above zero, or a negative effort.
    #[error("{limit} is {value}; write what the motor can do, above zero")]
    NotPositive {
        /// The attribute.
        limit: &'static str,
        /// Its value.
        value: f64,
    },
}

impl LimitsError {
    /// The attribute at fault.
    pub fn limit(&self) -> &'static str {
        match self {
            Self::NotFinite { limit, .. } | Self::NotPositive { limit, .. } => limit,
            Self::Reversed { .. } => "lower",
        }
    }
}

impl JointLimits {
    /// Whether a joint may be there.
    pub fn contain(&self, position: f64) -> bool {
        (self.lower..=self.upper).contains(&position)
    }

    /// The same, if a joint can have them.
    pub(crate) fn checked(self) -> Result<Self, LimitsError> {
        Self::try_new(self.lower, self.upper, self.velocity, self.effort, self.acceleration)
    }

    /// Limits that a joint can have: finite, `lower < upper`, `velocity > 0`, `effort >= 0`, `acceleration > 0`.
    pub fn try_new(
        lower: f64,
        upper: f64,
        velocity: f64,
        effort: f64,
        acceleration: Option<f64>,
    ) -> Result<Self, LimitsError> {
        finite("lower", lower)?;
        finite("upper", upper)?;
        finite("velocity", velocity)?;
        finite("effort", effort)?;
        if lower >= upper {
            return Err(LimitsError::Reversed { lower, upper });
        }
        positive("velocity", velocity)?;
        if effort < 0.0 {
            return Err(LimitsError::NotPositive { limit: "effort", value: effort });
        }
        if let Some(value) = acceleration {
            finite("acceleration", value)?;
            positive("acceleration", value)?;
        }
        Ok(Self { lower, upper, velocity, effort, acceleration })
    }

    /// `position` moved into the range; NaN becomes the position of the range nearest to zero.
    pub fn clamp(&self, position: f64) -> f64 {
        let position = if position.is_nan() { 0.0 } else { position };
        position.max(self.lower).min(self.upper)
    }

    /// True when `position` is inside the range.
    pub fn contains(&self, position: f64) -> bool {
        (self.lower..=self.upper).contains(&position)
    }

    /// Distance to the nearer end of the range; negative outside it.
    pub fn margin(&self, position: f64) -> f64 {
        (position - self.lower).min(self.upper - position)
    }

    /// The middle of the range.
    pub fn middle(&self) -> f64 {
        0.5 * self.lower + 0.5 * self.upper
    }
}

/// Limits of one joint of a leg that replace those of the description; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LimitChange {
    /// Name of the joint; empty for every joint of every leg.
    pub joint: String,
    /// Least angle, rad.
    pub lower: Option<f64>,
    /// Greatest angle, rad.
    pub upper: Option<f64>,
    /// Greatest speed, rad/s.
    pub velocity: Option<f64>,
    /// Greatest torque, N m.
    pub effort: Option<f64>,
    /// Greatest acceleration, rad/s².
    pub acceleration: Option<f64>,
}

impl LimitChange {
    /// Whether it is for this joint.
    pub(crate) fn is_for(&self, joint: &str) -> bool {
        self.joint.is_empty() || self.joint == joint
    }

    /// The limits after the change, not checked.
    pub(crate) fn put_into(&self, to: &JointLimits) -> JointLimits {
        JointLimits {
            lower: self.lower.unwrap_or(to.lower),
            upper: self.upper.unwrap_or(to.upper),
            velocity: self.velocity.unwrap_or(to.velocity),
            effort: self.effort.unwrap_or(to.effort),
            acceleration: self.acceleration.or(to.acceleration),
        }
    }
}

fn finite(limit: &'static str, value: f64) -> Result<(), LimitsError> {
    if value.is_finite() { Ok(()) } else { Err(LimitsError::NotFinite { limit, value }) }
}

fn positive(limit: &'static str, value: f64) -> Result<(), LimitsError> {
    if value > 0.0 { Ok(()) } else { Err(LimitsError::NotPositive { limit, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_limits_make_no_sense_expect_the_attribute_named() {
        let refused = |l, u, v, e, a| JointLimits::try_new(l, u, v, e, a).unwrap_err().limit();
        assert_eq!(refused(f64::NAN, 1.0, 1.0, 1.0, None), "lower");
        assert_eq!(refused(-1.0, f64::INFINITY, 1.0, 1.0, None), "upper");
        assert_eq!(refused(1.0, -1.0, 1.0, 1.0, None), "lower");
        assert_eq!(refused(0.0, 0.0, 1.0, 1.0, None), "lower");
        assert_eq!(refused(-1.0, 1.0, 0.0, 1.0, None), "velocity");
        assert_eq!(refused(-1.0, 1.0, 1.0, -1.0, None), "effort");
        assert_eq!(refused(-1.0, 1.0, 1.0, 1.0, Some(0.0)), "acceleration");
    }

    #[test]
    fn when_clamping_nan_expect_a_position_inside() {
        let limits = JointLimits::try_new(0.5, 1.0, 1.0, 0.0, None).unwrap();
        assert_eq!(limits.clamp(f64::NAN), 0.5);
        assert_eq!(limits.clamp(f64::INFINITY), 1.0);
        assert!(limits.contains(1.0) && !limits.contains(1.1));
        assert_eq!(limits.margin(0.75), 0.25);
    }
}
