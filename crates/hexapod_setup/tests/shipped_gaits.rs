//! The gaits of the shipped file, their decimals as people write them, walked by the shipped robot.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use hexapod_config::ros_params::Params;
use hexapod_gait::{Balance, Engine, GaitState, Input, Twist};
use hexapod_setup::{Description, Files, Walker, planner};

const DT: f64 = 0.01;

fn shipped() -> Walker {
    let files = Files::shipped_alone().unwrap();
    let params: Params = planner::specs().iter().map(|spec| (spec.name, spec.default.clone())).collect();
    let description = Description::read(&files).unwrap();
    Walker::read(&params, &description, &files.in_config("gaits.yaml"), &files.in_config("motions.yaml")).unwrap()
}

/// A robot that has walked a gait of the file for so many ticks.
fn walking(walker: &Walker, gait: &str, input: &Input, ticks: usize) -> Engine {
    let mut engine = walker.engine.clone();
    engine.stand();
    while engine.step(&Input::default(), DT).state != GaitState::Standing {}
    engine.set_gait(walker.gaits.get(gait).unwrap());
    for _ in 0..ticks {
        engine.step(input, DT);
    }
    engine
}

/// Decimals such as 0.33333333 left legs that step together apart by their rounding: the turn of one was past when the
/// others were lifted, and the robot stood on feet that nothing had foreseen, 5 mm from tipping over.
#[test]
fn when_gaits_of_the_file_follow_each_other_at_any_phase_expect_their_margin() {
    let walker = shipped();
    for (from, to) in [("ripple", "amble"), ("wave", "amble"), ("amble", "ripple")] {
        for cm_s in [2.762, 3.0, 6.0, 8.5] {
            let input = Input { twist: Twist::new(0.01 * cm_s, 0.0, 0.0), ..Input::default() };
            let mut engine = walking(&walker, from, &input, 300);
            let balance = Balance::new(engine.robot());
            for phase in 0..140 {
                engine.step(&input, DT);
                let mut other = engine.clone();
                other.set_gait(walker.gaits.get(to).unwrap());
                let margins = (0..250).map(|_| balance.of(other.step(&input, DT)).margin);
                let margin = margins.fold(f64::INFINITY, f64::min);
                assert!(margin >= 0.01, "{from} to {to} at {cm_s} cm/s, phase {phase}: {margin} m");
            }
        }
    }
}
