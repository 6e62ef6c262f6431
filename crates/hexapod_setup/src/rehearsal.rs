//! Walks a robot in all directions before it is accepted, on the engine that would walk it: one that can stand may still
//! have no foot that it can lift, or legs too slow for a step.

use crate::threads;
use hexapod_gait::{Engine, Gait, GaitState, Input, LimitedBy, Twist};
use hexapod_kinematics::Leg;

/// Longest time that standing up is waited for, s, the time for each direction, and that for one in which the robot stands
/// still then, until it goes on or gives up.
const STANDING_S: f64 = 30.0;
const EACH_S: f64 = 5.0;
const LONGEST_S: f64 = 20.0;
/// How long a robot that gave up is let alone: its feet come down.
const LETTING_GO_S: f64 = 2.0;
/// A robot that gets no farther meanwhile than this part of its shortest leg stands still, unless it was asked for little:
/// an owner's bounds on the velocity say nothing of the robot.
const LEAST_WAY: f64 = 0.03;
const LEAST_OF_ASKED: f64 = 0.1;
/// Feet with less room than this, in lengths of the shortest leg, step nowhere.
const LEAST_ROOM: f64 = 0.01;
/// The engine decides at every 10 ms however seldom it is called.
const TICK_S: f64 = 0.1;
/// The directions, in parts of the greatest velocities, and what they are called.
const WAYS: [([f64; 3], &str); 6] = [
    ([1.0, 0.0, 0.0], "ahead"),
    ([0.0, 1.0, 0.0], "to the left"),
    ([0.0, 0.0, 1.0], "round to the left"),
    ([-1.0, 0.0, 0.0], "back"),
    ([0.0, -1.0, 0.0], "to the right"),
    ([0.0, 0.0, -1.0], "round to the right"),
];

/// Where a robot did not get on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stuck {
    /// The direction in words; none where it did not even stand up.
    pub way: Option<&'static str>,
    /// What was in the way.
    pub by: LimitedBy,
}

impl Stuck {
    /// What comes of it, in words.
    pub(crate) fn what(&self) -> String {
        match self.way {
            Some(way) => format!("the robot would stand still when it is driven {way}"),
            None => "the robot would not get onto its feet".into(),
        }
    }
}

/// Stands up and, from there, walks each way with a gait.
///
/// # Errors
/// The first way that leads nowhere.
pub(crate) fn rehearse(engine: &Engine, gait: Gait) -> Result<(), Stuck> {
    if is_without_room(engine) {
        return Err(Stuck { way: Some("ahead"), by: LimitedBy::Stride });
    }
    let mut engine = engine.clone();
    engine.set_gait(engine.ready(gait));
    if !stand_up(&mut engine) {
        return Err(Stuck { way: None, by: engine.last().limited_by });
    }
    walk_each_way(&engine)
}

/// Whether the robot could stand, and put its feet nowhere else.
pub(crate) fn is_without_room(engine: &Engine) -> bool {
    let shortest_m = engine.legs().iter().map(Leg::length).fold(f64::INFINITY, f64::min);
    engine.stance().reach().least() < LEAST_ROOM * shortest_m
}

/// Stands up; whether the robot gets onto its feet.
pub(crate) fn stand_up(engine: &mut Engine) -> bool {
    engine.stand();
    (0..ticks(STANDING_S)).any(|_| engine.step(&Input::default(), TICK_S).state == GaitState::Standing)
}

/// Walks each way from where the robot stands: ahead, where most that do not get on are stuck, then all others at the same
/// time, as nobody wants to wait for them one by one.
///
/// # Errors
/// The first way that leads nowhere.
fn walk_each_way(standing: &Engine) -> Result<(), Stuck> {
    let walked = |[ahead, aside, round]: [f64; 3]| {
        let (mut engine, limits) = (standing.clone(), standing.limits());
        let linear = limits.linear_velocity;
        walk(&mut engine, Twist::new(ahead * linear, aside * linear, round * limits.angular_velocity))
    };
    let [(ahead, way), others @ ..] = WAYS;
    walked(ahead).map_err(|by| Stuck { way: Some(way), by })?;
    let stuck = threads::each(others, |(parts, way)| walked(parts).map_err(|by| Stuck { way: Some(way), by }));
    stuck.into_iter().collect()
}

/// Walks with a twist for a while, and where the robot gives up, as one may whose feet go to other places first, once more
/// from where it has come to.
///
/// # Errors
/// What held the robot back where it gave up again, or most often where it got nowhere.
fn walk(engine: &mut Engine, twist: Twist) -> Result<(), LimitedBy> {
    try_walking(engine, twist)?;
    if engine.gave_up().is_some() {
        (0..ticks(LETTING_GO_S)).for_each(|_| _ = engine.step(&Input::default(), TICK_S));
        try_walking(engine, twist)?;
    }
    engine.gave_up().map_or(Ok(()), Err)
}

/// Walks with a twist: for a while and until the body moves, or until the robot gives up.
///
/// # Errors
/// What held it back most often, where it got nowhere.
fn try_walking(engine: &mut Engine, twist: Twist) -> Result<(), LimitedBy> {
    let input = Input { twist, ..Input::default() };
    let farthest_m = engine.rest_feet().iter().map(|foot| foot.norm()).fold(0.0, f64::max);
    let shortest_m = engine.legs().iter().map(Leg::length).fold(f64::INFINITY, f64::min);
    let along_m = |walked: Twist| (walked.speed() + walked.wz.abs() * farthest_m) * TICK_S;
    let asked_m = along_m(twist) * ticks(EACH_S) as f64;
    let (mut way_m, mut reasons) = (0.0, Vec::new());
    for now in 0..ticks(LONGEST_S) {
        let tick = *engine.step(&input, TICK_S);
        way_m += along_m(tick.twist);
        reasons.push(tick.limited_by);
        if engine.gave_up().is_some() || (now >= ticks(EACH_S) && along_m(tick.twist) > 0.0) {
            break;
        }
    }
    if way_m >= (LEAST_WAY * shortest_m).min(LEAST_OF_ASKED * asked_m) {
        return Ok(());
    }
    let often = |by: &&LimitedBy| reasons.iter().filter(|other| other == by).count();
    Err(engine.gave_up().unwrap_or_else(|| reasons.iter().max_by_key(often).copied().unwrap_or_default()))
}

fn ticks(seconds: f64) -> usize {
    (seconds / TICK_S) as usize
}
