//! Robots drawn at random, as builders build them: each is refused with the reason, or gets on whichever way it is driven,
//! or says why it does not.

#![allow(clippy::unwrap_used)]

use hexapod_config::ros_params::Params;
use hexapod_config::{ConfigError, Source};
use hexapod_gait::{Balance, Engine, GaitState, Input, LimitedBy, Twist};
use hexapod_setup::{ConfigFile, Description, Walker, planner};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config");
const DT: f64 = 0.01;
/// A robot whose body gets no farther than this in so many ticks of `walking` stands still, however its feet tread: a
/// distance, m, or where less is asked this part of it. It may so for a cycle more while feet tread, and says why but for
/// a few ticks.
const STILL_TICKS: usize = 200;
const SILENT_TICKS: usize = 10;
const STILL_M: f64 = 1e-3;
const STILL_FRACTION: f64 = 0.02;
/// Square of what its joints turn in a tick, rad².
const STILL_RAD2: f64 = 1e-10;

/// splitmix64.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn range(&mut self, lower: f64, upper: f64) -> f64 {
        lower + (upper - lower) * self.unit()
    }

    fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    fn chance(&mut self, part: f64) -> bool {
        self.unit() < part
    }
}

/// A joint of every leg of a robot, and the part that it carries.
struct Joint {
    axis: [f64; 3],
    length: f64,
    aside: f64,
    limits: [f64; 2],
    velocity: f64,
    mass: f64,
}

/// A leg as they are built: a hip that yaws or rolls, then joints that pitch, perhaps one that rolls or yaws among them.
fn leg(random: &mut Random, joints: usize, upright: bool, size: f64) -> Vec<Joint> {
    let (narrow, slow, heavy) = (random.chance(0.2), random.chance(0.15), random.chance(0.2));
    let odd = if joints > 3 && random.chance(0.5) { 1 + random.below(joints - 2) } else { joints };
    let off = if random.chance(0.3) { random.range(1e-8, 3e-3) } else { 0.0 };
    (0..joints)
        .map(|index| {
            let part = size / joints as f64;
            let half = if narrow { random.range(0.25, 0.6) } else { random.range(0.6, 1.6) };
            let middle = match (index, upright) {
                (0, _) => 0.0,
                (1, true) => 0.6,
                (2, true) => -1.2,
                (1, false) => 0.4,
                (2, false) => -1.2,
                _ => 0.0,
            };
            let middle = middle + random.range(-0.15, 0.15);
            let pitch = [off * random.range(-1.0, 1.0), 1.0, 0.0];
            let axis = match index {
                0 if upright => [1.0, 0.0, 0.0],
                0 => [0.0, 0.0, 1.0],
                _ if index == odd => [random.range(-0.2, 0.2), 0.1, 1.0],
                _ if upright => pitch,
                _ => pitch.map(|part| -part),
            };
            Joint {
                axis,
                length: part * if index == 0 { random.range(0.3, 0.8) } else { random.range(0.8, 1.4) },
                aside: if random.chance(0.3) { random.range(-0.1, 0.1) * part } else { 0.0 },
                limits: [middle - half, middle + half * random.range(0.7, 1.0)],
                velocity: if slow { random.range(0.8, 2.0) } else { random.range(3.0, 9.0) },
                mass: if heavy { random.range(0.15, 0.4) } else { random.range(0.02, 0.1) },
            }
        })
        .collect()
}

fn link(name: &str, mass: f64, [x, y, z]: [f64; 3]) -> String {
    format!(
        "<link name='{name}'><inertial><origin xyz='{x} {y} {z}'/><mass value='{mass}'/>\
         <inertia ixx='1e-4' ixy='0' ixz='0' iyy='1e-4' iyz='0' izz='1e-4'/></inertial></link>\n"
    )
}

/// A robot of 4 to 8 legs of 3 to 6 joints.
fn urdf(random: &mut Random) -> String {
    let (legs, joints, upright) = (4 + random.below(5), 3 + random.below(4), random.chance(0.3));
    let size = random.range(0.15, 0.5);
    let (long, wide) = (size * random.range(0.25, 0.45) * (legs as f64 / 3.0), size * random.range(0.2, 0.5));
    let lopsided = if random.chance(0.25) { 0.4 } else { 0.05 };
    let centre = [random.range(-lopsided, lopsided) * long, random.range(-lopsided, lopsided) * wide, 0.0];
    let (ring, skew) = (random.chance(0.3), if random.chance(0.3) { 0.3 } else { 0.0 });
    let (kind, mirrored) = (leg(random, joints, upright, size), random.chance(0.5));
    let mut text = format!("<robot name='random'>\n{}", link("base_link", random.range(0.5, 3.0), centre));
    for index in 0..legs {
        let (left, rank) = (index % 2 == 0, index / 2);
        let side = if left { 1.0 } else { -1.0 };
        let along = 1.0 - 2.0 * rank as f64 / ((legs - 1) / 2).max(1) as f64;
        let around = std::f64::consts::TAU * (index as f64 + 0.5) / legs as f64;
        let [x, y, mut yaw] = if ring && !upright {
            [long * around.cos(), long * around.sin(), around]
        } else {
            [long * along, wide * side, side * (1.571 - 0.6 * along)]
        };
        yaw = if upright { 0.0 } else { yaw + random.range(-skew, skew) };
        let mut parent = "base_link".to_owned();
        let mut origin = format!("xyz='{x} {y} {}' rpy='0 0 {yaw}'", random.range(-0.1, 0.1) * wide * skew);
        for (place, joint) in kind.iter().enumerate() {
            // Built as mirror images, or all alike.
            let sense = if mirrored && !left && place == 0 { -1.0 } else { 1.0 };
            let ([a, b, c], [lower, upper], name) = (joint.axis, joint.limits, format!("l{index}_{place}"));
            let middle = if upright { [0.0, 0.0, -0.5 * joint.length] } else { [0.5 * joint.length, 0.0, 0.0] };
            text += &link(&format!("{name}_link"), joint.mass, middle);
            let (velocity, [lower, upper]) =
                (joint.velocity, if sense < 0.0 { [-upper, -lower] } else { [lower, upper] });
            writeln!(
                text,
                "<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{name}_link'/><origin {origin}/>\
                 <axis xyz='{} {} {}'/><limit lower='{lower}' upper='{upper}' velocity='{velocity}' effort='3'/></joint>",
                sense * a,
                sense * b,
                sense * c
            )
            .unwrap();
            let aside = side * joint.aside;
            origin = match (upright, place) {
                (true, 0) => format!("xyz='0 {} 0'", side * joint.length * 0.5),
                (true, _) => format!("xyz='0 {aside} {}'", -joint.length),
                _ => format!("xyz='{} {aside} 0'", joint.length),
            };
            parent = format!("{name}_link");
        }
        writeln!(
            text,
            "<link name='l{index}_foot'/><joint name='l{index}_tip' type='fixed'><parent link='{parent}'/>\
             <child link='l{index}_foot'/><origin {origin}/></joint>"
        )
        .unwrap();
    }
    text + "</robot>"
}

fn walker(text: String) -> Result<Walker, ConfigError> {
    let beside = ConfigFile::of_texts([("robot.yaml", "limits: {}\n")]);
    let description = Description::of_text(Source::new("random.urdf", text), &beside, &mut |_| None)?;
    let params: Params = planner::specs().iter().map(|spec| (spec.name, spec.default.clone())).collect();
    let file = |name: &str| ConfigFile::from(&Path::new(CONFIG).join(name));
    Walker::read(&params, &description, &file("gaits.yaml"), &file("motions.yaml"))
}

/// Twists one after another, each within the robot's limits. What was seen: the least margin, m.
fn drive(engine: &mut Engine, random: &mut Random, reported: &str) -> f64 {
    let (limits, balance) = (engine.limits(), Balance::new(engine.robot()));
    let mut least = f64::INFINITY;
    engine.stand();
    for _ in 0..1000 {
        engine.step(&Input::default(), DT);
    }
    assert_eq!(engine.last().state, GaitState::Standing, "{reported}");
    for _ in 0..12 {
        let part = if random.chance(0.3) { 0.1 } else { 1.0 };
        let mut any = |most: f64| if random.chance(0.3) { 0.0 } else { random.range(-most, most) * part };
        let twist = Twist::new(any(limits.linear_velocity), any(limits.linear_velocity), any(limits.angular_velocity));
        let input = Input { twist, ..Input::default() };
        let (mut ticks, mut still_ticks, mut silent_ticks, mut walked_m, mut before) = (0, 0, 0, 0.0, *engine.last());
        let cycle_ticks = (engine.gait().cycle_time() / DT) as usize;
        let farthest = engine.rest_feet().iter().map(|foot| foot.norm()).fold(0.0, f64::max);
        let way_m = |twist: Twist| (twist.speed() + twist.wz.abs() * farthest) * DT;
        let still_m = STILL_M.min(STILL_FRACTION * way_m(twist) * STILL_TICKS as f64);
        for tick in 0..600 {
            let tick_of = *engine.step(&input, DT);
            let walking = tick_of.state == GaitState::Walking;
            if matches!(tick_of.state, GaitState::Walking | GaitState::Stopping) {
                least = least.min(balance.of(&tick_of).margin);
            }
            walked_m += way_m(tick_of.twist);
            ticks = if walking { ticks + 1 } else { 0 };
            if !walking || walked_m > still_m {
                (ticks, walked_m) = (0, 0.0);
            }
            let turns =
                tick_of.angles.iter().zip(&before.angles).any(|(now, then)| now.distance_squared(then) > STILL_RAD2);
            still_ticks = if ticks > 0 && !turns { still_ticks + 1 } else { 0 };
            before = tick_of;
            silent_ticks = if tick_of.limited_by == LimitedBy::Nothing { silent_ticks + 1 } else { 0 };
            let waits = silent_ticks < SILENT_TICKS && still_ticks <= STILL_TICKS && ticks <= STILL_TICKS + cycle_ticks;
            assert!(
                ticks <= STILL_TICKS || waits,
                "{reported} stands still after {tick} ticks of {twist:?}: {:?}",
                engine.last()
            );
        }
        if engine.gave_up().is_some() {
            for _ in 0..200 {
                engine.step(&Input::default(), DT);
            }
        }
    }
    least
}

/// Reads and drives a robot; whether it was accepted.
fn check(seed: u64) -> bool {
    let mut random = Random(seed);
    let text = urdf(&mut random);
    let started = Instant::now();
    let read = walker(text);
    let loaded_s = started.elapsed().as_secs_f64();
    match read {
        Ok(mut walker) => {
            let (legs, joints) = (walker.engine.legs().len(), walker.engine.legs()[0].joint_count());
            let reported = format!("HEXAPOD_SEED={seed}: {legs} legs of {joints} joints, {}", walker.gait_name);
            assert!(walker.engine.gait().is_stable(), "{reported} falls from step to step, and nobody asked it to");
            let least = drive(&mut walker.engine, &mut random, &reported);
            println!("{reported}: loaded in {loaded_s:.2} s, margin {:.1} mm", least * 1e3);
            true
        }
        Err(error) => {
            println!("HEXAPOD_SEED={seed}: refused in {loaded_s:.2} s: {}; {}", error.message(), error.remedy());
            assert!(error.message().len() > 20 && !error.remedy().is_empty(), "{seed}: {error}");
            false
        }
    }
}

fn seed_asked() -> Option<u64> {
    std::env::var("HEXAPOD_SEED").ok()?.parse().ok()
}

#[test]
fn when_robots_are_drawn_at_random_expect_each_refused_or_never_still_in_walking() {
    let fresh = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seeds: Vec<u64> =
        seed_asked().map_or_else(|| (0..20).map(|k| fresh.wrapping_add(k)).collect(), |seed| vec![seed]);
    seeds.into_iter().for_each(|seed| {
        check(seed);
    });
}

#[test]
fn when_a_robot_stands_and_does_not_walk_expect_the_leg_or_the_joint_to_blame_on_its_line() {
    for (seed, key, why, help) in [
        (7, "l4_0", "with leg l4 in the air its centre of mass is 23 mm outside its other feet", "farther ahead"),
        (
            39,
            "l7_3",
            "leg l7 has no room to lift its foot by 77 mm and put it elsewhere: l7_3 turns only from",
            "l7_3: {lower",
        ),
        (126, "l6_0", "with leg l6 in the air its centre of mass is 12 mm outside its other feet", "can be missed"),
        (126, "l6_0", "in the air", "l5_1: {lower: -0.5329, upper: 1.8241}"),
    ] {
        let error = walker(urdf(&mut Random(seed))).unwrap_err();
        assert!(error.key().unwrap().contains(&format!("\"{key}")), "{seed}: {error}");
        assert!(error.message().contains(why) && error.remedy().contains(help), "{seed}: {error:#}");
    }
}

/// Margins and room that were asked for in metres of the shipped robot kept these, of other sizes, from walking.
#[test]
fn when_a_robot_has_the_margins_in_its_own_measure_expect_it_to_walk() {
    for seed in [99, 289] {
        assert!(walker(urdf(&mut Random(seed))).is_ok(), "{seed}");
    }
}

#[test]
fn when_joints_are_too_slow_for_a_step_expect_the_slowest_on_its_line() {
    let urdf = include_str!("../../../urdf/hexapod.urdf").replace("velocity=\"5.2\"", "velocity=\"0.02\"");
    let error = walker(urdf).unwrap_err();
    assert!(error.message().contains("too slow for a step: left_front_coxa turns at 0.02 rad/s"), "{error:#}");
    assert!(error.key().unwrap().contains("left_front_coxa") && error.remedy().contains("raise the velocity"));
}

/// `cargo test -p hexapod_setup three_hundred -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn when_three_hundred_robots_are_drawn_expect_each_refused_or_never_still_in_walking() {
    let failures: Vec<u64> = (0..300).filter(|seed| std::panic::catch_unwind(|| check(*seed)).is_err()).collect();
    let accepted = 300 - failures.len();
    assert!(failures.is_empty(), "{failures:?} of {accepted}");
}
