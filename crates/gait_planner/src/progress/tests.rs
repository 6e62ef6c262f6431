//! Requests are asked of a core and followed to their end.

use super::*;
use crate::command::{Command, Held, MotionRequest, Received, queues};
use crate::core::Core;
use crate::life::Moment;
use crate::params::shipped;
use crate::setup::Setup;
use hexapod_gait::{GaitState, Twist};
use hexapod_kinematics::{LegAngles, MAX_LEGS, Robot};
use hexapod_setup::Motions;
use rtrb::Producer;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const DT: Duration = Duration::from_millis(10);

/// What is done to the robot.
#[derive(Clone, Copy, Debug)]
enum Do {
    Play(&'static str),
    Trajectory,
    Goal,
    Send(fn() -> Command),
    FallRelease,
    End,
    /// Drives for so many ticks.
    Drive(usize),
    Wait(usize),
}

struct Bench {
    core: Core,
    robot: Arc<Robot>,
    motions: Motions,
    commands: Producer<Received>,
    poses: Producer<Held>,
    now: Duration,
    requests: u64,
    /// The greatest part of its limit of velocity that a joint was moved at.
    fastest: f64,
    /// All that was reported of each request.
    reported: BTreeMap<u64, Vec<Entry>>,
}

impl Bench {
    fn standing() -> Self {
        let setup = Setup::load(&shipped()).unwrap();
        let (commands, poses, incoming) = queues();
        let robot = Arc::clone(setup.engine.robot());
        let core = Core::new(setup.engine, incoming, setup.timeout);
        let now = Duration::from_secs(1000);
        let (motions, reported) = (setup.motions, BTreeMap::new());
        let mut bench = Self { core, robot, motions, commands, poses, now, requests: 0, fastest: 0.0, reported };
        for held in [Held::Nothing, Held::Part] {
            bench.poses.push(held).unwrap();
        }
        bench.send(Command::Stand);
        bench.tick(300);
        bench
    }

    fn send(&mut self, command: Command) {
        self.commands
            .push(Received { command, sender: Some(hexapod_ros::Sender::Local(1)), at: Moment::real(self.now) })
            .unwrap();
    }

    fn ask(&mut self, name: &str, command: fn(MotionRequest) -> Command) {
        self.requests += 1;
        self.send(command(MotionRequest { motion: self.motions.get(name).unwrap(), request: self.requests }));
    }

    fn act(&mut self, what: Do) {
        match what {
            Do::Play(name) => self.ask(name, |asked| Command::Motion(Some(asked))),
            Do::Trajectory => self.ask("bow", Command::Trajectory),
            Do::Goal => self.ask("bow", Command::Goal),
            Do::Send(command) => self.send(command()),
            Do::FallRelease => {
                self.poses.push(Held::Nothing).unwrap();
                self.poses.push(Held::Part).unwrap();
            }
            Do::End => self.core.sit(),
            Do::Drive(ticks) => (0..ticks).for_each(|_| {
                self.send(Command::Twist(Twist::new(0.05, 0.0, 0.0)));
                self.tick(1);
            }),
            Do::Wait(ticks) => self.tick(ticks),
        }
    }

    fn tick(&mut self, ticks: usize) {
        for _ in 0..ticks {
            self.now += DT;
            self.poses.push(Held::Part).unwrap();
            let before = self.core.last().angles;
            let after = self.core.tick(Moment::real(self.now), DT.as_secs_f64()).angles;
            self.fastest = self.fastest.max(fastest(&self.robot, &before, &after));
            let Some(news) = self.core.news(DT.as_secs_f64()).copied() else { continue };
            self.core.mark_reported();
            for entry in news.into_iter().flatten() {
                let reported = self.reported.entry(entry.request).or_default();
                if reported.last() != Some(&entry) {
                    reported.push(entry);
                }
            }
        }
    }

    fn last(&self, request: u64) -> Option<(Stage, &'static str)> {
        self.reported.get(&request)?.last().map(|entry| (entry.stage, entry.why))
    }
}

/// The greatest part of its limit of velocity at which a joint gets from one place to the other in a tick.
fn fastest(robot: &Robot, before: &[LegAngles; MAX_LEGS], after: &[LegAngles; MAX_LEGS]) -> f64 {
    let legs = robot.legs().iter().zip(before.iter().zip(after));
    let parts = legs.flat_map(|(leg, (before, after))| {
        let joints = leg.joints().iter().zip(before.iter().zip(after.iter()));
        joints.map(|(joint, (before, after))| (after - before).abs() / DT.as_secs_f64() / joint.limits().velocity)
    });
    parts.fold(0.0, f64::max)
}

const STOP: Do = Do::Send(|| Command::Stop);
const SIT: Do = Do::Send(|| Command::Sit);
const FREEZE: Do = Do::Send(|| Command::Freeze("emergency stop"));
const END_GOAL: Do = Do::Send(|| Command::EndGoal(1, ITS_CLIENT));
const EMPTY: Do = Do::Send(|| Command::Motion(None));

/// What is done, and what comes of each request.
type Case = (&'static [Do], &'static [(Stage, &'static str)]);

/// Does all that on a robot that stands, and expects each request to end so.
fn ends_as(script: &[Do], ends: &[(Stage, &str)]) -> Bench {
    let mut bench = Bench::standing();
    script.iter().for_each(|&what| bench.act(what));
    bench.tick(2500);
    let reported: Vec<_> = (1..=bench.requests).map(|request| bench.last(request).unwrap()).collect();
    assert_eq!(reported, ends, "{script:?}");
    bench
}

#[test]
fn when_a_motion_is_asked_for_expect_its_end_reported_with_what_ended_it() {
    use Do::{Drive, Play, Trajectory, Wait};
    use Stage::{Aborted, Canceled, Rejected, Succeeded};
    let cases: [Case; 18] = [
        (&[Play("shake")], &[(Succeeded, "")]),
        (&[Trajectory], &[(Succeeded, "")]),
        (&[Drive(50), Play("shake")], &[(Succeeded, "")]),
        (&[Play("wave"), Wait(150), STOP], &[(Canceled, "stop")]),
        (&[Play("wave"), Wait(5), STOP], &[(Canceled, "stop")]),
        (&[Play("wave"), STOP], &[(Canceled, "stop")]),
        (&[Play("dance"), Wait(250), SIT], &[(Canceled, "sit")]),
        (&[Play("dance"), Wait(250), Do::End], &[(Canceled, "the end of the process")]),
        (&[Play("bow"), Wait(200), FREEZE], &[(Aborted, "emergency stop")]),
        (&[Play("bow"), Wait(200), Do::FallRelease], &[(Aborted, "the servos were released")]),
        (&[Play("wave"), Wait(150), Drive(300)], &[(Canceled, "cmd_vel")]),
        (&[Drive(100), Play("wave"), Drive(100)], &[(Canceled, "cmd_vel")]),
        (&[Drive(100), Trajectory], &[(Rejected, "the robot is not standing")]),
        (&[Play("march"), Wait(100), EMPTY], &[(Canceled, "an empty motion")]),
        (&[Play("march"), Wait(100), Play("shake")], &[(Canceled, "another motion"), (Succeeded, "")]),
        (&[Play("bow"), Wait(100), Play("bow")], &[(Succeeded, ""), (Succeeded, "")]),
        (&[Play("wave"), Play("wave")], &[(Canceled, "another motion"), (Succeeded, "")]),
        (
            &[Play("bow"), Wait(100), Play("twist"), Wait(1), Play("shake"), Wait(50), STOP],
            &[(Canceled, "stop"), (Canceled, "another motion"), (Canceled, "stop")],
        ),
    ];
    for (script, ends) in cases {
        ends_as(script, ends);
    }
}

#[test]
fn when_a_motion_is_played_expect_its_progress_ten_times_a_second_and_its_end_when_the_next_can_be_asked_for() {
    let mut bench = Bench::standing();
    bench.act(Do::Play("shake"));
    let (mut ticks, mut changes) = (0, 0);
    while bench.last(1).is_none_or(|(stage, _)| !stage.is_over()) {
        bench.tick(1);
        ticks += 1;
        let reported = bench.reported.get(&1).map_or(&[][..], |reported| reported);
        changes = reported.windows(2).filter(|pair| pair[0].stage != pair[1].stage).count();
    }
    let reported = &bench.reported[&1];
    let stages: Vec<_> = reported.iter().map(|entry| entry.stage).collect();
    assert!(stages.is_sorted_by_key(|stage| *stage as u8) && changes <= 2, "{stages:?}");
    assert!(reported.is_sorted_by(|a, b| a.fraction <= b.fraction) && reported.last().unwrap().fraction == 1.0);
    assert!((20..ticks / 10 + 5).contains(&reported.len()), "{} of {ticks} ticks", reported.len());
    assert_eq!(bench.core.last().state, GaitState::Standing);
    bench.act(Do::Trajectory);
    bench.tick(1);
    assert_ne!(bench.last(2).unwrap().0, Stage::Rejected);
}

#[test]
fn when_goals_are_played_expect_each_to_give_way_to_goals_and_motions_and_to_its_client() {
    use Do::{Drive, Goal, Play, Trajectory, Wait};
    use Stage::{Aborted, Canceled, Rejected, Succeeded};
    const GIVEN_WAY: (Stage, &str) = (Canceled, ANOTHER_GOAL);
    let cases: [Case; 18] = [
        (&[Goal], &[(Succeeded, "")]),
        (&[Goal, Wait(150), END_GOAL], &[(Canceled, ITS_CLIENT)]),
        (&[Goal, Wait(2), END_GOAL], &[(Canceled, ITS_CLIENT)]),
        (&[Goal, END_GOAL], &[(Canceled, ITS_CLIENT)]),
        (&[Goal, Wait(150), Goal], &[GIVEN_WAY, (Succeeded, "")]),
        (&[Goal, Goal, Goal], &[GIVEN_WAY, GIVEN_WAY, (Succeeded, "")]),
        (&[Goal, Wait(150), Goal, Wait(5), Goal], &[GIVEN_WAY, GIVEN_WAY, (Succeeded, "")]),
        (&[Goal, Wait(150), Goal, END_GOAL], &[GIVEN_WAY, (Succeeded, "")]),
        (&[Goal, Wait(150), END_GOAL, Goal], &[(Canceled, ITS_CLIENT), (Succeeded, "")]),
        (&[Goal, Wait(150), STOP, Goal], &[(Canceled, "stop"), (Rejected, NOT_STANDING)]),
        (&[Goal, Wait(150), SIT, END_GOAL], &[(Canceled, "sit")]),
        (&[Goal, Wait(150), FREEZE], &[(Aborted, "emergency stop")]),
        (&[Goal, Wait(150), Drive(300)], &[(Canceled, "cmd_vel")]),
        (&[Goal, Wait(150), Play("shake")], &[(Canceled, "another motion"), (Succeeded, "")]),
        (&[Goal, Wait(150), Play("shake"), END_GOAL], &[(Canceled, "another motion"), (Succeeded, "")]),
        (&[Goal, Wait(150), EMPTY], &[(Canceled, "an empty motion")]),
        (&[Play("shake"), Wait(50), Goal], &[(Succeeded, ""), (Rejected, NOT_STANDING)]),
        (&[Goal, Wait(150), Trajectory], &[(Succeeded, ""), (Rejected, NOT_STANDING)]),
    ];
    for (script, ends) in cases {
        let bench = ends_as(script, ends);
        assert!(bench.fastest <= 1.0 + 1e-6, "{script:?}: a joint jumps, at {} of its limit", bench.fastest);
    }
}

#[test]
fn when_the_servos_are_let_go_expect_it_reported_with_the_same_tick() {
    let mut bench = Bench::standing();
    bench.act(Do::Play("bow"));
    bench.tick(200);
    bench.act(Do::FallRelease);
    bench.tick(1);
    assert_eq!(bench.last(1), Some((Stage::Aborted, "the servos were released")));
}

#[test]
fn when_anything_is_done_in_any_order_expect_every_request_to_come_to_one_end() {
    let all = [
        Do::Play("shake"),
        Do::Play("march"),
        Do::Play("bow"),
        Do::Trajectory,
        Do::Goal,
        END_GOAL,
        STOP,
        EMPTY,
        Do::Send(|| Command::Stand),
        SIT,
        Do::Send(|| Command::Pack),
        FREEZE,
        Do::FallRelease,
        Do::Drive(40),
    ];
    let mut seed = 1_u64;
    let mut next = move |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    for round in 0..40 {
        let mut bench = Bench::standing();
        for _ in 0..12 {
            // Now and then several in one tick.
            let (what, ticks) = (all[next(all.len())], [0, 1, 7, 60, 250][next(5)]);
            bench.act(what);
            bench.tick(ticks);
        }
        bench.act(Do::Send(|| Command::Stand));
        bench.tick(3000);
        let first = bench.requests.saturating_sub(7).max(1);
        for request in first..=bench.requests {
            let reported = &bench.reported[&request];
            assert!(reported.last().unwrap().stage.is_over(), "round {round}, request {request}: {reported:?}");
            assert_eq!(reported.iter().filter(|entry| entry.stage.is_over()).count(), 1, "{reported:?}");
        }
    }
}
