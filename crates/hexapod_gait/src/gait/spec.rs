//! Gaits as they are written in `config/gaits.yaml`, and what may be wrong with them.

use crate::gait::auto_pose::AutoPose;
use crate::gait::phase::wrap_phase;
use crate::gait::swing::SwingProfile;
use hexapod_kinematics::{MAX_LEGS, MIN_LEGS};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The greatest lift of a swinging foot that a gait may ask for, m.
const GREATEST_LIFT_M: f64 = 0.5;

/// A gait as written in `config/gaits.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GaitSpec {
    /// Fraction of the cycle a leg stands, in (0, 1).
    pub duty_factor: f64,
    /// Seconds a whole cycle takes.
    pub cycle_time: f64,
    /// Seconds a cycle takes at least: where a step would get too long, the cycle gets shorter, down to this. Without
    /// it the cycle time is the same at every speed.
    #[serde(default)]
    pub least_cycle_time: Option<f64>,
    /// Numbers of legs it is for; any, if empty.
    #[serde(default)]
    pub legs: Vec<usize>,
    /// Rule that gives `lag` for any number of legs.
    #[serde(default)]
    pub pattern: Option<Pattern>,
    /// Phase by which a leg trails the one behind it on its side (the metachronal lag of insect gaits).
    #[serde(default)]
    pub lag: f64,
    /// Phase between the two legs of a pair.
    #[serde(default = "half")]
    pub side_lag: f64,
    /// Phase of each leg by name, in place of the rule of `lag` and `side_lag`.
    #[serde(default)]
    pub phase_offsets: BTreeMap<String, f64>,
    /// How a foot crosses from lift-off to touch-down.
    #[serde(default)]
    pub swing: SwingProfile,
    /// Speed at which a foot meets the ground, m/s.
    #[serde(default)]
    pub touch_down_speed: f64,
    /// Lift of a swinging foot, m; without it, the robot's own.
    #[serde(default)]
    pub step_height: Option<f64>,
    /// How far the body leans over the feet that stay, from 0 (not at all) to 1 (its weight in their midst).
    #[serde(default)]
    pub sway: f64,
    /// What the body does by itself over the cycle.
    #[serde(default)]
    pub auto_pose: AutoPose,
    /// Whether the robot stands on its feet at every moment; a gait that is meant to fall from step to step, as a
    /// trot, says `false`.
    #[serde(default = "yes")]
    pub stable: bool,
}

/// A rule for the lags of a gait on any number of legs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Neighbours on a side half a cycle apart: a tripod on six legs, a trot on four.
    Alternate,
    /// One leg after another from the rear to the front of each side, evenly over the cycle: a crawl on four legs.
    Wave,
}

impl Default for GaitSpec {
    /// The tripod, or what it is on another number of legs.
    fn default() -> Self {
        Self {
            duty_factor: 0.5,
            cycle_time: 0.8,
            least_cycle_time: None,
            legs: Vec::new(),
            pattern: None,
            lag: 0.5,
            side_lag: 0.5,
            phase_offsets: BTreeMap::new(),
            swing: SwingProfile::default(),
            touch_down_speed: 0.0,
            step_height: None,
            sway: 0.0,
            auto_pose: AutoPose::default(),
            stable: true,
        }
    }
}

fn yes() -> bool {
    true
}

fn half() -> f64 {
    0.5
}

/// Place of a leg in the body's order, from which a gait's rule takes its phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegPlace {
    /// Name of the leg.
    pub name: String,
    /// Whether it is on the left.
    pub left: bool,
    /// 0 for the foremost leg of its side.
    pub rank: usize,
}

/// What is wrong with a gait; `key` says where below the gait's name.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct GaitError {
    /// Key below the gait, as in `duty_factor`.
    pub key: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl GaitError {
    pub(super) fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { key: key.into(), message: message.into() }
    }
}

impl GaitSpec {
    /// All that does not hold, for legs in `places`; without any, of what does not depend on the legs.
    #[must_use]
    pub fn faults(&self, places: &[LegPlace]) -> Vec<GaitError> {
        let least_cycle_time = self.least_cycle_time.unwrap_or(self.cycle_time);
        // A cycle that does not hold is reported by itself.
        let longest = if (0.1..=60.0).contains(&self.cycle_time) { self.cycle_time } else { f64::INFINITY };
        let ranges = [
            check_range("duty_factor", self.duty_factor, 0.05, 0.98),
            check_range("cycle_time", self.cycle_time, 0.1, 60.0),
            if longest.is_finite() { check_range("least_cycle_time", least_cycle_time, 0.1, longest) } else { Ok(()) },
            check_range("touch_down_speed", self.touch_down_speed, 0.0, 0.5),
            check_range("step_height", self.step_height.unwrap_or_default(), 0.0, GREATEST_LIFT_M),
            check_range("sway", self.sway, 0.0, 1.0),
            check_range("lag", self.lag, -1.0, 1.0),
            check_range("side_lag", self.side_lag, -1.0, 1.0),
        ];
        let mut faults: Vec<GaitError> = ranges.into_iter().filter_map(Result::err).collect();
        faults.extend(self.auto_pose.fault().map(|(key, why)| GaitError::new(format!("auto_pose.{key}"), why)));
        let known = MIN_LEGS..=MAX_LEGS;
        if let Some(index) = self.legs.iter().position(|count| !known.contains(count)) {
            let message = format!("robots have {MIN_LEGS} to {MAX_LEGS} legs; give such numbers");
            faults.push(GaitError::new(format!("legs[{index}]"), message));
        }
        if !places.is_empty() {
            faults.extend(self.phase_faults(places));
        }
        faults
    }

    fn phase_faults(&self, places: &[LegPlace]) -> Vec<GaitError> {
        let is_known = |name: &str| places.iter().any(|leg| leg.name == name);
        let unknown = self.phase_offsets.keys().filter(|name| !is_known(name)).map(|name| {
            let known: Vec<&str> = places.iter().map(|leg| leg.name.as_str()).collect();
            let message = format!("no leg of this name; the robot has {}", known.join(", "));
            GaitError::new(format!("phase_offsets.{name}"), message)
        });
        let offsets = places.iter().filter_map(|place| phase_offset(self, place, places.len()).err());
        unknown.chain(offsets).collect()
    }
}

/// The phase of a leg in its own cycle when the gait's is zero.
pub(super) fn phase_offset(spec: &GaitSpec, place: &LegPlace, legs: usize) -> Result<f64, GaitError> {
    if spec.phase_offsets.is_empty() {
        let side = if place.left { 0.0 } else { spec.side_lag };
        let lag = match spec.pattern {
            None => spec.lag,
            Some(Pattern::Alternate) => 0.5,
            Some(Pattern::Wave) => 1.0 / legs as f64,
        };
        // At phase 0 the foremost left leg is in the middle of its stance.
        return Ok(wrap_phase(spec.duty_factor / 2.0 + side + lag * place.rank as f64));
    }
    let key = format!("phase_offsets.{}", place.name);
    match spec.phase_offsets.get(&place.name) {
        Some(&offset) => check_range(&key, offset, -1.0, 1.0).map(|()| wrap_phase(offset)),
        None => Err(GaitError::new(key, "this leg has no phase; give every leg one, or use lag and side_lag")),
    }
}

pub(super) fn check_range(key: &str, value: f64, least: f64, greatest: f64) -> Result<(), GaitError> {
    if (least..=greatest).contains(&value) {
        Ok(())
    } else {
        let (taken_for, unit, fraction) = match key {
            "cycle_time" | "least_cycle_time" => ("milliseconds", "s", 1e3),
            "step_height" if value < 20.0 => ("centimetres", "m", 1e2),
            "step_height" | "above" | "below" => ("millimetres", "m", 1e3),
            "touch_down_speed" => ("millimetres/s", "m/s", 1e3),
            _ => ("", "", 1.0),
        };
        let meant = value / fraction;
        let fits = value > greatest && (least..=greatest).contains(&meant);
        let slip = if fits { format!(" {unit}; did you mean {taken_for}: {meant}?") } else { String::new() };
        Err(GaitError::new(key, format!("{value} is out of range; give a number from {least} to {greatest}{slip}")))
    }
}
