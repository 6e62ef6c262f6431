//! Simulated servos that are mounted as on no drawing: horns that are off, servos the other way round, swapped plugs,
//! joints that stop early. What stands where, so that a person or a script can look at it.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::SimulatedBus;
use crate::calibration::ServoConfig;

/// How the servos of some joints are mounted, as written in YAML; a joint that is left out is mounted as its servo map
/// says.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct RawMounting(pub BTreeMap<String, RawMount>);

/// How the servo of one joint is mounted.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawMount {
    /// How far the joint stands from where the map has it at the neutral pulse, in radians.
    pub offset_rad: f64,
    /// Longer pulses turn the joint the other way than the map says.
    pub reversed: bool,
    /// It is plugged in where the map has the servo of this joint.
    pub plug_of: Option<String>,
    /// Where the joint stops, in radians.
    pub stops_rad: Option<(f64, f64)>,
}

/// A mounting that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MountingError {
    /// There is no such joint.
    #[error("{joint}: the servo map has no such joint")]
    NoSuchJoint {
        /// Its name.
        joint: String,
    },
    /// A number is no angle of a servo, or the stops are the wrong way round.
    #[error(
        "{joint}: offset_rad is an angle from -3.15 to 3.15 rad, and stops_rad two of them from -6.3 to 6.3, the lower first"
    )]
    BadNumber {
        /// Whose.
        joint: String,
    },
    /// Two servos are plugged in at one place.
    #[error("{joint}: {other} is plugged in there, too; give both a plug_of")]
    PlugTaken {
        /// One of them.
        joint: String,
        /// The other one.
        other: String,
    },
}

impl MountingError {
    /// The joint it is about.
    #[must_use]
    pub fn joint(&self) -> &str {
        match self {
            Self::NoSuchJoint { joint } | Self::BadNumber { joint } | Self::PlugTaken { joint, .. } => joint,
        }
    }
}

/// Greatest offset of a horn and greatest angle of a stop, rad: half a turn and a turn.
const OFFSET_RAD: f64 = 3.15;
const STOP_RAD: f64 = 6.3;

/// The true mounting of one joint's servo.
#[derive(Clone, Debug, PartialEq)]
struct Mount {
    joint: String,
    address: u8,
    channel: u8,
    neutral_us: f64,
    neutral_rad: f64,
    rad_per_us: f64,
    stops_rad: (f64, f64),
}

/// Where the joints of a simulated robot truly stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Mounting {
    mounts: Vec<Mount>,
}

impl Mounting {
    /// Servos as `map` says but for what `raw` says.
    ///
    /// # Errors
    /// Names the joint that cannot be mounted so.
    pub fn try_new(map: &ServoConfig, raw: &RawMounting) -> Result<Self, MountingError> {
        let known = |joint: &String| map.joint_index(joint).ok_or(MountingError::NoSuchJoint { joint: joint.clone() });
        raw.0.keys().try_for_each(|joint| known(joint).map(|_| ()))?;
        let mut mounts: Vec<Mount> = Vec::new();
        for servo in map.servos() {
            let joint = servo.joint().to_owned();
            let mount = raw.0.get(&joint).cloned().unwrap_or_default();
            let stops_rad = mount.stops_rad.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
            let is_angle = |angle: f64, greatest: f64| angle.abs() <= greatest;
            let bad =
                mount.stops_rad.is_some_and(|(lower, upper)| !(is_angle(lower, STOP_RAD) && is_angle(upper, STOP_RAD)));
            if !is_angle(mount.offset_rad, OFFSET_RAD) || bad || stops_rad.0 >= stops_rad.1 {
                return Err(MountingError::BadNumber { joint });
            }
            let plug = &map.servos()[known(mount.plug_of.as_ref().unwrap_or(&joint))?];
            let (address, channel) = (map.boards()[plug.board()].address(), plug.channel());
            if let Some(other) = mounts.iter().find(|other| (other.address, other.channel) == (address, channel)) {
                return Err(MountingError::PlugTaken { joint, other: other.joint.clone() });
            }
            let neutral_us = servo.neutral_us();
            let rad_per_us = 0.05 * (servo.angle_rad(neutral_us + 10.0) - servo.angle_rad(neutral_us - 10.0));
            mounts.push(Mount {
                joint,
                address,
                channel,
                neutral_us,
                neutral_rad: servo.angle_rad(neutral_us) + mount.offset_rad,
                rad_per_us: if mount.reversed { -rad_per_us } else { rad_per_us },
                stops_rad,
            });
        }
        Ok(Self { mounts })
    }

    /// The joint that a plug drives, and the angle that its servo goes to with a pulse, stops or not.
    pub fn driven(&self, address: u8, channel: u8, pulse_us: f64) -> Option<(&str, f64)> {
        let mount = self.mounts.iter().find(|mount| (mount.address, mount.channel) == (address, channel))?;
        Some((&mount.joint, mount.neutral_rad + (pulse_us - mount.neutral_us) * mount.rad_per_us))
    }

    /// Where a joint stops, in radians.
    pub fn stops_rad(&self, joint: &str) -> Option<(f64, f64)> {
        self.mounts.iter().find(|mount| mount.joint == joint).map(|mount| mount.stops_rad)
    }

    /// The joints that have a pulse now: where each stands, and how far its servo presses against a stop, in radians.
    pub fn standing(&self, bus: &SimulatedBus) -> Vec<(&str, f64, f64)> {
        let stands = |mount: &Mount| {
            let pulse_us = bus.pulse_us(mount.address, mount.channel)?;
            let (joint, commanded_rad) = self.driven(mount.address, mount.channel, pulse_us)?;
            let angle_rad = commanded_rad.clamp(mount.stops_rad.0, mount.stops_rad.1);
            Some((joint, angle_rad, (commanded_rad - angle_rad).abs()))
        };
        self.mounts.iter().filter_map(stands).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RawServoConfig;

    fn map() -> ServoConfig {
        let servo = "min_pulse_us: 500, max_pulse_us: 2500, speed_limit_rad_s: 6, points: [{ angle_rad: -1, pulse_us: 1000 }, \
            { angle_rad: 1, pulse_us: 2000 }]";
        let yaml = format!(
            "boards: [{{ address: 0x40 }}]\nservos:\n  a: {{ board: 0, channel: 2, {servo} }}\n  b: {{ board: 0, channel: 3, \
             {servo} }}\n"
        );
        let raw: RawServoConfig = serde_yaml::from_str(&yaml).expect("a map");
        ServoConfig::try_from(raw).expect("a map")
    }

    fn mounting(yaml: &str) -> Result<Mounting, MountingError> {
        Mounting::try_new(&map(), &serde_yaml::from_str(yaml).expect("a mounting"))
    }

    #[test]
    fn when_servos_are_mounted_wrongly_expect_where_they_really_go() {
        let mounting =
            mounting("a: { offset_rad: 0.2, reversed: true, plug_of: b, stops_rad: [-0.5, 0.5] }\nb: { plug_of: a }")
                .expect("swapped");
        let near = |found: Option<(&str, f64)>, joint: &str, angle_rad: f64| {
            assert!(found.is_some_and(|(name, angle)| name == joint && (angle - angle_rad).abs() < 1e-9), "{found:?}");
        };
        near(mounting.driven(0x40, 3, 1500.0), "a", 0.2);
        near(mounting.driven(0x40, 3, 1600.0), "a", 0.0);
        near(mounting.driven(0x40, 2, 1600.0), "b", 0.2);
        assert_eq!(mounting.driven(0x41, 2, 1600.0), None);
        assert_eq!(mounting.stops_rad("a"), Some((-0.5, 0.5)));
    }

    #[test]
    fn when_a_mounting_cannot_be_expect_the_joint_named() {
        let named = |yaml: &str| mounting(yaml).expect_err(yaml).to_string();
        assert!(named("tail: {}").starts_with("tail"));
        assert!(named("a: { plug_of: tail }").starts_with("tail"));
        assert!(named("a: { plug_of: b }").contains("a is plugged in there"));
        assert!(named("a: { offset_rad: .nan }").starts_with("a:"));
        assert!(named("b: { stops_rad: [1, 0] }").starts_with("b:"));
    }
}
