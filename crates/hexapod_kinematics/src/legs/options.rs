//! What may be said about legs where a description leaves it open.

use nalgebra::Vector3;

use crate::model::{JointLimits, LimitsError};

/// How legs are found. The default finds them by themselves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LegOptions {
    /// The legs in their order; empty to find them.
    pub legs: Vec<LegSpec>,
    /// Foot of each leg that has none in the description: name of the leg's last link, and the point in that
    /// link's frame, m. A name that is empty stands for every leg.
    pub feet: Vec<(String, Vector3<f64>)>,
    /// Limits that replace the description's, such as the acceleration, which a URDF before 1.2 cannot give.
    pub limits: Vec<LimitChange>,
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
    /// The limits after the change.
    pub(super) fn applied(&self, to: &JointLimits) -> Result<JointLimits, LimitsError> {
        JointLimits::try_new(
            self.lower.unwrap_or(to.lower),
            self.upper.unwrap_or(to.upper),
            self.velocity.unwrap_or(to.velocity),
            self.effort.unwrap_or(to.effort),
            self.acceleration.or(to.acceleration),
        )
    }
}

/// One leg as given.
#[derive(Clone, Debug, PartialEq)]
pub struct LegSpec {
    /// Its name.
    pub name: String,
    /// The link whose origin is its foot.
    pub foot_link: String,
}
