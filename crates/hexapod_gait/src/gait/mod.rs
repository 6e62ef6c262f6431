//! Gaits as data: when each leg stands and when it swings.

pub(crate) mod auto_pose;
pub(crate) mod needs;
pub(crate) mod posture;
pub(crate) mod swing;

use crate::gait::auto_pose::AutoPose;
use crate::gait::needs::LiftNeeds;
use crate::gait::swing::SwingProfile;
use crate::plane::reach::STRIDE_PART;
use crate::plane::support::SupportPolygon;
use hexapod_kinematics::{MAX_LEGS, MIN_LEGS};
use nalgebra::Vector2;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A gait as written in `config/gaits.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GaitSpec {
    /// Part of the cycle a leg stands, in (0, 1).
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
    fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { key: key.into(), message: message.into() }
    }
}

impl GaitSpec {
    /// All that does not hold, for legs in `places`; without any, of what does not depend on the legs.
    #[must_use]
    pub fn faults(&self, places: &[LegPlace]) -> Vec<GaitError> {
        let least_cycle_time = self.least_cycle_time.unwrap_or(self.cycle_time);
        // A cycle that does not hold is told for itself.
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

/// A gait for a robot's legs. Leg `i` stands while its phase `frac(phase + offset_i)` is below the duty factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gait {
    duty_factor: f64,
    cycle_time: f64,
    least_cycle_time: f64,
    offsets: [f64; MAX_LEGS],
    lift_offs: [f64; MAX_LEGS],
    swing: SwingProfile,
    drift: f64,
    touch_down_speed: f64,
    step_height: Option<f64>,
    sway: f64,
    sway_reach: f64,
    auto_pose: AutoPose,
    stable: bool,
    needs: Option<LiftNeeds>,
    shortest_cycle: f64,
}

/// The greatest lift of a swinging foot that a gait may ask for, m.
const GREATEST_LIFT_M: f64 = 0.5;

/// Where a leg is in its cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LegPhase {
    /// On the ground, with the part of the stance that is over, in [0, 1).
    Stance(f64),
    /// In the air, with the part of the swing that is over, in [0, 1).
    Swing(f64),
}

impl Gait {
    /// Checks a gait and lays it out for the legs in `places`.
    ///
    /// # Errors
    /// Numbers out of range, unknown or missing legs in `phase_offsets`.
    pub fn try_new(spec: &GaitSpec, places: &[LegPlace]) -> Result<Self, GaitError> {
        if let Some(fault) = spec.faults(places).into_iter().next() {
            return Err(fault);
        }
        let least_cycle_time = spec.least_cycle_time.unwrap_or(spec.cycle_time);
        let mut offsets = [0.0; MAX_LEGS];
        for (offset, place) in offsets.iter_mut().zip(places) {
            *offset = phase_offset(spec, place, places.len())?;
        }
        Ok(Self {
            duty_factor: spec.duty_factor,
            cycle_time: spec.cycle_time,
            least_cycle_time,
            offsets,
            lift_offs: lift_offs(spec.duty_factor, &offsets),
            swing: spec.swing,
            drift: spec.swing.drift(1.0 - spec.duty_factor),
            touch_down_speed: spec.touch_down_speed,
            step_height: spec.step_height,
            sway: spec.sway,
            sway_reach: SWAY_REACH,
            auto_pose: spec.auto_pose,
            stable: spec.stable,
            needs: None,
            shortest_cycle: 0.0,
        })
    }

    /// The gait for a robot some of whose legs are switched off: the others are lifted one by one in this order, each
    /// as quickly as in this gait, and the body leans over those that stay.
    #[must_use]
    pub(crate) fn one_by_one(&self, order: &[usize]) -> Self {
        let count = order.len();
        let mut gait = *self;
        gait.duty_factor = 1.0 - LIFTED_SHARE / count.max(1) as f64;
        gait.drift = gait.swing.drift(gait.swing_part());
        gait.cycle_time = self.swing_time() / gait.swing_part();
        gait.least_cycle_time = gait.cycle_time;
        (gait.sway, gait.sway_reach) = (1.0, WIDE_SWAY);
        for (turn, &leg) in order.iter().enumerate() {
            gait.offsets[leg] = fraction(gait.duty_factor - turn as f64 / count as f64);
        }
        gait.lift_offs = lift_offs(gait.duty_factor, &gait.offsets);
        gait
    }

    /// What it needs of the joints of the robot for which it was made ready.
    pub(crate) fn needs(&self) -> Option<LiftNeeds> {
        self.needs
    }

    pub(crate) fn with_needs(mut self, needs: Option<LiftNeeds>) -> Self {
        self.needs = needs;
        self
    }

    /// The same gait on a robot whose joints cannot do a cycle in less than this, s.
    pub(crate) fn no_quicker_than(mut self, shortest_cycle: f64) -> Self {
        self.shortest_cycle = shortest_cycle;
        self
    }

    /// Seconds the shortest cycle takes.
    #[must_use]
    pub fn least_cycle_time(&self) -> f64 {
        self.least_cycle_time
    }

    /// Whether the robot is meant to stand on its feet at every moment.
    #[must_use]
    pub fn is_stable(&self) -> bool {
        self.stable
    }

    /// Speed at which a foot meets the ground, m/s.
    #[must_use]
    pub fn touch_down_speed(&self) -> f64 {
        self.touch_down_speed
    }

    /// Lift of a swinging foot, m, where the gait has one of its own.
    #[must_use]
    pub fn step_height(&self) -> Option<f64> {
        self.step_height
    }

    /// Part of the feet's reach that a sway may take up; steps have the rest.
    pub(crate) fn sway_reach(&self) -> f64 {
        if self.sway > 0.0 { self.sway_reach } else { 0.0 }
    }

    /// The longest step, in parts of the reach in its direction: a body that sways leaves less for it.
    pub(crate) fn stride(&self) -> f64 {
        2.0 * STRIDE_PART * (1.0 - self.sway_reach())
    }

    /// The shortest and the longest cycle, s: its own, or longer ones where the joints' accelerations ask for it.
    pub(crate) fn cycle_times(&self) -> [f64; 2] {
        let least = self.least_cycle_time.max(self.shortest_cycle);
        [least, self.cycle_time.max(least)]
    }

    /// How far the body leans over the feet that stay, 0 to 1.
    #[must_use]
    pub fn sway(&self) -> f64 {
        self.sway
    }

    /// What the body does by itself over the cycle.
    #[must_use]
    pub fn auto_pose(&self) -> &AutoPose {
        &self.auto_pose
    }

    /// Part of the cycle a leg swings.
    #[must_use]
    pub fn swing_part(&self) -> f64 {
        1.0 - self.duty_factor
    }

    /// The phase of leg `leg` in its own cycle when the gait's is zero.
    pub(crate) fn offset(&self, leg: usize) -> f64 {
        self.offsets.get(leg).copied().unwrap_or(0.0)
    }

    /// Part of the cycle a leg stands.
    #[must_use]
    pub fn duty_factor(&self) -> f64 {
        self.duty_factor
    }

    /// Seconds a whole cycle takes.
    #[must_use]
    pub fn cycle_time(&self) -> f64 {
        self.cycle_time
    }

    /// Seconds a leg stands in each cycle.
    #[must_use]
    pub fn stance_time(&self) -> f64 {
        self.duty_factor * self.cycle_time
    }

    /// Seconds a leg swings in each cycle.
    #[must_use]
    pub fn swing_time(&self) -> f64 {
        self.cycle_time - self.stance_time()
    }

    /// Shape of the swing.
    #[must_use]
    pub fn swing(&self) -> SwingProfile {
        self.swing
    }

    /// How long the ground takes for the way that a foot still goes back with it after it has been lifted, in cycles.
    pub(crate) fn drift(&self) -> f64 {
        self.drift
    }

    /// Where leg `leg` is in its cycle at `phase` in [0, 1].
    #[must_use]
    pub fn leg_phase(&self, leg: usize, phase: f64) -> LegPhase {
        let own = fraction(phase + self.offsets[leg]);
        if own < self.duty_factor {
            LegPhase::Stance(own / self.duty_factor)
        } else {
            LegPhase::Swing((own - self.duty_factor) / (1.0 - self.duty_factor))
        }
    }

    /// The least margin by which `centre` lies inside the hull of the standing feet, over the whole cycle, with the
    /// feet at `rest` (m); minus infinity when fewer than three feet stand at some moment.
    #[must_use]
    pub fn least_margin(&self, rest: &[Vector2<f64>], centre: Vector2<f64>) -> f64 {
        let ends = (0..rest.len()).flat_map(|leg| [self.lift_off_phase(leg), fraction(-self.offsets[leg])]);
        // Who stands changes at these phases only: just after each is enough.
        let standing = |phase: f64| {
            let stands = move |leg: &usize| matches!(self.leg_phase(*leg, phase), LegPhase::Stance(_));
            SupportPolygon::new((0..rest.len()).filter(stands).map(|leg| rest[leg]))
        };
        ends.map(|phase| standing(fraction(phase + 1e-6)).margin(centre)).fold(f64::INFINITY, f64::min)
    }

    /// The phase at which leg `leg` lifts off.
    #[must_use]
    pub fn lift_off_phase(&self, leg: usize) -> f64 {
        self.lift_offs.get(leg).copied().unwrap_or(0.0)
    }
}

/// Part of the feet's reach for a sway, and for one that has to do without a leg.
const SWAY_REACH: f64 = 0.45;
const WIDE_SWAY: f64 = 0.65;
/// Part of the time some leg is in the air where legs are lifted one by one; the rest is for leaning over.
const LIFTED_SHARE: f64 = 0.7;

fn lift_offs(duty_factor: f64, offsets: &[f64; MAX_LEGS]) -> [f64; MAX_LEGS] {
    offsets.map(|offset| fraction(duty_factor - offset))
}

/// The part after the point, in [0, 1).
pub(crate) fn fraction(x: f64) -> f64 {
    // Mostly a difference of two such parts, for which no rounding is called.
    let part = if (0.0..1.0).contains(&x) {
        x
    } else if (-1.0..0.0).contains(&x) {
        x + 1.0
    } else {
        x - x.floor()
    };
    if part < 1.0 { part } else { 0.0 }
}

fn phase_offset(spec: &GaitSpec, place: &LegPlace, legs: usize) -> Result<f64, GaitError> {
    if spec.phase_offsets.is_empty() {
        let side = if place.left { 0.0 } else { spec.side_lag };
        let lag = match spec.pattern {
            None => spec.lag,
            Some(Pattern::Alternate) => 0.5,
            Some(Pattern::Wave) => 1.0 / legs as f64,
        };
        // At phase 0 the foremost left leg is in the middle of its stance.
        return Ok(fraction(spec.duty_factor / 2.0 + side + lag * place.rank as f64));
    }
    let key = format!("phase_offsets.{}", place.name);
    match spec.phase_offsets.get(&place.name) {
        Some(&offset) => check_range(&key, offset, -1.0, 1.0).map(|()| fraction(offset)),
        None => Err(GaitError::new(key, "this leg has no phase; give every leg one, or use lag and side_lag")),
    }
}

fn check_range(key: &str, value: f64, least: f64, greatest: f64) -> Result<(), GaitError> {
    if (least..=greatest).contains(&value) {
        Ok(())
    } else {
        let (taken_for, unit, part) = match key {
            "cycle_time" | "least_cycle_time" => ("milliseconds", "s", 1e3),
            "step_height" if value < 20.0 => ("centimetres", "m", 1e2),
            "step_height" => ("millimetres", "m", 1e3),
            "touch_down_speed" => ("millimetres/s", "m/s", 1e3),
            _ => ("", "", 1.0),
        };
        let meant = value / part;
        let fits = value > greatest && (least..=greatest).contains(&meant);
        let slip = if fits { format!(" {unit}; did you mean {taken_for}: {meant}?") } else { String::new() };
        Err(GaitError::new(key, format!("{value} is out of range; give a number from {least} to {greatest}{slip}")))
    }
}
