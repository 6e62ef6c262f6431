//! The numbers of `sim.yaml` that are believed.

use super::file::{Camera, Engine, FootSwitches, Ground, Imu, Kind, Lidar, Supply};
use hexapod_config::units::{short, slip};
use hexapod_config::{Document, Faults};

/// A key, its value, the least and the greatest value that are believed, and the unit.
pub(super) type Figure = (&'static str, f64, [f64; 2], &'static str);

/// Notes each figure below a key that is out of its range, with what it would be in the usual other unit.
pub(super) fn check(document: &Document, at: &str, figures: &[Figure], faults: &mut Faults) {
    for &(key, value, [least, greatest], unit) in figures {
        if (least..=greatest).contains(&value) {
            continue;
        }
        let [from, to] = [least, greatest].map(short);
        let range = format!("give a number between {from} and {to} {unit}");
        let slip = other_unit(value, [least, greatest], unit).map(|slip| format!("; {slip}")).unwrap_or_default();
        let help = format!("{}{slip}", range.trim_end());
        let message = format!("{} is out of range", format!("{value} {unit}").trim_end());
        faults.add(document.error_at(&format!("{at}.{key}"), message, help));
    }
}

/// What a number may be in another unit: torques of data sheets are in kgf cm, currents in mA.
fn other_unit(value: f64, [least, greatest]: [f64; 2], unit: &str) -> Option<String> {
    let (name, factor) = match unit {
        "N m" => ("kgf cm", 0.098_066_5),
        "A" => ("mA", 1e-3),
        "Ah" => ("mAh", 1e-3),
        _ => return slip(value, least, greatest, unit),
    };
    let meant = value * factor;
    let fits = value > greatest && (least..=greatest).contains(&meant);
    fits.then(|| format!("did you mean {name}: {}?", short(meant)))
}

impl Engine {
    pub fn figures(&self) -> [Figure; 3] {
        [
            ("step_s", self.step_s, [1e-4, 0.02], "s"),
            ("substeps", self.substeps.into(), [1.0, 100.0], ""),
            ("sweeps", self.sweeps.into(), [1.0, 100.0], ""),
        ]
    }
}

impl Kind {
    pub fn figures(&self) -> Vec<Figure> {
        let motor: [(&str, Option<f64>, [f64; 2], &str); 4] = [
            ("nominal_v", self.nominal_v, [3.0, 30.0], "V"),
            ("stall_torque_nm", self.stall_torque_nm, [0.01, 20.0], "N m"),
            ("no_load_speed_rad_s", self.no_load_speed_rad_s, [0.5, 60.0], "rad/s"),
            ("full_error_rad", self.full_error_rad, [0.001, 1.0], "rad"),
        ];
        let given = motor.into_iter().filter_map(|(key, value, range, unit)| Some((key, value?, range, unit)));
        given
            .chain([
                ("stall_current_a", self.stall_current_a, [0.0, 30.0], "A"),
                ("idle_current_a", self.idle_current_a, [0.0, 2.0], "A"),
                ("dead_band_rad", self.dead_band_rad, [0.0, 0.2], "rad"),
                ("backlash_rad", self.backlash_rad, [0.0, 0.2], "rad"),
                ("friction_nm", self.friction_nm, [0.0, 5.0], "N m"),
                ("rotor_kg_m2", self.rotor_kg_m2, [0.0, 0.1], "kg m2"),
                ("lead_s", self.lead_s, [0.0, 0.1], "s"),
            ])
            .collect()
    }
}

impl Supply {
    pub fn figures(&self) -> [Figure; 6] {
        [
            ("open_v", self.open_v, [3.0, 30.0], "V"),
            ("resistance_ohm", self.resistance_ohm, [0.0, 5.0], "ohm"),
            ("greatest_current_a", self.greatest_current_a, [0.1, 500.0], "A"),
            ("reset_v", self.reset_v, [0.0, 30.0], "V"),
            ("reset_s", self.reset_s, [0.0, 10.0], "s"),
            ("capacity_ah", self.capacity_ah, [0.05, 200.0], "Ah"),
        ]
    }
}

impl Imu {
    pub fn figures(&self) -> [Figure; 5] {
        [
            ("gyro_noise_rad_s", self.gyro_noise_rad_s, [0.0, 0.1], "rad/s"),
            ("accelerometer_noise_m_s2", self.accelerometer_noise_m_s2, [0.0, 1.0], "m/s2"),
            ("gyro_bias_rad_s", self.gyro_bias_rad_s, [0.0, 0.5], "rad/s"),
            ("accelerometer_bias_m_s2", self.accelerometer_bias_m_s2, [0.0, 3.0], "m/s2"),
            ("orientation_noise_rad", self.orientation_noise_rad, [0.0, 0.5], "rad"),
        ]
    }
}

impl FootSwitches {
    pub fn figures(&self) -> [Figure; 2] {
        [("press_n", self.press_n, [0.01, 100.0], "N"), ("release_n", self.release_n, [0.0, 100.0], "N")]
    }
}

impl Camera {
    pub fn figures(&self) -> [Figure; 12] {
        [
            ("x_m", self.x_m, [-5.0, 5.0], "m"),
            ("y_m", self.y_m, [-5.0, 5.0], "m"),
            ("z_m", self.z_m, [-5.0, 5.0], "m"),
            ("down_rad", self.down_rad, [-1.6, 1.6], "rad"),
            ("columns", f64::from(self.columns), [1.0, 640.0], ""),
            ("rows", f64::from(self.rows), [1.0, 480.0], ""),
            ("width_rad", self.width_rad, [0.01, 2.8], "rad"),
            ("height_rad", self.height_rad, [0.01, 2.8], "rad"),
            ("nearest_m", self.nearest_m, [0.0, 10.0], "m"),
            ("farthest_m", self.farthest_m, [0.05, 100.0], "m"),
            ("noise_m", self.noise_m, [0.0, 1.0], "m"),
            ("rate_hz", self.rate_hz, [0.0, 100.0], "Hz"),
        ]
    }
}

impl Lidar {
    pub fn figures(&self) -> [Figure; 12] {
        [
            ("x_m", self.x_m, [-5.0, 5.0], "m"),
            ("y_m", self.y_m, [-5.0, 5.0], "m"),
            ("z_m", self.z_m, [-5.0, 5.0], "m"),
            ("down_rad", self.down_rad, [-3.2, 3.2], "rad"),
            ("channels", f64::from(self.channels), [1.0, 128.0], ""),
            ("lowest_rad", self.lowest_rad, [-1.58, 1.58], "rad"),
            ("highest_rad", self.highest_rad, [-1.58, 1.58], "rad"),
            ("columns", f64::from(self.columns), [1.0, 2048.0], ""),
            ("nearest_m", self.nearest_m, [0.0, 10.0], "m"),
            ("farthest_m", self.farthest_m, [0.05, 200.0], "m"),
            ("noise_m", self.noise_m, [0.0, 1.0], "m"),
            ("rate_hz", self.rate_hz, [0.0, 100.0], "Hz"),
        ]
    }
}

impl Ground {
    pub fn figures(&self) -> Vec<Figure> {
        let stiffness = self.stiffness_n_m.map(|stiffness| ("stiffness_n_m", stiffness, [500.0, 1e6], "N/m"));
        std::iter::once(("friction", self.friction, [0.0, 3.0], "")).chain(stiffness).collect()
    }
}
