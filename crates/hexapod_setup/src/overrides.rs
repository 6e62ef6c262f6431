//! `robot.yaml`: what the configuration says of the robot beside its description.

use crate::config_file::ConfigFile;
use crate::forward::Forward;
use crate::plausible::{self, LENGTH_M, TURN_RAD};
use hexapod_config::{ConfigError, Document, Faults};
use hexapod_kinematics::{Front, LegAngles, LegOptions, LegSpec, LimitChange, ModelError, Robot};
use nalgebra::Vector3;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The key that stands for every leg or joint.
const ALL: &str = "all";

/// The file as written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    legs: Vec<RawLeg>,
    feet: BTreeMap<String, RawFoot>,
    limits: BTreeMap<String, RawLimits>,
    postures: BTreeMap<String, Vec<f64>>,
    packed: BTreeMap<String, Vec<f64>>,
    forward: Option<Forward>,
}

/// A point of the link at the end of a leg, or a link there.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "give three numbers, as in [0.1, 0.0, 0.0], or the name of a link")]
enum RawFoot {
    Point([f64; 3]),
    Link(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a leg such as {name: left_front, foot_link: left_front_foot}")]
struct RawLeg {
    name: String,
    foot_link: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "limits such as {lower: -0.6, upper: 0.6, velocity: 4.0}")]
struct RawLimits {
    lower: Option<f64>,
    upper: Option<f64>,
    velocity: Option<f64>,
    effort: Option<f64>,
    acceleration: Option<f64>,
}

/// What the configuration says of the robot.
#[derive(Debug, Default)]
pub(crate) struct Overrides {
    /// Where it stands; none where there is no such file.
    pub(crate) document: Option<Document>,
    /// Legs, feet and limits.
    pub(crate) options: LegOptions,
    postures: BTreeMap<String, Vec<f64>>,
    packed: BTreeMap<String, Vec<f64>>,
    /// The axis of the base link that points ahead.
    pub(crate) forward: Option<Forward>,
}

impl Overrides {
    /// Reads the file, if there is one.
    ///
    /// # Errors
    /// File, line and key of what does not hold.
    pub(crate) fn read(file: &ConfigFile) -> Result<Self, ConfigError> {
        if !file.exists() {
            return Ok(Self::default());
        }
        let document = file.read_on()?;
        let mut faults = Faults::default();
        let file: Option<File> = document.deserialize_on(&mut faults);
        file.iter().for_each(|file| file.check(&document, &mut faults));
        let File { legs, feet, limits, postures, packed, forward } = faults.or(file)?;
        let (mut points, mut foot_links) = (vec![], vec![]);
        for (of, foot) in feet {
            match foot {
                RawFoot::Point(at) => points.push((unless_all(of), Vector3::from(at))),
                RawFoot::Link(link) => foot_links.push((of, link)),
            }
        }
        let options = LegOptions {
            legs: legs.into_iter().map(|leg| LegSpec { name: leg.name, foot_link: leg.foot_link }).collect(),
            feet: points,
            foot_links,
            limits: in_order(limits).map(|(joint, limits)| change(joint, &limits)).collect(),
            // Who says where the front is goes by that, whatever the legs are called.
            front: if forward.is_some() { Front::Base } else { Front::Named },
        };
        Ok(Self { document: Some(document), options, postures, packed, forward })
    }

    /// Where in this file a robot's fault comes from, if it does: the parts of an error that name it.
    pub(crate) fn blame(&self, error: &ModelError) -> Option<ConfigError> {
        let document = self.document.as_ref().filter(|_| error.line().is_none())?;
        let (kind, name) = error.element().strip_suffix('"')?.split_once(" \"")?;
        let key = match kind {
            "limits of joint" if name.is_empty() => format!("limits.{ALL}"),
            "limits of joint" => format!("limits.{name}"),
            "foot" => format!("feet.{name}"),
            "leg" => {
                let index = self.options.legs.iter().position(|leg| leg.name == name)?;
                format!("legs[{index}]")
            }
            _ => return None,
        };
        Some(document.error_at(&key, error.what(), error.expected()))
    }

    /// Gives the legs their postures.
    ///
    /// # Errors
    /// The line of a posture of a leg that is not there, or of other joints than the leg has.
    pub(crate) fn pose(&self, robot: &mut Robot) -> Result<(), ConfigError> {
        let postures = self.angles("postures", &self.postures, robot)?;
        self.within_limits("postures", &self.postures, robot, &postures)?;
        for (leg, posture) in robot.legs_mut().iter_mut().zip(postures) {
            if let Some(posture) = posture {
                leg.set_posture(&posture);
            }
        }
        Ok(())
    }

    /// The joint angles of the folded legs, if any are given.
    ///
    /// # Errors
    /// The line of those of a leg that is not there, of other joints than the leg has, or beyond their limits; a leg that
    /// has none.
    pub(crate) fn packed(&self, robot: &Robot) -> Result<Option<Vec<LegAngles>>, ConfigError> {
        let Some(document) = self.document.as_ref().filter(|_| !self.packed.is_empty()) else { return Ok(None) };
        let mut packed = vec![];
        let given = self.angles("packed", &self.packed, robot)?;
        self.within_limits("packed", &self.packed, robot, &given)?;
        for (leg, angles) in robot.legs().iter().zip(given) {
            let angles = angles.ok_or_else(|| {
                document.error_at(
                    "packed",
                    format!("leg {} has no angles", leg.name()),
                    "give them for every leg, or for `all`",
                )
            })?;
            packed.push(angles);
        }
        Ok(Some(packed))
    }

    /// Refuses angles beyond the limits of their joints.
    fn within_limits(
        &self,
        key: &str,
        given: &BTreeMap<String, Vec<f64>>,
        robot: &Robot,
        angles: &[Option<LegAngles>],
    ) -> Result<(), ConfigError> {
        let Some(document) = &self.document else { return Ok(()) };
        let (mut faults, mut reported) = (Faults::default(), vec![]);
        for (leg, angles) in robot.legs().iter().zip(angles) {
            let name = if given.contains_key(leg.name()) { leg.name() } else { ALL };
            for (index, (joint, &angle)) in
                leg.joints().iter().zip(angles.iter().flat_map(|angles| angles.iter())).enumerate()
            {
                let (lower, upper) = (joint.limits().lower, joint.limits().upper);
                if !(lower..=upper).contains(&angle) {
                    let what = format!("{angle} rad for {} is beyond its limits", joint.name());
                    let range = format!("give an angle from {lower:.3} to {upper:.3} rad");
                    let at = format!("{key}.{name}[{index}]");
                    // What is given for all legs is reported once.
                    if !reported.contains(&at) {
                        faults.add(document.error_at(&at, what, range));
                        reported.push(at);
                    }
                }
            }
        }
        faults.into_result()
    }

    /// What is given for each leg: its own angles, or those for all.
    fn angles(
        &self,
        key: &str,
        given: &BTreeMap<String, Vec<f64>>,
        robot: &Robot,
    ) -> Result<Vec<Option<LegAngles>>, ConfigError> {
        let Some(document) = &self.document else { return Ok(vec![None; robot.legs().len()]) };
        let wrong = |name: &str, what: String| document.error_at(&format!("{key}.{name}"), what, "");
        let mut faults = Faults::default();
        for name in given.keys().filter(|name| *name != ALL) {
            if robot.leg_index(name).is_none() {
                let legs: Vec<&str> = robot.legs().iter().map(|leg| leg.name()).collect();
                faults.add(wrong(name, format!("the robot has no leg {name:?}; its legs are {}", legs.join(", "))));
            }
        }
        let of_leg = |leg: &hexapod_kinematics::Leg| {
            let Some((name, given)) = given.get_key_value(leg.name()).or(given.get_key_value(ALL)) else {
                return Ok(None);
            };
            let joints = leg.joint_count();
            let angles = LegAngles::from_slice(given).filter(|angles| angles.len() == joints);
            let few = || {
                // Of `all`, it is reported once.
                let has = if name == ALL { "legs have".into() } else { format!("leg {} has", leg.name()) };
                wrong(name, format!("{has} {joints} joints, not {}: give one angle for each", given.len()))
            };
            angles.map(Some).ok_or_else(few)
        };
        let angles = robot.legs().iter().map(|leg| faults.note(of_leg(leg)).flatten()).collect();
        faults.or(Some(angles))
    }
}

/// What motors of walking robots do at most, rad/s, rad/s^2 and N m.
const SPEED_RAD_S: f64 = 100.0;
const ACCELERATION_RAD_S2: f64 = 1e5;
const TORQUE_N_M: f64 = 1e4;

impl File {
    /// Notes numbers that no robot has.
    fn check(&self, document: &Document, faults: &mut Faults) {
        for (joint, limits) in &self.limits {
            let RawLimits { lower, upper, velocity, effort, acceleration } = *limits;
            let at = format!("limits.{joint}");
            let mut check =
                |key, value, greatest| plausible::check_all(document, &at, &[(key, value)], greatest, faults);
            check("lower", lower, (TURN_RAD, "rad"));
            check("upper", upper, (TURN_RAD, "rad"));
            check("velocity", velocity, (SPEED_RAD_S, "rad/s"));
            check("effort", effort, (TORQUE_N_M, "N m"));
            check("acceleration", acceleration, (ACCELERATION_RAD_S2, "rad/s^2"));
        }
        for (key, given) in [("postures", &self.postures), ("packed", &self.packed)] {
            for (leg, index, angle) in
                given.iter().flat_map(|(leg, list)| list.iter().enumerate().map(move |(i, a)| (leg, i, a)))
            {
                faults.note(plausible::check(document, &format!("{key}.{leg}[{index}]"), *angle, TURN_RAD, "rad"));
            }
        }
        for (leg, foot) in &self.feet {
            let RawFoot::Point(point) = foot else { continue };
            for (index, at) in point.iter().enumerate() {
                faults.note(plausible::check(document, &format!("feet.{leg}[{index}]"), *at, LENGTH_M, "m"));
            }
        }
    }
}

/// `all` first, so that a joint's own limits count.
fn in_order(limits: BTreeMap<String, RawLimits>) -> impl Iterator<Item = (String, RawLimits)> {
    let (all, own): (Vec<_>, Vec<_>) = limits.into_iter().partition(|(joint, _)| joint == ALL);
    all.into_iter().chain(own)
}

fn change(joint: String, limits: &RawLimits) -> LimitChange {
    LimitChange {
        joint: unless_all(joint),
        lower: limits.lower,
        upper: limits.upper,
        velocity: limits.velocity,
        effort: limits.effort,
        acceleration: limits.acceleration,
    }
}

/// The kinematics' name for all is the empty one.
fn unless_all(name: String) -> String {
    if name == ALL { String::new() } else { name }
}
