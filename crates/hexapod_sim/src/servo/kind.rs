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
}

/// A figure that no servo has.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{figure} is {value}: {right}")]
pub struct ServoFault {
    /// Name of the figure.
    pub figure: &'static str,
    /// Its value.
    pub value: f64,
    /// What would be right.
    pub right: &'static str,
}

impl ServoKind {
    /// TowerPro MG996R at 6 V. Data sheet: 11 kgf cm, 0.14 s/60 degrees, 2.5 A, dead band 5 us. Full error, backlash,
    /// friction and rotor are estimates.
    pub const MG996R: Self = Self {
        nominal_v: 6.0,
        stall_torque: 1.079,
        no_load_speed: 7.48,
        stall_current: 2.5,
        idle_current: 0.01,
        full_error: 0.087,
        dead_band: 0.0079,
        backlash: 0.009,
        friction: 0.05,
        rotor: 0.002,
    };

    /// DSServo DS3218 at 6.8 V. Data sheet: 21.5 kgf cm, 0.14 s/60 degrees, 2.2 A, dead band 3 us. Full error, backlash,
    /// friction and rotor are estimates.
    pub const DS3218: Self = Self {
        nominal_v: 6.8,
        stall_torque: 2.108,
        no_load_speed: 7.48,
        stall_current: 2.2,
        idle_current: 0.004,
        full_error: 0.052,
        dead_band: 0.0047,
        backlash: 0.005,
        friction: 0.06,
        rotor: 0.003,
    };

    /// A servo without faults, of a joint's torque and speed.
    pub fn perfect(effort: f64, velocity: f64) -> Self {
        Self {
            nominal_v: 6.0,
            stall_torque: effort,
            // At its rated speed it still has its torque: the target is slewed at that speed, and the motor follows.
            no_load_speed: 20.0 * velocity,
            stall_current: 0.0,
            idle_current: 0.0,
            full_error: effort / PERFECT_STIFFNESS,
            dead_band: 0.0,
            backlash: 0.0,
            friction: 0.0,
            rotor: 0.001,
        }
    }

    /// The same, if a servo can have it.
    ///
    /// # Errors
    /// [`ServoFault`] names the figure.
    pub fn checked(self) -> Result<Self, ServoFault> {
        let positive = [
            ("nominal_v", self.nominal_v),
            ("stall_torque", self.stall_torque),
            ("no_load_speed", self.no_load_speed),
            ("full_error", self.full_error),
        ];
        let not_negative = [
            ("stall_current", self.stall_current),
            ("idle_current", self.idle_current),
            ("dead_band", self.dead_band),
            ("backlash", self.backlash),
            ("friction", self.friction),
            ("rotor", self.rotor),
        ];
        let fault = |&(figure, value): &(&'static str, f64), right| ServoFault { figure, value, right };
        if let Some(bad) = positive.iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
            return Err(fault(bad, "a number above zero"));
        }
        match not_negative.iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)) {
            Some(bad) => Err(fault(bad, "a number, zero or above")),
            None => Ok(self),
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

/// N m/rad of a servo without faults: 2 N m move it by half a degree.
const PERFECT_STIFFNESS: f64 = 200.0;
