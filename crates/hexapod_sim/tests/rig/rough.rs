//! Walks over blocks and slopes whose heights nobody tells the robot, with and without switches below its feet: how far its
//! body leans, and how deep feet are pressed into the ground.

use super::random::Random;
use super::shipped::{GAITS, config, robot, rough_levels};
use super::sight::Seeing;
use super::{TICK_S, gait, planner, positions};
use hexapod_dynamics::ImuReader;
use hexapod_gait::{Engine, GaitState, Input, Tick, Twist};
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use hexapod_sim::{Drive, FootSwitches, Ground, HeightMap, Imu, Mount, SwitchModel, Terrain, World, lean};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Edge of a block, and the distance of points between which slopes lead, m.
const CELL_M: f64 = 0.06;
/// Half of the field, m.
const FIELD_M: f64 = 2.4;
/// Seconds ahead until all feet are on the rough, and those of the drive after that.
const AHEAD_S: f64 = 6.0;
const DRIVE_S: f64 = 10.0;
const TWIST_S: f64 = 5.0;
/// How late a switch tells, and what the planner assumes of that: as much as `contacts_delay` in `hexapod.yaml`.
const LATE_TICKS: usize = 2;
/// The servo of the trial in MuJoCo (`tests/ros/physics.py`).
const SERVO: Drive = Drive { torque: 0.0, stiffness: 20.0, rest: 0.0, damping: 0.4, friction: 0.0 };
const ROTOR: f64 = 0.003;
const SWITCH: SwitchModel = SwitchModel { press: 0.5, release: 0.5 };

/// What a robot feels the ground by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feels {
    Nothing,
    /// Switches below its feet.
    Switches,
    /// And an IMU on its body.
    Imu,
    /// And a depth camera, with its pose known.
    Sees,
    /// The same with its pose by odometry.
    Reckons,
    /// The same with a lidar in place of the camera.
    Spins,
    /// As by odometry, but for the switches: its feet feel nothing.
    Looks,
}

impl Feels {
    fn has_switches(self) -> bool {
        !matches!(self, Self::Nothing | Self::Looks)
    }

    fn has_imu(self) -> bool {
        !matches!(self, Self::Nothing | Self::Switches)
    }
}

/// A walk over rough ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rough {
    /// "blocks" or "slopes".
    pub name: &'static str,
    /// Greatest height, m.
    pub size: f64,
    pub seed: u64,
}

/// What came of a walk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// Greatest and mean lean of the body, rad.
    pub lean: f64,
    pub mean: f64,
    /// The greatest depth to which a foot was commanded to go below where it had met the ground, m.
    pub depth: f64,
    /// Way walked on the rough, m.
    pub way: f64,
}

impl Rough {
    pub fn gait(&self) -> &'static str {
        Random(self.seed).pick(&GAITS)
    }

    fn ground(&self) -> Ground {
        Ground::of(match self.name {
            "blocks" => Terrain::Rubble { height: self.size, stone: CELL_M, reach: FIELD_M, seed: self.seed },
            _ => Terrain::Heights(slopes(self.size, self.seed)),
        })
    }

    /// Walks, feeling that; `watch` sees each tick on the rough.
    pub fn walk(&self, feels: Feels, mut watch: impl FnMut(&Walker, &Tick)) -> Outcome {
        let mut walker = Walker::standing(self.gait(), &self.ground(), feels);
        let mut random = Random(!self.seed);
        let ahead = Twist::new(0.07, 0.0, 0.0);
        (0..(AHEAD_S / TICK_S) as usize).for_each(|_| {
            walker.tick(ahead);
        });
        let (mut outcome, mut depths, mut twist, ticks) =
            (Outcome::default(), Depths::default(), ahead, (DRIVE_S / TICK_S) as usize);
        for n in 0..ticks {
            if n % (TWIST_S / TICK_S) as usize == 0 {
                twist = any_twist(&mut random);
            }
            let tick = walker.tick(twist);
            let leans = lean(&walker.world.base());
            (outcome.lean, outcome.mean) = (outcome.lean.max(leans), outcome.mean + leans / ticks as f64);
            outcome.way += (tick.twist.speed() + 0.2 * tick.twist.wz.abs()) * TICK_S;
            outcome.depth = outcome.depth.max(depths.take(&walker, &tick));
            watch(&walker, &tick);
        }
        outcome
    }
}

/// What comes of a walk with each of so many seeds, by seed, on two cores.
pub fn each_seed<T: Send>(first: u64, walks: u64, walk: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let next = AtomicU64::new(first);
    let work = || {
        let seeds = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|s| *s < first + walks));
        seeds.map(|seed| (seed, walk(seed))).collect::<Vec<_>>()
    };
    let mut all: Vec<_> = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let mine = work();
        mine.into_iter().chain(other.join().unwrap()).collect()
    });
    all.sort_by_key(|(seed, _)| *seed);
    all.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Ahead, about, or both, or aside.
fn any_twist(random: &mut Random) -> Twist {
    let on = random.pick(&[[1.0, 0.0, 0.0], [0.6, 0.0, 0.6], [0.0, 0.0, 1.0], [0.7, 0.4, 0.3], [0.0, 1.0, 0.0]]);
    let [x, y, turn] = on.map(|on| on * random.within(0.5, 1.0) * random.pick(&[-1.0, 1.0]));
    Twist::new(0.06 * x, 0.04 * y, 0.4 * turn)
}

/// Slopes between points of random heights, level where the robot starts.
pub fn slopes(size: f64, seed: u64) -> HeightMap {
    let count = (2.0 * FIELD_M / CELL_M) as usize + 1;
    let mut random = Random(seed);
    let half = (count / 2) as f64 * CELL_M;
    let mut heights = Vec::new();
    for row in 0..count {
        for column in 0..count {
            let [x, y] = [column, row].map(|n| n as f64 * CELL_M - half);
            let any = random.within(0.0, size);
            heights.push(if x.hypot(y) < 0.3 { 0.5 * size } else { any });
        }
    }
    HeightMap::try_new(count, count, CELL_M, heights).unwrap()
}

/// The shipped robot with switches below its feet.
pub struct Walker {
    pub engine: Engine,
    pub world: World,
    switches: FootSwitches,
    /// What the switches tell, the latest last.
    felt: VecDeque<[Option<bool>; MAX_LEGS]>,
    feels: Feels,
    imu: (Imu, ImuReader),
    /// What its IMU has wrong: how far forwards it says that the body leans, rad.
    pub misjudges_rad: f64,
    pub seeing: Option<Seeing>,
}

impl Walker {
    pub fn standing(name: &str, ground: &Ground, feels: Feels) -> Self {
        let robot = robot();
        let gait = if feels == Feels::Nothing { gait(name) } else { gait(name).feeling() };
        let engine = Engine::new(robot.clone(), gait, planner()).unwrap();
        let mut world = World::new(&robot, ground, &Mount::Free(Isometry3::identity()), config("").engine).unwrap();
        let positions = positions(&engine, &world);
        world.put(&Isometry3::translation(0.0, 0.0, 0.06 + ground.height_at_start()), &positions);
        (0..positions.len()).for_each(|hinge| world.set_rotor(hinge, ROTOR));
        let switches = FootSwitches::new(SWITCH, engine.legs().len());
        let felt = VecDeque::from([[None; MAX_LEGS]; LATE_TICKS + 1]);
        let imu = (Imu::new(config("").imu, None, &world, 1), ImuReader::default());
        let mut walker = Self { engine, world, switches, felt, feels, imu, misjudges_rad: 0.0, seeing: None };
        walker.engine.stand();
        let stands = (0..1000).any(|_| walker.tick(Twist::ZERO).state == GaitState::Standing);
        assert!(stands, "does not come to stand");
        walker.seeing = match feels {
            Feels::Nothing | Feels::Switches | Feels::Imu => None,
            Feels::Sees => Some(Seeing::new(&walker.world, 1)),
            Feels::Reckons | Feels::Looks => Some(Seeing::new(&walker.world, 1).reckoning(walker.engine.legs().len())),
            Feels::Spins => Some(Seeing::spinning(&walker.world, 1).reckoning(walker.engine.legs().len())),
        };
        walker
    }

    /// The same, lifting its feet higher on rough ground, as shipped.
    pub fn adapting(self) -> Self {
        Self { engine: self.engine.with_rough_levels(rough_levels()), ..self }
    }

    pub fn tick(&mut self, twist: Twist) -> Tick {
        let contacts = self.felt.pop_front().unwrap();
        let up = self.up();
        let mut input = Input { twist, contacts, contacts_late: LATE_TICKS as f64 * TICK_S, up, ..Input::default() };
        if let Some(seeing) = &mut self.seeing {
            input.footholds = seeing.footholds(&self.engine, &self.world, &mut self.imu.1);
            input.twist = seeing.sight.allowed(input.twist, TICK_S);
        }
        let tick = *self.engine.step(&input, TICK_S);
        for (hinge, rest) in positions(&self.engine, &self.world).into_iter().enumerate() {
            self.world.drive(hinge, Drive { rest, ..SERVO });
        }
        (0..2).for_each(|_| self.world.step());
        let mut felt = [None; MAX_LEGS];
        let closed = self.switches.read(&self.world);
        felt.iter_mut().zip(closed).for_each(|(felt, closed)| *felt = self.feels.has_switches().then_some(*closed));
        self.felt.push_back(felt);
        tick
    }

    /// Which way is up in the body, as its IMU has it.
    fn up(&mut self) -> Option<Vector3<f64>> {
        let now = Duration::from_secs_f64(self.world.time_s());
        if !self.feels.has_imu() {
            return None;
        }
        let (imu, reader) = &mut self.imu;
        let read = imu.read(&self.world);
        let reported = reader.take(self.engine.robot().model(), &read.sample(""), now);
        let up = reported.ok().and_then(|()| reader.up());
        up.map(|up| UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -self.misjudges_rad) * up)
    }

    /// Which switches are closed.
    pub fn closed(&self) -> Vec<bool> {
        (0..self.engine.legs().len()).map(|leg| self.force(leg) >= SWITCH.press).collect()
    }

    pub fn force(&self, leg: usize) -> f64 {
        self.world.foot_force(leg).norm()
    }

    /// A foot in the world, where it truly is.
    pub fn foot(&self, leg: usize) -> Vector3<f64> {
        let world = &self.world;
        let hinges = &world.assembly().legs[leg];
        let angles = LegAngles::from_fn(hinges.len(), |joint| world.position(hinges[joint]));
        (world.base() * nalgebra::Point3::from(self.engine.legs()[leg].foot_in_body(&angles))).coords
    }
}

/// How deep feet are commanded to go below where they have met the ground.
#[derive(Default)]
struct Depths {
    /// Of each foot: the height commanded last; where it met the ground, and for how many ticks.
    last: [f64; MAX_LEGS],
    lifted: [bool; MAX_LEGS],
    met: [Option<(f64, usize)>; MAX_LEGS],
}

impl Depths {
    /// Ticks in which a foot that has met the ground may go on.
    const WITHIN: usize = 12;

    fn take(&mut self, walker: &Walker, tick: &Tick) -> f64 {
        let mut deepest = 0.0;
        for (leg, closed) in walker.closed().into_iter().enumerate() {
            let height = walker.engine.legs()[leg].foot_in_body(&tick.angles[leg]).z;
            if height > self.last[leg] + 5e-4 && !closed {
                (self.lifted[leg], self.met[leg]) = (true, None);
            } else if self.lifted[leg] && closed && height < self.last[leg] {
                (self.lifted[leg], self.met[leg]) = (false, Some((height, 0)));
            }
            if let Some((met, ticks)) = &mut self.met[leg] {
                deepest = f64::max(deepest, *met - height);
                *ticks += 1;
                if *ticks > Self::WITHIN {
                    self.met[leg] = None;
                }
            }
            self.last[leg] = height;
        }
        deepest
    }
}
