//! Joints as the state machine knows them, whatever moves them: names, limits, groups, times. Angles are in radians.

mod timing;

pub use timing::Timing;

/// A value brought within its limits, and whether that changed it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limited<T> {
    /// The value within limits.
    pub value: T,
    /// True if the value asked for was outside.
    pub clamped: bool,
}

/// A joint with a servo.
#[derive(Clone, Debug, PartialEq)]
pub struct DrivenJoint {
    /// Its name in the URDF.
    pub name: String,
    /// Index of the group it is switched on with.
    pub group: usize,
    /// Lowest and highest angle that is ever commanded.
    pub limits_rad: (f64, f64),
    /// Fastest motion ever commanded.
    pub speed_limit_rad_s: f64,
}

impl DrivenJoint {
    /// An angle brought within the limits; `None` if it is not finite.
    pub fn limit(&self, angle_rad: f64) -> Option<Limited<f64>> {
        let (lower, upper) = self.limits_rad;
        angle_rad.is_finite().then(|| {
            let value = angle_rad.clamp(lower, upper);
            Limited { value, clamped: value != angle_rad }
        })
    }
}

/// All driven joints. The index of a joint here is its number everywhere.
#[derive(Clone, Debug, PartialEq)]
pub struct JointConfig {
    /// The joints.
    pub joints: Vec<DrivenJoint>,
    /// Names of the groups, in the order they are switched on.
    pub groups: Vec<String>,
    /// Times and speeds of the state machine.
    pub timing: Timing,
}

impl JointConfig {
    /// Index of a joint by name.
    pub fn index(&self, joint: &str) -> Option<usize> {
        self.joints.iter().position(|other| other.name == joint)
    }

    /// These joints alone, in this order.
    #[must_use]
    pub fn only(&self, joints: &[usize]) -> Self {
        let joints = joints.iter().filter_map(|&joint| self.joints.get(joint).cloned()).collect();
        Self { joints, groups: self.groups.clone(), timing: self.timing }
    }
}
