//! What a force estimator knows about the robot and its servos.

use hexapod_kinematics::MAX_LEG_JOINTS;

use crate::friction::Friction;
use crate::leg::{JointVector, LegDynamics};

/// Default gain of the observer, 1/s: 95 % of a step after 20 ms.
const GAIN_PER_S: f64 = 150.0;
/// Fraction of the leg's length below which the Jacobian's least singular value counts as singular.
const SINGULAR_FRACTION: f64 = 0.05;
/// Fraction of the robot's weight above which a foot stands.
const CONTACT_FRACTION: f64 = 0.06;
/// Error of a joint torque, as a part of what the robot's weight makes at the length of a leg: hobby servos.
const TORQUE_ERROR_FRACTION: f64 = 0.01;

/// What the efforts of servos are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EffortSource {
    /// Torque, measured by itself or as a current.
    #[default]
    Torque,
    /// How far the servo is from its goal, times its stiffness. That grows with the speed, too, as the servo comes after its
    /// goal, and with its rotor's acceleration, by as much as nobody knows before a leg has swung.
    AngleError,
}

impl EffortSource {
    /// The `frame_id` of a message of such efforts.
    pub fn frame_id(self) -> &'static str {
        match self {
            Self::Torque => "",
            Self::AngleError => "angle_error",
        }
    }

    /// What the efforts of a message with this `frame_id` are made of.
    pub fn from_frame_id(frame_id: &str) -> Self {
        if frame_id == Self::AngleError.frame_id() { Self::AngleError } else { Self::Torque }
    }
}

/// Settings of a [`ForceEstimator`](crate::ForceEstimator).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceSettings {
    /// Time between samples, s.
    pub step_s: f64,
    /// Gain of the observer per joint, 1/s: the inverse of its time constant.
    pub gains_per_s: JointVector,
    /// Standard deviation of each joint's torque, N m, with friction that is not in the equations.
    pub torque_deviations_nm: JointVector,
    /// Inertia of each joint's rotor, seen through its gears, kg m²: its motor's torque turns that, too.
    pub rotor_inertias: JointVector,
    /// Friction of each joint, which its motor's torque overcomes, too.
    pub friction: [Friction; MAX_LEG_JOINTS],
    /// Standard deviation of a foot's force before anything is measured, N: about the robot's weight.
    pub prior_n: f64,
    /// Least singular value of the Jacobian, m, below which the solution is damped.
    pub singular_m: f64,
    /// Force against gravity, N, above which a foot is in contact.
    pub contact_n: f64,
    /// What the efforts are made of.
    pub efforts: EffortSource,
}

/// A setting that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{setting} is {value}; give a finite number above zero (rotors and friction: or zero)")]
pub struct SettingsError {
    /// Its name.
    pub setting: &'static str,
    /// Its value.
    pub value: f64,
}

impl ForceSettings {
    /// Settings to begin with, for a robot of this weight, N, with a sample each `step_s` seconds.
    pub fn for_robot(leg: &LegDynamics, weight_n: f64, step_s: f64) -> Self {
        Self {
            step_s,
            gains_per_s: JointVector::repeat(GAIN_PER_S),
            torque_deviations_nm: JointVector::repeat(TORQUE_ERROR_FRACTION * weight_n * leg.length()),
            rotor_inertias: JointVector::zeros(),
            friction: *leg.friction(),
            prior_n: weight_n,
            singular_m: SINGULAR_FRACTION * leg.length(),
            contact_n: CONTACT_FRACTION * weight_n,
            efforts: EffortSource::Torque,
        }
    }

    /// The first setting that is not a number above zero, or from zero on.
    pub(super) fn check(&self) -> Result<(), SettingsError> {
        let scalars = [
            ("step_s", self.step_s),
            ("prior_n", self.prior_n),
            ("singular_m", self.singular_m),
            ("contact_n", self.contact_n),
        ];
        let gains = self.gains_per_s.iter().map(|gain| ("gains_per_s", *gain));
        let deviations = self.torque_deviations_nm.iter().map(|deviation| ("torque_deviations_nm", *deviation));
        let wrong = |(_, value): &(&str, f64)| !(value.is_finite() && *value > 0.0);
        let first = scalars.into_iter().chain(gains).chain(deviations).find(wrong);
        let friction = self.friction.iter().flat_map(|of| [of.coulomb_nm, of.viscous_nm_s]);
        let may_be_zero = self.rotor_inertias.iter().map(|inertia| ("rotor_inertias", *inertia));
        let mut may_be_zero = may_be_zero.chain(friction.map(|friction| ("friction", friction)));
        let first = first.or_else(|| may_be_zero.find(|(_, value)| !(value.is_finite() && *value >= 0.0)));
        first.map_or(Ok(()), |(setting, value)| Err(SettingsError { setting, value }))
    }
}

#[cfg(test)]
mod tests {
    use super::EffortSource;

    #[test]
    fn when_a_message_names_its_efforts_expect_them_known_and_any_other_frame_a_torque() {
        for source in [EffortSource::Torque, EffortSource::AngleError] {
            assert_eq!(EffortSource::from_frame_id(source.frame_id()), source);
        }
        assert_eq!(EffortSource::from_frame_id("base_link"), EffortSource::Torque);
    }
}
