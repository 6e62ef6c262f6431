//! The action `follow_joint_trajectory` (control_msgs/FollowJointTrajectory): another way in and out of what plays
//! `joint_trajectory`, where the ROS 2 in use has control_msgs.
//!
//! ```text
//! goal --> goal.rs: checks --> motion_intake --> control loop --> requests: how far it is
//!   ^                                                                          |
//!   '------------ server.rs: accepted, feedback, result <-- outcome.rs <-------'
//! ```

#[cfg(control_msgs)]
mod code;
#[cfg(control_msgs)]
mod goal;
#[cfg(control_msgs)]
mod outcome;
#[cfg(control_msgs)]
mod server;
#[cfg(control_msgs)]
mod tolerances;

#[cfg(control_msgs)]
pub(crate) use server::open;

/// Without control_msgs there is no action.
///
/// # Errors
/// None.
#[cfg(not(control_msgs))]
pub(crate) fn open(
    _: &mut hexapod_ros::RosNode,
    _: &crate::Setup,
    _: &crate::motion_intake::Ends<'_>,
    _: (crate::joint_views::Views, &hexapod_ros::RosClock),
) -> Result<(), hexapod_ros::RosError> {
    Ok(())
}
