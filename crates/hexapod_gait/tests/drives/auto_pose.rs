//! What the body does by itself over a gait's cycle.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{Observer, drive, engine, gait, specs, twist};
use hexapod_gait::{AutoPose, Gait, GaitSpec, GaitState, Input, Wave, leg_places};

const DT: f64 = 0.01;

#[test]
fn when_a_gait_has_an_auto_pose_expect_the_body_to_follow_it_by_phase_and_to_come_back_with_the_stop() {
    for legs in [6, 8] {
        let z = Wave { amplitude: 0.005, cycles: 2, shift: 0.0 };
        let roll = Wave { amplitude: 0.04, cycles: 1, shift: 0.25 };
        let auto_pose = AutoPose { z, roll, ..AutoPose::default() };
        let spec = GaitSpec { auto_pose, cycle_time: 1.6, ..specs(legs)[0].clone() };
        let mut engine = engine(legs);
        engine.set_gait(gait(engine.robot(), &spec));
        let mut observer = Observer::new(&engine, DT);
        drive(&mut engine, &mut observer, &twist(0.03, 0.0, 0.1), 600).unwrap();
        for _ in 0..320 {
            drive(&mut engine, &mut observer, &twist(0.03, 0.0, 0.1), 1).unwrap();
            let tick = engine.last();
            let wanted = auto_pose.at(tick.phase);
            let body = tick.footprint_from_body;
            let height = engine.stance().spec().height;
            // It is a step of 10 ms behind.
            assert!((body.translation.z - height - wanted.translation.z).abs() < 6e-4, "{}", body.translation.z);
            assert!((body.rotation.scaled_axis().x - wanted.rotation.x).abs() < 2.5e-3);
        }
        drive(&mut engine, &mut observer, &Input::default(), 300).unwrap();
        assert_eq!(engine.last().state, GaitState::Standing);
        assert!(engine.last().footprint_from_body.rotation.angle() < 1e-9);
    }
}

#[test]
fn when_an_auto_pose_goes_too_far_expect_its_key() {
    let robot = crate::common::robot(6);
    let refused = |auto_pose: AutoPose| {
        let spec = GaitSpec { auto_pose, ..GaitSpec::default() };
        Gait::try_new(&spec, &leg_places(&robot)).unwrap_err().key
    };
    let wave = Wave { amplitude: 0.01, cycles: 1, shift: 0.0 };
    assert_eq!(
        refused(AutoPose { z: Wave { amplitude: 0.03, ..wave }, ..AutoPose::default() }),
        "auto_pose.z.amplitude"
    );
    assert_eq!(refused(AutoPose { yaw: Wave { cycles: 0, ..wave }, ..AutoPose::default() }), "auto_pose.yaw.cycles");
    assert_eq!(refused(AutoPose { x: Wave { shift: f64::NAN, ..wave }, ..AutoPose::default() }), "auto_pose.x.shift");
}
