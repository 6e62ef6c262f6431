//! What the node takes in: joint commands, `enable` and `emergency_stop`.

use crate::requests::{Action, Answer, Control};
use crate::targets::Intake;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use hexapod_ros::r2r::std_srvs::srv::{SetBool, Trigger};
use hexapod_ros::{RosError, RosNode, monotonic_now};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A warning about refused messages at most this often.
const WARN_EVERY: Duration = Duration::from_secs(1);

/// Opens the topic and the services on `node`.
pub(crate) fn open(node: &mut RosNode, intake: Intake, control: Control) -> Result<(), RosError> {
    commands(node, intake)?;
    let control = Arc::new(Mutex::new(control));
    let ask = move |action: Action| control.lock().unwrap_or_else(PoisonError::into_inner).ask(action);
    let enable = ask.clone();
    node.serve::<SetBool::Service>("enable", move |request: SetBool::Request| {
        let Answer { success, message } = enable(if request.data { Action::Enable } else { Action::Disable });
        SetBool::Response { success, message }
    })?;
    node.serve::<Trigger::Service>("emergency_stop", move |_: Trigger::Request| {
        let Answer { success, message } = ask(Action::EmergencyStop);
        Trigger::Response { success, message }
    })
}

/// Best effort, so that senders of every reliability are heard; an old command is not worth sending twice.
fn commands(node: &mut RosNode, mut intake: Intake) -> Result<(), RosError> {
    let mut warned: Option<Duration> = None;
    let qos = QosProfile::default().keep_last(10).best_effort();
    node.subscribe_shared::<JointState>("joint_commands", qos, move |message| {
        let now = monotonic_now();
        let Err(refusal) = intake.take(&message.name, &message.position, now) else { return };
        if warned.is_none_or(|at| now.saturating_sub(at) >= WARN_EVERY) {
            warned = Some(now);
            tracing::warn!("joint_commands refused: {refusal}");
        }
    })
}
