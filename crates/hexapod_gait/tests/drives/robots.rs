//! Whatever is asked of a robot of four, six or eight legs: it keeps its limits and its feet.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{Build, Observer, built, drive, engine, gait, random, specs, twist};
use hexapod_gait::{BodyOffset, Engine, GaitState, Input, Tick, Twist};
use hexapod_kinematics::Robot;
use nalgebra::Vector3;
use proptest::prelude::*;
use std::collections::HashSet;

#[derive(Clone, Debug)]
enum Act {
    Drive(Twist),
    /// Forwards and backwards at every tick.
    Shake(Twist),
    Pose(BodyOffset),
    Gait(usize),
    Stand,
    Sit,
    Stop,
}

fn act() -> impl Strategy<Value = Act> {
    let extreme = prop_oneof![4 => -0.2..0.2f64, 1 => -1e9..1e9f64, 1 => Just(0.0), 1 => Just(f64::NAN)];
    let twist = (extreme.clone(), extreme.clone(), extreme).prop_map(|(vx, vy, wz)| Twist::new(vx, vy, 5.0 * wz));
    let fraction = prop_oneof![3 => -0.05..0.05f64, 1 => -10.0..10.0f64];
    let pose = prop::array::uniform6(fraction).prop_map(|p| {
        Act::Pose(BodyOffset {
            translation: Vector3::new(p[0], p[1], p[2]),
            rotation: 4.0 * Vector3::new(p[3], p[4], p[5]),
        })
    });
    prop_oneof![
        10 => twist.clone().prop_map(Act::Drive), 2 => twist.prop_map(Act::Shake), 3 => pose,
        2 => (0usize..8).prop_map(Act::Gait), 1 => Just(Act::Stand), 1 => Just(Act::Sit), 1 => Just(Act::Stop)
    ]
}

fn run(legs: usize, acts: &[(Act, usize)], rate: f64) -> Result<(), TestCaseError> {
    let mut engine = engine(legs);
    let specs = specs(legs);
    let mut observer = Observer::new(&engine, 1.0 / rate);
    let mut input = Input::default();
    for (act, ticks) in acts {
        let mut shaken = false;
        match *act {
            Act::Drive(twist) => input.twist = twist,
            Act::Shake(twist) => (input.twist, shaken) = (twist, true),
            Act::Pose(offset) => input.body_offset = offset,
            Act::Gait(index) => engine.set_gait(gait(engine.robot(), &specs[index % specs.len()])),
            Act::Stand => engine.stand(),
            Act::Sit => engine.sit(),
            Act::Stop => engine.stop(),
        }
        for _ in 0..*ticks {
            drive(&mut engine, &mut observer, &input, 1)?;
            if shaken {
                input.twist = input.twist.scaled(-1.0);
            }
        }
    }
    // Silence: planted within a cycle, at rest a little later.
    let cycle = engine.gait().cycle_time();
    let walked = engine.last().state == GaitState::Walking;
    drive(&mut engine, &mut observer, &Input::default(), (cycle * rate).ceil() as usize + 2)?;
    if walked {
        let contacts = &engine.last().contacts[..legs];
        prop_assert!(contacts.iter().all(|&down| down), "planted within a cycle");
    }
    drive(&mut engine, &mut observer, &Input::default(), ((6.0 + 3.0 * cycle) * rate) as usize)?;
    prop_assert!(matches!(engine.last().state, GaitState::Standing | GaitState::Sitting), "{:?}", engine.last().state);
    Ok(())
}

fn cases() -> impl Strategy<Value = (Vec<(Act, usize)>, f64)> {
    let rate = prop_oneof![Just(50.0), Just(100.0), Just(333.0), Just(1000.0)];
    (prop::collection::vec((act(), 1usize..150), 1..60), rate)
}

/// A case is about 4300 ticks: 650 000 for each robot, more with `PROPTEST_CASES`.
fn cases_wanted() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(150)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases_wanted(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_a_hexapod_is_driven_at_random_expect_its_limits_and_feet_kept((acts, rate) in cases()) {
        run(6, &acts, rate)?;
    }

    #[test]
    fn when_a_quadruped_is_driven_at_random_expect_its_limits_and_feet_kept((acts, rate) in cases()) {
        run(4, &acts, rate)?;
    }

    #[test]
    fn when_an_octopod_is_driven_at_random_expect_its_limits_and_feet_kept((acts, rate) in cases()) {
        run(8, &acts, rate)?;
    }
}

/// Where all joints of the model are at a tick, those that mimic others, too.
fn positions(engine: &Engine, tick: &Tick) -> Vec<f64> {
    let model = engine.robot().model();
    let mut own = vec![0.0; model.position_count()];
    for (leg, angles) in engine.legs().iter().zip(&tick.angles) {
        leg.joints().iter().zip(angles.iter()).for_each(|(joint, angle)| own[joint.position_index()] = *angle);
    }
    (0..model.joints().len()).map(|joint| model.position_of(joint, &own)).collect()
}

/// Whether each joint is within its own limits, and no faster, and the model has the feet where the legs have them.
fn check_all_joints(engine: &Engine, before: &Tick, tick: &Tick, dt: f64) -> Result<(), TestCaseError> {
    let model = engine.robot().model();
    let (then, now) = (positions(engine, before), positions(engine, tick));
    for ((joint, then), now) in model.joints().iter().zip(then).zip(&now) {
        let Some(limits) = joint.limits() else { continue };
        prop_assert!(limits.margin(*now) > -1e-9, "{} at {now}", joint.name());
        prop_assert!((now - then).abs() <= limits.velocity * dt + 1e-9, "{} jumps", joint.name());
    }
    let own: Vec<f64> = model
        .joints()
        .iter()
        .zip(&now)
        .filter(|(joint, _)| joint.position_index().is_some())
        .map(|(_, at)| *at)
        .collect();
    for (leg, angles) in engine.legs().iter().zip(&tick.angles) {
        let foot = model.base_from_link(leg.foot_link(), &own).translation.vector;
        prop_assert!((foot - leg.foot_in_body(angles)).norm() < 1e-9);
    }
    Ok(())
}

/// How far a robot of this build walks in 15 s, if it can stand, and what limited it; all joints are looked at in each tick.
fn way_of(robot: Robot, size: f64) -> Option<(f64, HashSet<String>)> {
    let mut engine = random::engine_of(robot)?;
    let mut observer = Observer::new(&engine, 0.01);
    let (ahead, mut way, mut limits) = (0.02 * size, 0.0, HashSet::new());
    for (input, ticks) in [(twist(ahead, 0.0, 0.0), 1000), (twist(0.0, 0.5 * ahead, 0.15), 500)] {
        for _ in 0..ticks {
            let before = *engine.last();
            drive(&mut engine, &mut observer, &input, 1).unwrap();
            check_all_joints(&engine, &before, engine.last(), 0.01).unwrap();
            way += 0.01 * engine.last().twist.speed();
            limits.insert(format!("{:?}", engine.last().limited_by));
        }
    }
    Some((way, limits))
}

#[test]
fn when_joints_of_legs_mimic_others_expect_random_robots_to_walk_within_all_limits() {
    let mut random = random::Random(36);
    for case in 0..15 {
        let size = random.range(0.6, 1.6);
        let sign = if case % 2 == 0 { 1.0 } else { -1.0 };
        let shin = Some([sign * random.range(0.15, 0.5), random.range(-0.3, 0.3)]);
        let lengths = [0.052, 0.066, 0.133].map(|of| of * size * random.range(0.8, 1.2));
        let (spacing, width) = (0.07 * size, 0.07 * size);
        let build = Build { lengths, spacing, width, shin, ..Build::of(4 + case % 5) };
        let of = |build: &Build| way_of(Robot::from_urdf(&built(build)).unwrap(), size).unwrap();
        let ((way, limits), (stiff, _)) = (of(&build), of(&Build { shin: None, ..build }));
        println!("{} legs, size {size:.2}, shin {shin:.2?}: {way:.3} m, stiff {stiff:.3} m, {limits:?}", build.legs);
        // Open: five legs in two rows may stand still for their balance where stiff ones still walk; they say so.
        let held = build.legs == 5 && limits.contains("Stability");
        assert!(held || way > 0.8 * stiff && way > 0.1 * size, "{way} of {stiff} m with {shin:?}, {limits:?}");
    }
}

#[test]
fn when_any_leg_is_missing_expect_the_robot_to_walk_on_the_others() {
    let names: Vec<String> = engine(6).legs().iter().map(|leg| leg.name().into()).collect();
    for name in &names {
        let mut engine = engine(6).without_legs([name.as_str()].into_iter()).unwrap();
        let mut observer = Observer::new(&engine, 0.01);
        let held = engine.last().angles;
        for (vx, vy, wz) in [(0.02, 0.0, 0.0), (-0.02, 0.0, 0.1), (0.0, 0.02, 0.0), (0.0, 0.0, 0.2)] {
            drive(&mut engine, &mut observer, &twist(vx, vy, wz), 2000).unwrap();
        }
        let off = names.iter().position(|other| other == name).unwrap();
        assert!(!engine.last().contacts[off] && engine.last().angles[off] == held[off]);
        let before = observer.odom_from_body;
        drive(&mut engine, &mut observer, &twist(0.03, 0.0, 0.0), 3000).unwrap();
        let way = before.inverse().then(&observer.odom_from_body).shift().norm();
        println!("without {name}: {way:.3} m, least margin {:.4} m", observer.least_margin);
        assert!(way > 0.25, "{way} m in 30 s without {name}");
        engine.sit();
        drive(&mut engine, &mut observer, &Input::default(), 3000).unwrap();
        assert_eq!(engine.last().state, GaitState::Sitting);
    }
    assert!(engine(6).without_legs(["nose"].into_iter()).is_err());
    assert!(engine(6).without_legs(names.iter().take(3).map(String::as_str)).is_err());
}

#[test]
fn when_any_robot_walks_ahead_expect_it_to_get_on() {
    for legs in [4, 6, 8] {
        for spec in specs(legs) {
            let mut engine = engine(legs);
            engine.set_gait(gait(engine.robot(), &spec));
            let mut observer = Observer::new(&engine, 0.01);
            drive(&mut engine, &mut observer, &twist(0.02, 0.0, 0.0), 3000).unwrap();
            let way = observer.odom_from_body.shift().x;
            println!(
                "{legs} legs, reach {:.4}: {way:.3} m, least margin {:.4} m",
                engine.stance().reach().least(),
                observer.least_margin
            );
            assert!(way > 0.4, "{legs} legs walk {way} m in 30 s with {spec:?}");
        }
    }
}

/// A body that leans for its balance took a foot in the air out of reach of where it was to land: it hung there.
#[test]
fn when_a_foot_cannot_land_where_it_was_to_expect_it_down_nearer_and_the_robot_to_go_on() {
    let twists = [
        ((-0.0640190681656808, -0.16502231175057575, -0.9067168773602009), 116),
        ((0.0, -0.19692963066316763, -0.4191359301578802), 92),
        ((-0.15169633395388135, 0.0, 0.0), 31),
        ((f64::NAN, 0.0, 0.0), 8),
        ((0.0, -0.1645372119460553, 0.0), 7),
        ((0.0, 0.0, 0.26275648369910776), 33),
        ((0.09845854830033324, 0.07932486647443161, 0.0), 45),
    ];
    let mut engine = engine(4);
    let mut observer = Observer::new(&engine, 0.02);
    for ((vx, vy, wz), ticks) in twists {
        drive(&mut engine, &mut observer, &twist(vx, vy, wz), ticks).unwrap();
    }
    let cycle_ticks = (50.0 * engine.gait().cycle_time()) as usize;
    drive(&mut engine, &mut observer, &Input::default(), cycle_ticks).unwrap();
    assert_eq!(engine.last().state, GaitState::Standing, "{:?}", engine.last());
    let mut sitting = engine.clone();
    drive(&mut engine, &mut observer, &twist(0.05, 0.0, 0.0), 300).unwrap();
    let before = observer.odom_from_body;
    drive(&mut engine, &mut observer, &twist(0.05, 0.0, 0.0), 300).unwrap();
    let way = before.inverse().then(&observer.odom_from_body).shift().x;
    assert!(engine.last().state == GaitState::Walking && way > 0.1, "{way} m in 6 s: {:?}", engine.last());
    sitting.sit();
    let mut observer = Observer::new(&sitting, 0.02);
    drive(&mut sitting, &mut observer, &Input::default(), 150).unwrap();
    assert_eq!(sitting.last().state, GaitState::Sitting);
}
