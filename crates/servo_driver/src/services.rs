//! What the node takes in: joint commands, `enable`, `emergency_stop` and `relax/...`.

use crate::publish::Teller;
use crate::requests::{Action, Answer, Control};
use crate::stop_topic::StopTopic;
use crate::targets::{Intake, IntakeCount};
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use hexapod_ros::r2r::std_msgs::msg::Bool;
use hexapod_ros::r2r::std_srvs::srv::{SetBool, Trigger};
use hexapod_ros::{Reply, RosError, RosNode, monotonic_now};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A warning about refused messages at most this often.
const WARN_EVERY: Duration = Duration::from_secs(1);
/// How long DDS may take to bring a planner and this node together.
const DISCOVERY: Duration = Duration::from_millis(3500);

/// Opens the topic and the services on `node`.
pub(crate) fn open(
    node: &mut RosNode,
    intake: Intake,
    control: Control,
    topic: StopTopic,
    groups: &[String],
    teller: &Arc<Mutex<Teller>>,
) -> Result<(), RosError> {
    let count = intake.count();
    commands(node, intake, Arc::clone(teller))?;
    let control = Arc::new(Mutex::new(control));
    let ask = move |action: Action| control.lock().unwrap_or_else(PoisonError::into_inner).ask(action);
    relax(node, ask.clone(), groups)?;
    let enable = ask.clone();
    node.serve_later::<SetBool::Service>(
        "enable",
        move |request: SetBool::Request, reply: Reply<SetBool::Service>| {
            let (enable, count) = (enable.clone(), Arc::clone(&count));
            let answer = move || {
                let action = if request.data { Action::Enable } else { Action::Disable };
                if action == Action::Enable {
                    wait_for_commands(&count);
                }
                let Answer { success, message } = enable(action);
                reply.send(SetBool::Response { success, message });
            };
            // A thread of its own: the commands it may wait for come in on this one.
            if let Err(error) = std::thread::Builder::new().name("servo-enable".into()).spawn(answer) {
                tracing::error!("enable is not answered: {error}");
            }
        },
    )?;
    node.serve::<Trigger::Service>("emergency_stop", move |_: Trigger::Request| {
        let Answer { success, message } = ask(Action::EmergencyStop);
        Trigger::Response { success, message }
    })?;
    // Every message counts: true must not be lost behind false.
    node.subscribe("emergency_stop", QosProfile::default().keep_last(10), move |message: Bool| {
        topic.hear(message.data, monotonic_now());
    })
}

/// A service for each leg: `relax/left_front` takes its pulses away and gives them back.
fn relax(
    node: &mut RosNode,
    ask: impl Fn(Action) -> Answer + Clone + Send + 'static,
    groups: &[String],
) -> Result<(), RosError> {
    for (group, name) in groups.iter().enumerate() {
        if !is_ros_name(name) {
            tracing::warn!("group `{name}` has no service to relax it: ROS names are letters, digits and _");
            continue;
        }
        let ask = ask.clone();
        node.serve::<SetBool::Service>(&format!("relax/{name}"), move |request: SetBool::Request| {
            let Answer { success, message } = ask(Action::Relax { group, relaxed: request.data });
            SetBool::Response { success, message }
        })?;
    }
    Ok(())
}

fn is_ros_name(name: &str) -> bool {
    let letters = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    letters && !name.contains("__") && name.starts_with(|first: char| first.is_ascii_alphabetic())
}

/// Waits for the first command, at most as long as discovery takes: a planner that has just been started may not have
/// been heard yet.
fn wait_for_commands(count: &IntakeCount) {
    let deadline = monotonic_now() + DISCOVERY;
    while count.taken() == 0 && monotonic_now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Best effort, so that senders of every reliability are heard; an old command is not worth sending twice.
fn commands(node: &mut RosNode, mut intake: Intake, teller: Arc<Mutex<Teller>>) -> Result<(), RosError> {
    let mut warned: Option<Duration> = None;
    let qos = QosProfile::default().keep_last(10).best_effort();
    node.subscribe_shared::<JointState>("joint_commands", qos, move |message| {
        let now = monotonic_now();
        let taken = intake.take(&message.name, &message.position, now);
        // Who has it is telling right now.
        if let Ok(mut teller) = teller.try_lock() {
            teller.tell_with_commands(now);
        }
        let Err(refusal) = taken else { return };
        if warned.is_none_or(|at| now.saturating_sub(at) >= WARN_EVERY) {
            warned = Some(now);
            tracing::warn!("joint_commands refused: {refusal}");
        }
    })
}
