//! What is shipped, on robots of other sizes than the shipped one.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use hexapod_config::Source;
use hexapod_config::ros_params::{ParamValue, Params};
use hexapod_kinematics::Robot;
use hexapod_setup::{ConfigFile, Description, Walker, planner};

const URDF: &str = include_str!("../../../urdf/hexapod.urdf");
const MOTIONS: &str = include_str!("../../../config/motions.yaml");
const GAITS: &str = include_str!("../../../config/gaits.yaml");
const PARAMS: &str = include_str!("../../../config/hexapod.yaml");

/// The shipped robot so many times as large, with an owner's files of motions and parameters.
fn walker(size: f64, [motions, params]: [&str; 2]) -> Walker {
    let urdf = Robot::from_urdf(URDF).unwrap().enlarged(size).model().to_urdf();
    let beside = ConfigFile::of_texts([("robot.yaml", "limits: {}\n")]);
    let description = Description::of_text(Source::new("robot.urdf", urdf), &beside, &mut |_| None).unwrap();
    let file = |name: &'static str, shipped: &'static str, own: &str| {
        let own = Some(("own.yaml", own)).filter(|(_, text)| !text.is_empty());
        ConfigFile::of_texts([(name, shipped)].into_iter().chain(own)).over_shipped()
    };
    let mut given: Params = planner::specs().iter().map(|spec| (spec.name, spec.default.clone())).collect();
    if params.contains("max_linear_acceleration") {
        given.insert("max_linear_acceleration", ParamValue::Double(0.3));
    }
    let params = planner::sized(&given, &file("hexapod.yaml", PARAMS, params), &description.robot);
    Walker::read(&params, &description, &file("gaits.yaml", GAITS, ""), &file("motions.yaml", MOTIONS, motions))
        .unwrap()
}

#[test]
fn when_the_shipped_robot_is_of_another_size_expect_it_to_play_all_motions_and_to_walk_in_its_own_measure() {
    let own = walker(1.0, ["", ""]);
    for size in [0.2, 0.3, 3.0, 10.0] {
        let other = walker(size, ["", ""]);
        assert_eq!(other.motions.names().collect::<Vec<_>>(), own.motions.names().collect::<Vec<_>>(), "{size}");
        assert_eq!(other.gait_name, own.gait_name);
        let (own, other) = (&own.engine, &other.engine);
        let (limits, of_shipped) = (other.limits(), own.limits());
        for (own, other, times) in [
            (own.step_height(), other.step_height(), size),
            (own.stance().spec().height, other.stance().spec().height, size),
            (own.stance().reach().least(), other.stance().reach().least(), size),
            (own.standing_margin(), other.standing_margin(), size),
            (of_shipped.linear_velocity, limits.linear_velocity, size),
            (of_shipped.angular_velocity, limits.angular_velocity, 1.0),
            (of_shipped.linear_acceleration, limits.linear_acceleration, size.min(1.0)),
        ] {
            assert!((other / (own * times) - 1.0).abs() < 1e-6, "{other} for {own}, {size} times as large");
        }
    }
}

#[test]
fn when_the_owner_wrote_a_length_expect_it_as_it_is() {
    let nod = "motions:\n  nod: {frames: [{}, {time: 1.0, body: {z: 0.01}}]}\n  bow: {frames: [{}, {time: 1.0, body: {x: 0.5}}]}\n";
    let params = "gait_planner:\n  ros__parameters:\n    max_linear_acceleration: 0.3\n";
    let walker = walker(0.3, [nod, params]);
    let height = |name: &str| match walker.motions.get(name).unwrap().target(1.0) {
        hexapod_gait::motion::Target::Feet(pose) => pose.offset.translation.z,
        target => panic!("{target:?}"),
    };
    assert!((height("nod") - 0.01).abs() < 1e-12, "{}", height("nod"));
    assert!(walker.motions.get("bow").is_err(), "0.5 m ahead is not for this robot");
    assert_eq!(walker.engine.limits().linear_acceleration, 0.3);
}
