//! What `gait_planner` can be set to.

use crate::config_file::ConfigFile;
use crate::frames;
use crate::params::{PLANNER, common, number, switch, text};
use hexapod_config::ros_params::{ParamSpec, ParamValue, Params, paths};
use hexapod_gait::{LegClearance, Settings, Stance, StanceError, StanceWish, TwistLimits, size_of};
use hexapod_kinematics::Robot;
use nalgebra::Vector2;

/// Name of the node.
pub const NODE: &str = PLANNER;

/// The node's parameters.
#[must_use]
pub fn specs() -> Vec<ParamSpec> {
    let mut specs = common();
    specs.extend(frames::specs());
    specs.extend([
        ParamSpec::new("rate", 100.0, "Ticks of the control loop, Hz").range(20.0, 1000.0).read_only(),
        ParamSpec::new("gait", "tripod", "Gait to walk with, from config/gaits.yaml"),
        ParamSpec::new("step_height", 0.03, "Lift of a swinging foot, m, for gaits without their own").range(0.0, 0.5),
        ParamSpec::new("cmd_vel_timeout", 0.5, "A command older than this, s, stops the robot").range(0.05, 10.0),
        ParamSpec::new("stamped_cmd_vel", false, "Take TwistStamped on cmd_vel instead of Twist").read_only(),
        ParamSpec::new("use_foot_switches", false, "Put feet down where foot_switches says that they feel the ground")
            .read_only(),
        ParamSpec::new("use_sensed_contacts", false, "The same with sensed_contacts, estimated from the servos' load")
            .read_only(),
        ParamSpec::new("use_imu", false, "Keep the walking body level by imu/data; with feet that feel the ground")
            .read_only(),
        ParamSpec::new(
            "use_points",
            false,
            "Put feet down where the ground that points shows will do, over what is in their way",
        )
        .read_only(),
        ParamSpec::new("contacts_delay", 0.02, "How late either tells of a contact, s").range(0.0, 0.2).read_only(),
        ParamSpec::new("max_linear_velocity", 0.15, "Greatest speed of the body, m/s").range(0.0, 2.0),
        ParamSpec::new("max_angular_velocity", 0.8, "Greatest turning speed, rad/s").range(0.0, 6.0),
        ParamSpec::new("max_linear_acceleration", 0.3, "Greatest change of speed, m/s^2").range(0.01, 10.0),
        ParamSpec::new("max_angular_acceleration", 1.5, "Greatest change of turning speed, rad/s^2").range(0.01, 50.0),
        ParamSpec::new("max_linear_jerk", 7.5, "Greatest change of acceleration, m/s^3").range(0.1, 1000.0),
        ParamSpec::new("max_angular_jerk", 37.5, "Greatest change of turning acceleration, rad/s^3").range(0.5, 5000.0),
        ParamSpec::new("disabled_legs", "", "Legs that are switched off, by name, separated by commas").read_only(),
        ParamSpec::new("max_stride", 0.0, "Longest step of the outermost foot, m; 0: from the legs")
            .range(0.0, 2.0)
            .read_only(),
        ParamSpec::new("max_step_height", 0.0, "Greatest lift the stance leaves room for, m; 0: from the legs")
            .range(0.0, 0.5)
            .read_only(),
        ParamSpec::new("body_height", 0.0, "Body above the ground when walking, m; 0: from the legs")
            .range(0.0, 2.0)
            .read_only(),
        ParamSpec::new("sit_height", 0.0, "Body above the ground when sitting, m; 0: from the legs")
            .range(0.0, 2.0)
            .read_only(),
        ParamSpec::new("stand_time", 1.5, "Seconds that standing up takes").range(0.3, 20.0).read_only(),
        ParamSpec::new("sit_time", 0.8, "Seconds that sitting down takes").range(0.3, 20.0).read_only(),
    ]);
    specs
}

/// The parameters with what nobody wrote in the measure of the robot: as shipped they are those of the shipped robot. Lengths
/// and speeds go with its size. What a body bears of acceleration before it tips does not (Froude), so that a larger robot
/// keeps the shipped one, and a smaller one has as much less as its steps are shorter.
#[must_use]
pub fn sized(params: &Params, file: &ConfigFile, robot: &Robot) -> Params {
    let (size, specs, mut params) = (size_of(robot), specs(), params.clone());
    let Ok(document) = file.read_on() else { return params };
    let paths = paths(&document, NODE, &specs);
    let of_shipped = [("step_height", size), ("max_linear_velocity", size)];
    let gentle = ["max_linear_acceleration", "max_linear_jerk"].map(|name| (name, size.min(1.0)));
    for (name, times) in of_shipped.into_iter().chain(gentle) {
        let Some(ParamSpec { default, range: Some((least, greatest)), .. }) =
            specs.iter().find(|spec| spec.name == name)
        else {
            continue;
        };
        let is_own = paths.get(name).is_some_and(|path| file.is_own(&document, path));
        if !is_own && params.get(name) == Some(default) {
            let value = number(&params, name) * times;
            params.insert(name, ParamValue::Double(value.clamp(*least, *greatest)));
        }
    }
    params
}

/// Which sizes the node's parameters give, and which they leave to be chosen for the robot.
pub(crate) fn wish(params: &Params) -> StanceWish {
    let given = |name: &str| Some(number(params, name)).filter(|size| *size > 0.0);
    StanceWish {
        height: given("body_height"),
        sit_height: given("sit_height"),
        step_height: given("max_step_height"),
        max_stride: given("max_stride"),
    }
}

/// The engine's settings and stance out of the node's parameters, and of what legs keep between them; sizes that are zero
/// are chosen for the robot.
///
/// # Errors
/// The robot cannot stand as it is asked to.
pub fn settings(
    params: &Params,
    robot: &Robot,
    leg_clearance: LegClearance,
) -> Result<(Settings, Stance), StanceError> {
    let asked = number(params, "step_height");
    let stance = wish(params).stance_with(robot, leg_clearance)?;
    let settings = Settings {
        stance: stance.spec(),
        step_height: asked.min(stance.spec().step_height),
        limits: limits(params),
        stand_time: number(params, "stand_time"),
        sit_time: number(params, "sit_time"),
        leg_clearance,
    };
    Ok((settings, stance))
}

/// A lift this many times what there is room for is not asked for by a stance that leaves more.
const FAR_BEYOND: f64 = 2.0;

/// What to say of a lift that is more than the stance leaves room for.
#[must_use]
pub fn lift_beyond(asked: f64, greatest: f64) -> Option<String> {
    let more = if asked > FAR_BEYOND * greatest {
        "write that, or less (it is in m)"
    } else {
        "for more, raise max_step_height in hexapod.yaml, or lower body_height"
    };
    (asked > greatest).then(|| {
        format!(
            "step_height {asked:.3} is more than the stance leaves room for: feet are lifted by {greatest:.3} m; {more}"
        )
    })
}

/// What to say of a stride that is longer than the legs reach, 0 being one that is chosen.
#[must_use]
pub fn stroke_beyond(asked: f64, stance: &Stance) -> Option<String> {
    let reached = stance.stroke(Vector2::x()).max(stance.stroke(Vector2::y()));
    (asked > 1.01 * reached)
        .then(|| format!("max_stride {asked} is more than the legs reach: strides are at most {reached:.3} m"))
}

/// The bounds of the body's motion out of the node's parameters.
#[must_use]
pub fn limits(params: &Params) -> TwistLimits {
    TwistLimits {
        linear_velocity: number(params, "max_linear_velocity"),
        angular_velocity: number(params, "max_angular_velocity"),
        linear_acceleration: number(params, "max_linear_acceleration"),
        angular_acceleration: number(params, "max_angular_acceleration"),
        linear_jerk: number(params, "max_linear_jerk"),
        angular_jerk: number(params, "max_angular_jerk"),
    }
}

/// The topic that tells what feet feel, if one is to be used. `sensed_contacts` has the switches in it.
#[must_use]
pub fn contacts_topic(params: &Params) -> Option<&'static str> {
    let topics = [("use_sensed_contacts", "sensed_contacts"), ("use_foot_switches", "foot_switches")];
    topics.into_iter().find(|(name, _)| switch(params, name)).map(|(_, topic)| topic)
}

/// Whether the body is kept level by its IMU.
#[must_use]
pub fn uses_imu(params: &Params) -> bool {
    switch(params, "use_imu")
}

/// Whether feet are put down where a depth camera or a lidar says.
#[must_use]
pub fn uses_points(params: &Params) -> bool {
    switch(params, "use_points")
}

/// How late contacts are reported, s.
#[must_use]
pub fn contacts_delay(params: &Params) -> f64 {
    number(params, "contacts_delay")
}

/// Names of the legs that are switched off.
#[must_use]
pub fn disabled_legs(params: &Params) -> Vec<String> {
    let names = text(params, "disabled_legs");
    names.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// Name of the gait to start with.
#[must_use]
pub fn gait_name(params: &Params) -> String {
    text(params, "gait")
}

/// Ticks per second.
#[must_use]
pub fn rate(params: &Params) -> f64 {
    number(params, "rate")
}

/// Seconds after which a command stops counting.
#[must_use]
pub fn timeout(params: &Params) -> f64 {
    number(params, "cmd_vel_timeout")
}
