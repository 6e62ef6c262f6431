//! What the body does by itself over a gait's cycle: waves of its six coordinates, as data.

use crate::gait::posture::BodyOffset;
use hexapod_kinematics::math;
use nalgebra::Vector3;
use serde::Deserialize;
use std::f64::consts::TAU;

/// A pose of the body for each phase of a gait, as written in `config/gaits.yaml`; nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AutoPose {
    /// Forward, m.
    pub x: Wave,
    /// To the left, m.
    pub y: Wave,
    /// Up, m.
    pub z: Wave,
    /// About the forward axis, rad.
    pub roll: Wave,
    /// About the axis to the left, rad.
    pub pitch: Wave,
    /// About the vertical, rad.
    pub yaw: Wave,
}

/// `amplitude * sin(2 pi (cycles * phase + shift))`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wave {
    /// Greatest value.
    pub amplitude: f64,
    /// Waves in one cycle of the gait.
    #[serde(default = "once")]
    pub cycles: u32,
    /// Fraction of a wave by which it is ahead.
    #[serde(default)]
    pub shift: f64,
}

fn once() -> u32 {
    1
}

impl Default for Wave {
    fn default() -> Self {
        Self { amplitude: 0.0, cycles: 1, shift: 0.0 }
    }
}

/// The most a body may do by itself: m, rad, and waves in a cycle.
const MOST_M: f64 = 0.02;
const MOST_RAD: f64 = 0.15;
const MOST_CYCLES: u32 = 8;

impl Wave {
    fn at(&self, phase: f64) -> f64 {
        if self.amplitude == 0.0 {
            return 0.0;
        }
        self.amplitude * math::sin(TAU * (f64::from(self.cycles) * phase + self.shift))
    }

    fn fault(&self, most: f64) -> Option<(&'static str, String)> {
        if !(-most..=most).contains(&self.amplitude) {
            return Some((
                "amplitude",
                format!("{} is out of range; give a number from {} to {most}", self.amplitude, -most),
            ));
        }
        if !(1..=MOST_CYCLES).contains(&self.cycles) {
            return Some(("cycles", format!("{} is out of range; give 1 to {MOST_CYCLES}", self.cycles)));
        }
        let fine = (-1.0..=1.0).contains(&self.shift);
        (!fine).then(|| ("shift", format!("{} is out of range; give a number from -1 to 1", self.shift)))
    }
}

impl AutoPose {
    /// The body's offset at a phase in [0, 1).
    #[must_use]
    pub fn at(&self, phase: f64) -> BodyOffset {
        BodyOffset {
            translation: Vector3::new(self.x.at(phase), self.y.at(phase), self.z.at(phase)),
            rotation: Vector3::new(self.roll.at(phase), self.pitch.at(phase), self.yaw.at(phase)),
        }
    }

    /// Whether the body does nothing by itself.
    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        [self.x, self.y, self.z, self.roll, self.pitch, self.yaw].iter().all(|wave| wave.amplitude == 0.0)
    }

    /// The key that does not hold, below `auto_pose`, and why.
    pub(crate) fn fault(&self) -> Option<(String, String)> {
        let metres = [("x", self.x), ("y", self.y), ("z", self.z)].map(|(name, wave)| (name, wave.fault(MOST_M)));
        let angles = [("roll", self.roll), ("pitch", self.pitch), ("yaw", self.yaw)];
        let angles = angles.map(|(name, wave)| (name, wave.fault(MOST_RAD)));
        let mut faults = metres.into_iter().chain(angles);
        faults.find_map(|(name, fault)| fault.map(|(key, why)| (format!("{name}.{key}"), why)))
    }
}
