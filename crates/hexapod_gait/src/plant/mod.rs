//! The robot as the engine controls it: all that never changes once an engine has been made.

pub(crate) mod apart;
pub(crate) mod batch_ik;
pub(crate) mod joints;
pub(crate) mod mass;
pub(crate) mod nominal;
pub(crate) mod packed;
pub(crate) mod resting;
pub(crate) mod settings;
pub(crate) mod sizing;
pub(crate) mod stance;
pub(crate) mod usable;

use crate::gait::posture::MinimumJerk;
use crate::gait::rough::RoughLevels;
use crate::plant::apart::Apart;
use crate::plant::batch_ik::BatchIk;
use crate::plant::joints::{JointBound, USUAL_RAD_S2, foot_speed, turn_time};
use crate::plant::mass::Masses;
use crate::plant::settings::Settings;
use crate::plant::settings::StanceSpec;
use crate::plant::stance::{Stance, StanceError};
use hexapod_kinematics::{IterationBudget, Leg, LegAngles, MAX_LEGS, Robot, Vectors};
use nalgebra::{Isometry3, Vector2, Vector3};
use std::sync::Arc;

/// A robot, its stance, and what has been worked out from both.
#[derive(Clone, Debug)]
pub(crate) struct Plant {
    pub robot: Arc<Robot>,
    /// How many times as large as this one the robot is that is described.
    pub size: f64,
    pub stance: Stance,
    pub masses: Masses,
    /// What keeps the legs from each other and from the body.
    pub apart: Apart,
    /// Those of the processor.
    pub vectors: Vectors,
    /// All legs solved at once, if their geometry allows.
    pub batch_ik: Option<BatchIk>,
    /// What the joints can do, where their accelerations are limited.
    pub joints: Option<JointBound>,
    /// The joints' greatest velocities, and how many joints a leg has at most.
    pub greatest_rad_s: [LegAngles; MAX_LEGS],
    /// Their greatest accelerations, or what stands for those.
    pub greatest_rad_s2: [LegAngles; MAX_LEGS],
    pub most_joints: usize,
    /// Where the joints are when the robot sits with its feet at rest: bent as walking bends them.
    pub sitting: [LegAngles; MAX_LEGS],
    /// Legs that are switched off, one bit each.
    pub missing: u32,
    /// Where the joints are when the legs are folded.
    pub packed: Option<[LegAngles; MAX_LEGS]>,
    /// Distance of the farthest resting foot from the body's centre, m.
    pub farthest_rest: f64,
    /// How fast a foot may be held elsewhere than on its path, m/s, which leaves the joints their speed for the path.
    pub give_m_s: f64,
    /// How far the centre of mass goes with a foot that is carried, in parts of the foot's way.
    pub carried_fraction: f64,
    /// Distance of the centre of mass from the body's centre, m, wherever in its reach each foot is.
    pub farthest_centre: f64,
    /// Seconds that standing up and sitting down take.
    pub stand_time: f64,
    pub sit_time: f64,
    /// How much higher feet are lifted on rough ground.
    pub rough: RoughLevels,
}

/// How far a leg that is switched off is held above the ground, m.
const CLEAR_M: f64 = 0.01;
/// Fraction of the way down to where the robot sits that the body may be lower than it stands while the robot walks.
const LOWEST_WALKING: f64 = 2.0 / 3.0;
/// Fraction of the speed of feet at rest for what they give.
const GIVE_SHARE: f64 = 0.15;
/// Seconds each stage of placing a leg takes.
pub(crate) const STAGE_TIME_S: f64 = 0.25;

/// How far each foot is carried to see how far the centre of mass goes with it, m.
const CARRIED_M: f64 = 0.01;

/// How far the centre of mass goes with a foot that is carried ahead or aside from its place, in parts of the foot's way.
fn carried_fraction(masses: &Masses, robot: &Robot, stance: &Stance, sitting: &[LegAngles; MAX_LEGS]) -> f64 {
    let centre = masses.centre(sitting);
    let low = -stance.own_spec().sit_height;
    let mut greatest = 0.0f64;
    for (index, (leg, rest)) in robot.legs().iter().zip(stance.rest()).enumerate() {
        for way in [Vector2::x(), Vector2::y(), -Vector2::x(), -Vector2::y()] {
            let foot = (rest + CARRIED_M * way).push(low);
            let Some(angles) = stance.inverse(index, leg, &foot, &sitting[index]) else { continue };
            let mut carried = *sitting;
            carried[index] = angles;
            greatest = greatest.max((masses.centre(&carried) - centre).xy().norm() / CARRIED_M);
        }
    }
    greatest
}

impl Plant {
    pub(crate) fn new(robot: Arc<Robot>, settings: &Settings, stance: Stance) -> Self {
        let (apart, stance) = Apart::of(&robot, stance, settings.leg_clearance);
        let mut greatest_rad_s = [LegAngles::zeros(0); MAX_LEGS];
        for (greatest, leg) in greatest_rad_s.iter_mut().zip(robot.legs()) {
            *greatest = LegAngles::from_fn(leg.joint_count(), |joint| leg.joints()[joint].limits().velocity);
        }
        let mut greatest_rad_s2 = greatest_rad_s;
        for (greatest, leg) in greatest_rad_s2.iter_mut().zip(robot.legs()) {
            let of = |joint: usize| leg.joints()[joint].limits().acceleration.unwrap_or(USUAL_RAD_S2);
            *greatest = LegAngles::from_fn(leg.joint_count(), of);
        }
        let mut sitting = [LegAngles::zeros(0); MAX_LEGS];
        for (index, (angles, leg)) in sitting.iter_mut().zip(robot.legs()).enumerate() {
            let seed = leg.posture();
            let rest = stance.rest()[index].push(-stance.own_spec().sit_height);
            // `Stance::new` has made sure that every foot rests within reach at this height.
            *angles = stance.inverse(index, leg, &rest, &seed).unwrap_or(seed);
        }
        let masses = Masses::of(&robot);
        let carried_fraction = carried_fraction(&masses, &robot, &stance, &sitting);
        let reach = carried_fraction * stance.reach().axes().max() * robot.legs().len() as f64;
        Self {
            farthest_centre: masses.centre(&sitting).xy().norm() + reach,
            carried_fraction,
            masses,
            vectors: Vectors::of_this_processor(),
            most_joints: robot.legs().iter().map(Leg::joint_count).max().unwrap_or(0),
            batch_ik: BatchIk::of(&robot, &stance, &apart),
            apart,
            joints: JointBound::of(&robot, &stance),
            farthest_rest: stance.rest().iter().map(|rest| rest.norm()).fold(0.0, f64::max),
            give_m_s: GIVE_SHARE * foot_speed(&robot, &stance),
            greatest_rad_s,
            greatest_rad_s2,
            sitting,
            missing: 0,
            packed: None,
            stand_time: settings.stand_time,
            sit_time: settings.sit_time,
            rough: RoughLevels::default(),
            robot,
            size: 1.0,
            stance,
        }
    }

    /// Switches a leg off by name; which one it is.
    pub(crate) fn switch_off(&mut self, name: &str) -> Result<usize, StanceError> {
        let known = self.robot.leg_index(name);
        let index = known.ok_or_else(|| StanceError::NoLeg(name.into()))?;
        self.missing |= 1 << index;
        Ok(index)
    }

    /// Where the joints of a leg that is switched off are held.
    pub(crate) fn held_up(&self, index: usize) -> LegAngles {
        let rest = self.stance.rest()[index];
        let StanceSpec { height, sit_height, step_height, .. } = self.stance.own_spec();
        // Clear of the ground, also when the robot sits.
        let z = (step_height - height).max(CLEAR_M - sit_height);
        let (leg, seed) = (&self.robot.legs()[index], self.sitting[index]);
        self.stance.inverse(index, leg, &Vector3::new(rest.x, rest.y, z), &seed).unwrap_or(seed)
    }

    pub(crate) fn legs(&self) -> &[Leg] {
        self.robot.legs()
    }

    /// The angles with which walking reaches a foot in the body frame, nearest to `seed`.
    pub(crate) fn inverse(
        &self,
        leg: usize,
        foot_in_body: &Vector3<f64>,
        seed: &LegAngles,
        budget: &mut IterationBudget,
    ) -> Option<LegAngles> {
        self.inverse_within(leg, foot_in_body, seed, 0.0, budget)
    }

    /// The same `seconds` later: time in which a redundant leg turns towards its posture, too.
    pub(crate) fn inverse_within(
        &self,
        leg: usize,
        foot_in_body: &Vector3<f64>,
        seed: &LegAngles,
        seconds: f64,
        budget: &mut IterationBudget,
    ) -> Option<LegAngles> {
        self.stance.inverse_tracking((leg, self.legs().get(leg)?), foot_in_body, seed, seconds, budget)
    }

    /// Distance (m) of the centre of mass from the edge of the hull of all feet that are not switched off, each at rest.
    pub(crate) fn standing_margin(&self) -> f64 {
        let feet = self.stance.rest().iter().enumerate().filter(|(leg, _)| self.stands(*leg)).map(|(_, rest)| *rest);
        self.masses.margin(&self.standing(), feet, &Isometry3::identity())
    }

    /// The leg of which a joint lies lowest below the ground while the robot stands and lifts its feet, if one does, and how far
    /// below, m.
    pub(crate) fn lowest_knee(&self) -> Option<(usize, f64)> {
        let StanceSpec { height, step_height, .. } = self.stance.own_spec();
        let standing = self.standing();
        let below = |leg: usize| {
            let rest = self.stance.rest()[leg].push(step_height - height);
            let lifted = self.stance.inverse(leg, &self.legs()[leg], &rest, &standing[leg]).unwrap_or(standing[leg]);
            let lowest = |angles: &LegAngles| self.legs()[leg].bends(angles).map(|joint| joint.z).fold(0.0, f64::min);
            -height - lowest(&lifted).min(lowest(&standing[leg]))
        };
        let below = (0..self.legs().len()).filter(|leg| self.stands(*leg)).map(|leg| (leg, below(leg)));
        below.filter(|(_, below)| *below > 0.0).max_by(|(_, one), (_, other)| one.total_cmp(other))
    }

    /// The angles with which the robot stands, each foot at rest; legs that are switched off are held up.
    fn standing(&self) -> [LegAngles; MAX_LEGS] {
        let height = self.stance.own_spec().height;
        let mut angles = self.sitting;
        for (index, (leg, rest)) in self.legs().iter().zip(self.stance.rest()).enumerate() {
            angles[index] = if self.stands(index) {
                self.stance.inverse(index, leg, &rest.push(-height), &angles[index]).unwrap_or(angles[index])
            } else {
                self.held_up(index)
            };
        }
        angles
    }

    fn stands(&self, leg: usize) -> bool {
        self.missing & (1 << leg) == 0
    }

    /// From one height of the body to another, in as many seconds, or as many more as the joints' accelerations ask for.
    pub(crate) fn height_profile(&self, from: f64, to: f64, seconds: f64) -> MinimumJerk {
        let least = self.joints.as_ref().map_or(0.0, |joints| joints.minimum_jerk_time(to - from));
        MinimumJerk::new(from, to, seconds.max(least))
    }

    /// From some angles of a leg's joints to others, a stage of bringing the leg to its place.
    pub(crate) fn leg_profile(&self, leg: usize, from: &LegAngles, to: &LegAngles) -> MinimumJerk {
        let turning = self.legs().get(leg).map_or(0.0, |leg| turn_time(leg, from, to));
        MinimumJerk::new(0.0, 1.0, turning.max(STAGE_TIME_S))
    }

    /// The longest time, s, that a leg's joints take to the sitting pose, or `least` if that is longer.
    pub(crate) fn time_to_sitting(&self, angles: &[LegAngles; MAX_LEGS], least: f64) -> f64 {
        let legs = self.legs().iter().zip(angles.iter().zip(&self.sitting));
        legs.map(|(leg, (from, to))| turn_time(leg, from, to)).fold(least, f64::max)
    }

    /// How fast the body's motion over its feet may change, m/s^2.
    #[inline]
    pub(crate) fn shift_m_s2(&self) -> f64 {
        self.joints.as_ref().map_or(f64::INFINITY, |joints| joints.shift_m_s2())
    }

    /// How far the nominal stance of a body that is so much higher is raised: not at all where joints' accelerations are
    /// limited, which have been measured with the feet where they rest in the stance.
    #[inline]
    pub(crate) fn raised_with(&self, z: f64) -> f64 {
        if self.draws_in() { z } else { 0.0 }
    }

    /// How far below its own height the body of a robot that walks goes at most, m, as an offset: legs give under load, the
    /// more the lower the body, and the ground is not even.
    pub(crate) fn lowest_walking(&self) -> f64 {
        let StanceSpec { height, sit_height, .. } = self.stance.own_spec();
        -LOWEST_WALKING * (height - sit_height)
    }

    /// Whether feet rest elsewhere at other heights.
    #[inline]
    pub(crate) fn draws_in(&self) -> bool {
        self.joints.is_none()
    }

    /// The centre of mass over the ground, footprint frame.
    pub(crate) fn centre(&self, angles: &[LegAngles; MAX_LEGS], footprint_from_body: &Isometry3<f64>) -> Vector2<f64> {
        footprint_from_body.transform_point(&self.masses.centre(angles).into()).coords.xy()
    }
}
