//! Friction of a joint and its gears.

/// Speed, rad/s, at which Coulomb friction is 0.7 of the whole: a servo at rest pushes either way.
const STICKING_RAD_S: f64 = 0.03;

/// Friction of a joint: `coulomb * sign(speed) + viscous * speed`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Friction {
    /// N m.
    pub coulomb_nm: f64,
    /// N m s/rad.
    pub viscous_nm_s: f64,
}

impl Friction {
    /// The torque, N m, that overcomes it at this speed, rad/s; smooth through rest, where its sign is not known.
    #[inline]
    pub(crate) fn torque(&self, speed: f64) -> f64 {
        self.coulomb_nm * Self::part(speed) + self.viscous_nm_s * speed
    }

    /// The part of Coulomb friction that is against a motion of this speed, -1 to 1.
    #[inline]
    pub(crate) fn part(speed: f64) -> f64 {
        speed / (speed * speed + STICKING_RAD_S * STICKING_RAD_S).sqrt()
    }
}
