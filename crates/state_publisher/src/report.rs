//! What the node says of itself once a second.

use crate::state::{Fitness, Input, State};
use hexapod_dynamics::{SampleCounts, Source};
use hexapod_odometry::Fit;
use hexapod_ros::{Level, Status, SwitchFault};
use std::time::Duration;

/// Joint commands that stay away for longer than this are missed.
const SILENCE: Duration = Duration::from_millis(500);

/// The node's status at `now`, `seconds` after the last one. Counts per second start anew.
pub(crate) fn status(state: &mut State, now: Duration, seconds: f64) -> Status {
    let mut status = Status::default();
    let silent = state.commands.received.is_none_or(|received| now.saturating_sub(received) > SILENCE);
    if silent {
        let since = state.commands.received.map(|received| now.saturating_sub(received).as_secs_f64());
        let words = since.map_or("no joint_commands yet".into(), |since| format!("no joint_commands for {since:.1} s"));
        status.report(Level::Warn, words);
    }
    for (name, input) in [
        ("joint_commands", &mut state.commands),
        ("servo_states", &mut state.servos),
        ("foot_contacts", &mut state.contacts),
        ("foot_switches", &mut state.switches),
        ("imu/data", &mut state.imu),
    ] {
        report_input(&mut status, name, input, seconds);
    }
    status.value("servo_states without joints", state.empty);
    report_joints(&mut status, state, now);
    report_odometry(&mut status, state);
    report_feet(&mut status, state, now);
    status
}

fn report_input(status: &mut Status, name: &str, input: &mut Input, seconds: f64) {
    status.value(&format!("{name} (Hz)"), format!("{:.1}", input.taken as f64 / seconds));
    status.value(&format!("{name} refused"), input.refused);
    input.taken = 0;
    if let Some(reason) = input.reason.take() {
        tracing::warn!("refused: {reason}");
        status.report(Level::Warn, format!("refused: {reason}"));
    }
}

fn report_joints(status: &mut Status, state: &State, now: Duration) {
    let sources = state.known.sources(now);
    let from = match (sources.servos, sources.commands) {
        (0, 0) => "nothing yet".to_owned(),
        (0, _) => "joint_commands".to_owned(),
        (_, 0) => "servo_states".to_owned(),
        (servos, commands) => format!("servo_states for {servos} joints, joint_commands for {commands}"),
    };
    status.value("joint_states from", from);
    if !state.is_complete(now) {
        status.report(Level::Warn, "not every joint is known: no joint_states");
    }
}

fn report_feet(status: &mut Status, state: &mut State, now: Duration) {
    let robot = state.robot().clone();
    let Some(feet) = &mut state.feet else {
        return status.value("foot forces", "not known: the robot's description has no masses");
    };
    let estimated = feet.forces(now).flatten().count();
    let predicted = feet.prediction(now).is_some();
    let from = match (estimated, predicted) {
        (0, false) => "not known".into(),
        (0, true) => "predicted".into(),
        (legs, _) => format!("estimated for {legs} of {} legs", robot.legs().len()),
    };
    status.value("foot forces", from);
    if let Some(pull_n) = feet.pull_n(now) {
        let words = "a joint's effort is the servo's torque about its axis, as joint_states have it";
        let pull =
            format!("the feet seem to pull at the ground with {pull_n:.0} N: are the efforts' signs reversed? {words}");
        status.report(Level::Warn, pull);
    }
    let damped = feet.forces(now).flatten().filter(|force| force.damped).count();
    status.value("legs too stretched to feel", damped);
    let SampleCounts { used, unusable, outliers, gaps, stale } = feet.counts();
    let values = [("used", used), ("unusable", unusable), ("outliers", outliers), ("gaps", gaps), ("stale", stale)];
    values.iter().for_each(|(what, count)| status.value(&format!("samples with efforts, {what}"), count));
    let sensed = |wanted: Source| feet.contacts().filter(|contact| contact.source == Some(wanted)).count();
    status.value("contacts measured", sensed(Source::Measured));
    status.value("contacts estimated", sensed(Source::Estimated));
    let names = robot.legs().iter().map(|leg| leg.name());
    if let Some(words) = SwitchFault::report(names.zip(feet.switch_faults())) {
        status.report(Level::Warn, words);
    }
    let overloads = feet.overloads(&robot, now);
    if !overloads.is_empty() {
        status.report(Level::Warn, overloads.join("; "));
    }
}

fn report_odometry(status: &mut Status, state: &mut State) {
    let Fitness { worst_residual, restarts } = std::mem::take(&mut state.fitness);
    status.value("worst fit of a foot (mm)", format!("{:.3}", worst_residual * 1e3));
    status.value("odometry restarts", restarts);
    let moves = std::mem::take(&mut state.known.moved);
    let Some(estimate) = state.estimate() else { return };
    status.value("feet on the ground", estimate.feet_down);
    status.value("way walked (m)", format!("{:.3}", estimate.travelled));
    let fit = match estimate.fit {
        Fit::Rigid => "place and attitude",
        Fit::Planar => "place and yaw",
        Fit::Coasting => "last velocity",
    };
    status.value("odometry gives", fit);
    // One that rests on its body, as it does while packed, goes nowhere.
    if estimate.fit == Fit::Coasting && moves {
        status.report(Level::Warn, "too few feet on the ground to tell where the robot goes");
    }
    // The very first sample is a start, too, and needs no warning.
    if restarts > 1 {
        status.report(Level::Warn, "feet are not where they stood: odometry continues from its last position");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_kinematics::Robot;
    use hexapod_ros::r2r::sensor_msgs::msg::JointState;
    use hexapod_ros::r2r::std_msgs::msg::UInt8MultiArray;
    use std::sync::Arc;

    #[test]
    fn when_no_foot_is_on_the_ground_expect_a_warning_only_while_the_joints_move() {
        let robot = Arc::new(Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap());
        let mut state = State::new(Arc::clone(&robot), None);
        let legs: Vec<&str> = robot.legs().iter().map(|leg| leg.name()).collect();
        let mut contacts = UInt8MultiArray { data: vec![0; legs.len()], ..Default::default() };
        contacts
            .layout
            .dim
            .push(hexapod_ros::r2r::std_msgs::msg::MultiArrayDimension { label: legs.join(","), ..Default::default() });
        let mut now = Duration::ZERO;
        let mut warned = |step: f64| {
            for tick in 0..100 {
                now += Duration::from_millis(10);
                state.take_contacts(&contacts, now);
                let position = vec![step * f64::from(tick); 18];
                let name = state.table().names().to_vec();
                state.take_commands(&JointState { name, position, ..Default::default() }, now, now);
            }
            format!("{:?}", status(&mut state, now, 1.0)).contains("too few feet")
        };
        assert!(warned(0.001), "it moves in the air");
        warned(0.0);
        assert!(!warned(0.0), "it lies on its body");
    }
}
