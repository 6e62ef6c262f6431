//! A motion as it is written, laid out for a robot's legs.

use super::kinds::{Motion, MotionError};
use super::spec::{MotionSpec, SpecError};
use super::stepping::Steps;
use crate::gait::LegPlace;
use crate::gait::sides::leg_places;
use crate::state::pose::{Home, Pose};
use hexapod_kinematics::{LegAngles, MAX_LEGS, Robot};
use nalgebra::{UnitQuaternion, Vector2};

impl MotionSpec {
    /// Lays the motion out for a robot's legs about its standing pose.
    ///
    /// # Errors
    /// The key that does not hold, and what would be right.
    pub fn build(&self, robot: &Robot, home: &Home) -> Result<Motion, SpecError> {
        let places = leg_places(robot);
        match (self.frames.is_empty(), &self.walk, &self.turn) {
            (false, None, None) => self.build_frames(robot, home, &places),
            (true, Some(walk), None) => {
                let velocity = Vector2::new(walk.x, walk.y);
                let steps = Steps { height: walk.step_height, cycle_time: walk.cycle_time, swing: walk.swing };
                Motion::linear_walk(home, &places, velocity, steps, self.repeated()?).map_err(|e| named(&e, "walk"))
            }
            (true, None, Some(turn)) => {
                let steps = Steps { height: turn.step_height, cycle_time: turn.cycle_time, swing: turn.swing };
                Motion::rotary_walk(home, &places, turn.angular_velocity, steps, self.repeated()?)
                    .map_err(|e| named(&e, "turn"))
            }
            (true, None, None) => {
                let help = "give `frames: [...]`, `walk: {...}` or `turn: {...}`";
                Err(SpecError::new("", "the motion is empty", help))
            }
            (no_frames, walk, turn) => {
                let given = [("frames", !no_frames), ("walk", walk.is_some()), ("turn", turn.is_some())];
                let given: Vec<&str> = given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect();
                let message = format!("`{}` are both given; a motion is made of one of them", given.join("` and `"));
                let help = "remove one; one of a motion that is shipped is removed by giving it nothing, as in `walk: null`; or \
                            give yours a name of its own";
                Err(SpecError::new("", message, help))
            }
        }
    }

    fn repeated(&self) -> Result<f64, SpecError> {
        let help = "give the seconds it walks, or a number below 0 for ever";
        self.total_time.ok_or_else(|| SpecError::new("", "`total_time` is missing", help))
    }

    fn build_frames(&self, robot: &Robot, home: &Home, places: &[LegPlace]) -> Result<Motion, SpecError> {
        let times = self.times()?;
        let of_joints = self.frames.iter().any(|frame| !frame.joints.is_empty());
        if let Some(index) = self.frames.iter().position(|frame| of_joints && !frame.is_of_joints_only()) {
            let message = "a motion moves either `body` and `feet` or `joints`, not both";
            return Err(SpecError::new(format!("frames[{index}]"), message, "split it into two motions"));
        }
        let motion = if of_joints {
            let keys = self.joint_keys(robot, home, &times)?;
            Motion::joints(&keys, self.blend, self.total_time)
        } else {
            let keys = self.foot_keys(home, places, &times)?;
            Motion::feet(places.len(), &keys, self.blend, self.total_time)
        };
        motion.map_err(|error| self.located(&error, places))
    }

    /// The time of each frame; that of the first is the way back to it.
    fn times(&self) -> Result<Vec<f64>, SpecError> {
        let key = |index: usize| format!("frames[{index}].time");
        let mut times = vec![];
        let mut now = 0.0;
        for (index, frame) in self.frames.iter().enumerate() {
            let step = match (index, self.total_time, frame.time) {
                (0, None, None) => 0.0,
                (0, None, Some(_)) => {
                    let help = "leave it out: the transition from standing to the first frame is added automatically";
                    return Err(SpecError::new(
                        key(0),
                        "the first frame of a motion that is played once has no time",
                        help,
                    ));
                }
                (_, _, Some(step)) => step,
                (0, Some(_), None) => {
                    let help = "give the seconds from the last frame back to the first";
                    return Err(SpecError::new("frames[0]", "`time` is missing in a repeated motion", help));
                }
                (_, _, None) => {
                    let help = "give the seconds from the frame before";
                    return Err(SpecError::new(format!("frames[{index}]"), "`time` is missing", help));
                }
            };
            let is_start = index == 0 && self.total_time.is_none();
            if !is_start && !(0.01..=60.0).contains(&step) {
                return Err(SpecError::new(
                    key(index),
                    format!("{step} is out of range"),
                    if step > 60.0 {
                        format!("give seconds from 0.01 to 60; did you mean milliseconds: {}?", step / 1e3)
                    } else {
                        "give seconds from 0.01 to 60".into()
                    },
                ));
            }
            now += if index == 0 { 0.0 } else { step };
            times.push(if index == 0 { step } else { now });
        }
        Ok(times)
    }

    fn foot_keys(&self, home: &Home, places: &[LegPlace], times: &[f64]) -> Result<Vec<(f64, Pose)>, SpecError> {
        let mut body = [0.0; 6];
        let mut pose = home.pose;
        let mut keys = vec![];
        for ((index, frame), &time) in self.frames.iter().enumerate().zip(times) {
            frame.body.write(&mut body);
            let [x, y, z, roll, pitch, yaw] = body;
            pose.offset.translation = nalgebra::Vector3::new(x, y, z);
            pose.offset.rotation = UnitQuaternion::from_euler_angles(roll, pitch, yaw).scaled_axis();
            for (name, foot) in &frame.feet {
                let legs = legs_named(name, places).ok_or_else(|| {
                    let help = format!(
                        "the legs are {}; or name places, as front, middle_left, right or all",
                        places.iter().map(|place| place.name.as_str()).collect::<Vec<_>>().join(", ")
                    );
                    SpecError::new(format!("frames[{index}].feet.{name}"), format!("no leg is called `{name}`"), help)
                })?;
                for leg in legs {
                    let rest = home.pose.feet[leg];
                    let at = &mut pose.feet[leg];
                    at.x = foot.x.map_or(at.x, |x| rest.x + x);
                    at.y = foot.y.map_or(at.y, |y| rest.y + y);
                    at.z = foot.z.map_or(at.z, |z| rest.z + z);
                    pose.planted[leg] = at.z == 0.0;
                }
            }
            keys.push((time, pose));
        }
        Ok(keys)
    }

    fn joint_keys(
        &self,
        robot: &Robot,
        home: &Home,
        times: &[f64],
    ) -> Result<Vec<(f64, [LegAngles; MAX_LEGS])>, SpecError> {
        let mut angles = home.angles;
        let mut keys = vec![];
        for ((index, frame), &time) in self.frames.iter().enumerate().zip(times) {
            for (name, &angle) in &frame.joints {
                let key = format!("frames[{index}].joints.{name}");
                let Some((leg, joint)) = robot.joint_place(name) else {
                    let reason = format!("no joint of a leg is called `{name}`");
                    return Err(SpecError::new(key, reason, joints_like(robot, name)));
                };
                let limits = robot.legs()[leg].joints()[joint].limits();
                if !limits.contain(angle) {
                    let help = format!("give an angle from {:.3} to {:.3} rad", limits.lower, limits.upper);
                    return Err(SpecError::new(key, format!("{angle} is beyond the joint's limits"), help));
                }
                angles[leg][joint] = angle;
            }
            keys.push((time, angles));
        }
        Ok(keys)
    }

    /// An error of the whole motion, at the frame it comes from.
    fn located(&self, error: &MotionError, places: &[LegPlace]) -> SpecError {
        let leg_name = |leg: usize| places.get(leg).map_or("", |place| place.name.as_str());
        match *error {
            MotionError::Drag { leg, from } => {
                let to = (from + 1) % self.frames.len();
                let message =
                    format!("foot {} would be dragged over the ground on its way to this frame", leg_name(leg));
                SpecError::new(
                    format!("frames[{to}]"),
                    message,
                    "put a frame before it that lifts the foot (z above 0)",
                )
            }
            MotionError::Underground { leg, key, depth } => {
                let message = format!("foot {} would be {depth} m under the ground", leg_name(leg));
                SpecError::new(format!("frames[{key}].feet"), message, "give a z of 0 or above")
            }
            MotionError::Keys => {
                let help = "add frames, or give a `total_time` to hold one";
                SpecError::new("frames", "a motion that is played once needs two frames", help)
            }
            ref other => SpecError::new("", other.to_string(), ""),
        }
    }
}

fn named(error: &MotionError, key: &str) -> SpecError {
    match error {
        MotionError::Number { what: what @ ("step_height" | "cycle_time"), value, right } => {
            SpecError::new(format!("{key}.{what}"), format!("{value} is out of range"), format!("give {right}"))
        }
        other => SpecError::new(key, other.to_string(), ""),
    }
}

/// The legs a name means: a leg's own name, or words of place joined by `_`; none of it known: `None`. A place that a
/// robot has no leg at, as the middle of four, means no legs.
fn legs_named(name: &str, places: &[LegPlace]) -> Option<Vec<usize>> {
    if let Some(leg) = places.iter().position(|place| place.name == name) {
        return Some(vec![leg]);
    }
    let last = |left: bool| places.iter().filter(|place| place.left == left).map(|place| place.rank).max().unwrap_or(0);
    let is_at = |place: &LegPlace, word: &str| match word {
        "all" => Some(true),
        "left" => Some(place.left),
        "right" => Some(!place.left),
        "front" => Some(place.rank == 0),
        "rear" => Some(place.rank == last(place.left)),
        "middle" => Some(place.rank != 0 && place.rank != last(place.left)),
        _ => None,
    };
    let mut legs = vec![];
    for (leg, place) in places.iter().enumerate() {
        let fits: Option<Vec<bool>> = name.split('_').map(|word| is_at(place, word)).collect();
        if fits?.iter().all(|&fits| fits) {
            legs.push(leg);
        }
    }
    Some(legs)
}

/// What to write in place of a name that no joint has: all joints that end in it, or the joints of the first leg.
fn joints_like(robot: &Robot, name: &str) -> String {
    let all = || robot.legs().iter().flat_map(|leg| leg.joints()).map(|joint| joint.name());
    let ends: Vec<&str> = all().filter(|joint| joint.to_lowercase().ends_with(&name.to_lowercase())).collect();
    if !ends.is_empty() {
        return format!("each joint is named for itself: {}", ends.join(", "));
    }
    let first = robot.legs().first();
    let names: Vec<&str> = first.iter().flat_map(|leg| leg.joints()).map(|joint| joint.name()).collect();
    let leg = first.map_or("", |leg| leg.name());
    format!(
        "the joints of leg {leg} are {}, and those of the others are called alike; `hexapod check` lists them",
        names.join(", ")
    )
}
