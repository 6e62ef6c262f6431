//! What walking and motions ask of the joints.
#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use hexapod_gait::motion::{Blend, Motion};
use hexapod_gait::{Demand, Gait, GaitSpec, leg_places};
use std::sync::Arc;
use std::time::Instant;

fn gait(spec: &GaitSpec) -> (Gait, hexapod_gait::Engine) {
    let engine = crate::common::engine(6);
    (Gait::try_new(spec, &leg_places(engine.robot())).unwrap(), engine)
}

#[test]
fn when_a_robot_walks_at_its_limits_expect_no_joint_farther_or_faster_than_was_foreseen() {
    let (tripod, engine) = gait(&GaitSpec::default());
    let began = Instant::now();
    let demand = Demand::of(&engine, [("tripod", &tripod)], []);
    println!("one gait: {:?}", began.elapsed());
    let mut walking = engine.clone();
    walking.stand();
    for tick in 0..1000 {
        let twist = if tick < 300 { crate::common::twist(0.0, 0.0, 0.0) } else { crate::common::twist(0.15, 0.0, 0.0) };
        let now = *walking.step(&twist, 0.01);
        for (leg, each) in engine.legs().iter().enumerate() {
            for joint in 0..each.joint_count() {
                let asked = demand.of_joint(leg, joint).unwrap();
                let (angle, room) = (now.angles[leg][joint], 0.02);
                assert!(
                    angle > asked.lower.0 - room && angle < asked.upper.0 + room,
                    "{leg} {joint}: {angle} {asked:?}"
                );
            }
        }
    }
}

#[test]
fn when_a_motion_asks_for_more_than_walking_expect_it_named() {
    let engine = crate::common::engine(6);
    let home = engine.home().angles;
    let mut beckoning = home;
    beckoning[0][0] = -0.69;
    let keys = [(0.0, home), (1.0, beckoning), (2.0, home)];
    let motion = Motion::joints(&keys, Blend::default(), None).unwrap();
    let demand = Demand::of(&engine, [], [("beckon", Arc::new(motion))]);
    let (name, joint) = (engine.legs()[0].joints()[0].name(), demand.of_joint(0, 0).unwrap());
    assert_eq!(name, "left_front_coxa");
    assert!((joint.lower.0 + 0.69).abs() < 0.02, "{joint:?}");
    assert_eq!(demand.doings()[joint.lower.1], "motion `beckon`");
    assert!(demand.of_joint(9, 0).is_none() && demand.of_joint(0, 9).is_none());
}
