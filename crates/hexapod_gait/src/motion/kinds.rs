//! Motions: for a time inside its cycle each gives a target for all legs.

use super::stepping::{Stepping, Steps};
use super::track::{Blend, Track};
use crate::gait::LegPlace;
use crate::gait::posture::BodyOffset;
use crate::plane::size::Enlarged;
use crate::plane::twist::Twist;
use crate::state::pose::{Home, Pose, Target};
use hexapod_kinematics::{LegAngles, MAX_LEG_JOINTS, MAX_LEGS};
use nalgebra::{Vector2, Vector3};

/// A motion of all legs, once or in cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    course: Course,
    cycle_time: f64,
    total_time: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
enum Course {
    /// Body and feet through keys; for each way between two which feet stay on the ground.
    Feet { track: Track, planted: Vec<[bool; MAX_LEGS]>, count: usize },
    /// Joint angles through keys.
    Joints { track: Track, counts: [usize; MAX_LEGS] },
    /// Steps of all legs at a constant twist.
    Steps(Stepping),
}

/// Why a motion is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MotionError {
    /// A number is not finite, or a time not above zero.
    #[error("{what} is {value}; give {right}")]
    Number {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What would be right.
        right: &'static str,
    },
    /// There is nothing to play.
    #[error("a motion needs at least one key, and two when it is played once")]
    Keys,
    /// A foot is pulled over the ground.
    #[error("between keys {from} and {to} foot {leg} would be dragged over the ground; lift it (z above 0) on its way", to = from + 1)]
    Drag {
        /// Index of the leg.
        leg: usize,
        /// Index of the key it starts from.
        from: usize,
    },
    /// A foot is put under the ground.
    #[error("at key {key} foot {leg} is {depth} m under the ground; give a z of 0 or above")]
    Underground {
        /// Index of the leg.
        leg: usize,
        /// Index of the key.
        key: usize,
        /// How deep, m.
        depth: f64,
    },
}

/// Body and feet of a key: x, y, z and rotation vector of the body's offset, then x, y, z of each foot.
fn row_of(pose: &Pose, count: usize) -> Vec<f64> {
    let body = pose.offset.translation.iter().chain(pose.offset.rotation.iter());
    body.chain(pose.feet[..count].iter().flatten()).copied().collect()
}

impl Motion {
    /// Feet move straight, at constant speed, from one pose to another in `time` seconds.
    ///
    /// # Errors
    /// The time is not above zero, a foot would be dragged over the ground.
    pub fn pose_transition(count: usize, from: &Pose, to: &Pose, time: f64) -> Result<Self, MotionError> {
        Self::feet(count, &[(0.0, *from), (time, *to)], Blend::Linear, None)
    }

    /// Joints turn at constant speed from one posture to another in `time` seconds.
    ///
    /// # Errors
    /// The time is not above zero.
    pub fn angle_transition(
        from: &[LegAngles; MAX_LEGS],
        to: &[LegAngles; MAX_LEGS],
        time: f64,
    ) -> Result<Self, MotionError> {
        Self::joints(&[(0.0, *from), (time, *to)], Blend::Linear, None)
    }

    /// Body and feet through keys (time, pose). Played once it runs from the first key to the last, whose times rise
    /// from zero; with a total time it is repeated, and the first key's time is how long the way back to it takes.
    /// Feet at z = 0 are on the ground.
    ///
    /// # Errors
    /// Times that do not rise, feet below the ground or dragged over it.
    pub fn feet(
        count: usize,
        keys: &[(f64, Pose)],
        blend: Blend,
        total_time: Option<f64>,
    ) -> Result<Self, MotionError> {
        let rows: Vec<Vec<f64>> = keys.iter().map(|(_, pose)| row_of(pose, count)).collect();
        let times: Vec<f64> = keys.iter().map(|&(time, _)| time).collect();
        for (key, (_, pose)) in keys.iter().enumerate() {
            if let Some(leg) = (0..count).find(|&leg| pose.feet[leg].z < 0.0) {
                return Err(MotionError::Underground { leg, key, depth: -pose.feet[leg].z });
            }
        }
        let track = track(times, rows, blend, total_time)?;
        let mut planted = vec![[false; MAX_LEGS]; track.segments()];
        for (segment, planted) in planted.iter_mut().enumerate() {
            for (leg, planted) in planted.iter_mut().enumerate().take(count) {
                let foot = |key: usize| Vector3::from_column_slice(&track.row(key)[6 + 3 * leg..9 + 3 * leg]);
                let (from, to) = (foot(segment), foot(segment + 1));
                if from.z == 0.0 && to.z == 0.0 && from != to {
                    return Err(MotionError::Drag { leg, from: segment });
                }
                *planted = from.z == 0.0 && from == to;
            }
        }
        Ok(Self { cycle_time: track.end(), course: Course::Feet { track, planted, count }, total_time })
    }

    /// Joint angles through keys (time, angles), with times as in [`Self::feet`].
    ///
    /// # Errors
    /// Times that do not rise, numbers that are not finite.
    pub fn joints(
        keys: &[(f64, [LegAngles; MAX_LEGS])],
        blend: Blend,
        total_time: Option<f64>,
    ) -> Result<Self, MotionError> {
        let rows: Vec<Vec<f64>> =
            keys.iter().map(|(_, legs)| legs.iter().flat_map(|leg| leg.iter().copied()).collect()).collect();
        let counts = keys.first().ok_or(MotionError::Keys)?.1.map(|leg| leg.len());
        let track = track(keys.iter().map(|&(time, _)| time).collect(), rows, blend, total_time)?;
        Ok(Self { cycle_time: track.end(), course: Course::Joints { track, counts }, total_time })
    }

    /// Walks straight: a tripod of half-sine steps about the resting feet of `home` at a constant velocity (m/s).
    ///
    /// # Errors
    /// A number out of range.
    pub fn linear_walk(
        home: &Home,
        places: &[LegPlace],
        velocity: Vector2<f64>,
        steps: Steps,
        total_time: f64,
    ) -> Result<Self, MotionError> {
        Self::steps(home, places, Twist::new(velocity.x, velocity.y, 0.0), steps, total_time)
    }

    /// Turns about the body's centre at a constant angular velocity (rad/s), else as [`Self::linear_walk`].
    ///
    /// # Errors
    /// A number out of range.
    pub fn rotary_walk(
        home: &Home,
        places: &[LegPlace],
        angular_velocity: f64,
        steps: Steps,
        total_time: f64,
    ) -> Result<Self, MotionError> {
        Self::steps(home, places, Twist::new(0.0, 0.0, angular_velocity), steps, total_time)
    }

    fn steps(
        home: &Home,
        places: &[LegPlace],
        twist: Twist,
        steps: Steps,
        total_time: f64,
    ) -> Result<Self, MotionError> {
        let speed = twist.speed() + twist.wz.abs();
        check("velocity", speed, speed.is_finite(), "a finite number")?;
        check("total_time", total_time, total_time.is_finite(), "seconds, below zero for ever")?;
        check("step_height", steps.height, steps.height > 0.0 && steps.height.is_finite(), "metres above 0")?;
        let cycle_time = steps.cycle_time;
        check("cycle_time", cycle_time, (0.1..=60.0).contains(&cycle_time), "seconds from 0.1 to 60")?;
        let course = Course::Steps(Stepping::new(home, places, twist, steps));
        Ok(Self { course, cycle_time, total_time: Some(total_time) })
    }

    /// Seconds of one cycle, or of the whole motion when it is played once.
    #[must_use]
    pub fn cycle_time(&self) -> f64 {
        self.cycle_time
    }

    /// Seconds after which a cyclic motion ends with the cycle it is in; below zero: never. `None` when it is played
    /// once.
    #[must_use]
    pub fn total_time(&self) -> Option<f64> {
        self.total_time
    }

    /// The velocity at which the body leaves the ground behind it.
    #[must_use]
    pub fn twist(&self) -> Twist {
        if let Course::Steps(stepping) = &self.course { stepping.twist() } else { Twist::ZERO }
    }

    /// Whether the joints are what it gives, and not the feet.
    #[must_use]
    pub fn is_joint_motion(&self) -> bool {
        matches!(self.course, Course::Joints { .. })
    }

    /// Times after `from` and before `to` at which the way may turn.
    pub(super) fn turns_between(&self, from: f64, to: f64) -> &[f64] {
        match &self.course {
            Course::Feet { track, .. } | Course::Joints { track, .. } => track.keys_between(from, to),
            Course::Steps(_) => &[],
        }
    }

    /// The same for a robot whose `home` is that of one `1 / times` as large: feet that rest there do so to the bit.
    pub(crate) fn target_of(&self, time: f64, home: &Home, times: f64) -> Target {
        let target = self.target(time);
        if times == 1.0 {
            return target;
        }
        let mut target = target.enlarged(times);
        if let Target::Feet(pose) = &mut target {
            for (foot, home) in pose.feet.iter_mut().zip(&home.pose.feet) {
                *foot = if (*foot - home).norm() < SAME_M { *home } else { *foot };
            }
        }
        target
    }

    /// Where all legs are wanted `time` seconds into the cycle, which is brought within it.
    #[must_use]
    pub fn target(&self, time: f64) -> Target {
        match &self.course {
            Course::Feet { track, planted, count } => Target::Feet(feet_at(track, planted, *count, time)),
            Course::Joints { track, counts } => Target::Joints(joints_at(track, counts, time)),
            Course::Steps(stepping) => Target::Feet(stepping.pose(time / self.cycle_time)),
        }
    }
}

fn feet_at(track: &Track, planted: &[[bool; MAX_LEGS]], count: usize, time: f64) -> Pose {
    let mut row = [0.0; 6 + 3 * MAX_LEGS];
    track.at(time, &mut row);
    let number = |at: usize| row.get(at).copied().unwrap_or_default();
    let vector = |at: usize| Vector3::new(number(at), number(at + 1), number(at + 2));
    let mut feet = [Vector3::zeros(); MAX_LEGS];
    for (leg, foot) in feet.iter_mut().enumerate().take(count) {
        *foot = vector(6 + 3 * leg);
    }
    let mut planted = planted.get(track.segment(time)).copied().unwrap_or_default();
    if time >= track.end() {
        // What comes down on the last key stands.
        planted.iter_mut().zip(feet.iter().take(count)).for_each(|(planted, foot)| *planted = foot.z == 0.0);
    }
    Pose { offset: BodyOffset { translation: vector(0), rotation: vector(3) }, feet, planted }
}

fn joints_at(track: &Track, counts: &[usize; MAX_LEGS], time: f64) -> [LegAngles; MAX_LEGS] {
    let mut row = [0.0; MAX_LEGS * MAX_LEG_JOINTS];
    track.at(time, &mut row);
    let mut from = 0;
    counts.map(|count| {
        let angles = LegAngles::from_fn(count, |joint| row.get(from + joint).copied().unwrap_or_default());
        from += count;
        angles
    })
}

/// Checks the keys, and closes a track that is repeated with its first row.
fn track(
    mut times: Vec<f64>,
    mut rows: Vec<Vec<f64>>,
    blend: Blend,
    total_time: Option<f64>,
) -> Result<Track, MotionError> {
    let first = *times.first().ok_or(MotionError::Keys)?;
    if let Some(value) = rows.iter().flatten().find(|value| !value.is_finite()) {
        return Err(MotionError::Number { what: "a key", value: *value, right: "finite numbers" });
    }
    let total = total_time.unwrap_or(0.0);
    check("total_time", total, total.is_finite(), "seconds, below zero for ever")?;
    if total_time.is_some() {
        // The times of the other keys count from the first.
        times[0] = 0.0;
        times.push(times.last().copied().unwrap_or_default() + first);
        rows.push(rows[0].clone());
    } else if times.len() < 2 {
        return Err(MotionError::Keys);
    } else {
        check("the first time", first, first == 0.0, "0, when a transition leads to the first key")?;
    }
    for pair in times.windows(2) {
        let step = pair[1] - pair[0];
        check("the time from key to key", step, step.is_finite() && step >= LEAST_STEP_S, "0.001 s or more")?;
    }
    Ok(Track::new(times, &rows, blend, total_time.is_some()))
}

/// Places nearer to each other than this are one but for rounding, m.
const SAME_M: f64 = 1e-9;
/// Keys closer than this are one.
const LEAST_STEP_S: f64 = 1e-3;

fn check(what: &'static str, value: f64, fine: bool, right: &'static str) -> Result<(), MotionError> {
    if fine { Ok(()) } else { Err(MotionError::Number { what, value, right }) }
}
