//! How the body moves that carries the legs.

use nalgebra::Vector3;

/// Standard gravity, m/s².
pub const STANDARD_GRAVITY: f64 = 9.806_65;

/// Motion of the body, all vectors in the body frame.
///
/// The velocity of the body's origin is not among them: the equations are those of a frame that moves with the origin
/// and does not turn, in which gravity is `gravity - acceleration`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaseMotion {
    /// Angular velocity, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// Angular acceleration, rad/s².
    pub angular_acceleration: Vector3<f64>,
    /// Acceleration of the body frame's origin, m/s².
    pub acceleration: Vector3<f64>,
    /// Gravity, m/s²: (0, 0, -9.8) for a level body.
    pub gravity: Vector3<f64>,
}

impl BaseMotion {
    /// A level body at rest.
    pub fn level() -> Self {
        Self::at_rest(Vector3::new(0.0, 0.0, -STANDARD_GRAVITY))
    }

    /// A body at rest, with gravity as seen from it, m/s².
    pub fn at_rest(gravity: Vector3<f64>) -> Self {
        let zero = Vector3::zeros();
        Self { angular_velocity: zero, angular_acceleration: zero, acceleration: zero, gravity }
    }

    /// What an accelerometer at the body's origin reads, m/s²: acceleration less gravity.
    pub fn specific_force(&self) -> Vector3<f64> {
        self.acceleration - self.gravity
    }

    /// Unit vector against gravity; the body's z axis where gravity is nothing or not known.
    pub fn up(&self) -> Vector3<f64> {
        (-self.gravity).try_normalize(1e-9).filter(|up| up.iter().all(|x| x.is_finite())).unwrap_or(Vector3::z())
    }

    /// True when no number is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        let all = [&self.angular_velocity, &self.angular_acceleration, &self.acceleration, &self.gravity];
        all.iter().all(|v| v.iter().all(|x| x.is_finite()))
    }
}

impl Default for BaseMotion {
    fn default() -> Self {
        Self::level()
    }
}
