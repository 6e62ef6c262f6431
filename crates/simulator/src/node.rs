//! The node: its thread for the physics, and what may be asked of it.

use crate::disturbances::{Disturbances, Unfit};
use crate::lockstep::Planner;
use crate::pace;
use crate::publish::Teller;
use crate::run::{Closing, Run, Wishes};
use crate::setup::Setup;
use hexapod_config::ros_params::{ParamValue, Params};
use hexapod_kinematics::Robot;
use hexapod_ros::r2r::std_srvs::srv::{SetBool, Trigger};
use hexapod_ros::{Diagnostics, RosError, RosNode, Stage, Unheard};
use hexapod_servo::{ServoConfig, SimulatedBus};

/// Why the node could not run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The robot cannot be simulated.
    #[error(transparent)]
    Robot(#[from] hexapod_sim::BuildError),
    /// A topic or service could not be opened.
    #[error(transparent)]
    Ros(#[from] RosError),
    /// A thread could not be started.
    #[error("no thread for simulator: {0}")]
    Thread(#[from] std::io::Error),
}

/// Steps the robot that is wired to `boards`, which are those of `servos`, until `closing` is over.
///
/// # Errors
/// The robot cannot be simulated; a topic, service or thread cannot be had.
pub fn run(
    setup: Setup,
    (servos, boards): (ServoConfig, SimulatedBus),
    mut node: RosNode,
    closing: &Closing,
) -> Result<(), RunError> {
    let servo_time = boards.servo_time().clone();
    let plant = setup.plant(servos, boards)?;
    for note in setup.notes().iter().chain(&plant.simulator().world().assembly().notes) {
        tracing::warn!("{note}");
    }
    let wishes = Wishes::at(setup.speed, setup.lockstep);
    let planner = Planner::listened_to(&mut node)?;
    serve(&mut node, &wishes)?;
    listen(&node, &setup, &wishes);
    tell_pace(node.values());
    let mut teller = Teller::new(&mut node, &setup, &plant)?;
    let stamps = node.stamps();
    let diagnostics = Diagnostics::new(&mut node, "physics", stamps)?;
    let mut unheard = Unheard::of_clock(&node);
    tracing::info!(
        "{} of {:.2} kg in physics on terrain {}, steps of {} ms",
        setup.description.robot.model().name(),
        plant.simulator().world().assembly().mass(),
        setup.terrain_name,
        1000.0 * setup.config.engine.step_s
    );
    let (stop, rate_hz) = (closing.clone(), setup.rate_hz);
    let thread = std::thread::Builder::new().name("physics".into());
    let stepping = thread.spawn(move || {
        let _ends_the_node = stop.over.drop_guard();
        Run::new(plant, planner, servo_time, rate_hz).go(&mut teller, (&diagnostics, &mut unheard), &wishes, &stop);
    })?;
    node.spin(&closing.over, Stage::Stopping);
    if stepping.join().is_err() {
        tracing::error!("the thread of the physics has panicked");
    }
    Ok(())
}

fn serve(node: &mut RosNode, wishes: &Wishes) -> Result<(), RosError> {
    let to = wishes.clone();
    node.serve::<SetBool::Service>("pause", move |request| {
        to.change(|wish| wish.paused = request.data);
        let message = if request.data { "paused; the servos' pulses go on" } else { "goes on" };
        SetBool::Response { success: true, message: message.into() }
    })?;
    let to = wishes.clone();
    node.serve::<Trigger::Service>("step", move |_| {
        let may = to.change(|wish| {
            wish.steps = wish.steps.saturating_add(u32::from(wish.paused));
            wish.paused
        });
        let message = if may { "on by one period of the messages" } else { "it runs: pause it first" };
        Trigger::Response { success: may, message: message.into() }
    })?;
    let to = wishes.clone();
    node.serve::<Trigger::Service>("reset", move |_| {
        to.change(|wish| wish.reset = true);
        Trigger::Response { success: true, message: "the robot is put back to where it started".into() }
    })?;
    let to = wishes.clone();
    node.serve::<Trigger::Service>("push", move |_| {
        to.change(|wish| wish.pushes = wish.pushes.saturating_add(1));
        let message = "the body is pushed as push_force and push_seconds say";
        Trigger::Response { success: true, message: message.into() }
    })
}

/// Takes up parameters that are set while the robot is simulated.
fn listen(node: &RosNode, setup: &Setup, wishes: &Wishes) {
    let robot = setup.description.robot.clone();
    // Each parameter is judged by itself, so it may be before any of a set is taken up.
    let (of, start) = (robot.clone(), node.values().clone());
    node.on_check(Box::new(move |name, value| read(&with(&start, name, value), &of).map(drop)));
    let (to, mut params) = (wishes.clone(), node.values().clone());
    node.on_set(Box::new(move |name, value| {
        let next = with(&params, name, value);
        let disturbances = read(&next, &robot)?;
        params = next;
        if matches!(name, "speed" | "lockstep") {
            tell_pace(&params);
        }
        to.change(|wish| match (name, value) {
            ("speed", ParamValue::Double(speed)) => wish.speed = *speed,
            ("lockstep", ParamValue::Bool(lockstep)) => wish.lockstep = *lockstep,
            _ => wish.disturbances = Some(disturbances),
        });
        Ok(())
    }));
}

/// Warns where the nodes were not set to go by the time of the physics, and have to.
fn tell_pace(params: &Params) {
    if let Some(why) = pace::remark(params) {
        tracing::warn!("{why}");
    }
}

/// The parameters with a new value of one.
fn with(params: &Params, name: &str, value: &ParamValue) -> Params {
    let mut params = params.clone();
    if let Some(known) = params.get_mut(name) {
        known.clone_from(value);
    }
    params
}

/// What is to be done to the robot, or why not.
fn read(params: &Params, robot: &Robot) -> Result<Disturbances, String> {
    Disturbances::read(params, robot).map_err(|Unfit { reason, help, .. }| format!("{reason}: {help}"))
}
