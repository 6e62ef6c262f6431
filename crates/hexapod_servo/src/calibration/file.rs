//! `servos.yaml` as it is written: each servo with only what is its own, the rest from its kind and from defaults.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de};

use super::error::ServoConfigError as E;
use super::ordered;
use super::raw::{RawBoard, RawPoint, RawServo, RawServoConfig, RawTiming, ServoMap};
use super::validate::GREATEST_ANGLE_RAD;

/// Points that a kind's travel gives are rounded to this, in parts of a radian: as fine as a calibration is written.
const PARTS: f64 = 1e4;
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
}

/// What is written of a servo, of a kind, or as defaults. See [`RawServo`] for the keys that are not described.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "keys of a servo such as {board: 0, channel: 3}")]
struct Block {
    /// Name of an entry in `kinds`.
    kind: Option<String>,
    board: Option<i64>,
    channel: Option<i64>,
    points: Option<Vec<RawPoint>>,
    /// In place of points: how far the servo turns between two pulses.
    travel: Option<Travel>,
    /// Joint angle at the middle of the travel, in radians.
    mounted_at_rad: Option<f64>,
    direction: Option<i64>,
    trim_rad: Option<f64>,
    min_pulse_us: Option<f64>,
    max_pulse_us: Option<f64>,
    neutral_us: Option<f64>,
    speed_limit_rad_s: Option<f64>,
    group: Option<String>,
}

/// A servo whose angle is in proportion to its pulse.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a travel such as {angle_rad: 3.1416, from_us: 500.0, to_us: 2500.0}")]
struct Travel {
    /// Angle between the two pulses, in radians.
    angle_rad: f64,
    /// Shortest pulse, in microseconds; also `min_pulse_us` where that is not given.
    from_us: f64,
    /// Longest pulse, in microseconds; also `max_pulse_us` where that is not given.
    to_us: f64,
}

/// Where the keys of each servo stand: `servos.left_front_coxa.points` may be `kinds.mg996r.travel`.
#[derive(Clone, Debug, Default)]
pub struct Origins(BTreeMap<String, String>);

impl Origins {
    /// Where a key stands in the file, given where it would stand if every servo had all of its keys.
    pub fn of(&self, path: &str) -> String {
        let end = |at: usize| path[at..].starts_with(['.', '[']);
        let ends = (1..path.len()).rev().filter(|at| path.is_char_boundary(*at) && end(*at));
        let found = std::iter::once(path.len()).chain(ends).find_map(|at| Some((at, self.0.get(&path[..at])?)));
        match found {
            Some((at, origin)) if origin.as_str() == &path[..at] => path.into(),
            // The entries of a list that was made up stand nowhere.
            Some((_, origin)) if origin.ends_with(".travel") => origin.clone(),
            Some((at, origin)) => format!("{origin}{}", &path[at..]),
            None => path.into(),
        }
    }
}

impl ServoFile {
    /// Names of the joints, in the order of the file.
    pub fn joints(&self) -> impl Iterator<Item = &str> {
        self.servos.iter().map(|(joint, _)| joint.as_str())
    }

    /// Whether the file says that its plugs and pulses are made up.
    pub fn is_simulated(&self) -> bool {
        self.simulated
    }

    /// Angles that no servo has, most often because they are in degrees: what is worked out from them would be told at each
    /// joint that takes it.
    pub fn implausible(&self) -> Vec<E> {
        let group = |top: &'static str| move |(name, block)| (format!("{top}.{name}"), block);
        let kinds = self.kinds.iter().map(group("kinds"));
        let defaults = self.defaults.iter().map(group("defaults"));
        let servos = self.servos.iter().map(|(joint, block)| (format!("servos.{joint}"), block));
        let angles = kinds.chain(defaults).chain(servos).flat_map(|(path, block)| {
            let travel = block.travel.map(|travel| (format!("{path}.travel.angle_rad"), travel.angle_rad));
            let mounted = block.mounted_at_rad.map(|angle_rad| (format!("{path}.mounted_at_rad"), angle_rad));
            travel.into_iter().chain(mounted)
        });
        let beyond = angles.filter(|(_, angle_rad)| angle_rad.abs() > GREATEST_ANGLE_RAD);
        beyond.map(|(path, angle_rad)| E::BadAngle { path, angle_rad }).collect()
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

impl Block {
    /// The lowest layer that any of the keys comes from which make a servo complete, if all are there.
    fn complete_from(&self, joint: &str, layer: &dyn Fn(&str) -> usize) -> Option<usize> {
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

/// What a servo may take its keys from.
struct Sources<'a> {
    /// Defaults and the servo's own keys, with their paths, the least specific first.
    blocks: Vec<(String, &'a Block)>,
    /// The kind that counts: the layer and the block that name it, its path, and what it says.
    kind: Option<(usize, usize, String, &'a Block)>,
    /// The layer from which on the servo's own keys are complete.
    complete_from: Option<usize>,
}

/// How much a key counts: its layer, the block it stands in, and whether it stands there itself or in the kind named.
type Rank = (usize, usize, bool);

/// A key's value, how much it counts, and where it stands.
struct Pick<T> {
    value: T,
    rank: Rank,
    path: String,
}

/// Chooses one servo's keys.
struct Chosen<'a> {
    joint: &'a str,
    sources: Sources<'a>,
    origins: &'a mut Origins,
    layer: &'a dyn Fn(&str) -> usize,
}

impl Chosen<'_> {
    fn servo(mut self) -> Result<RawServo, E> {
        let travel = self.best("travel", |block| block.travel);
        let direction = self.take("direction", |block| block.direction).unwrap_or(1);
        let limit = |own: Option<Pick<f64>>, end: fn(&Travel) -> f64| match (own, &travel) {
            (Some(own), Some(travel)) if own.rank < travel.rank => Some((end(&travel.value), travel.path.clone())),
            (Some(own), _) => Some((own.value, own.path)),
            (None, travel) => travel.as_ref().map(|travel| (end(&travel.value), travel.path.clone())),
        };
        let shortest = limit(self.best("min_pulse_us", |block| block.min_pulse_us), |travel| travel.from_us);
        let longest = limit(self.best("max_pulse_us", |block| block.max_pulse_us), |travel| travel.to_us);
        let limits_us = (self.keep("min_pulse_us", shortest)?, self.keep("max_pulse_us", longest)?);
        Ok(RawServo {
            board: self.needed("board", |block| block.board)?,
            channel: self.needed("channel", |block| block.channel)?,
            points: self.points(travel, direction, limits_us)?,
            direction,
            trim_rad: self.take("trim_rad", |block| block.trim_rad).unwrap_or_default(),
            min_pulse_us: limits_us.0,
            max_pulse_us: limits_us.1,
            neutral_us: self.take("neutral_us", |block| block.neutral_us),
            speed_limit_rad_s: self.needed("speed_limit_rad_s", |block| block.speed_limit_rad_s)?,
            group: self.take("group", |block| block.group.clone()),
        })
    }

    /// The points that are given, or those of the travel, whichever counts more.
    fn points(
        &mut self,
        travel: Option<Pick<Travel>>,
        direction: i64,
        limits_us: (f64, f64),
    ) -> Result<Vec<RawPoint>, E> {
        let points = self.best("points", |block| block.points.clone());
        let found = match (points, travel) {
            (Some(points), Some(travel)) if points.rank == travel.rank => {
                return Err(E::TwoCurves { path: travel.path });
            }
            (Some(points), Some(travel)) if points.rank < travel.rank => Err(travel),
            (Some(points), _) => Ok(points),
            (None, Some(travel)) => Err(travel),
            (None, None) => return self.keep("points", None),
        };
        match found {
            Ok(points) => self.keep("points", Some((points.value, points.path))),
            Err(Pick { value, path, .. }) => {
                let mounted_at_rad = self.take("mounted_at_rad", |block| block.mounted_at_rad).unwrap_or_default();
                let points = value.points(direction as f64 * mounted_at_rad, limits_us);
                let points = points.ok_or_else(|| E::BadTravel { path: path.clone() })?;
                self.keep("points", Some((points, path)))
            }
        }
    }

    fn take<T>(&mut self, key: &str, get: impl Fn(&Block) -> Option<T>) -> Option<T> {
        let pick = self.best(key, get)?;
        self.keep(key, Some((pick.value, pick.path))).ok()
    }

    fn needed<T>(&mut self, key: &str, get: impl Fn(&Block) -> Option<T>) -> Result<T, E> {
        let pick = self.best(key, get);
        self.keep(key, pick.map(|pick| (pick.value, pick.path)))
    }

    /// Notes where a value stands.
    fn keep<T>(&mut self, key: &str, found: Option<(T, String)>) -> Result<T, E> {
        let path = format!("servos.{}.{key}", self.joint);
        let (value, origin) = found.ok_or_else(|| E::MissingKey { path: path.clone() })?;
        self.origins.0.insert(path, origin);
        Ok(value)
    }

    /// The value that counts most.
    fn best<T>(&self, key: &str, get: impl Fn(&Block) -> Option<T>) -> Option<Pick<T>> {
        let Sources { blocks, kind, complete_from } = &self.sources;
        let own = blocks.len() - 1;
        let pick = |rank: Rank, path: String, block: &Block| Some(Pick { value: get(block)?, rank, path });
        let blocks = blocks.iter().enumerate().filter_map(|(at, (path, block))| {
            let path = format!("{path}.{key}");
            pick(((self.layer)(&path), at, true), path, block)
        });
        let kind = kind.as_ref().and_then(|(layer, at, path, block)| {
            let path = format!("{path}.{key}");
            pick(((*layer).max((self.layer)(&path)), *at, false), path, block)
        });
        let counts = |pick: &Pick<T>| match (complete_from, pick.rank) {
            (Some(complete), (layer, at, true)) if at == own => layer >= *complete,
            (Some(complete), (layer, ..)) => layer > *complete,
            (None, _) => true,
        };
        blocks.chain(kind).filter(counts).max_by_key(|pick| pick.rank)
    }
}

impl Travel {
    /// Points at both pulse limits and in the middle, around a servo angle; `None` for a travel that cannot be.
    fn points(self, middle_rad: f64, limits_us: (f64, f64)) -> Option<Vec<RawPoint>> {
        let us_per_rad = (self.to_us - self.from_us) / self.angle_rad;
        if !(us_per_rad.is_finite() && us_per_rad > 0.0 && self.angle_rad > 0.0) {
            return None;
        }
        let middle_us = 0.5 * (self.from_us + self.to_us);
        let (shortest_us, longest_us) = (self.from_us.max(limits_us.0), self.to_us.min(limits_us.1));
        let inside = shortest_us < middle_us && middle_us < longest_us;
        let between_us = if inside { middle_us } else { 0.5 * (shortest_us + longest_us) };
        let point = |pulse_us: f64| {
            let angle_rad = middle_rad + (pulse_us - middle_us) / us_per_rad;
            RawPoint { angle_rad: (angle_rad * PARTS).round() / PARTS, pulse_us }
        };
        Some([shortest_us, between_us, longest_us].map(point).to_vec())
    }
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
