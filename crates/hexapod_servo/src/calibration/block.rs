//! What is written of a servo.

use super::raw::RawPoint;
use super::travel::Travel;
use serde::Deserialize;

/// What is written of a servo, of a kind, or as defaults. See [`RawServo`](super::raw::RawServo) for the keys that are not described.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "keys of a servo such as {board: 0, channel: 3}")]
pub(super) struct Block {
    /// Name of an entry in `kinds`.
    pub kind: Option<String>,
    pub board: Option<i64>,
    pub channel: Option<i64>,
    pub points: Option<Vec<RawPoint>>,
    /// In place of points: how far the servo turns between two pulses.
    pub travel: Option<Travel>,
    /// Joint angle at the middle of the travel, in radians.
    pub mounted_at_rad: Option<f64>,
    pub direction: Option<i64>,
    pub trim_rad: Option<f64>,
    pub min_pulse_us: Option<f64>,
    pub max_pulse_us: Option<f64>,
    pub neutral_us: Option<f64>,
    pub speed_limit_rad_s: Option<f64>,
    /// Torque with the shaft held, in N m.
    pub stall_torque_nm: Option<f64>,
    pub group: Option<String>,
}

impl Block {
    /// Keys of a servo's pulses and angles, and which are given.
    pub(super) fn figures(&self) -> [(&'static str, bool); 9] {
        [
            ("points", self.points.is_some()),
            ("travel", self.travel.is_some()),
            ("mounted_at_rad", self.mounted_at_rad.is_some()),
            ("direction", self.direction.is_some()),
            ("trim_rad", self.trim_rad.is_some()),
            ("min_pulse_us", self.min_pulse_us.is_some()),
            ("max_pulse_us", self.max_pulse_us.is_some()),
            ("neutral_us", self.neutral_us.is_some()),
            ("speed_limit_rad_s", self.speed_limit_rad_s.is_some()),
        ]
    }

    /// The lowest layer that any of the keys comes from which make a servo complete, if all are there.
    pub(super) fn complete_from(&self, joint: &str, layer: &dyn Fn(&str) -> usize) -> Option<usize> {
        let keys = [
            ("board", self.board.is_some()),
            ("channel", self.channel.is_some()),
            ("points", self.points.is_some()),
            ("min_pulse_us", self.min_pulse_us.is_some()),
            ("max_pulse_us", self.max_pulse_us.is_some()),
            ("speed_limit_rad_s", self.speed_limit_rad_s.is_some()),
        ];
        let layer_of = |(key, given): (&str, bool)| given.then(|| layer(&format!("servos.{joint}.{key}")));
        keys.into_iter().map(layer_of).collect::<Option<Vec<_>>>()?.into_iter().min()
    }
}
