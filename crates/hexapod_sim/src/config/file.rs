//! `sim.yaml` as it is written.

use crate::servo::{ServoKind, ServoModel};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub engine: Engine,
    /// Names of kinds by `all` or the ending of a joint's name.
    pub servos: BTreeMap<String, String>,
    pub kinds: BTreeMap<String, Kind>,
    pub supply: Supply,
    pub sensors: Sensors,
    pub ground: Ground,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Engine {
    pub step_s: f64,
    pub substeps: u32,
    pub sweeps: u32,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a kind of servo such as {stall_torque_nm: 1.079, ...}")]
pub(super) struct Kind {
    pub nominal_v: Option<f64>,
    pub stall_torque_nm: Option<f64>,
    pub no_load_speed_rad_s: Option<f64>,
    pub stall_current_a: f64,
    pub idle_current_a: f64,
    /// Required: nothing stands for it.
    pub full_error_rad: Option<f64>,
    pub dead_band_rad: f64,
    pub backlash_rad: f64,
    pub friction_nm: f64,
    pub rotor_kg_m2: f64,
    pub lead_s: f64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Supply {
    pub open_v: f64,
    pub resistance_ohm: f64,
    pub greatest_current_a: f64,
    pub reset_v: f64,
    pub reset_s: f64,
    pub capacity_ah: f64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ground {
    pub friction: f64,
    pub stiffness_n_m: Option<f64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sensors {
    pub imu: Imu,
    pub foot_switches: FootSwitches,
    pub camera: Camera,
    pub lidar: Lidar,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Camera {
    pub link: String,
    pub x_m: f64,
    pub y_m: f64,
    pub z_m: f64,
    pub down_rad: f64,
    pub columns: u32,
    pub rows: u32,
    pub width_rad: f64,
    pub height_rad: f64,
    pub nearest_m: f64,
    pub farthest_m: f64,
    pub noise_m: f64,
    pub rate_hz: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lidar {
    pub link: String,
    pub x_m: f64,
    pub y_m: f64,
    pub z_m: f64,
    pub down_rad: f64,
    pub channels: u32,
    pub lowest_rad: f64,
    pub highest_rad: f64,
    pub columns: u32,
    pub nearest_m: f64,
    pub farthest_m: f64,
    pub noise_m: f64,
    pub rate_hz: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Imu {
    pub link: String,
    pub gyro_noise_rad_s: f64,
    pub accelerometer_noise_m_s2: f64,
    pub gyro_bias_rad_s: f64,
    pub accelerometer_bias_m_s2: f64,
    pub orientation_noise_rad: f64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FootSwitches {
    pub press_n: f64,
    pub release_n: f64,
}

impl Kind {
    /// What it is in physics.
    pub fn model(&self) -> ServoModel {
        let kind = ServoKind {
            nominal_v: self.nominal_v.unwrap_or_default(),
            stall_torque: self.stall_torque_nm.unwrap_or_default(),
            no_load_speed: self.no_load_speed_rad_s.unwrap_or_default(),
            stall_current: self.stall_current_a,
            idle_current: self.idle_current_a,
            full_error: self.full_error_rad.unwrap_or_default(),
            dead_band: self.dead_band_rad,
            backlash: self.backlash_rad,
            friction: self.friction_nm,
            rotor: self.rotor_kg_m2,
            lead: self.lead_s,
        };
        if self.stall_torque_nm.is_some() { ServoModel::Own(kind) } else { ServoModel::OfJoint(kind) }
    }

    /// Keys that are missing, and why.
    pub fn missing(&self) -> Option<String> {
        if self.full_error_rad.is_none() {
            return Some("`full_error_rad` is missing: without it a servo has no stiffness".into());
        }
        let motor = [
            ("nominal_v", self.nominal_v.is_some()),
            ("stall_torque_nm", self.stall_torque_nm.is_some()),
            ("no_load_speed_rad_s", self.no_load_speed_rad_s.is_some()),
        ];
        let given = motor.iter().any(|(_, given)| *given);
        let (key, _) = motor.iter().find(|(_, is_there)| given && !is_there)?;
        Some(format!("`{key}` is missing: nominal_v, stall_torque_nm and no_load_speed_rad_s go together"))
    }
}
