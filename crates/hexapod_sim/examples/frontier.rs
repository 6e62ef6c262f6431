//! How far the shipped robot gets in half a minute at 0.07 m/s over unknown ground, which it feels with its feet and its IMU,
//! and sees with a depth camera where SEES is 1, or 2 to have its pose by odometry, too:
//! `frontier NAME SIZE_M GAIT WALKS [LIFT_M] [FIRST_SEED] [SEES] [ADAPTS]`; where ADAPTS is 1 it lifts its feet higher on rough ground, as
//! shipped. NAME is that of a terrain, or hills. Prints fractions of the commanded way, and the greatest leans,
//! in degrees; with odometry, also the root mean square of how far it strays from the truth within a second: along x and y
//! and of the height, in millimetres, of lean and yaw, in degrees.

#![allow(clippy::unwrap_used, missing_docs, reason = "a run that cannot start says why by failing")]

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/rig/mod.rs"]
mod rig;

use hexapod_gait::{GaitState, Twist};
use hexapod_sim::{Ground, Terrain, lean};
use nalgebra::Isometry3;
use rig::TICK_S;
use rig::rough::{Feels, Walker, each_seed, slopes};
use std::collections::VecDeque;

const SPEED_M_S: f64 = 0.07;
/// By so much of it each seed is faster than the one before: on ground without chance, too, feet come down elsewhere.
const FASTER: f64 = 0.01;
const WALK_S: f64 = 30.0;
/// Ticks in which it sets out.
const SETS_OUT: usize = 100;
const FALLEN_DEG: f64 = 45.0;

struct Walk {
    fraction: f64,
    lean_deg: f64,
    gave_up: bool,
    strays: [f64; 4],
}

/// Which walk.
#[derive(Clone, Copy)]
struct Setting<'a> {
    name: &'a str,
    size: f64,
    gait: &'a str,
    lift: f64,
    feels: Feels,
    adapts: bool,
}

/// How far the pose on which it sees strays from the truth within a second.
#[derive(Default)]
struct Strays {
    /// The last second of what carries the truth into odometry's frame.
    errors: VecDeque<Isometry3<f64>>,
    squares: [f64; 4],
    count: f64,
}

impl Strays {
    fn take(&mut self, odom_from_body: &Isometry3<f64>, base: &Isometry3<f64>) {
        self.errors.push_back(odom_from_body * base.inverse());
        if self.errors.len() > (1.0 / TICK_S) as usize
            && let Some(before) = self.errors.pop_front()
        {
            let then = before * base;
            let shift = odom_from_body.translation.vector - then.translation.vector;
            let turn = (odom_from_body.rotation * then.rotation.inverse()).scaled_axis();
            let now = [shift.xy().norm(), shift.z, turn.xy().norm(), turn.z];
            self.squares.iter_mut().zip(now).for_each(|(square, now)| *square += now * now);
            self.count += 1.0;
        }
    }

    fn roots(&self) -> [f64; 4] {
        let units = [1e3, 1e3, 1f64.to_degrees(), 1f64.to_degrees()];
        std::array::from_fn(|n| units[n] * (self.squares[n] / self.count.max(1.0)).sqrt())
    }
}

fn main() {
    let argument = |n: usize, default: &str| std::env::args().nth(n).unwrap_or_else(|| default.into());
    let number = |n: usize, default: &str| argument(n, default).parse::<f64>().unwrap();
    let (name, gait) = (argument(1, "rubble"), argument(3, "tripod"));
    let (size, walks, lift, first) = (number(2, "0.025"), number(4, "4"), number(5, "0.05"), number(6, "1"));
    let feels = match argument(7, "0").as_str() {
        "2" => Feels::Reckons,
        "1" => Feels::Sees,
        _ => Feels::Imu,
    };
    let setting = Setting { name: &name, size, gait: &gait, lift, feels, adapts: argument(8, "0") == "1" };
    let all = each_seed(first as u64, walks as u64, |seed| walk(&setting, seed));
    let mean = |of: &dyn Fn(&Walk) -> f64| all.iter().map(of).sum::<f64>() / walks;
    let count = |of: &dyn Fn(&&Walk) -> bool| all.iter().filter(of).count();
    let fractions: Vec<String> = all.iter().map(|walk| format!("{:.2}", walk.fraction)).collect();
    println!(
        "{name:7} {size:5.3} {gait:7} way {:.3} lean {:.1} most {:.1} falls {} gave up {}   {}",
        mean(&|walk| walk.fraction),
        mean(&|walk| walk.lean_deg),
        all.iter().map(|walk| walk.lean_deg).fold(0.0, f64::max),
        count(&|walk| walk.lean_deg > FALLEN_DEG),
        count(&|walk| walk.gave_up),
        fractions.join(" ")
    );
    if feels == Feels::Reckons {
        let [xy, z, lean, yaw] = std::array::from_fn(|n| mean(&|walk| walk.strays[n]));
        println!("strays: x, y {xy:.1} mm, z {z:.1} mm, lean {lean:.2} deg, yaw {yaw:.2} deg");
    }
}

fn walk(&Setting { name, size, gait, lift, feels, adapts }: &Setting, seed: u64) -> Walk {
    let terrain = match name {
        "hills" => Terrain::Heights(slopes(size, seed)),
        _ => Terrain::named(name, (size != 0.0).then_some(size), seed).unwrap(),
    };
    let mut walker = Walker::standing(gait, &Ground::of(terrain).with_friction(0.8), feels);
    walker.engine.set_step_height(lift);
    if adapts {
        walker = walker.adapting();
    }
    let speed = SPEED_M_S * (1.0 + FASTER * (seed as f64 - 1.0));
    let x = |walker: &Walker| walker.world.base().translation.vector.x;
    let (start, mut lean_deg, mut gave_up, mut strays) = (x(&walker), 0.0_f64, false, Strays::default());
    for tick in 0..(WALK_S / TICK_S) as usize {
        let base = walker.world.base();
        let state = walker.tick(Twist::new(speed, 0.0, 0.0)).state;
        walker.seeing.iter().for_each(|seeing| strays.take(&seeing.odom_from_body, &base));
        lean_deg = lean_deg.max(lean(&walker.world.base()).to_degrees());
        gave_up |= state != GaitState::Walking && tick > SETS_OUT;
    }
    Walk { fraction: (x(&walker) - start) / (speed * WALK_S), lean_deg, gave_up, strays: strays.roots() }
}
