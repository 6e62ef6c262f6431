//! What the node takes in: joint commands, `enable`, `emergency_stop` and `relax/...`.

use crate::front::Front;
use crate::planner::Planner;
use crate::publish::Teller;
use crate::requests::{Action, Answer};
use crate::targets::Intake;
use hexapod_ros::bounds::{ROS_NAME, is_ros_name};
use hexapod_ros::ending::TIME_TO_SIT;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use hexapod_ros::r2r::std_msgs::msg::{Bool, Float64, String as StringMsg};
use hexapod_ros::r2r::std_srvs::srv::{SetBool, Trigger};
use hexapod_ros::realtime::priority;
use hexapod_ros::{Graph, Lane, Received, Reply, RosError, RosNode, monotonic_now, qos};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A warning about refused messages at most this often.
const WARN_EVERY: Duration = Duration::from_secs(1);
/// Stops that may wait to be heard: a true among two seconds of heartbeats at 50 Hz is still there.
const STOPS: usize = 100;

/// Opens the topics and the services on `node`.
pub(crate) fn open(
    node: &mut RosNode,
    intake: Intake,
    front: &Front,
    groups: &[String],
    teller: &Arc<Mutex<Teller>>,
) -> Result<(), RosError> {
    stops(node, front, teller)?;
    commands(node, intake, Arc::clone(teller), front)?;
    planner(node, front)?;
    relax(node, front, groups)
}

/// Stops, on a thread that does nothing else: of the topic, whatever its senders' reliability and durability, and of the
/// services. With `enable` false comes `enable` true, which waits elsewhere for all it needs
/// ([`CallQueue`](crate::call_queue::CallQueue)).
fn stops(node: &mut RosNode, front: &Front, teller: &Arc<Mutex<Teller>>) -> Result<(), RosError> {
    let mut lane = node.lane("servo-stop", priority::STOP)?;
    // Best effort hears everybody, reliable has what was lost sent again, latched hears what was said before the start.
    let heard = || QosProfile::default().keep_last(STOPS);
    for qos in [heard().best_effort(), heard().reliable(), heard().reliable().transient_local()] {
        let front = front.clone();
        lane.subscribe_from("emergency_stop", qos, move |message: Bool, received: &Received| {
            front.hear_stop(message.data, received);
        })?;
    }
    let stops = front.clone();
    lane.serve_later_from::<Trigger::Service>("emergency_stop", move |_, reply, received| {
        stops.ask(Action::EmergencyStop, received, move |Answer { success, message }| {
            reply.send(Trigger::Response { success, message });
        });
    })?;
    enable(&mut lane, front, teller)
}

fn enable(lane: &mut Lane<'_>, front: &Front, teller: &Arc<Mutex<Teller>>) -> Result<(), RosError> {
    let (front, teller) = (front.clone(), Arc::clone(teller));
    lane.serve_later_from::<SetBool::Service>(
        "enable",
        move |request: SetBool::Request, reply: Reply<SetBool::Service>, received| {
            let action = if request.data { Action::Enable } else { Action::Disable };
            let teller = Arc::clone(&teller);
            front.ask(action, received, move |Answer { success, message }| {
                if success && action == Action::Enable {
                    // Before the answer: who gets it may ask the planner to stand.
                    teller.lock().unwrap_or_else(PoisonError::into_inner).planner().release();
                }
                if !success {
                    let asked = if action == Action::Enable { "enable" } else { "disable" };
                    tracing::warn!("{asked} refused: {}", message.replace('\n', "; "));
                }
                reply.send(SetBool::Response { success, message });
            });
        },
    )
}

/// Whoever enables the servos means those who are there now. Only where somebody bars that is the graph asked.
pub(crate) fn forget_those_gone(front: &Front, graph: &Graph) {
    if !front.planner().pose().may_arm() {
        forget_planners_gone(front.planner(), graph);
    }
    let now = monotonic_now();
    if front.heartbeats().cause(now).is_some() {
        front.heartbeats().forget_gone(now, |heard| graph.present("emergency_stop", heard));
    }
}

/// What a planner said last does not outlive it.
pub(crate) fn forget_planners_gone(planner: &Planner, graph: &Graph) {
    planner.forget_gone(monotonic_now(), |heard| graph.present("gait_state", heard));
}

/// A service for each leg: `relax/left_front` takes its pulses away and gives them back.
fn relax(node: &mut RosNode, front: &Front, groups: &[String]) -> Result<(), RosError> {
    for (group, name) in groups.iter().enumerate() {
        if !is_ros_name(name) {
            tracing::warn!("group `{name}` has no service to relax it: {ROS_NAME}");
            continue;
        }
        let front = front.clone();
        let name = format!("relax/{name}");
        let service: Arc<str> = name.as_str().into();
        node.serve_later_from::<SetBool::Service>(&name, move |request, reply, received| {
            let action = Action::Relax { group, relaxed: request.data };
            let service = Arc::clone(&service);
            front.ask(action, received, move |Answer { success, message }| {
                tracing::info!("{service}: {message}");
                reply.send(SetBool::Response { success, message });
            });
        })?;
    }
    Ok(())
}

/// Refused messages are warned of once in a while.
fn commands(node: &mut RosNode, mut intake: Intake, teller: Arc<Mutex<Teller>>, front: &Front) -> Result<(), RosError> {
    let planner = front.planner().clone();
    let mut warned: Option<Duration> = None;
    let (headers, graph) = (teller.lock().unwrap_or_else(PoisonError::into_inner).headers(), node.graph());
    node.subscribe_acting_from::<JointState>("joint_commands", qos::stream(), move |message, received| {
        let now = monotonic_now();
        headers.look("joint_commands", &message.header);
        planner.commands(received.sender.process(), received.taken);
        let taken = intake.take(received.sender, &message.name, &message.position, received.at);
        // Who has it is telling right now.
        if let Ok(mut teller) = teller.try_lock() {
            teller.tell_with_commands(now);
        }
        let Err(refusal) = taken else { return };
        if warned.is_none_or(|at| now.saturating_sub(at) >= WARN_EVERY) {
            warned = Some(now);
            let sender = graph.name_of(received.sender).unwrap_or_else(|| "an unknown node".into());
            tracing::warn!("joint_commands of {sender} refused: {refusal}");
        }
    })
}

/// What the planner says of itself: servos are switched on while it rests, and off when it sits.
fn planner(node: &mut RosNode, front: &Front) -> Result<(), RosError> {
    let (planner, graph) = (front.planner().clone(), node.graph());
    let qos = QosProfile::default().keep_last(10).reliable().transient_local();
    let said = planner.clone();
    node.subscribe(TIME_TO_SIT, qos.clone(), move |message: Float64| said.hear_time_to_sit(message.data))?;
    node.subscribe_shared_from::<StringMsg>("gait_state", qos, move |message, received| {
        planner.hear(received.sender, &message.data);
        forget_planners_gone(&planner, &graph);
    })
}
