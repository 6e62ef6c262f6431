//! What a robot's sensors make of it: fallen, lifted, blocked, and what is true.

use super::course::{Course, Driver, Floor};
use super::random::Random;
use super::shipped::{GAITS, KINDS, Kind, config, robot};
use super::{Rig, Setting, TICK_S, gait};
use hexapod_dynamics::{Condition, ConditionWatch, ImuReader, Planned};
use hexapod_gait::{GaitState, Input, Tick, Twist};
use hexapod_kinematics::MAX_LEGS;
use hexapod_sim::{FALLEN_RAD, FootSwitches, Ground, Imu, Push, Terrain};
use nalgebra::Vector3;
use std::collections::VecDeque;
use std::time::Duration;

/// A robot is blocked in truth that has made less than this part of its planned way in this time, s.
const BLOCKED_FRACTION: f64 = 0.3;
const WINDOW_S: f64 = 1.0;
/// What is true is reported this soon, s.
pub const LATE_S: f64 = 1.0;
/// Rubble of this height, m, and a ramp of 15 degrees, on which a robot gets on.
pub const ROUGH: [Floor; 2] =
    [Floor { name: "rubble", size: 0.025, friction: 0.8 }, Floor { name: "ramp", size: 0.267_949, friction: 0.8 }];
/// Steps that are too high for the robot, m.
const WALL_M: f64 = 0.05;

/// The robot with an IMU and switches below its feet.
pub struct Watched {
    pub rig: Rig,
    imu: (Imu, ImuReader),
    switches: FootSwitches,
    felt: VecDeque<[Option<bool>; MAX_LEGS]>,
    feels: bool,
    watch: ConditionWatch,
    /// Planned and true way of the last ticks, m.
    ways: VecDeque<[f64; 2]>,
}

/// What became of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// When it became true, and when it was reported, s after the start.
    pub true_s: Option<f64>,
    pub reported_s: Option<f64>,
    /// Something else was reported before, or the same of a robot of which it was not nearly true.
    pub other: Option<Condition>,
}

impl Outcome {
    /// Whether it was reported in time, and nothing else before.
    pub fn is_good(&self) -> bool {
        self.other.is_none() && self.late_s().is_some_and(|late| late <= LATE_S)
    }

    /// How late it was reported, s.
    pub fn late_s(&self) -> Option<f64> {
        Some(self.reported_s? - self.true_s?)
    }
}

impl Watched {
    /// Stands on its feet; with feet that `feel`, the gait follows what they feel.
    pub fn standing(setting: &Setting, feels: bool) -> Self {
        let mut rig = Rig::standing(setting);
        if feels {
            rig.engine.set_gait(gait(setting.gait).feeling());
        }
        let imu = (Imu::new(config("").imu, None, rig.simulator.world(), setting.seed), ImuReader::default());
        let switches = FootSwitches::new(config("").switches, rig.engine.legs().len());
        let felt = VecDeque::from([[None; MAX_LEGS]; 3]);
        let radius =
            rig.engine.rest_feet().iter().map(|foot| foot.norm()).sum::<f64>() / rig.engine.legs().len() as f64;
        let watch = ConditionWatch::new(radius);
        let mut watched = Self { rig, imu, switches, felt, feels, watch, ways: VecDeque::new() };
        (0..150).for_each(|_| {
            watched.tick(&Input::default());
        });
        watched
    }

    pub fn tick(&mut self, input: &Input) -> Condition {
        let felt = self.felt.pop_front().unwrap_or_default();
        let mut input = *input;
        if self.feels {
            (input.contacts, input.contacts_late) = (felt, 0.02);
        }
        let before = self.rig.base();
        let tick = self.rig.tick(&input);
        let step = before.rotation.inverse() * (self.rig.base().translation.vector - before.translation.vector);
        let speed = tick.twist.speed().max(1e-9);
        let way = (step.x * tick.twist.vx + step.y * tick.twist.vy) / speed;
        self.ways.push_back([tick.twist.speed() * TICK_S, way]);
        if self.ways.len() > (WINDOW_S / TICK_S) as usize {
            self.ways.pop_front();
        }
        let world = self.rig.simulator.world();
        let mut next = [None; MAX_LEGS];
        next.iter_mut().zip(self.switches.read(world)).for_each(|(next, closed)| *next = Some(*closed));
        self.felt.push_back(next);
        let (imu, reader) = &mut self.imu;
        let now = Duration::from_secs_f64(world.time_s());
        let _ = reader.take(robot().model(), &imu.read(world).sample(""), now);
        if let Some(reported) = reader.take_inertial() {
            self.watch.sense(&reported);
        }
        self.watch.step(&planned(&tick), &felt, TICK_S)
    }

    pub fn condition(&self) -> Condition {
        self.watch.condition()
    }

    pub fn recover(&mut self) {
        self.watch.recover();
    }

    /// Whether the robot truly leans as a fallen one does.
    pub fn lies(&self) -> bool {
        self.rig.lean() > FALLEN_RAD
    }

    /// Whether the ground presses no foot.
    pub fn hangs(&self) -> bool {
        let world = self.rig.simulator.world();
        (0..self.rig.engine.legs().len()).all(|leg| world.foot_force(leg).norm() == 0.0)
    }

    /// The fraction of its planned way that the robot has truly made of late; none if it was not commanded to walk for
    /// so long.
    pub fn progress(&self) -> Option<f64> {
        let full = self.ways.len() as f64 * TICK_S >= WINDOW_S && self.ways.iter().all(|[planned, _]| *planned > 0.0);
        let sum = |part: usize| self.ways.iter().map(|way| way[part]).sum::<f64>();
        full.then(|| sum(1) / sum(0))
    }

    /// Whether a report of it is none that is wrong.
    fn is_nearly(&self, condition: Condition) -> bool {
        condition != Condition::Blocked || self.progress().is_some_and(|part| part < 2.0 * BLOCKED_FRACTION)
    }

    /// Goes on until `truth` and for a second after that; what is reported.
    fn until(
        &mut self,
        wanted: Condition,
        most_s: f64,
        mut step: impl FnMut(&mut Self),
        truth: impl Fn(&Self) -> bool,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        for tick in 0..(most_s / TICK_S) as usize {
            let now = tick as f64 * TICK_S;
            step(self);
            let reported = self.condition();
            if reported == wanted {
                if outcome.reported_s.is_none() && !self.is_nearly(wanted) {
                    outcome.other = Some(reported);
                }
                outcome.reported_s.get_or_insert(now);
            } else if reported != Condition::Ok
                && wanted != Condition::Fallen
                && outcome.true_s.is_none()
                && outcome.reported_s.is_none()
            {
                outcome.other.get_or_insert(reported);
            }
            if truth(self) {
                outcome.true_s.get_or_insert(now);
            }
            if outcome.late_s().is_some() || outcome.true_s.is_some_and(|at| now > at + 1.5) {
                break;
            }
        }
        outcome
    }
}

/// What the tick tells the robot to do.
fn planned(tick: &Tick) -> Planned {
    let on_its_feet = matches!(tick.state, GaitState::Standing | GaitState::Walking | GaitState::Stopping);
    let up = tick.footprint_from_body.inverse_transform_vector(&Vector3::z());
    let twist = [tick.twist.vx, tick.twist.vy, tick.twist.wz];
    let moves = tick.velocities.iter().any(|leg| leg.iter().any(|speed| *speed != 0.0));
    let over_feet = tick.footprint_from_body.translation.vector.xy();
    Planned { up, down: tick.contacts, twist, over_feet, on_its_feet, moves }
}

/// Any gait, with feet that feel or without, and one of these kinds of servo.
fn any(seed: u64, ground: Ground, kinds: &[Kind], random: &mut Random) -> Watched {
    let (gait, kind) = (random.pick(&GAITS), kinds[seed as usize % kinds.len()]);
    Watched::standing(&Setting { gait, kind, ground, seed }, random.chance(0.5))
}

fn ahead(speed: f64) -> Input {
    Input { twist: Twist::new(speed, 0.0, 0.0), ..Input::default() }
}

/// Walks, and is pushed by 40 to 120 N until it falls.
pub fn pushed_over(seed: u64) -> Outcome {
    let mut random = Random(seed);
    let mut robot = any(seed, Ground::flat(), &KINDS, &mut random);
    let input = ahead(random.within(0.03, 0.12));
    let walk = (random.within(1.0, 4.0) / TICK_S) as usize;
    (0..walk).for_each(|_| {
        robot.tick(&input);
    });
    let mut n = 0;
    let step = |robot: &mut Watched| {
        if n % 100 == 0 {
            let (newtons, to) = (random.within(40.0, 120.0), random.within(0.0, std::f64::consts::TAU));
            let force = Vector3::new(to.cos(), to.sin(), 0.4) * newtons;
            let point = Vector3::new(-0.1 * to.cos(), -0.1 * to.sin(), 0.05);
            robot.rig.simulator.world_mut().push(Push { part: 0, point, force, seconds: 0.2 });
        }
        n += 1;
        robot.tick(&input);
    };
    robot.until(Condition::Fallen, 30.0, step, Watched::lies)
}

/// Walks, and is lifted by a hand.
pub fn lifted(seed: u64) -> Outcome {
    let mut random = Random(seed);
    let mut robot = any(seed, Ground::flat(), &KINDS, &mut random);
    let input = ahead(random.within(0.0, 0.12));
    let walk = (random.within(0.0, 4.0) / TICK_S) as usize;
    (0..walk).for_each(|_| {
        robot.tick(&input);
    });
    let (from, rise, weight) = (robot.rig.base().translation.z, random.within(0.05, 0.6), robot.rig.weight());
    let mut n = 0;
    let step = |robot: &mut Watched| {
        let at = from + (rise * n as f64 * TICK_S).min(0.15);
        let world = robot.rig.simulator.world_mut();
        let (z, v) = (world.base().translation.z, world.velocity(0).linear.z);
        let newtons = (weight * (1.0 + 20.0 * (at - z) - 3.0 * v)).clamp(0.0, 4.0 * weight);
        world.push(Push { part: 0, point: Vector3::zeros(), force: Vector3::z() * newtons, seconds: TICK_S });
        n += 1;
        robot.tick(&input);
    };
    robot.until(Condition::Lifted, 10.0, step, Watched::hangs)
}

/// Walks against a step that is too high, with the servos that `sim.yaml` ships.
pub fn walled(seed: u64) -> Outcome {
    let mut random = Random(seed);
    let ground = Ground::of(Terrain::named("steps", Some(WALL_M), 1).unwrap());
    let mut robot = any(seed, ground, &KINDS[..1], &mut random);
    let input = ahead(random.within(0.09, 0.15));
    let step = |robot: &mut Watched| {
        robot.tick(&input);
    };
    robot.until(Condition::Blocked, 40.0, step, |robot| robot.progress().is_some_and(|part| part < BLOCKED_FRACTION))
}

/// What a drive over rough ground reported.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drive {
    /// Driven, s.
    pub seconds: f64,
    /// Conditions reported of a robot that was none of these in truth.
    pub wrong: u32,
    /// What was reported in place of ok, and the true progress of the second before.
    pub last: Option<(Condition, f64)>,
    /// Blocked and truly so.
    pub stuck: u32,
    pub fell: bool,
}

/// Drives at random with the servos that `sim.yaml` ships, until it falls or for so long.
pub fn drive(floor: Floor, seed: u64, seconds: f64) -> Drive {
    let mut course = Course::random(floor, seed);
    course.restless &= seed.is_multiple_of(2);
    course.kind = KINDS[0];
    let mut robot = Watched::standing(&course.setting(), seed.is_multiple_of(3));
    let mut driver = Driver::new(&course);
    let mut drive = Drive::default();
    for _ in 0..(seconds / TICK_S) as usize {
        let input = driver.input(&mut robot.rig.engine);
        let reported = robot.tick(&input);
        drive.seconds += TICK_S;
        if robot.rig.fall().is_some() {
            drive.fell = true;
            break;
        }
        if reported != Condition::Ok {
            let part = robot.progress().unwrap_or(f64::NAN);
            drive.last = Some((reported, part));
            if reported == Condition::Blocked && robot.is_nearly(reported) {
                drive.stuck += 1;
            } else {
                drive.wrong += 1;
            }
            robot.recover();
        }
    }
    drive
}
