//! Feet are lifted higher where they feel that the ground is rough, and lower again where it is flat.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::random::{Random, any_engine};
use crate::common::{bits, engine_with, gait, specs};
use hexapod_gait::{Engine, GaitState, Input, RoughLevel, RoughLevels, Tick, Twist, size_of};
use hexapod_kinematics::{LegOptions, LimitChange, MAX_LEGS, Robot};
use proptest::prelude::*;
use std::collections::VecDeque;
use std::sync::Arc;

/// Feet are lifted at most so high with the shipped stance, and so high where the ground is not rough, m.
const MOST_M: f64 = 0.05;
const LIFT_M: f64 = 0.03;
/// What feet feel as ground is so far from where it is, m: how deep a switch gives.
const SWITCH_M: f64 = 0.0005;

fn levels() -> RoughLevels {
    let level = |above, below, lift| RoughLevel { above, below, lift };
    RoughLevels::try_new(&[level(0.004, 0.0025, 0.5), level(0.007, 0.005, 1.0)]).unwrap()
}

/// A robot whose feet feel the ground, as high as it is wherever each of them comes down next.
#[derive(Clone)]
struct Walker {
    engine: Engine,
    dt: f64,
    size: f64,
    heights: [f64; MAX_LEGS],
    /// What the switches have yet to tell, the latest last.
    felt: VecDeque<[Option<bool>; MAX_LEGS]>,
}

impl Walker {
    fn standing(mut engine: Engine, dt: f64, late: usize) -> Self {
        let feeling = engine.ready(engine.gait().feeling());
        engine.set_gait(feeling);
        assert!(stands(&mut engine, dt), "{:?}", engine.last().state);
        let (size, felt) = (size_of(engine.robot()), VecDeque::from(vec![[Some(true); MAX_LEGS]; late]));
        Self { engine, dt, size, heights: [0.0; MAX_LEGS], felt }
    }

    fn shipped(levels: RoughLevels) -> Self {
        Self::standing(engine_with(6, &specs(6)[0]).with_rough_levels(levels), 0.01, 2)
    }

    /// A tick over ground of the heights that `of` gives step by step.
    fn tick(&mut self, twist: Twist, mut of: impl FnMut() -> f64) -> Tick {
        let before = *self.engine.last();
        let late = self.felt.len() as f64 * self.dt;
        self.felt.push_back(std::array::from_fn(|leg| {
            let ground = self.heights[leg] * self.size;
            Some(before.contacts[leg] || before.feet[leg].z <= ground)
        }));
        let contacts = self.felt.pop_front().unwrap();
        let tick = *self.engine.step(&Input { twist, contacts, contacts_late: late, ..Input::default() }, self.dt);
        for leg in 0..self.engine.legs().len() {
            if before.contacts[leg] && !tick.contacts[leg] {
                self.heights[leg] = of();
            }
        }
        tick
    }

    /// Ahead for so many seconds; how high feet are lifted at most.
    fn walk(&mut self, seconds: f64, mut of: impl FnMut() -> f64) -> f64 {
        let ticks = (0..(seconds / self.dt) as usize).map(|_| self.tick(Twist::new(0.05, 0.0, 0.0), &mut of));
        ticks.flat_map(|tick| tick.feet).map(|foot| foot.z).fold(0.0, f64::max)
    }

    fn level(&self) -> usize {
        self.engine.roughness().level
    }
}

/// Whether no joint turns faster than it can from one tick to the next.
fn is_smooth(engine: &Engine, [then, now]: [&Tick; 2], dt: f64) -> bool {
    engine.legs().iter().enumerate().all(|(leg, described)| {
        let turns = now.angles[leg].iter().zip(then.angles[leg].iter()).map(|(now, then)| (now - then).abs());
        described.joints().iter().zip(turns).all(|(joint, turn)| turn <= joint.limits().velocity * dt + 1e-9)
    })
}

/// Stones of some heights.
fn stones() -> impl FnMut() -> f64 {
    let mut step = 0_usize;
    move || {
        step += 1;
        0.018 * ((step * 7 % 5) as f64 / 2.0 - 1.0)
    }
}

fn stands(engine: &mut Engine, dt: f64) -> bool {
    engine.stand();
    (0..(20.0 / dt) as usize).any(|_| engine.step(&Input::default(), dt).state == GaitState::Standing)
}

/// An engine of any robot that stands, or of one as shipped.
fn any_robot(random: &mut Random) -> Engine {
    if random.index(3) > 0 {
        return any_shipped(random);
    }
    // Some stand only where nothing is in their legs' way.
    let mut engines = std::iter::repeat_with(|| any_engine(random).0);
    engines.find(|engine| stands(&mut engine.clone(), 0.01)).unwrap()
}

/// An engine of a robot of 4 to 8 legs on any shipped gait, its joints' accelerations limited or not.
fn any_shipped(random: &mut Random) -> Engine {
    let legs = [4, 5, 6, 7, 8][random.index(5)];
    let specs = specs(legs);
    let acceleration = (random.index(2) == 0).then(|| random.range(40.0, 150.0));
    let change = LimitChange { acceleration, ..LimitChange::default() };
    let options = LegOptions { limits: vec![change], ..LegOptions::default() };
    let robot = Arc::new(Robot::from_urdf_with(&crate::common::urdf(legs), &options).unwrap());
    let first = gait(&robot, &specs[random.index(specs.len())]);
    Engine::new(robot, first, crate::common::settings()).unwrap()
}

fn any_twist(random: &mut Random, size: f64) -> Twist {
    Twist::new(size * random.range(-0.08, 0.08), size * random.range(-0.04, 0.04), random.range(-0.3, 0.3))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_ground_is_flat_expect_the_same_bits_as_without_levels_on_every_robot_and_gait(
        seed in any::<u64>(), dt in prop::sample::select(vec![0.005, 0.01, 0.02]), late in 0usize..4,
    ) {
        let mut random = Random(seed);
        let engine = any_robot(&mut random);
        let mut not = Walker::standing(engine.clone(), dt, late);
        let mut adapts = Walker::standing(engine.with_rough_levels(levels()), dt, late);
        let mut twist = any_twist(&mut random, adapts.size);
        for tick in 0..(16.0 / dt) as usize {
            if tick % 400 == 0 {
                twist = any_twist(&mut random, adapts.size);
            }
            let around = random.range(-SWITCH_M, SWITCH_M);
            let [a, b] = [&mut adapts, &mut not].map(|walker| walker.tick(twist, || around));
            prop_assert_eq!(bits(&a.angles), bits(&b.angles));
            let rough = adapts.engine.roughness();
            prop_assert!(rough.level == 0 && rough.height_m < 0.002 * adapts.size, "{rough:?} of {}", adapts.size);
        }
    }

    /// Whatever the ground: a lift of 10 mm more is for the next lift-off.
    #[test]
    fn when_the_ground_becomes_rough_expect_nothing_changed_before_and_no_foot_elsewhere_at_once(
        seed in any::<u64>(), size in 0.0..0.03f64,
    ) {
        let mut random = Random(seed);
        let engine = any_robot(&mut random);
        let mut not = Walker::standing(engine.clone(), 0.01, 2);
        let mut adapts = Walker::standing(engine.with_rough_levels(levels()), 0.01, 2);
        let twist = any_twist(&mut random, adapts.size);
        // Of the ticks after the change only the first: then the body has gone on otherwise.
        for _ in 0..2000 {
            let height = random.range(-size, size);
            let [a, b] = [&mut adapts, &mut not].map(|walker| walker.tick(twist, || height));
            if adapts.level() > 0 {
                let apart = a.feet.iter().zip(&b.feet).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
                // A foot that is lifted in this very tick has begun to rise: by less than a tenth of the 10 mm.
                prop_assert!(apart < 1e-3 * adapts.size, "{apart} m");
                break;
            }
            prop_assert_eq!(bits(&a.angles), bits(&b.angles));
        }
    }

    #[test]
    fn when_ground_changes_at_random_expect_no_joint_to_jump_and_the_robot_to_sit_at_the_end(seed in any::<u64>()) {
        let mut random = Random(seed);
        let mut walker = Walker::standing(any_shipped(&mut random).with_rough_levels(levels()), 0.01, 2);
        for _ in 0..12 {
            let (size, twist) = (random.range(0.0, 0.02) * random.index(2) as f64, any_twist(&mut random, walker.size));
            for _ in 0..300 {
                let before = *walker.engine.last();
                let tick = walker.tick(twist, || random.range(-size, size));
                prop_assert!(is_smooth(&walker.engine, [&before, &tick], walker.dt));
            }
        }
        walker.engine.sit();
        let sits = (0..6000).any(|_| walker.tick(Twist::ZERO, || 0.0).state == GaitState::Sitting);
        prop_assert!(sits, "{:?}", walker.engine.last().state);
        walker.tick(Twist::ZERO, || 0.0);
        walker.tick(Twist::ZERO, || 0.0);
        prop_assert_eq!(walker.engine.roughness(), hexapod_gait::Roughness::default());
    }
}

#[test]
fn when_ground_gets_rough_expect_feet_lifted_higher_and_lower_again_within_a_few_cycles() {
    let mut walker = Walker::shipped(levels());
    let flat = walker.walk(4.0, || 0.0);
    assert!(flat < LIFT_M + 0.002 && walker.level() == 0, "{flat}");
    walker.walk(4.0, stones());
    let highest = walker.walk(4.0, stones());
    assert!(highest > MOST_M - 0.002 && walker.level() == 2, "{highest} {:?}", walker.engine.roughness());
    walker.walk(6.0 * 0.8, || 0.0);
    assert_eq!(walker.level(), 0, "{:?}", walker.engine.roughness());
    let flat = walker.walk(4.0, || 0.0);
    assert!(flat < LIFT_M + 0.002, "{flat}");
}

#[test]
fn when_the_driver_sets_the_lift_on_rough_ground_expect_it_once_the_ground_is_flat() {
    let mut walker = Walker::shipped(levels());
    walker.walk(8.0, stones());
    walker.engine.set_step_height(0.02);
    assert!(walker.level() > 0 && walker.walk(4.0, stones()) > MOST_M - 0.002);
    walker.walk(6.0, || 0.0);
    let flat = walker.walk(4.0, || 0.0);
    assert!(flat < 0.022 && (walker.engine.step_height() - 0.02).abs() < 1e-12, "{flat}");
}
