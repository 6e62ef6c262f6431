//! The supply of all servos: a voltage that sinks with the current, and a board that resets when it sinks too far.

/// A battery and the wires to the servos.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Battery {
    /// Without load, V.
    pub open_v: f64,
    /// Of battery, regulator and wires, ohm.
    pub resistance: f64,
    /// The greatest current, A; beyond it the supply switches off.
    pub greatest_current: f64,
    /// Voltage below which the PWM boards reset, V.
    pub reset_v: f64,
    /// For how long the boards stay in reset once the voltage is back, s.
    pub reset_s: f64,
    /// Charge when full, Ah.
    pub capacity_ah: f64,
}

/// The supply at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Supply {
    battery: Battery,
    volts: f64,
    current: f64,
    drawn_ah: f64,
    dark_s: f64,
    resets: u32,
}

impl Supply {
    /// A battery without load.
    pub fn new(battery: Battery) -> Self {
        Self { battery, volts: battery.open_v, current: 0.0, drawn_ah: 0.0, dark_s: 0.0, resets: 0 }
    }

    /// Takes the servos' current over the last step.
    pub fn load(&mut self, current: f64, step_s: f64) {
        self.current = current.max(0.0);
        self.drawn_ah += self.current * step_s / 3600.0;
        let overloaded = self.current > self.battery.greatest_current || self.charge_ah() <= 0.0;
        let sunk = (self.battery.open_v - self.battery.resistance * self.current).max(0.0);
        self.volts = if overloaded { 0.0 } else { sunk };
        if self.volts < self.battery.reset_v {
            self.resets += u32::from(self.dark_s <= 0.0);
            self.dark_s = self.battery.reset_s.max(step_s);
        } else {
            self.dark_s -= step_s;
        }
    }

    /// Voltage at the servos, V.
    pub fn volts(&self) -> f64 {
        self.volts
    }

    /// Current, A.
    pub fn current(&self) -> f64 {
        self.current
    }

    /// Charge that is left, Ah; an empty battery gives nothing.
    pub fn charge_ah(&self) -> f64 {
        (self.battery.capacity_ah - self.drawn_ah).max(0.0)
    }

    /// The battery.
    pub fn battery(&self) -> &Battery {
        &self.battery
    }

    /// Whether the PWM boards are in reset: they have lost their registers and put out nothing.
    pub fn in_reset(&self) -> bool {
        self.dark_s > 0.0
    }

    /// How often they were reset.
    pub fn resets(&self) -> u32 {
        self.resets
    }
}
