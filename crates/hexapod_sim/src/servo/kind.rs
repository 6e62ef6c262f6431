//! What a servo of one kind can do.

/// A kind of servo. Angles, torques and inertias are those of the output shaft.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServoKind {
    /// Supply at which the figures below hold, V.
    pub nominal_v: f64,
    /// Torque with the shaft held and the bridge fully on, N m.
    pub stall_torque: f64,
    /// Speed without load, rad/s.
    pub no_load_speed: f64,
    /// Current with the shaft held and the bridge fully on, A.
    pub stall_current: f64,
    /// Current of the electronics, A.
    pub idle_current: f64,
    /// Error from which on the bridge is fully on, rad.
    pub full_error: f64,
    /// Error in which the motor is off, either way, rad.
    pub dead_band: f64,
    /// Play of the gears, from end to end, rad.
    pub backlash: f64,
    /// Dry friction of motor and gears, N m.
    pub friction: f64,
    /// Inertia of the rotor through the gears, kg m².
    pub rotor: f64,
    /// How far ahead its controller looks, s: to the error it adds what the error changes by in this time.
    pub lead: f64,
}

impl ServoKind {
    /// A servo of which torque (N m) and speed (rad/s) at a supply are known, and no current; friction and rotor are in proportion
    /// to the torque, and in all else it is as this one.
    #[must_use]
    pub fn resized(&self, nominal_v: f64, stall_torque: f64, no_load_speed: f64) -> Self {
        let size = stall_torque / self.stall_torque;
        Self {
            nominal_v,
            stall_torque,
            no_load_speed,
            stall_current: 0.0,
            idle_current: 0.0,
            friction: self.friction * size,
            rotor: self.rotor * size,
            ..*self
        }
    }

    /// Torque for each rad of error beyond the dead band, N m/rad, at a supply.
    pub fn stiffness(&self, volts: f64) -> f64 {
        self.stall_torque * volts / self.nominal_v / self.full_error
    }

    /// Torque lost for each rad/s, N m s/rad: the motor's own voltage against the bridge's.
    pub fn back_emf(&self) -> f64 {
        self.stall_torque / self.no_load_speed
    }
}
