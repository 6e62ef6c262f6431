//! What a page learns of a robot once, and of what is wrong with one, as JSON.

use crate::hexapod::Hexapod;
use crate::layout::Layout;
use crate::state::State;
use hexapod_config::ConfigError;
use hexapod_gait::{GaitState, LimitedBy, leg_places};
use serde::Serialize;

/// The words of a state's numbers, in the order of those.
const STATES: [GaitState; 5] =
    [GaitState::Sitting, GaitState::Standing, GaitState::Walking, GaitState::Stopping, GaitState::Playing];
const LIMITS: [LimitedBy; 11] = [
    LimitedBy::Nothing,
    LimitedBy::Acceleration,
    LimitedBy::Velocity,
    LimitedBy::Stride,
    LimitedBy::Reach,
    LimitedBy::Stability,
    LimitedBy::JointAcceleration,
    LimitedBy::JointVelocity,
    LimitedBy::Kinematics,
    LimitedBy::Clearance,
    LimitedBy::Planning,
];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Info<'a> {
    robot: &'a str,
    urdf: &'a str,
    base_link: &'a str,
    legs: Vec<Leg<'a>>,
    gaits: Vec<Gait<'a>>,
    gait: &'a str,
    motions: Vec<Motion<'a>>,
    refused: Vec<Refused>,
    notes: &'a [String],
    body_height: f64,
    sit_height: f64,
    step_height: f64,
    max_step_height: f64,
    max_stride: f64,
    limits: Limits,
    can_pack: bool,
    layout: &'a Layout,
    states: Vec<&'static str>,
    limited_by: Vec<&'static str>,
}

#[derive(Serialize)]
struct Leg<'a> {
    name: &'a str,
    side: &'static str,
    rank: usize,
    foot: &'a str,
    hip: [f64; 3],
    rest: [f64; 2],
    joints: Vec<Joint<'a>>,
}

#[derive(Serialize)]
struct Joint<'a> {
    name: &'a str,
    lower: f64,
    upper: f64,
    velocity: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Gait<'a> {
    name: &'a str,
    step_height: Option<f64>,
    stable: bool,
}

#[derive(Serialize)]
struct Motion<'a> {
    name: &'a str,
    about: &'a str,
}

#[derive(Serialize)]
struct Refused {
    name: String,
    reason: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Limits {
    linear_velocity: f64,
    angular_velocity: f64,
    linear_acceleration: f64,
    angular_acceleration: f64,
    linear_jerk: f64,
    angular_jerk: f64,
}

#[derive(Serialize)]
struct Problem<'a> {
    file: &'a str,
    line: usize,
    key: &'a str,
    message: &'a str,
    remedy: &'a str,
}

/// What there is to know of a robot before it moves.
#[must_use]
pub fn text(hexapod: &Hexapod) -> String {
    let walker = hexapod.walker();
    let (engine, state) = (&walker.engine, State::of(hexapod));
    let model = engine.robot().model();
    let (stance, limits) = (engine.stance().spec(), engine.limits());
    let info = Info {
        robot: model.name(),
        urdf: hexapod.urdf(),
        base_link: model.base_link(),
        legs: legs(hexapod),
        gaits: walker
            .gaits
            .iter()
            .map(|(name, gait)| Gait { name, step_height: gait.step_height(), stable: gait.is_stable() })
            .collect(),
        gait: &walker.gait_name,
        motions: walker.motions.names().map(|(name, about)| Motion { name, about }).collect(),
        refused: refused(hexapod),
        notes: &walker.notes,
        body_height: stance.height,
        sit_height: stance.sit_height,
        step_height: engine.step_height(),
        max_step_height: stance.step_height,
        max_stride: stance.max_stride,
        limits: Limits {
            linear_velocity: limits.linear_velocity,
            angular_velocity: limits.angular_velocity,
            linear_acceleration: limits.linear_acceleration,
            angular_acceleration: limits.angular_acceleration,
            linear_jerk: limits.linear_jerk,
            angular_jerk: limits.angular_jerk,
        },
        can_pack: engine.can_pack(),
        layout: state.layout(),
        states: STATES.iter().map(|state| state.as_str()).collect(),
        limited_by: LIMITS.iter().map(|limit| limit.as_str()).collect(),
    };
    serde_json::to_string(&info).unwrap_or_default()
}

fn legs(hexapod: &Hexapod) -> Vec<Leg<'_>> {
    let engine = &hexapod.walker().engine;
    let links = engine.robot().model().links();
    let places = leg_places(engine.robot());
    let legs = engine.legs().iter().zip(places).zip(engine.rest_feet());
    legs.map(|((leg, place), rest)| Leg {
        name: leg.name(),
        side: if place.left { "left" } else { "right" },
        rank: place.rank,
        foot: links.get(leg.foot_link()).map_or("", |link| link.name()),
        hip: leg.hip_in_body().into(),
        rest: [rest.x, rest.y],
        joints: leg.joints().iter().map(joint).collect(),
    })
    .collect()
}

fn joint(joint: &hexapod_kinematics::LegJoint) -> Joint<'_> {
    let limits = joint.limits();
    Joint { name: joint.name(), lower: limits.lower, upper: limits.upper, velocity: limits.velocity }
}

fn refused(hexapod: &Hexapod) -> Vec<Refused> {
    let walker = hexapod.walker();
    let gaits = walker.gaits.left_out().map(|(name, why)| Refused { name: name.into(), reason: why.into() });
    let motions = walker.motions.refused().map(|error| {
        let name = error.key().and_then(|key| key.split('.').nth(1)).unwrap_or_default().to_owned();
        Refused { name, reason: error.message().into() }
    });
    gaits.chain(motions).collect()
}

/// What is wrong with a description.
#[must_use]
pub fn problems(error: &ConfigError) -> String {
    let problem = |error: &'_ ConfigError| {
        serde_json::to_string(&Problem {
            file: error.file(),
            line: error.line().unwrap_or(0),
            key: error.key().unwrap_or_default(),
            message: error.message(),
            remedy: error.remedy(),
        })
    };
    let each: Vec<String> = error.each().filter_map(|error| problem(error).ok()).collect();
    format!("[{}]", each.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Description;

    #[test]
    fn when_a_state_is_reported_as_a_number_expect_its_word_there() {
        for (number, state) in STATES.iter().enumerate() {
            assert_eq!(*state as usize, number);
        }
        for (number, limit) in LIMITS.iter().enumerate() {
            assert_eq!(*limit as usize, number);
        }
    }

    #[test]
    fn when_a_robot_is_loaded_expect_its_legs_gaits_motions_and_what_it_refuses() {
        let hexapod = Description::default().load().unwrap();
        let info: serde_json::Value = serde_json::from_str(&text(&hexapod)).unwrap();
        assert_eq!(info["legs"].as_array().unwrap().len(), 6);
        assert_eq!((&info["legs"][0]["side"], &info["legs"][0]["rank"]), (&"left".into(), &0.into()));
        assert_eq!(info["legs"][0]["foot"], "left_front_foot");
        assert_eq!(info["gait"], "tripod");
        assert_eq!((&info["bodyHeight"], &info["maxStepHeight"]), (&0.09.into(), &0.05.into()));
        assert!(info["motions"].as_array().unwrap().iter().any(|motion| motion["name"] == "wave"));
        assert!(info["refused"].as_array().unwrap().iter().any(|refused| refused["name"] == "trot"));
        assert_eq!(info["layout"]["joints"]["length"], 18);
    }

    #[test]
    fn when_files_are_wrong_expect_each_fault_with_its_place() {
        let text = "limits:\n  nobody: {velocity: -1.0}\npostures: {all: [30.0, 0.0, 0.0]}\n";
        let files = [("robot.yaml".to_owned(), text.to_owned())].into();
        let error = Description { files, ..Description::default() }.load().err().unwrap();
        let reported: serde_json::Value = serde_json::from_str(&problems(&error)).unwrap();
        assert_eq!(reported[0]["file"], "robot.yaml");
        assert!(
            reported[0]["line"].as_u64().unwrap() > 1 && !reported[0]["message"].as_str().unwrap().is_empty(),
            "{reported}"
        );
    }
}
