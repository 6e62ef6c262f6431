//! The harness of bits: digests of every tick of seeded drives. Two revisions whose digests are the same, printed on one
//! machine with one profile, walk the same bit for bit. A change that is to keep the path is tried so:
//!
//! `cargo test -p hexapod_gait million_ticks -- --ignored --nocapture > before.txt`, the same after it, and `diff`.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::player::simple_motions;
use crate::common::random::{Random, any_engine};
use crate::common::{gait, settings, specs, urdf};
use hexapod_gait::motion::{Motion, Player};
use hexapod_gait::{AutoPose, BodyOffset, Engine, GaitSpec, Input, SwingProfile, Tick, Twist, Wave};
use hexapod_kinematics::{LegOptions, LimitChange, MAX_LEGS, Robot};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Seconds of robot time that a drive takes, and how many drives there are: of robots of a kind, and of random ones,
/// which take seconds to load.
#[derive(Clone, Copy)]
struct Extent {
    seconds: f64,
    drives: u64,
    random: u64,
}

const SHORT: Extent = Extent { seconds: 15.0, drives: 21, random: 0 };
const LONG: Extent = Extent { seconds: 50.0, drives: 630, random: 3 };

/// A robot, what it can be asked for, and what it is asked for now.
struct Drive {
    name: String,
    player: Player,
    gaits: Vec<GaitSpec>,
    motions: Vec<Arc<Motion>>,
    random: Random,
    input: Input,
    dt: f64,
    stick: Stick,
    ground: Switches,
}

/// What changes from tick to tick.
#[derive(Clone, Copy)]
enum Stick {
    Held,
    /// Another twist or pose in each tick, from side to side.
    Turned(Twist),
    Leant(BodyOffset),
}

/// What the feet feel.
#[derive(Clone, Copy)]
enum Switches {
    None,
    /// Ground of these heights, m.
    Ground([f64; MAX_LEGS]),
    /// One that is stuck.
    Stuck(usize, bool),
}

/// The gaits of a robot of so many legs, and one of every other kind.
fn all_gaits(legs: usize) -> Vec<GaitSpec> {
    let mut all = specs(legs);
    let first = all[0].clone();
    let bob = AutoPose { z: Wave { amplitude: 0.004, cycles: 2, shift: 0.1 }, ..AutoPose::default() };
    all.push(GaitSpec { auto_pose: bob, touch_down_speed: 0.03, ..first.clone() });
    all.push(GaitSpec { swing: SwingProfile::Sine, step_height: Some(0.02), ..first.clone() });
    all.push(GaitSpec { least_cycle_time: Some(0.6 * first.cycle_time), ..first });
    all.push(GaitSpec { stable: false, ..GaitSpec::default() });
    all
}

impl Drive {
    /// The drive of a seed: 4, 6 and 8 legs in turn, with and without bounds of the joints' accelerations, on all legs
    /// and on all but one.
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let legs = [6, 4, 8][seed as usize % 3];
        let gaits = all_gaits(legs);
        let spec = &gaits[random.index(gaits.len())];
        let (mut name, mut motions) = (format!("{legs} legs"), vec![]);
        let engine = match (seed / 3) % 7 {
            0..3 => simple(legs, spec, None),
            3 | 4 => {
                let greatest = random.range(30.0, 150.0);
                name += &format!(", {greatest:.0} rad/s^2");
                simple(legs, spec, Some(greatest))
            }
            5 if legs > 4 => {
                name += ", one off";
                let engine = simple(legs, spec, None);
                let off = engine.legs()[random.index(legs)].name().to_owned();
                engine.without_legs([off.as_str()].into_iter()).unwrap()
            }
            _ => simple(legs, spec, None).with_packed_pose(None).unwrap(),
        };
        if !engine.lacks_legs() {
            motions = simple_motions(&engine);
        }
        Self { motions, ..Self::of(engine, gaits, name, random) }
    }

    /// The same of a robot with legs of any geometry.
    fn of_random_robot(seed: u64) -> Self {
        let mut random = Random(seed);
        let (engine, gaits) = any_engine(&mut random);
        let name = format!("random, {} legs of {} joints", engine.legs().len(), engine.legs()[0].joint_count());
        Self::of(engine, gaits, name, random)
    }

    fn of(engine: Engine, gaits: Vec<GaitSpec>, name: String, mut random: Random) -> Self {
        let (input, dt) = (Input::default(), [0.01, 0.01, 0.007, 0.02, 0.004][random.index(5)]);
        let (motions, stick, ground) = (vec![], Stick::Held, Switches::None);
        Self { name, player: Player::new(engine), gaits, motions, random, input, dt, stick, ground }
    }

    /// Asks for something else.
    fn act(&mut self) {
        let Self { random, player, input, .. } = self;
        match random.index(32) {
            0..8 => (self.stick, input.twist) = (Stick::Held, twist(random)),
            8..10 => self.stick = Stick::Turned(twist(random)),
            10..13 => (self.stick, input.body_offset) = (Stick::Held, offset(random)),
            13 => self.stick = Stick::Leant(offset(random)),
            14 | 15 => (self.stick, input.twist) = (Stick::Held, Twist::ZERO),
            16 => (self.stick, input.body_offset) = (Stick::Held, BodyOffset::default()),
            17..20 => {
                let next = gait(player.engine().robot(), &self.gaits[random.index(self.gaits.len())]);
                let ready = player.engine().ready(next);
                player.engine_mut().set_gait(ready);
            }
            20 | 21 => player.stand(),
            22 => player.stop(),
            23 => player.sit(),
            24 => drop(player.pack()),
            25 => player.engine_mut().set_step_height(random.range(0.0, 0.05)),
            26 => {
                let mut limits = crate::common::LIMITS;
                limits.linear_acceleration *= random.range(0.5, 2.0);
                limits.linear_velocity *= random.range(0.5, 1.5);
                player.engine_mut().set_limits(limits);
            }
            27 if random.index(4) == 0 => player.freeze(),
            28 if !self.motions.is_empty() => {
                (self.stick, input.twist) = (Stick::Held, Twist::ZERO);
                player.play(Some(Arc::clone(&self.motions[random.index(self.motions.len())])));
            }
            29 => player.cancel(),
            30 => self.ground = Switches::Ground(std::array::from_fn(|_| random.range(-0.015, 0.015))),
            31 if random.index(2) == 0 => self.ground = Switches::Stuck(random.index(MAX_LEGS), random.index(2) == 0),
            _ => self.ground = Switches::None,
        }
    }

    /// The input of the next tick.
    fn sense(&mut self, time: f64) {
        match self.stick {
            Stick::Held => {}
            Stick::Turned(twist) => self.input.twist = twist.scaled((3.0 * time).sin()),
            Stick::Leant(BodyOffset { translation, rotation }) => {
                let (sin, cos) = (2.0 * time).sin_cos();
                self.input.body_offset = BodyOffset { translation: translation * sin, rotation: rotation * cos };
            }
        }
        let feet = self.player.last().feet;
        self.input.contacts = match self.ground {
            Switches::None => [None; MAX_LEGS],
            Switches::Ground(heights) => std::array::from_fn(|leg| Some(feet[leg].z <= heights[leg])),
            Switches::Stuck(stuck, closed) => std::array::from_fn(|leg| (leg == stuck).then_some(closed)),
        };
    }

    /// Drives on for so many seconds; the digest of all ticks, and how many those are. Counts those of each state.
    fn run(&mut self, seconds: f64, seen: &mut [usize; 5]) -> (u64, usize) {
        let (mut hasher, mut ticks, mut until) = (DefaultHasher::new(), 0, 3.0);
        self.player.stand();
        while (ticks as f64) * self.dt < seconds {
            let time = ticks as f64 * self.dt;
            if time >= until {
                self.act();
                until = time + self.random.range(0.0, 2.5);
            }
            self.sense(time);
            digest(self.player.step(&self.input, self.dt), &mut hasher);
            self.player.engine().work().steps.hash(&mut hasher);
            seen[self.player.last().state as usize] += 1;
            ticks += 1;
        }
        (hasher.finish(), ticks)
    }
}

fn simple(legs: usize, spec: &GaitSpec, acceleration: Option<f64>) -> Engine {
    let limits = acceleration.map(|_| LimitChange { acceleration, ..LimitChange::default() });
    let options = LegOptions { limits: limits.into_iter().collect(), ..LegOptions::default() };
    let robot = Arc::new(Robot::from_urdf_with(&urdf(legs), &options).unwrap());
    let first = gait(&robot, spec);
    Engine::new(robot, first, settings()).unwrap()
}

/// A twist that is walked, or one that is farther than the robot goes.
fn twist(random: &mut Random) -> Twist {
    let linear = random.vector(0.12);
    let twist = Twist::new(linear.x, linear.y, random.range(-0.7, 0.7));
    if random.index(6) == 0 { twist.scaled(30.0) } else { twist }
}

fn offset(random: &mut Random) -> BodyOffset {
    BodyOffset { translation: random.vector(0.03), rotation: random.vector(0.15) }
}

/// All that comes of a tick, to the bit.
fn digest(tick: &Tick, hasher: &mut DefaultHasher) {
    let mut put = |value: f64| value.to_bits().hash(hasher);
    tick.angles.iter().chain(&tick.velocities).flat_map(|leg| leg.iter()).for_each(|&x| put(x));
    tick.feet.iter().flatten().for_each(|&x| put(x));
    let pose = tick.footprint_from_body;
    pose.translation.vector.iter().chain(pose.rotation.coords.iter()).for_each(|&x| put(x));
    [tick.twist.vx, tick.twist.vy, tick.twist.wz, tick.phase].into_iter().for_each(put);
    tick.contacts.hash(hasher);
    (tick.state as u8, tick.limited_by as u8).hash(hasher);
}

/// Prints a line for each drive; how many ticks they have, and the digest of all.
fn print_digests(extent: Extent) -> (usize, u64) {
    let (mut all, mut sum, mut seen) = (DefaultHasher::new(), 0, [0; 5]);
    let random = (0..extent.random).map(Drive::of_random_robot);
    for (index, mut drive) in (0..extent.drives).map(Drive::new).chain(random).enumerate() {
        let (digest, ticks) = drive.run(extent.seconds, &mut seen);
        println!("drive {index}, {}: {ticks} ticks {digest:016x}", drive.name);
        digest.hash(&mut all);
        sum += ticks;
    }
    println!("{sum} ticks {:016x}; sitting, standing, walking, stopping, playing: {seen:?}", all.finish());
    assert!(seen.iter().all(|&ticks| ticks > sum / 100), "a state is hardly seen");
    (sum, all.finish())
}

#[test]
fn when_drives_are_repeated_expect_the_same_digests() {
    assert_eq!(print_digests(SHORT), print_digests(SHORT));
}

#[test]
#[ignore = "takes a minute, for comparing two revisions"]
fn when_a_million_ticks_are_driven_expect_digests_to_compare() {
    assert!(print_digests(LONG).0 >= 1_000_000);
}
