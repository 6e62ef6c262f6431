//! A goal as it comes in: what does not hold, and what that is called.

use super::code::{Code, Refusal};
use super::tolerances::Tolerances;
use crate::motion_intake::TrajectoryIntake;
use crate::progress::ACTION;
use crate::trajectory;
use hexapod_gait::motion::Motion;
use hexapod_ros::bounds::{self, MAX_JOINTS};
use hexapod_ros::clock::from_stamp;
use hexapod_ros::r2r::control_msgs::action::FollowJointTrajectory::Goal;
use hexapod_ros::r2r::trajectory_msgs::msg::JointTrajectory;
use std::time::Duration;

/// A goal that holds.
#[derive(Debug)]
pub struct Checked {
    /// What is to be played.
    pub motion: Motion,
    /// What is to be looked at meanwhile.
    pub followed: Followed,
}

/// What is looked at while a goal is played.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The joints it names.
    pub names: Vec<String>,
    /// Leg and joint of each.
    pub places: Vec<(usize, usize)>,
    /// When the last point is to be reached, s.
    pub end_s: f64,
    /// How far they may be off.
    pub tolerances: Tolerances,
}

/// Checks a goal that has come in at `now`, on the clock of stamps.
///
/// # Errors
/// What does not hold, or why the robot could not do it.
pub fn check(trajectories: &TrajectoryIntake, goal: &Goal, now: Duration) -> Result<Checked, Refusal> {
    let Goal { trajectory: message, multi_dof_trajectory, .. } = goal;
    let several = !(multi_dof_trajectory.joint_names.is_empty() && multi_dof_trajectory.points.is_empty());
    if several || !goal.component_path_tolerance.is_empty() || !goal.component_goal_tolerance.is_empty() {
        return Err(Refusal::goal(
            "no joint of the robot has several degrees of freedom; leave multi_dof_trajectory and the \
                                  component tolerances empty"
                .into(),
        ));
    }
    bounds::count("joint_names", message.joint_names.len(), MAX_JOINTS).map_err(Refusal::joints)?;
    let places = trajectory::places(trajectories.robot(), &message.joint_names).map_err(Refusal::joints)?;
    let tolerances = Tolerances::read(goal)?;
    let motion = trajectories.motion(ACTION, message).map_err(Refusal::goal)?;
    let end_s = motion.cycle_time() - trajectory::HOLD_S;
    if let Some(late_s) = late_s(message, end_s, now) {
        let reason = format!(
            "header.stamp: the trajectory should have ended {late_s:.2} s ago; give the time at which it begins, or 0 for now"
        );
        return Err(Refusal { code: Code::OldHeaderTimestamp, reason });
    }
    let names = message.joint_names.clone();
    Ok(Checked { motion, followed: Followed { names, places, end_s, tolerances } })
}

/// How long ago a trajectory was to end that lasts so long; none of one without a stamp.
fn late_s(message: &JointTrajectory, end_s: f64, now: Duration) -> Option<f64> {
    let begin = Some(from_stamp(&message.header.stamp)).filter(|begin| !begin.is_zero())?;
    let late_s = now.as_secs_f64() - begin.as_secs_f64() - end_s;
    (late_s > 0.0).then_some(late_s)
}
