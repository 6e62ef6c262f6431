//! The motion job, as a table of cases: what runs and what waits, before and after.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]

use hexapod_gait::SwingProfile;
use hexapod_gait::leg_places;
use hexapod_gait::motion::{Home, Job, Motion, MotionError, Pose, Steps, Target};
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use nalgebra::{Vector2, Vector3};
use proptest::prelude::*;
use std::sync::Arc;

/// A motion whose cycle takes `cycle` seconds; the cycle is its name.
fn motion(cycle: f64, total_time: Option<f64>) -> Arc<Motion> {
    let angles = [LegAngles::zeros(3); MAX_LEGS];
    let keys: Vec<_> = match total_time {
        None => vec![(0.0, angles), (cycle, angles)],
        Some(_) => vec![(cycle, angles)],
    };
    Arc::new(Motion::joints(&keys, Default::default(), total_time).unwrap())
}

const FOR_EVER: Option<f64> = Some(-1.0);

/// What is done to a job.
enum Do {
    /// Hand over a motion of this cycle time that goes on for ever.
    Execute(f64),
    /// Hand over one that is played once.
    ExecuteOnce(f64),
    /// Hand over one with a total time.
    ExecuteFor(f64, f64),
    /// Hand over none.
    ExecuteNone,
    Cancel,
    /// Let seconds pass, in ticks of 10 ms.
    Pass(f64),
}

/// Cycle time of the motion that runs and of the one that waits; 0 for none.
fn seen(job: &Job) -> (f64, f64) {
    (job.running().map_or(0.0, Motion::cycle_time), job.waiting().map_or(0.0, Motion::cycle_time))
}

fn act(job: &mut Job, what: &Do) {
    match *what {
        Do::Execute(cycle) => job.execute(Some(motion(cycle, FOR_EVER))),
        Do::ExecuteOnce(cycle) => job.execute(Some(motion(cycle, None))),
        Do::ExecuteFor(cycle, total) => job.execute(Some(motion(cycle, Some(total)))),
        Do::ExecuteNone => job.execute(None),
        Do::Cancel => job.cancel(),
        Do::Pass(seconds) => (0..(seconds * 100.0).round() as usize).for_each(|_| {
            let step = job.ahead(0.01);
            job.take(step);
        }),
    }
}

#[test]
fn when_a_job_is_idle_running_or_waiting_expect_the_table() {
    use Do::{Cancel, Execute, ExecuteFor, ExecuteNone, ExecuteOnce, Pass};
    // Cycles end at whole multiples; half a tick later they have.
    let table: &[(&str, &[Do], (f64, f64))] = &[
        // Idle.
        ("idle, execute: starts", &[Execute(1.0)], (1.0, 0.0)),
        ("idle, none: stays idle", &[ExecuteNone], (0.0, 0.0)),
        ("idle, time passes: stays idle", &[Pass(5.0)], (0.0, 0.0)),
        ("idle, cancel: stays idle", &[Cancel], (0.0, 0.0)),
        // Running.
        ("running, execute: the new one waits", &[Execute(1.0), Pass(0.4), Execute(2.0)], (1.0, 2.0)),
        ("and starts at the cycle's end", &[Execute(1.0), Pass(0.4), Execute(2.0), Pass(0.59)], (1.0, 2.0)),
        ("not before", &[Execute(1.0), Pass(0.4), Execute(2.0), Pass(0.61)], (2.0, 0.0)),
        ("running, none: finishes its cycle", &[Execute(1.0), Pass(3.4), ExecuteNone, Pass(0.59)], (1.0, 0.0)),
        ("then idle", &[Execute(1.0), Pass(3.4), ExecuteNone, Pass(0.61)], (0.0, 0.0)),
        ("running, cancel: idle at once", &[Execute(1.0), Pass(0.4), Cancel], (0.0, 0.0)),
        ("below zero: for ever", &[Execute(1.0), Pass(100.4)], (1.0, 0.0)),
        ("once: to its end", &[ExecuteOnce(1.0), Pass(0.99)], (1.0, 0.0)),
        ("once: then idle", &[ExecuteOnce(1.0), Pass(1.01)], (0.0, 0.0)),
        ("once, none: to its end all the same", &[ExecuteOnce(1.0), Pass(0.2), ExecuteNone, Pass(0.79)], (1.0, 0.0)),
        ("expired in mid-cycle: finishes it", &[ExecuteFor(1.0, 2.5), Pass(2.99)], (1.0, 0.0)),
        ("then idle", &[ExecuteFor(1.0, 2.5), Pass(3.01)], (0.0, 0.0)),
        ("expired at a cycle's end: ends there", &[ExecuteFor(1.0, 2.0), Pass(2.01)], (0.0, 0.0)),
        ("expired before the first end: one cycle", &[ExecuteFor(1.0, 0.0), Pass(0.99)], (1.0, 0.0)),
        (
            "stopped before it expires: at the next end",
            &[ExecuteFor(1.0, 9.5), Pass(1.5), ExecuteNone, Pass(0.51)],
            (0.0, 0.0),
        ),
        (
            "expired, then execute: waits for the end",
            &[ExecuteFor(1.0, 2.5), Pass(2.7), Execute(2.0), Pass(0.2)],
            (1.0, 2.0),
        ),
        // Waiting.
        ("waiting, execute: replaces what waits", &[Execute(1.0), Execute(2.0), Execute(3.0)], (1.0, 3.0)),
        ("and the newest starts", &[Execute(1.0), Pass(0.1), Execute(2.0), Execute(3.0), Pass(0.91)], (3.0, 0.0)),
        ("waiting, none: nothing follows", &[Execute(1.0), Execute(2.0), ExecuteNone], (1.0, 0.0)),
        ("then idle", &[Execute(1.0), Pass(0.1), Execute(2.0), ExecuteNone, Pass(0.91)], (0.0, 0.0)),
        ("waiting, cancel: idle at once", &[Execute(1.0), Execute(2.0), Cancel], (0.0, 0.0)),
        ("the one that waited goes on for ever", &[Execute(1.0), Execute(2.0), Pass(51.0)], (2.0, 0.0)),
        (
            "after none, execute: waits and follows",
            &[Execute(1.0), Pass(0.5), ExecuteNone, Execute(3.0), Pass(0.51)],
            (3.0, 0.0),
        ),
        ("once, then waits: follows at its end", &[ExecuteOnce(1.0), Execute(2.0), Pass(1.01)], (2.0, 0.0)),
    ];
    for (case, acts, expected) in table {
        let mut job = Job::default();
        acts.iter().for_each(|what| act(&mut job, what));
        assert_eq!(seen(&job), *expected, "{case}");
    }
}

#[test]
fn when_a_motion_ends_expect_the_last_step_at_the_end_of_its_cycle() {
    let mut job = Job::default();
    job.execute(Some(motion(1.0, Some(1.5))));
    let mut sum = 0.0;
    loop {
        let step = job.ahead(0.03);
        sum += step.advanced;
        if step.ended {
            assert_eq!(step.time, 1.0);
            break;
        }
        job.take(step);
    }
    assert!((sum - 2.0).abs() < 1e-9, "no more and no less than two cycles: {sum}");
}

proptest! {
    #[test]
    fn when_anything_is_executed_at_any_time_expect_motions_to_end_at_cycle_ends_only(
        acts in prop::collection::vec((0..4usize, 0.05..2.0f64, -1.0..4.0f64, 0..300usize), 1..20),
    ) {
        let mut job = Job::default();
        for (what, cycle, total, ticks) in acts {
            match what {
                0 => job.execute(None),
                1 => job.execute(Some(motion(cycle, None))),
                _ => job.execute(Some(motion(cycle, Some(total)))),
            }
            for _ in 0..ticks {
                let before = job.running().map(Motion::cycle_time);
                let step = job.ahead(0.01);
                if let Some(cycle) = before {
                    prop_assert!(step.time >= 0.0 && step.time <= cycle);
                    prop_assert!(!step.ended || step.time == cycle, "ended at {} of {cycle}", step.time);
                    prop_assert!(step.advanced <= 0.01 + 1e-12);
                }
                job.take(step);
            }
        }
    }
}

fn pose(x: f64, z: f64) -> Pose {
    let mut pose = Pose::default();
    pose.feet[..6].iter_mut().for_each(|foot| *foot = Vector3::new(x, 0.2, z));
    pose
}

#[test]
fn when_a_pose_transition_is_played_expect_the_feet_to_move_straight_at_constant_speed() {
    let (a, b) = (pose(0.1, 0.0), pose(0.2, 0.05));
    let motion = Motion::pose_transition(6, &a, &b, 2.0).unwrap();
    assert_eq!((motion.cycle_time(), motion.total_time()), (2.0, None));
    for (time, part) in [(0.0, 0.0), (0.5, 0.25), (1.0, 0.5), (2.0, 1.0), (9.0, 1.0), (-1.0, 0.0)] {
        let Target::Feet(at) = motion.target(time) else { panic!("feet") };
        let expected = a.feet[0] + (b.feet[0] - a.feet[0]) * part;
        assert!((at.feet[0] - expected).norm() < 1e-12 && (at.feet[5] - expected).norm() < 1e-12);
    }
}

#[test]
fn when_an_angle_transition_is_played_expect_the_joints_to_turn_at_constant_speed() {
    let to = [LegAngles::from_fn(3, |joint| 0.1 * (joint + 1) as f64); MAX_LEGS];
    let motion = Motion::angle_transition(&[LegAngles::zeros(3); MAX_LEGS], &to, 0.5).unwrap();
    let Target::Joints(at) = motion.target(0.2) else { panic!("joints") };
    (0..3).for_each(|joint| assert!((at[7][joint] - 0.4 * to[7][joint]).abs() < 1e-12));
}

#[test]
fn when_a_motion_is_none_expect_why() {
    assert!(matches!(Motion::pose_transition(6, &pose(0.1, 0.0), &pose(0.2, 0.0), 1.0), Err(MotionError::Drag { .. })));
    assert!(matches!(
        Motion::pose_transition(6, &pose(0.1, 0.0), &pose(0.1, -0.1), 1.0),
        Err(MotionError::Underground { .. })
    ));
    for time in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let moved = Motion::pose_transition(6, &pose(0.1, 0.0), &pose(0.1, 0.1), time);
        assert!(matches!(moved, Err(MotionError::Number { .. })), "{time}");
    }
    let unfinished = Motion::pose_transition(6, &pose(f64::NAN, 0.0), &pose(0.1, 0.1), 1.0);
    assert!(matches!(unfinished, Err(MotionError::Number { .. })));
    assert_eq!(Motion::joints(&[], Default::default(), None), Err(MotionError::Keys));
}

#[test]
fn when_a_walk_is_played_expect_every_foot_where_the_quarters_of_the_cycle_put_it() {
    let robot = hexapod_kinematics::Robot::from_urdf(include_str!("../../../../urdf/hexapod.urdf")).unwrap();
    let places = leg_places(&robot);
    let mut home = Home {
        pose: Pose::default(),
        angles: [LegAngles::zeros(3); MAX_LEGS],
        height: 0.1,
        lowest: 0.0,
        step_height: 0.03,
    };
    for (leg, foot) in home.pose.feet[..6].iter_mut().enumerate() {
        *foot = Vector3::new(0.1 * leg as f64, 0.2, 0.0);
    }
    let steps = Steps { height: 0.04, cycle_time: 2.0, swing: SwingProfile::Sine };
    let (velocity, turn) = (Vector2::new(0.05, -0.02), 0.3);
    let straight = Motion::linear_walk(&home, &places, velocity, steps, -1.0).unwrap();
    let round = Motion::rotary_walk(&home, &places, turn, steps, -1.0).unwrap();
    assert_eq!((straight.total_time(), straight.cycle_time()), (Some(-1.0), 2.0));
    for part in 0..64 {
        let phase = f64::from(part) / 64.0;
        for (leg, place) in places.iter().enumerate() {
            let first = ["left_front", "left_rear", "right_middle"].contains(&place.name.as_str());
            // Its own stance runs from a quarter before to a quarter after the start of the cycle, or half a cycle on.
            let own = (phase + if first { 0.25 } else { 0.75 }).fract();
            let stands = own < 0.5;
            let ahead = if stands { 0.5 - 2.0 * own } else { 2.0 * own - 1.5 };
            let lift = if stands { 0.0 } else { 0.04 * (std::f64::consts::TAU * (own - 0.5)).sin() };
            let rest = home.pose.feet[leg];
            let shifted = rest.xy() + velocity * ahead;
            let turned = nalgebra::Rotation2::new(turn * ahead) * rest.xy();
            for (motion, foot) in [(&straight, shifted), (&round, turned)] {
                let Target::Feet(pose) = motion.target(2.0 * phase) else { panic!("feet") };
                assert!(
                    (pose.feet[leg] - Vector3::new(foot.x, foot.y, lift)).norm() < 1e-9,
                    "{} at {phase}",
                    place.name
                );
                assert_eq!(pose.planted[leg], stands, "{} at {phase}", place.name);
            }
        }
    }
}
