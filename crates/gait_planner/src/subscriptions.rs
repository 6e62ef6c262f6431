//! The node's topics, services and parameters on their way in.

use crate::command::{Command, FeltBy, Held};
use crate::driver_identity::{DriverIdentity, NOT_THE_DRIVER};
use crate::ending;
use crate::foothold_intake;
use crate::inbox::{Inbox, body_offset, finite, planar};
use crate::joint_views::Measured;
use crate::motion_intake::{Ends, MotionIntake, TrajectoryIntake};
use crate::params;
use crate::services;
use crate::setup::Setup;
use crate::status::SharedState;
use hexapod_config::ros_params::{ParamValue, Params};
use hexapod_dynamics::{ImuReader, ImuSample};
use hexapod_kinematics::{LegAngles, MAX_LEGS, Robot};
use hexapod_ros::qos::stream;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::geometry_msgs::msg::{Pose, Twist, TwistStamped};
use hexapod_ros::r2r::sensor_msgs::msg::{Imu, JointState};
use hexapod_ros::r2r::std_msgs::msg::{Bool, Float64, String as StringMsg, UInt8MultiArray};
use hexapod_ros::r2r::trajectory_msgs::msg::JointTrajectory;
use hexapod_ros::{ContactReader, Headers, RosError, RosNode, bounds, imu_parts};
use rtrb::Producer;
use std::sync::Arc;
use triple_buffer::Input;

/// Subscribes and serves all that commands the robot.
///
/// # Errors
/// A topic or service cannot be opened.
pub fn open(node: &mut RosNode, setup: &Setup, ends: &Ends<'_>) -> Result<(), RosError> {
    let Ends { inbox, shared, headers, .. } = ends;
    steering(node, setup.stamped, inbox, headers)?;
    shared.set_gait(&setup.gait_name);
    emergency_stop(node, inbox)?;
    contacts(node, setup, inbox)?;
    imu(node, setup, inbox)?;
    foothold_intake::subscribe(node, setup, inbox)?;
    posture(node, setup, inbox, shared)?;
    motions(node, setup, ends)?;
    services::open(node, setup, inbox, shared)?;
    parameters(node, setup, inbox, shared);
    Ok(())
}

/// What is said once and counts until something else is said. Each is looked at, so that bad ones are counted. What moves
/// the robot as long as it comes is a [`stream`]: sent again after the last command, it would start the robot anew.
fn lasting() -> QosProfile {
    QosProfile::default().keep_last(10)
}

fn steering(node: &mut RosNode, stamped: bool, inbox: &Inbox, headers: &Headers) -> Result<(), RosError> {
    let to = inbox.clone();
    if stamped {
        let headers = headers.clone();
        node.subscribe_from("cmd_vel", stream(), move |message: TwistStamped, from| {
            headers.look("cmd_vel", &message.header);
            to.take("cmd_vel", planar(&message.twist), from);
        })?;
    } else {
        node.subscribe_from("cmd_vel", stream(), move |message: Twist, from| {
            to.take("cmd_vel", planar(&message), from);
        })?;
    }
    let to = inbox.clone();
    // The curvature is taken in before the velocity that is walked with it.
    node.subscribe_from("curvature", lasting(), move |message: Float64, from| {
        to.take("curvature", finite(message.data).map(Command::Curvature), from);
    })?;
    let to = inbox.clone();
    node.subscribe_from("velocity", stream(), move |message: Float64, from| {
        to.take("velocity", finite(message.data).map(Command::Velocity), from);
    })
}

/// The servo driver cuts the servos; the planner is not to walk on meanwhile. Best effort hears every sender.
fn emergency_stop(node: &mut RosNode, inbox: &Inbox) -> Result<(), RosError> {
    let to = inbox.clone();
    node.subscribe_from("emergency_stop", stream(), move |message: Bool, from| {
        if message.data {
            to.take("emergency_stop", Ok(Command::Freeze("emergency stop")), from);
        }
    })
}

/// What feet feel, by their switches or as estimated: the gait follows one of them where it is to, the robot's condition
/// both.
fn contacts(node: &mut RosNode, setup: &Setup, inbox: &Inbox) -> Result<(), RosError> {
    for (topic, by) in [("foot_switches", FeltBy::Switches), ("sensed_contacts", FeltBy::Estimate)] {
        let legs = setup.engine.robot().legs().iter().map(|leg| leg.name().to_owned());
        let (to, mut reader) = (inbox.clone(), ContactReader::of_some(topic, legs.collect()));
        let leads = setup.contacts == Some(topic);
        node.subscribe_shared_from(topic, stream(), move |message: &UInt8MultiArray, from| {
            let felt = reader.read(message).map_err(|refused| refused.to_string()).map(|read| {
                let mut felt = [None; MAX_LEGS];
                felt.iter_mut().zip(read).for_each(|(felt, read)| *felt = *read);
                felt
            });
            if let (true, Ok(felt)) = (leads, &felt) {
                to.take(topic, Ok(Command::Contacts(*felt)), from);
            }
            to.take(topic, felt.map(|felt| Command::Feet(by, felt)), from);
        })?;
    }
    Ok(())
}

/// How the body moves, and which way is up: the body is kept level by that where it is to, and a fall is detected from
/// it always. Of a body that lies on its back nothing is to be kept level.
fn imu(node: &mut RosNode, setup: &Setup, inbox: &Inbox) -> Result<(), RosError> {
    let (to, robot, levels) = (inbox.clone(), setup.engine.robot().clone(), setup.uses_imu);
    let mut reader = ImuReader::default();
    node.subscribe_shared_from("imu/data", stream(), move |message: &Imu, from| {
        if let Err(refused) = reader.take(robot.model(), &ImuSample::of(imu_parts(message)), to.now()) {
            to.reject("imu/data", refused.to_string());
        }
        let up = reader.up().filter(|up| levels && up.z > 0.0);
        if let Some(reported) = reader.take_inertial() {
            to.take("imu/data", Ok(Command::Imu(reported, up)), from);
        }
    })
}

fn posture(node: &mut RosNode, setup: &Setup, inbox: &Inbox, shared: &Arc<SharedState>) -> Result<(), RosError> {
    let (to, state) = (inbox.clone(), Arc::clone(shared));
    node.subscribe_from("body_pose", lasting(), move |message: Pose, from| {
        let asked = match body_offset(&message) {
            Ok(asked) => asked,
            Err(reason) => return to.reject("body_pose", reason),
        };
        if to.take("body_pose", Ok(Command::BodyOffset(asked)), from) {
            state.set_body_pose(asked);
        }
    })?;
    let (to, gaits, state) = (inbox.clone(), setup.gaits.clone(), Arc::clone(shared));
    let parameters = node.parameters();
    node.subscribe_from("gait", QosProfile::default(), move |message: StringMsg, from| {
        let gait = bounds::name("gait", &message.data).and_then(|name| gaits.get(name));
        if to.take("gait", gait.map(Command::Gait), from) {
            state.set_gait(&message.data);
            parameters.note("gait", &ParamValue::String(message.data));
        }
    })
}

/// Subscribes to what the servos hold.
///
/// # Errors
/// The topic cannot be opened.
pub fn hear_servos(
    node: &mut RosNode,
    setup: &Setup,
    inbox: &Inbox,
    (mut poses, mut measured): (Producer<Held>, Input<Measured>),
) -> Result<(), RosError> {
    let (robot, inbox, mut driver_identity) =
        (Arc::clone(setup.engine.robot()), inbox.clone(), DriverIdentity::default());
    node.subscribe_shared_from("servo_states", stream(), move |message: &JointState, from| {
        let held = held_by(&robot, message);
        if driver_identity.counts(from.sender, &held, from.at) {
            measured.input_buffer_mut().fill(&robot, message, from.at);
            measured.publish();
            // A loop that does not take them has no use for more.
            let _ = poses.push(held);
        } else {
            inbox.reject("servo_states", NOT_THE_DRIVER);
        }
    })
}

fn motions(node: &mut RosNode, setup: &Setup, ends: &Ends<'_>) -> Result<(), RosError> {
    let to = MotionIntake::of(ends);
    let motions = setup.motions.clone();
    node.subscribe_from("motion", QosProfile::default(), move |message: StringMsg, from| {
        if message.data.is_empty() {
            to.finish("motion", from);
            return;
        }
        let motion = bounds::name("motion", &message.data).and_then(|name| motions.get(name));
        to.take("motion", &message.data, motion, |asked| Command::Motion(Some(asked)), from);
    })?;
    let to = TrajectoryIntake::of(setup, ends);
    node.subscribe_from("joint_trajectory", QosProfile::default(), move |message: JointTrajectory, from| {
        let motion = to.may_play().and_then(|()| to.motion("joint_trajectory", &message));
        to.take("joint_trajectory", motion, Command::Trajectory, from);
    })
}

/// What the servos of a robot hold.
fn held_by(robot: &Robot, message: &JointState) -> Held {
    if message.name.is_empty() {
        return Held::Nothing;
    }
    pose_of(robot, message).map_or(Held::Part, Held::Pose)
}

/// Joints sag by so much, and more.
const MEASURED_BEYOND_RAD: f64 = 0.05;

/// The legs' angles, if the message has every joint and all are finite.
fn pose_of(robot: &Robot, message: &JointState) -> Option<[LegAngles; MAX_LEGS]> {
    let mut angles = [LegAngles::zeros(0); MAX_LEGS];
    for (angles, leg) in angles.iter_mut().zip(robot.legs()) {
        *angles = LegAngles::zeros(leg.joint_count());
        for (angle, joint) in angles.iter_mut().zip(leg.joints()) {
            let place = message.name.iter().position(|name| name == joint.name())?;
            let position = *message.position.get(place).filter(|position| position.is_finite())?;
            // What a servo measures at the end of its range may be a little beyond it.
            let within = joint.limits().clamp(position);
            *angle = if (position - within).abs() <= MEASURED_BEYOND_RAD { within } else { position };
        }
    }
    Some(angles)
}

fn parameters(node: &RosNode, setup: &Setup, inbox: &Inbox, shared: &Arc<SharedState>) {
    let gaits = setup.gaits.clone();
    node.on_check(Box::new(move |name, value| match (name, value) {
        ("gait", ParamValue::String(gait)) => gaits.get(gait).map(|_| ()),
        _ => Ok(()),
    }));
    let (to, gaits, state) = (inbox.clone(), setup.gaits.clone(), Arc::clone(shared));
    let mut params: Params = setup.params.clone();
    let greatest_lift = setup.engine.stance().spec().step_height;
    let engine = setup.engine.clone();
    node.on_set(Box::new(move |name, value| {
        let before = params.get_mut(name).map(|known| std::mem::replace(known, value.clone()));
        let command = match (name, value) {
            ("gait", ParamValue::String(gait)) => gaits.get(gait).ok().map(Command::Gait),
            ("step_height", _) => value.as_f64().map(|asked| {
                if let Some(reason) = params::lift_beyond(asked, greatest_lift) {
                    to.reject("parameters", reason);
                }
                Command::StepHeight(asked)
            }),
            ("cmd_vel_timeout", _) => value.as_f64().map(Command::Timeout),
            _ => name.starts_with("max_").then(|| Command::Limits(params::limits(&params))),
        };
        let takes_longer = name.starts_with("max_") || name == "step_height";
        let in_time = if takes_longer { ending::check_live(&engine, &gaits, &params) } else { Ok(()) };
        let sent = in_time.and_then(|()| command.map_or(Ok(()), |command| to.send("parameters", command)));
        if let Err(reason) = sent {
            if let (Some(known), Some(before)) = (params.get_mut(name), before) {
                *known = before;
            }
            return Err(reason);
        }
        if let ("gait", ParamValue::String(gait)) = (name, value) {
            state.set_gait(gait);
        }
        Ok(())
    }));
}
