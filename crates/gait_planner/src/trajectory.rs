//! `joint_trajectory`: joint angles over time, as any ROS 2 tool sends them.

use hexapod_gait::motion::{Blend, Home, Motion, check};
use hexapod_kinematics::{LegAngles, MAX_LEGS, Robot, SelfCollision};
use hexapod_ros::bounds::{self, MAX_JOINTS, MAX_POINTS, excerpt};
use hexapod_ros::r2r::trajectory_msgs::msg::{JointTrajectory, JointTrajectoryPoint};
use std::sync::Arc;

/// How long the last point is held before the robot goes back to standing.
pub const HOLD_S: f64 = 1.0;
/// Longer trajectories are a mistake, or an attack.
const MAX_TIME_S: f64 = 600.0;

/// A trajectory as a motion from standing: joints it does not name stay as they are when standing, the last point is
/// held for a second. Velocities and accelerations only have to be well formed: the way between the points is cubic and
/// monotone, and as slow as the joints need. Points that no joint can reach in time come later, with all after them.
///
/// # Errors
/// What does not hold, or why the robot could not play it.
pub fn motion(
    robot: &Arc<Robot>,
    home: &Home,
    collision: &SelfCollision,
    message: &JointTrajectory,
) -> Result<Motion, String> {
    bounds::count("joint_names", message.joint_names.len(), MAX_JOINTS)?;
    bounds::count("points", message.points.len(), MAX_POINTS)?;
    let places = places(robot, &message.joint_names)?;
    if message.points.is_empty() {
        return Err("points is empty; give at least one".into());
    }
    let mut keys: Vec<(f64, [LegAngles; MAX_LEGS])> = vec![];
    let (mut angles, mut before, mut later) = (home.angles, None, 0.0);
    for (index, point) in message.points.iter().enumerate() {
        let time = time_of(point).map_err(|reason| format!("points[{index}].{reason}"))?;
        if let Some(before) = before.replace(time).filter(|before| time - before < 1e-3) {
            return Err(format!(
                "points[{index}].time_from_start is {time} s after {before} s; times must increase by at least a millisecond"
            ));
        }
        well_formed(point, &message.joint_names).map_err(|reason| format!("points[{index}].{reason}"))?;
        for (&(leg, joint), &angle) in places.iter().zip(&point.positions) {
            let joint_of = &robot.legs()[leg].joints()[joint];
            let limits = joint_of.limits();
            if !limits.contain(angle) {
                let (lower, upper) = (limits.lower, limits.upper);
                let name = joint_of.name();
                return Err(format!(
                    "points[{index}].positions: {name} is {angle} rad; its limits are {lower:.3} to {upper:.3} rad"
                ));
            }
            angles[leg][joint] = angle;
        }
        if index == 0 && time > 0.0 {
            keys.push((0.0, home.angles));
        }
        let soonest = keys.last().map_or(0.0, |(at, from)| at + least_time(robot, from, &angles));
        later = f64::max(later, soonest - time);
        keys.push((time + later, angles));
    }
    let end = keys.last().map_or(0.0, |(time, _)| *time);
    keys.push((end + HOLD_S, angles));
    let motion = Motion::joints(&keys, Blend::Smooth, None).map_err(|error| error.to_string())?;
    check(robot, home, &motion, collision).map_err(|refusal| refusal.to_string())?;
    Ok(motion)
}

/// The least time in which all joints get from one pose to another, s.
fn least_time(robot: &Robot, from: &[LegAngles; MAX_LEGS], to: &[LegAngles; MAX_LEGS]) -> f64 {
    let legs = robot.legs().iter().zip(from.iter().zip(to));
    let joints = legs.flat_map(|(leg, (from, to))| leg.joints().iter().zip(from.iter().zip(to.iter())));
    joints.map(|(joint, (from, to))| (to - from).abs() / joint.limits().velocity).fold(0.0, f64::max)
}

/// Leg and joint of each name.
///
/// # Errors
/// A name that is none, or comes twice, or there is none at all.
pub fn places(robot: &Robot, names: &[String]) -> Result<Vec<(usize, usize)>, String> {
    if names.is_empty() {
        return Err("joint_names is empty; name the joints that move".into());
    }
    let mut places = vec![];
    for name in names {
        let Some(place) = robot.joint_place(name) else {
            let known: Vec<&str> = robot.legs().iter().flat_map(|leg| leg.joints()).map(|joint| joint.name()).collect();
            return Err(format!("there is no joint {:?}; there are {}", excerpt(name), known.join(", ")));
        };
        if places.contains(&place) {
            return Err(format!("joint_names has {name:?} twice"));
        }
        places.push(place);
    }
    Ok(places)
}

/// When a point is to be reached, s.
///
/// # Errors
/// The time is none, or too late.
pub fn time_of(point: &JointTrajectoryPoint) -> Result<f64, String> {
    let stamp = &point.time_from_start;
    if stamp.sec < 0 || stamp.nanosec >= 1_000_000_000 {
        return Err(format!("time_from_start is {} s and {} ns; give 0 or more", stamp.sec, stamp.nanosec));
    }
    let time = f64::from(stamp.sec) + f64::from(stamp.nanosec) * 1e-9;
    if time > MAX_TIME_S { Err(format!("time_from_start is {time} s; give at most {MAX_TIME_S}")) } else { Ok(time) }
}

/// Lengths that fit the names, and numbers that are finite.
fn well_formed(point: &JointTrajectoryPoint, names: &[String]) -> Result<(), String> {
    let count = names.len();
    let fields = [
        ("positions", &point.positions, false),
        ("velocities", &point.velocities, true),
        ("accelerations", &point.accelerations, true),
        ("effort", &point.effort, true),
    ];
    for (field, values, may_lack) in fields {
        if values.len() != count && !(may_lack && values.is_empty()) {
            return Err(format!("{field} has {} values for {count} joints", values.len()));
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(format!("{field}: {} is {}", names[at], values[at]));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_gait::motion::Target;

    fn robot() -> (Arc<Robot>, Home, Arc<SelfCollision>) {
        let engine = crate::Setup::load(&crate::params::shipped()).unwrap().engine;
        (Arc::clone(engine.robot()), engine.home(), Arc::clone(engine.self_collision()))
    }

    fn point(seconds: f64, positions: &[f64]) -> JointTrajectoryPoint {
        let mut point = JointTrajectoryPoint { positions: positions.to_vec(), ..Default::default() };
        point.time_from_start.sec = seconds.floor() as i32;
        point.time_from_start.nanosec = ((seconds - seconds.floor()) * 1e9).round() as u32;
        point
    }

    fn message(names: &[&str], points: Vec<JointTrajectoryPoint>) -> JointTrajectory {
        let joint_names = names.iter().map(|name| (*name).to_owned()).collect();
        JointTrajectory { joint_names, points, ..Default::default() }
    }

    #[test]
    fn when_some_joints_are_given_expect_them_at_their_times_and_the_others_as_when_standing() {
        let (robot, home, collision) = robot();
        let names = ["right_front_coxa", "left_front_coxa"];
        let played = motion(
            &robot,
            &home,
            &collision,
            &message(&names, vec![point(0.5, &[0.1, -0.1]), point(1.25, &[-0.2, 0.2])]),
        );
        let motion = played.unwrap();
        let angle = |name: &str, time: f64| {
            let (leg, joint) = places(&robot, &[name.to_owned()]).unwrap()[0];
            let Target::Joints(angles) = motion.target(time) else { panic!("joints") };
            (angles[leg][joint], home.angles[leg][joint])
        };
        assert_eq!(angle(names[0], 0.0).0, angle(names[0], 0.0).1);
        assert!((angle(names[0], 0.5).0 - 0.1).abs() < 1e-12 && (angle(names[1], 1.25).0 - 0.2).abs() < 1e-12);
        assert!((angle(names[0], 2.2).0 + 0.2).abs() < 1e-12, "held");
        assert_eq!(angle("left_rear_tibia", 1.0).0, angle("left_rear_tibia", 1.0).1);
        assert_eq!(motion.cycle_time(), 2.25);
    }

    #[test]
    fn when_a_trajectory_does_not_hold_expect_it_refused_with_the_reason() {
        let (robot, home, collision) = robot();
        let name = ["left_front_coxa"];
        let mut late = point(1.0, &[0.1]);
        late.time_from_start.sec = -1;
        let mut long = point(1.0, &[0.1]);
        long.velocities = vec![0.0, 0.0];
        let mut fast = point(1.0, &[0.1]);
        fast.velocities = vec![f64::INFINITY];
        let long_name = "j".repeat(5_000_000);
        let all: Vec<&str> = robot.legs().iter().map(|leg| leg.joints()[1].name()).collect();
        let cases = [
            (message(&[], vec![point(1.0, &[])]), "joint_names is empty"),
            (message(&name, vec![]), "points is empty"),
            (message(&["left_front_cox"], vec![point(1.0, &[0.1])]), "left_front_coxa"),
            (message(&[name[0], name[0]], vec![point(1.0, &[0.1, 0.1])]), "twice"),
            (message(&name, vec![point(1.0, &[0.1, 0.2])]), "2 values for 1"),
            (message(&name, vec![point(1.0, &[])]), "0 values for 1"),
            (message(&name, vec![point(1.0, &[f64::NAN])]), "NaN"),
            (message(&name, vec![long]), "velocities"),
            (message(&name, vec![fast]), "inf"),
            (message(&name, vec![late]), "time_from_start"),
            (message(&name, vec![point(1.0, &[0.1]), point(1.0, &[0.2])]), "increase"),
            (message(&name, vec![point(2.0, &[0.1]), point(1.0, &[0.2])]), "increase"),
            (message(&name, vec![point(601.0, &[0.1])]), "600"),
            (message(&name, vec![point(1.0, &[0.71])]), "limits"),
            (message(&name, vec![point(1.0, &[0.1]); 2001]), "2001 points are too many"),
            (message(&[name[0]; 65], vec![point(1.0, &[0.1; 65])]), "65 joint_names are too many"),
            (message(&[&long_name], vec![point(1.0, &[0.1])]), "(5000000 bytes)\"; there are left_front_coxa"),
            (message(&all, vec![point(1.0, &[1.2; 6])]), "ground"),
        ];
        for (message, word) in cases {
            let reason = motion(&robot, &home, &collision, &message).unwrap_err();
            assert!(reason.contains(word), "{word}: {reason}");
            assert!(reason.len() < 1000, "{word}: {} bytes", reason.len());
        }
    }

    #[test]
    fn when_points_follow_too_fast_for_a_joint_expect_each_as_late_as_it_needs_and_those_after_it_in_their_distance() {
        let (robot, home, collision) = robot();
        let (joint, start) = (robot.legs()[0].joints()[0].name(), home.angles[0][0]);
        let takes = 0.4 / robot.legs()[0].joints()[0].limits().velocity;
        let points = [(0.001, 0.4), (0.002, 0.0), (1.0, 0.1)].map(|(time, by)| point(time, &[start + by]));
        let played = motion(&robot, &home, &collision, &message(&[joint], points.to_vec())).unwrap();
        let at = |time: f64| match played.target(time) {
            Target::Joints(angles) => angles[0][0] - start,
            Target::Feet(_) => panic!("joints"),
        };
        assert!((at(takes) - 0.4).abs() < 1e-9 && at(2.0 * takes).abs() < 1e-9, "{} {}", at(takes), at(2.0 * takes));
        assert!((at(1.0 + 2.0 * takes - 0.002) - 0.1).abs() < 1e-9);
    }

    #[test]
    fn when_the_first_point_is_at_zero_expect_the_way_to_it_put_in() {
        let (robot, home, collision) = robot();
        let played =
            motion(&robot, &home, &collision, &message(&["left_front_coxa"], vec![point(0.0, &[0.3])])).unwrap();
        let Target::Joints(start) = played.target(0.0) else { panic!("joints") };
        assert_ne!(start, home.angles);
    }
}
