//! How far joints may be off, where servos measure that.

use super::code::Refusal;
use crate::joint_views::Reading;
use hexapod_ros::bounds::{self, MAX_JOINTS, excerpt};
use hexapod_ros::r2r::control_msgs::action::FollowJointTrajectory::Goal;
use hexapod_ros::r2r::control_msgs::msg::JointTolerance;

/// The tolerances of a goal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tolerances {
    /// On the way.
    pub path: Vec<Tolerance>,
    /// At its end.
    pub goal: Vec<Tolerance>,
    /// How much later than its end the joints may be there, s; 0 is no limit.
    pub time_s: f64,
}

/// How far one joint may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Which of those that the goal names.
    pub joint: usize,
    /// rad; none is no limit.
    pub position: Option<f64>,
    /// rad/s; none is no limit.
    pub velocity: Option<f64>,
}

/// What a joint is to do, and what it does if that is known.
pub type Compared = (Reading, Option<Reading>);

impl Tolerances {
    /// Those of a goal.
    ///
    /// # Errors
    /// One does not hold.
    pub fn read(goal: &Goal) -> Result<Self, Refusal> {
        let names = &goal.trajectory.joint_names;
        let time = &goal.goal_time_tolerance;
        if time.sec < 0 || time.nanosec >= 1_000_000_000 {
            let (sec, nanosec) = (time.sec, time.nanosec);
            return Err(Refusal::goal(format!("goal_time_tolerance is {sec} s and {nanosec} ns; give 0 or more")));
        }
        Ok(Self {
            path: read("path_tolerance", &goal.path_tolerance, names)?,
            goal: read("goal_tolerance", &goal.goal_tolerance, names)?,
            time_s: f64::from(time.sec) + f64::from(time.nanosec) * 1e-9,
        })
    }

    /// Whether there is any.
    #[must_use]
    pub fn are_given(&self) -> bool {
        !self.path.is_empty() || !self.goal.is_empty()
    }
}

fn read(field: &str, tolerances: &[JointTolerance], names: &[String]) -> Result<Vec<Tolerance>, Refusal> {
    bounds::count(field, tolerances.len(), MAX_JOINTS).map_err(Refusal::goal)?;
    let mut read = vec![];
    for (index, tolerance) in tolerances.iter().enumerate() {
        let Some(joint) = names.iter().position(|name| *name == tolerance.name) else {
            let name = excerpt(&tolerance.name);
            return Err(Refusal::joints(format!("{field}[{index}].name: the trajectory has no joint {name:?}")));
        };
        let number = |what: &str, value: f64| match value {
            -1.0 | 0.0 => Ok(None),
            value if value.is_finite() && value > 0.0 => Ok(Some(value)),
            value => Err(Refusal::goal(format!(
                "{field}[{index}].{what} is {value}; give more than 0, or 0 or -1 for no limit"
            ))),
        };
        let (position, velocity) = (number("position", tolerance.position)?, number("velocity", tolerance.velocity)?);
        // No servo measures it.
        number("acceleration", tolerance.acceleration)?;
        if position.is_some() || velocity.is_some() {
            read.push(Tolerance { joint, position, velocity });
        }
    }
    Ok(read)
}

/// The first of `tolerances` that is not kept, in words. What is not known is taken to be right.
#[must_use]
pub fn violation(tolerances: &[Tolerance], names: &[String], joints: &[Compared]) -> Option<String> {
    tolerances.iter().find_map(|tolerance| {
        let (desired, Some(actual)) = joints.get(tolerance.joint)? else { return None };
        let beyond = |off: f64, most: Option<f64>, unit: &str| {
            let most = most.filter(|most| off.abs() > *most)?;
            let name = names.get(tolerance.joint).map_or("a joint", String::as_str);
            Some(format!("{name} is off by {:.3} {unit}, and may be by {most:.3}", off.abs()))
        };
        let velocities = desired.velocity.zip(actual.velocity);
        beyond(desired.position - actual.position, tolerance.position, "rad")
            .or_else(|| velocities.and_then(|(to, is)| beyond(to - is, tolerance.velocity, "rad/s")))
    })
}

#[cfg(test)]
mod tests {
    use super::super::code::Code;
    use super::*;

    fn tolerance(name: &str, position: f64, velocity: f64, acceleration: f64) -> JointTolerance {
        JointTolerance { name: name.into(), position, velocity, acceleration }
    }

    fn goal(path: &[JointTolerance]) -> Goal {
        let mut goal = Goal { path_tolerance: path.to_vec(), ..Goal::default() };
        goal.trajectory.joint_names = ["a", "b"].map(Into::into).to_vec();
        goal
    }

    #[test]
    fn when_tolerances_are_given_expect_those_kept_that_limit_anything() {
        let read = |path: &[JointTolerance]| Tolerances::read(&goal(path)).map(|read| read.path);
        let (position, velocity) = (Some(0.1), Some(2.0));
        assert_eq!(read(&[]), Ok(vec![]));
        assert_eq!(read(&[tolerance("b", 0.1, 2.0, 9.0)]), Ok(vec![Tolerance { joint: 1, position, velocity }]));
        assert_eq!(read(&[tolerance("b", 0.0, -1.0, 3.0), tolerance("a", -1.0, 0.0, 0.0)]), Ok(vec![]));
        for (bad, code, word) in [
            (tolerance("c", 0.1, 0.0, 0.0), Code::InvalidJoints, "path_tolerance[0].name"),
            (tolerance("a", f64::NAN, 0.0, 0.0), Code::InvalidGoal, "position is NaN"),
            (tolerance("a", -0.5, 0.0, 0.0), Code::InvalidGoal, "position is -0.5"),
            (tolerance("a", 0.1, f64::INFINITY, 0.0), Code::InvalidGoal, "velocity is inf"),
            (tolerance("a", 0.1, 0.0, -2.0), Code::InvalidGoal, "acceleration is -2"),
            (tolerance(&"j".repeat(5_000_000), 0.1, 0.0, 0.0), Code::InvalidJoints, "(5000000 bytes)"),
        ] {
            let refusal = read(&[bad]).unwrap_err();
            assert!(refusal.code == code && refusal.reason.contains(word), "{word}: {refusal:?}");
            assert!(refusal.reason.len() < 400);
        }
        assert!(read(&vec![tolerance("a", 0.1, 0.0, 0.0); MAX_JOINTS + 1]).is_err());
        let mut timed = goal(&[]);
        timed.goal_time_tolerance.sec = -1;
        assert!(Tolerances::read(&timed).unwrap_err().reason.contains("goal_time_tolerance"));
    }

    #[test]
    fn when_joints_are_off_expect_the_first_that_is_beyond_its_tolerance_and_what_is_unknown_passed() {
        let names = ["a", "b"].map(String::from);
        let reading = |position, velocity| Reading { position, velocity };
        let tolerances = [
            Tolerance { joint: 0, position: Some(0.1), velocity: None },
            Tolerance { joint: 1, position: None, velocity: Some(1.0) },
        ];
        let found = |a: Option<Reading>, b: Option<Reading>| {
            let desired = reading(0.5, Some(0.0));
            violation(&tolerances, &names, &[(desired, a), (desired, b)])
        };
        assert_eq!(found(None, None), None);
        assert_eq!(found(Some(reading(0.59, None)), Some(reading(9.0, None))), None);
        assert_eq!(found(Some(reading(0.41, Some(9.0))), Some(reading(0.5, Some(-0.9)))), None);
        let words = found(Some(reading(0.35, None)), None).unwrap();
        assert!(words.starts_with("a is off by 0.150 rad, and may be by 0.100"), "{words}");
        assert!(found(None, Some(reading(0.5, Some(-1.1)))).unwrap().contains("b is off by 1.100 rad/s"));
        assert_eq!(violation(&tolerances, &names, &[]), None);
    }
}
