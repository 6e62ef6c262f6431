//! `servos.yaml` as it is written: each servo with only what is its own, the rest from its kind and from defaults.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de};

use super::block::Block;
use super::chosen::{Chosen, Sources};
use super::error::ServoConfigError as E;
use super::origins::Origins;
use super::raw::{RawBoard, RawServoConfig, RawTiming, ServoMap};
use super::touch::RawTouch;
use super::validate::GREATEST_ANGLE_RAD;
use crate::joints::Timing;
use crate::ordered;
use crate::serial::RawSerial;

/// The key of `defaults` that stands for every servo.
const ALL: &str = "all";

/// `servos.yaml` before kinds and defaults are filled in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServoFile {
    boards: Vec<RawBoard>,
    #[serde(default)]
    kinds: BTreeMap<String, Block>,
    #[serde(default)]
    defaults: BTreeMap<String, Block>,
    #[serde(deserialize_with = "ordered::deserialize")]
    servos: Vec<(String, Block)>,
    #[serde(default)]
    timing: RawTiming,
    /// Plugs and pulses are made up: for a simulated bus alone.
    #[serde(default)]
    simulated: bool,
    /// The servos of a Feetech bus.
    #[serde(default)]
    feetech: Option<RawSerial>,
    /// The servos of a Dynamixel bus.
    #[serde(default)]
    dynamixel: Option<RawSerial>,
    #[serde(default)]
    lx16a: Option<RawSerial>,
    /// The servos of a Servo2040.
    #[serde(default)]
    servo2040: Option<Channels>,
}

/// Servos by their joints, each with its channel, and all else as in `servos`; and touch inputs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "the servos of a Servo2040, as in {servos: {left_front_coxa: {channel: 0}}}")]
struct Channels {
    #[serde(rename = "servos", default, deserialize_with = "ordered::deserialize")]
    _servos: Vec<(String, Block)>,
    #[serde(default)]
    touch: Option<RawTouch>,
}

/// Whether a kind stands in for one that the owner has not said yet: `simulated`, and `simulated_far`.
pub fn is_placeholder(kind: &str) -> bool {
    kind.starts_with("simulated")
}

impl Motor {
    /// Whether nobody has said which servo it is.
    pub fn is_placeholder(&self) -> bool {
        is_placeholder(&self.kind) && !self.has_own_points
    }
}

/// Which motor a joint has.
#[derive(Clone, Debug, PartialEq)]
pub struct Motor {
    /// The name of its kind, and where that is given.
    pub kind: String,
    /// The key that gives it.
    pub path: String,
    /// Whether its pulses were measured, or written out, and are not those of the kind.
    pub has_own_points: bool,
    /// Torque with the shaft held, in N m, where it is known.
    pub stall_torque_nm: Option<f64>,
    /// Speed of its kind without load, in rad/s, where it is known.
    pub no_load_speed_rad_s: Option<f64>,
}

impl ServoFile {
    /// Names of the joints, in the order of the file.
    pub fn joints(&self) -> impl Iterator<Item = &str> {
        self.servos.iter().map(|(joint, _)| joint.as_str())
    }

    /// Names of the kinds.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        self.kinds.keys().map(String::as_str)
    }

    /// Whether the file says that its plugs and pulses are made up.
    pub fn is_simulated(&self) -> bool {
        self.simulated
    }

    /// The servos of a serial bus by its family, if there are any.
    pub fn serial(&self, family: &str) -> Option<&RawSerial> {
        match family {
            "feetech" => self.feetech.as_ref(),
            "dynamixel" => self.dynamixel.as_ref(),
            "lx16a" => self.lx16a.as_ref(),
            _ => None,
        }
    }

    /// Whether there are servos of a Servo2040.
    pub fn has_servo2040(&self) -> bool {
        self.servo2040.is_some()
    }

    /// The touch inputs of a Servo2040, if feet have any.
    pub fn touch(&self) -> Option<&RawTouch> {
        self.servo2040.as_ref()?.touch.as_ref()
    }

    /// The same file with its servos on a Servo2040, which is one board.
    #[must_use]
    pub fn on_servo2040(mut self) -> Self {
        let plugged = self.servos.iter_mut().map(|(_, servo)| &mut servo.board);
        plugged.for_each(|board| *board = board.or(Some(0)));
        Self { boards: vec![RawBoard::servo2040()], simulated: false, ..self }
    }

    /// Times and speeds of the state machine, whatever bus the servos are on.
    ///
    /// # Errors
    /// All that is wrong with them.
    pub fn timing(&self) -> Result<Timing, Vec<E>> {
        self.timing.check()
    }

    /// All that is written, with its path.
    fn blocks(&self) -> impl Iterator<Item = (String, &Block)> {
        let group = |top: &'static str| move |(name, block)| (format!("{top}.{name}"), block);
        let kinds = self.kinds.iter().map(group("kinds"));
        let defaults = self.defaults.iter().map(group("defaults"));
        kinds.chain(defaults).chain(self.servos.iter().map(|(joint, block)| (format!("servos.{joint}"), block)))
    }

    /// Figures that no servo has, most often because angles are in degrees or torques in kgf cm: what is worked out
    /// from them would be reported at each joint that takes it.
    pub fn implausible(&self) -> Vec<E> {
        let angles = self.blocks().flat_map(|(path, block)| {
            // From one end of the range to the other.
            let most_rad = 2.0 * GREATEST_ANGLE_RAD;
            let travel = block.travel.map(|travel| (format!("{path}.travel.angle_rad"), travel.angle_rad, most_rad));
            let mounted_at = |angle_rad| (format!("{path}.mounted_at_rad"), angle_rad, GREATEST_ANGLE_RAD);
            let mounted = block.mounted_at_rad.map(mounted_at);
            travel.into_iter().chain(mounted)
        });
        let torques =
            self.blocks().filter_map(|(path, block)| Some((path + ".stall_torque_nm", block.stall_torque_nm?)));
        let torques = torques.filter(|(_, torque_nm)| !(0.01..=20.0).contains(torque_nm));
        let torques = torques.map(|(path, torque_nm)| E::BadTorque { path, torque_nm });
        let beyond = angles.filter(|(_, angle_rad, most_rad)| angle_rad.abs() > *most_rad);
        beyond.map(|(path, angle_rad, most_rad)| E::BadAngle { path, angle_rad, most_rad }).chain(torques).collect()
    }

    /// The motor of a joint, where a kind is named for it that is there. `layer` as in [`Self::resolve`].
    pub fn motor(&self, joint: &str, layer: impl Fn(&str) -> usize) -> Option<Motor> {
        let (_, own) = self.servos.iter().find(|(name, _)| name == joint)?;
        // Who has calibrated a servo has not changed its motor.
        let sources = Sources { complete_from: None, ..self.sources(joint, own, &layer).ok()? };
        let (_, at, kind, block) = sources.kind.as_ref()?;
        let no_load_speed_rad_s = block.speed_limit_rad_s;
        let (kind, path) = (kind.trim_start_matches("kinds.").to_owned(), format!("{}.kind", sources.blocks[*at].0));
        let mut origins = Origins::default();
        let chosen = Chosen { joint, sources, origins: &mut origins, layer: &layer };
        let torque = chosen.best("stall_torque_nm", |block| block.stall_torque_nm);
        let (has_own_points, torque) = (own.points.is_some(), torque.map(|pick| pick.value));
        Some(Motor { kind, path, has_own_points, stall_torque_nm: torque, no_load_speed_rad_s })
    }

    /// Leaves the servos of some joints out.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.servos.retain(|(joint, _)| keep(joint));
    }

    /// Keys of `defaults` that fit none of these joints.
    pub fn idle_defaults<'a>(&'a self, joints: &'a [&str]) -> impl Iterator<Item = &'a str> {
        let fits = |key: &str| joints.iter().any(|joint| fits(key, joint));
        self.defaults.keys().map(String::as_str).filter(move |key| !fits(key))
    }

    /// Keys of `defaults` whose figures servos take as they are, with their paths.
    pub fn defaults_given(&self) -> Vec<String> {
        let given = |(name, block): (&String, &Block)| {
            let keys = block.figures().into_iter().filter(|(_, is_given)| *is_given);
            keys.map(|(key, _)| format!("defaults.{name}.{key}")).collect::<Vec<_>>()
        };
        self.defaults.iter().flat_map(given).collect()
    }

    /// Every servo with all of its keys, and where each stands. `layer` tells in which layer of the configuration a key
    /// stands, 0 being the lowest.
    ///
    /// A key of a higher layer counts over any of a lower one. Within a layer a servo's own keys count over its kind's,
    /// its kind's over the defaults, those for longer endings of the name over those for shorter ones, and those over
    /// `all`. A servo that gives all of `board`, `channel`, `points`, `min_pulse_us`, `max_pulse_us` and
    /// `speed_limit_rad_s` is complete: it takes nothing from its own layer's kinds and defaults, nor from layers below.
    ///
    /// # Errors
    /// A key that is missing, a kind that is not there.
    pub fn resolve(self, layer: impl Fn(&str) -> usize) -> Result<(RawServoConfig, Origins), E> {
        let mut origins = Origins::default();
        if let Some((name, _)) = self.kinds.iter().find(|(_, kind)| kind.kind.is_some()) {
            return Err(E::NestedKind { path: format!("kinds.{name}.kind") });
        }
        let mut servos = Vec::with_capacity(self.servos.len());
        for (joint, own) in &self.servos {
            let sources = self.sources(joint, own, &layer)?;
            servos.push((joint.clone(), Chosen { joint, sources, origins: &mut origins, layer: &layer }.servo()?));
        }
        Ok((RawServoConfig { boards: self.boards, servos: ServoMap(servos), timing: self.timing }, origins))
    }

    /// What a servo may take its keys from, the least specific first.
    fn sources<'a>(&'a self, joint: &str, own: &'a Block, layer: &dyn Fn(&str) -> usize) -> Result<Sources<'a>, E> {
        let mut keys: Vec<&String> = self.defaults.keys().filter(|key| fits(key, joint)).collect();
        keys.sort_by_key(|key| if *key == ALL { 0 } else { key.len() });
        let defaults = keys.into_iter().map(|key| (format!("defaults.{key}"), &self.defaults[key]));
        let mut blocks: Vec<(String, &Block)> = defaults.collect();
        blocks.push((format!("servos.{joint}"), own));
        let complete_from = own.complete_from(joint, layer);
        let named = blocks.iter().enumerate().filter_map(|(at, (path, block))| {
            Some((layer(&format!("{path}.kind")), at, path.clone(), block.kind.as_ref()?))
        });
        let kind = named.max_by_key(|(layer, at, ..)| (*layer, *at));
        let kind = kind.map(|(layer, at, path, name)| {
            let block = self.kinds.get(name).ok_or_else(|| {
                let known = self.kinds.keys().cloned().collect::<Vec<_>>().join(", ");
                E::UnknownKind { path: format!("{path}.kind"), kind: name.clone(), known }
            })?;
            Ok((layer, at, format!("kinds.{name}"), block))
        });
        Ok(Sources { blocks, kind: kind.transpose()?, complete_from })
    }
}

/// Whether defaults under this key are for this joint.
fn fits(key: &str, joint: &str) -> bool {
    key == ALL || joint.strip_suffix(key).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
}

/// Without layers: all of it stands in one file.
impl TryFrom<ServoFile> for RawServoConfig {
    type Error = String;

    fn try_from(file: ServoFile) -> Result<Self, String> {
        file.resolve(|_| 0).map(|(raw, _)| raw).map_err(|error| format!("{}: {error}", error.key_path()))
    }
}

impl<'de> Deserialize<'de> for RawServoConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ServoFile::deserialize(deserializer)?.try_into().map_err(de::Error::custom)
    }
}
