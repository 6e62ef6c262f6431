//! Where the joints' greatest accelerations are known, they are kept: in stance, in swing, standing up and sitting down.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{Observer, drive, gait, settings, specs, twist};
use hexapod_gait::{BodyOffset, Engine, GaitState, Input, LimitedBy, Twist};
use hexapod_kinematics::{LegAngles, LegOptions, LimitChange, Robot};
use nalgebra::Vector3;
use proptest::prelude::*;
use std::sync::Arc;

const DT: f64 = 0.01;

/// The engine of a robot whose joints accelerate by no more than `greatest` rad/s^2.
fn engine(legs: usize, index: usize, greatest: Option<f64>) -> Engine {
    let change = LimitChange { acceleration: greatest, ..LimitChange::default() };
    let options = LegOptions { limits: vec![change], ..LegOptions::default() };
    let robot = Arc::new(Robot::from_urdf_with(&crate::common::urdf(legs), &options).unwrap());
    let gaits = specs(legs);
    let first = gait(&robot, &gaits[index % gaits.len()]);
    Engine::new(robot, first, settings()).unwrap()
}

/// Watches the differences of the differences of the angles.
struct Meter {
    before: [Vec<LegAngles>; 2],
    /// The greatest acceleration seen, rad/s^2.
    worst: f64,
}

impl Meter {
    fn new(engine: &Engine) -> Self {
        let angles = engine.last().angles.to_vec();
        Self { before: [angles.clone(), angles], worst: 0.0 }
    }

    fn take(&mut self, engine: &Engine) {
        let now = engine.last().angles.to_vec();
        let [first, middle] = &self.before;
        for ((now, middle), first) in now.iter().zip(middle).zip(first) {
            for ((now, middle), first) in now.iter().zip(middle.iter()).zip(first.iter()) {
                self.worst = self.worst.max((now - 2.0 * middle + first).abs() / (DT * DT));
            }
        }
        self.before.rotate_left(1);
        self.before[1] = now;
    }
}

fn run(
    engine: &mut Engine,
    observer: &mut Observer,
    meter: &mut Meter,
    input: &Input,
    ticks: usize,
) -> Result<(), TestCaseError> {
    for _ in 0..ticks {
        drive(engine, observer, input, 1)?;
        meter.take(engine);
    }
    Ok(())
}

#[derive(Clone, Debug)]
enum Act {
    Drive(Twist),
    Reverse(Twist),
    Pose(BodyOffset),
    Gait(usize),
    Stop,
}

fn act() -> impl Strategy<Value = Act> {
    let fraction = prop_oneof![4 => -0.15..0.15f64, 1 => -10.0..10.0f64, 1 => Just(0.0)];
    let twist = prop::array::uniform3(fraction).prop_map(|[x, y, w]| Twist::new(x, y, 5.0 * w));
    let pose = prop::array::uniform6(-0.01..0.01f64).prop_map(|p| {
        Act::Pose(BodyOffset {
            translation: Vector3::new(p[0], p[1], p[2]),
            rotation: 5.0 * Vector3::new(p[3], p[4], p[5]),
        })
    });
    prop_oneof![
        8 => twist.clone().prop_map(Act::Drive), 2 => twist.prop_map(Act::Reverse), 1 => pose,
        1 => (0usize..4).prop_map(Act::Gait), 1 => Just(Act::Stop),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_driven_at_random_expect_no_joint_accelerated_more_than_it_can(
        legs in prop_oneof![Just(4usize), Just(6), Just(8)], index in 0usize..4, greatest in 30.0..150.0f64,
        acts in prop::collection::vec((act(), 1usize..200), 1..12),
    ) {
        let mut engine = engine(legs, index, Some(greatest));
        let (mut observer, mut meter) = (Observer::new(&engine, DT), Meter::new(&engine));
        let mut input = Input::default();
        engine.stand();
        run(&mut engine, &mut observer, &mut meter, &input, 300)?;
        for (act, ticks) in acts {
            let mut shaken = false;
            match act {
                Act::Drive(twist) => input.twist = twist,
                Act::Reverse(twist) => (input.twist, shaken) = (twist, true),
                Act::Pose(offset) => input.body_offset = offset,
                Act::Gait(index) => engine.set_gait(gait(engine.robot(), &specs(legs)[index % specs(legs).len()])),
                Act::Stop => engine.stop(),
            }
            for _ in 0..ticks {
                run(&mut engine, &mut observer, &mut meter, &input, 1)?;
                if shaken {
                    input.twist = input.twist.scaled(-1.0);
                }
            }
        }
        run(&mut engine, &mut observer, &mut meter, &Input::default(), 800)?;
        prop_assert!(meter.worst <= greatest * 1.0001, "{} of {greatest} rad/s^2", meter.worst);
    }
}

/// Feet that were treading when the robot sped up come down short of where it then wants them, and are lifted as far
/// behind: they must not drift out of their reach before they swing.
#[test]
fn when_steps_lie_behind_their_middle_expect_no_foot_carried_out_of_its_reach() {
    let mut engine = engine(6, 0, Some(137.728));
    let (mut observer, mut meter) = (Observer::new(&engine, DT), Meter::new(&engine));
    engine.stand();
    let mut drive = |input: &Input, shaken: bool, ticks: usize| {
        let mut input = *input;
        for _ in 0..ticks {
            run(&mut engine, &mut observer, &mut meter, &input, 1).unwrap();
            assert_ne!(engine.last().limited_by, LimitedBy::Kinematics);
            if shaken {
                input.twist = input.twist.scaled(-1.0);
            }
        }
    };
    drive(&Input::default(), false, 300);
    let twist = |vx, vy, wz| Input { twist: Twist::new(vx, vy, wz), ..Input::default() };
    drive(&twist(-0.056_21, -0.025_563, 0.290_659), true, 137);
    drive(&twist(8.851_9, 0.095_525, 0.276_732), true, 127);
    let fast = twist(0.138_825, 0.063_493, 0.010_039);
    drive(&fast, false, 142);
    let translation = Vector3::new(-0.004_349, 0.007_054, 0.005_922);
    let rotation = Vector3::new(-0.048_665, -0.011_791, 0.047_324);
    drive(&Input { body_offset: BodyOffset { translation, rotation }, ..fast }, false, 188);
    assert!(meter.worst <= 137.728, "{} rad/s^2", meter.worst);
}

/// Drives with a pose each, for so many ticks.
fn drive_with_poses(engine: &mut Engine, meter: &mut Meter, acts: &[(Input, usize)]) {
    let mut observer = Observer::new(engine, DT);
    for (input, ticks) in acts {
        run(engine, &mut observer, meter, input, *ticks).unwrap();
    }
}

fn posed(translation: [f64; 3], rotation: [f64; 3]) -> BodyOffset {
    BodyOffset { translation: translation.into(), rotation: rotation.into() }
}

/// Of a leg that is nearly straight the knee turns far for little: there the body goes up and down as gently as it bears.
#[test]
fn when_the_body_is_raised_over_feet_that_stand_far_out_expect_no_joint_accelerated_more_than_it_can() {
    let mut engine = engine(6, 0, Some(75.824_532_964_701_45));
    let mut meter = Meter::new(&engine);
    engine.stand();
    let raised = posed([0.001_874, 0.002_207, 0.009_905], [0.0, 0.047_309, -0.031_492]);
    let walk = twist(0.117_063, 0.099_822, 0.0);
    let start = [(Input::default(), 300), (twist(0.044_042, 0.0, 33.470_508), 1), (walk, 66)];
    drive_with_poses(&mut engine, &mut meter, &start);
    drive_with_poses(&mut engine, &mut meter, &[(Input { body_offset: raised, ..walk }, 101)]);
    engine.stop();
    let stand = Input { body_offset: raised, ..Input::default() };
    drive_with_poses(&mut engine, &mut meter, &[(Input { body_offset: raised, ..walk }, 127), (stand, 97)]);
    drive_with_poses(&mut engine, &mut meter, &[(Input::default(), 800)]);
    assert!(meter.worst <= 75.824_532_964_701_45, "{} rad/s^2", meter.worst);
}

/// A foot that comes to the edge of its reach in a stop is not held there at once: a little way is left beyond.
#[test]
fn when_a_foot_comes_to_the_edge_of_its_reach_in_a_stop_expect_no_joint_accelerated_more_than_it_can() {
    let mut engine = engine(6, 3, Some(42.541_964_774_566_71));
    let mut meter = Meter::new(&engine);
    engine.stand();
    drive_with_poses(&mut engine, &mut meter, &[(Input::default(), 300)]);
    drive_with_poses(&mut engine, &mut meter, &[(twist(0.0, -0.043_191_051_081, -0.719_590_377_475), 86)]);
    for tick in 0..160 {
        let shaken = if tick % 2 == 0 { 0.126_601_853_908 } else { -0.126_601_853_908 };
        drive_with_poses(&mut engine, &mut meter, &[(twist(shaken, 0.0, 0.0), 1)]);
    }
    drive_with_poses(
        &mut engine,
        &mut meter,
        &[(twist(0.104_774_458_865, 0.046_912_777_957, -0.125_873_417_875), 148)],
    );
    engine.set_gait(gait(engine.robot(), &specs(6)[0]));
    drive_with_poses(&mut engine, &mut meter, &[(twist(0.104_774_458_865, 0.046_912_777_957, -0.125_873_417_875), 65)]);
    let last = [(twist(0.0, 0.149_601_847_484, 0.345_734_587_122), 109), (Input::default(), 800)];
    drive_with_poses(&mut engine, &mut meter, &last);
    assert!(meter.worst <= 42.541_964_774_566_71, "{} rad/s^2", meter.worst);
}

/// A pose that has not been looked at is not gone to: there may be no room for the feet on the way back.
#[test]
fn when_a_pose_is_asked_for_and_taken_back_at_once_expect_no_joint_accelerated_more_than_it_can() {
    let mut engine = engine(6, 0, Some(138.749_788_152_785_9));
    let mut meter = Meter::new(&engine);
    engine.stand();
    drive_with_poses(&mut engine, &mut meter, &[(Input::default(), 300)]);
    engine.set_gait(gait(engine.robot(), &specs(6)[3]));
    let aside = twist(0.0, 0.741_335, 0.0);
    let pose = posed([-0.009_146, 0.005_149, 0.009_937], [-0.042_612, -0.045_582, 0.0]);
    let acts = [
        (Input::default(), 1),
        (twist(-1.782_07, 0.0, 0.252_553), 169),
        (aside, 56),
        (Input { body_offset: pose, ..aside }, 14),
        (Input::default(), 800),
    ];
    drive_with_poses(&mut engine, &mut meter, &acts);
    assert!(meter.worst <= 138.749_788_152_785_9, "{} rad/s^2", meter.worst);
}

/// A foot that was put down while the body still sped up stands far back for its whole stance: who cannot brake hard has
/// to slow down for it at once.
#[test]
fn when_a_foot_comes_down_short_expect_the_body_slowed_before_its_edge_and_a_stop_without_a_jolt() {
    let mut engine = engine(6, 0, Some(137.8));
    let (mut observer, mut meter) = (Observer::new(&engine, DT), Meter::new(&engine));
    engine.stand();
    let drives = [
        ((0.0, 0.0, 0.0), 300),
        ((0.0, 0.0, 0.0621), 52),
        ((0.0, -4.199, 0.0), 274),
        ((0.0, 0.0, 0.0), 36),
        ((0.0299, 0.0, 0.4905), 94),
        ((0.0, -0.1119, 0.3245), 115),
        ((0.0, -4.402, 0.0), 127),
        ((0.0, 0.0, 0.0), 800),
    ];
    for ((vx, vy, wz), ticks) in drives {
        for _ in 0..ticks {
            run(&mut engine, &mut observer, &mut meter, &twist(vx, vy, wz), 1).unwrap();
            assert_ne!(engine.last().limited_by, LimitedBy::Kinematics);
        }
    }
    assert!(meter.worst <= 137.8, "{} rad/s^2", meter.worst);
}

#[test]
fn when_joints_accelerate_slowly_expect_the_robot_to_get_on_all_the_same_and_to_say_why_it_is_slow() {
    for (greatest, least_speed) in [(None, 0.14), (Some(200.0), 0.08), (Some(60.0), 0.04), (Some(20.0), 0.02)] {
        let mut engine = engine(6, 0, greatest);
        let (mut observer, mut meter) = (Observer::new(&engine, DT), Meter::new(&engine));
        run(&mut engine, &mut observer, &mut meter, &twist(0.15, 0.0, 0.0), 1500).unwrap();
        let tick = engine.last();
        println!("{greatest:?}: {:.3} m/s, {:.0} rad/s^2, {:?}", tick.twist.vx, meter.worst, tick.limited_by);
        assert_eq!(tick.state, GaitState::Walking);
        assert!(tick.twist.vx >= least_speed, "{} m/s with {greatest:?}", tick.twist.vx);
        if greatest.is_some_and(|greatest| greatest < 100.0) {
            assert_eq!(tick.limited_by, LimitedBy::JointAcceleration);
        }
    }
}

#[test]
fn when_settings_or_gaits_change_expect_what_an_engine_made_with_them_does() {
    for legs in [4, 6] {
        for index in 0..specs(legs).len() {
            let mut changed = engine(legs, 0, Some(60.0));
            let wanted = gait(changed.robot(), &specs(legs)[index]);
            let mut settings = settings();
            settings.step_height = 0.041;
            settings.limits.linear_acceleration *= 0.5;
            changed.set_step_height(settings.step_height);
            changed.set_limits(settings.limits);
            changed.set_gait(changed.ready(wanted));
            changed.step(&twist(0.05, 0.0, 0.0), DT);
            for _ in 0..400 {
                changed.step(&Input::default(), DT);
            }
            let made = Engine::new(Arc::clone(changed.robot()), wanted, settings).unwrap();
            assert_eq!(changed.gait(), made.gait());
        }
    }
}

#[test]
fn when_four_legs_accelerate_slowly_expect_them_to_get_on() {
    for index in 0..2 {
        for (greatest, least_m) in [(150.0, 0.2), (60.0, 0.1), (30.0, 0.05)] {
            let mut engine = engine(4, index, Some(greatest));
            let (mut observer, mut meter) = (Observer::new(&engine, DT), Meter::new(&engine));
            run(&mut engine, &mut observer, &mut meter, &twist(0.1, 0.0, 0.0), 3000).unwrap();
            let way = observer.odom_from_body.shift().x;
            println!("{greatest} {index}: {way:.3} m in 30 s");
            assert!(way >= least_m, "{way} m with {greatest} rad/s^2");
            assert!(meter.worst <= greatest, "{} of {greatest} rad/s^2", meter.worst);
        }
    }
}
